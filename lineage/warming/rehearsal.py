"""A graph apart is written and asked as the real one will be, so that what a server compiles for it is ready before the
first event and the first question. An instance that is new has no lineage of its own to be asked about."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator

from catalog.model import DatasetId
from lineage.fold.writer import GraphWriter
from lineage.ingest.events import Event
from lineage.ingest.parse import parse
from lineage.model import Basis, Direction, Level, rfc3339
from lineage.ports import LineageGraph
from lineage.questions.queries import Lineage

_LAYERS = 4
_JOBS = 24
_COLUMNS = 12
_START = 1_767_225_600_000
_FEWEST_ROUNDS = 3
_LEVEL = 0.9
"""A round that takes more than this share of the quickest before it gains nothing any more."""


def rehearse(graph: LineageGraph, longest: float) -> int:
    """Write and ask until it gets no quicker, or for so many seconds. Gives the rounds. Raises Unavailable."""
    apart = graph.apart()
    writer, lineage, token = GraphWriter(apart), Lineage(apart), secrets.token_hex(4)
    began, quickest, done = time.monotonic(), float("inf"), 0
    try:
        while True:
            at = time.monotonic()
            writer.write(list(_events(token, done)))
            until = began + longest
            _ask(lineage, token, done, until)
            took, done = time.monotonic() - at, done + 1
            level = done >= _FEWEST_ROUNDS and took > _LEVEL * quickest
            if level or time.monotonic() > until:
                return done
            quickest = min(quickest, took)
    finally:
        apart.clear()


def _ask(lineage: Lineage, token: str, done: int, until: float) -> None:
    for layer in range(_LAYERS):
        if time.monotonic() > until:
            return
        dataset = DatasetId(_namespace(token), _dataset(done, layer, layer))
        field = dataset.field_node_id(f"c{layer}")
        lineage.impact(dataset.node_id, 20)
        lineage.impact(field, 20)
        lineage.lineage(dataset.node_id, Direction.BOTH)
        lineage.lineage(dataset.node_id, Direction.BOTH, level=Level.COLUMN)
        lineage.lineage(field, Direction.UPSTREAM, basis=Basis.CONTENTS)


def _events(token: str, done: int) -> Iterator[Event]:
    """The first and a later run of jobs in layers, of which the later leaves a column out."""
    for job in range(_JOBS):
        for run in (0, 1):
            for second, kind in ((0, "START"), (1, "COMPLETE")):
                yield parse(_event(token, done, job, run, kind, _START + 100_000 * run + 1000 * second))


def _event(token: str, done: int, job: int, run: int, kind: str, moment: int) -> dict[str, object]:
    namespace, name, layer = _namespace(token), f"job{done}_{job}", job % _LAYERS
    inputs = [_dataset(done, layer, job + side) for side in (0, 1)]
    fields = {
        f"c{column}": {
            "inputFields": [
                {
                    "namespace": namespace,
                    "name": source,
                    "field": f"c{column}",
                    "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "masking": column % 7 == 0}],
                }
                for source in inputs
            ]
        }
        for column in range(_COLUMNS - run)
    }
    facets = {} if kind == "START" else {"columnLineage": {"fields": fields}}
    return {
        "eventType": kind,
        "eventTime": rfc3339(moment),
        "producer": "https://weir.invalid/rehearsal",
        "run": {"runId": f"{token}-{name}-{run}"},
        "job": {"namespace": namespace, "name": name, "facets": {"jobType": {"processingType": "BATCH"}}},
        "inputs": [{"namespace": namespace, "name": source} for source in inputs],
        "outputs": [{"namespace": namespace, "name": _dataset(done, layer + 1, job), "facets": facets}],
    }


def _dataset(done: int, layer: int, at: int) -> str:
    return f"d{done}_{layer}_{at % 3}"


def _namespace(token: str) -> str:
    return f"weir-rehearsal-{token}"
