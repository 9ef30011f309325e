"""Before the first question: its plans are made, and the graph's pages read, so that it is answered like any later one."""

from __future__ import annotations

import threading
import time

import structlog

from catalog.errors import Unavailable, WeirError
from lineage.model import Level
from lineage.ports import LineageGraph
from lineage.questions.queries import Lineage
from lineage.warming.rehearsal import rehearse

log = structlog.get_logger(__name__)

LONGEST_SECONDS = 8.0
REHEARSED_SECONDS = 4.0
_DATASETS = 30
_DEPTH = 20


def warm(lineage: Lineage, graph: LineageGraph, longest: float = LONGEST_SECONDS) -> None:
    """Return when the graph is warm, or after so many seconds; what is left is done meanwhile. Raises nothing."""
    thread = threading.Thread(target=_warm, args=(lineage, graph, longest), name="weir-lineage-warm", daemon=True)
    thread.start()
    thread.join(longest)


def _warm(lineage: Lineage, graph: LineageGraph, longest: float) -> None:
    began = time.monotonic()
    try:
        graph.prepare()
        rounds = rehearse(graph, REHEARSED_SECONDS)
        graph.warm()
        count = 0
        for node in graph.named_in("dataset", None, _DATASETS):
            if time.monotonic() - began > longest:
                break
            lineage.impact(node.id, _DEPTH)
            for field in graph.fields_of(node.id, 1):
                lineage.impact(field.id, _DEPTH)
            lineage.lineage(node.id, level=Level.COLUMN)
            count += 1
        log.info("lineage_warm", seconds=round(time.monotonic() - began, 1), datasets=count, rounds=rounds)
    except Unavailable:
        log.info("lineage_not_warm", reason="the graph does not answer yet")
    except WeirError as error:
        log.warning("lineage_not_warm", reason=error.message)
    except Exception as error:
        log.warning("lineage_not_warm", error=type(error).__name__)
