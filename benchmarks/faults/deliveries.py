"""Events delivered one to five times and out of order: the graph must be the one of each event once, in order."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.faults.event_world import NAMESPACE, START, events
from benchmarks.faults.ledger import Tally
from benchmarks.faults.report import Outcome
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.ingest.codec import encode
from lineage.ingest.events import message_key
from lineage.ingest.parse import parse
from lineage.model import Level, rfc3339
from lineage.ports import LineageGraph
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings, Neo4jSettings
from lineage.worker.consume import LineageWorker
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph

MOST = 5
MOMENTS = (None, START + 5 * 3_600_000)
"""The graph is compared as it is now and as it was in the middle of the events' times."""


def deliveries(count: int, seeds: int, on_neo4j: int, addresses: dict[str, Any], seed: int) -> Outcome:
    """`seeds` orders folded into the in-memory twin, the first `on_neo4j` of them into Neo4j too."""
    once = events(count, seed)
    started = time.monotonic()
    tried = differing = delivered = 0
    lost: list[str] = []
    reference = _folded(once, MemoryGraph(), seed)
    expected = content(reference), answers(reference)
    for number in range(seeds):
        mixed = shuffled(once, f"{seed} {number}")
        delivered += len(mixed)
        graphs: list[tuple[str, Callable[[], tuple[Any, Any]]]] = [("twin", lambda mixed=mixed: _twin(mixed, seed))]  # type: ignore[misc]
        if number < on_neo4j:
            graphs.append(("Neo4j", lambda mixed=mixed: (expected[0], _on_neo4j(mixed, addresses, seed))))  # type: ignore[misc]
        for name, folded in graphs:
            tried += 1
            got = folded()
            if got != expected:
                differing += 1
                lost.append(f"order {number} on {name}: {_difference(got, expected)}")
    edges = len(expected[0]["edges"])
    tally = Tally(tried, tried, tried - differing, tuple(lost))
    notes = [
        f"{count} events, {delivered} deliveries in {seeds} orders on the in-memory twin (all it holds, and answers),"
        f" {min(on_neo4j, seeds)} of them on Neo4j too (answers by dataset and column, now and earlier);"
        f" a graph has {edges} edges; {time.monotonic() - started:.0f} s"
    ]
    return Outcome(f"events 1 to {MOST} times, shuffled", seeds, {"graphs": tally}, notes=notes)


def shuffled(once: Sequence[dict[str, Any]], seed: str) -> list[dict[str, Any]]:
    """Each event one to five times, in any order."""
    dice = random.Random(seed)
    mixed = [event for event in once for _ in range(dice.randint(1, MOST))]
    dice.shuffle(mixed)
    return mixed


def content(graph: MemoryGraph) -> dict[str, list[Any]]:
    """All that a twin holds but its books, in a form to compare."""
    store = graph._store
    return {
        "edges": sorted(
            (
                e.id,
                e.kind,
                e.source,
                e.target,
                e.job or "",
                e.vf,
                str(e.vt),
                e.seen,
                e.raw,
                e.columns,
                e.how,
                e.origin,
                str(e.ct),
                e.unfinished,
            )
            for e in store.edges.values()
        ),
        "datasets": sorted(store.datasets),
        "columns": sorted(store.columns),
        "jobs": sorted(store.jobs),
        "job_info": sorted((key, str(sorted(each.items()))) for key, each in store.job_info.items()),
        "drops": sorted(store.drops.items()),
        "clears": sorted(store.clears.items()),
    }


def answers(graph: LineageGraph) -> list[Any]:
    """What is answered of each dataset: its neighbours by dataset and column, now and earlier."""
    lineage, rows = Lineage(graph), []
    for node in graph.named_in("dataset", NAMESPACE, 10_000):
        for moment in MOMENTS:
            for level in (Level.DATASET, Level.COLUMN):
                answer = lineage.lineage(node.id, depth=1, level=level, as_of=rfc3339(moment) if moment else None)
                rows.append((node.id, str(level), moment, asdict(answer)))
    return rows


def _twin(mixed: Sequence[dict[str, Any]], seed: int) -> tuple[Any, Any]:
    graph = _folded(mixed, MemoryGraph(), seed)
    return content(graph), answers(graph)


def _on_neo4j(mixed: Sequence[dict[str, Any]], addresses: dict[str, Any], seed: int) -> list[Any]:
    user, password = addresses["neo4j_auth"]
    settings = Neo4jSettings(uri=addresses["neo4j"], user=user, password=password)
    driver, name = connect(settings), f"faults-{uuid.uuid4().hex[:8]}"
    graph = Neo4jGraph(driver, settings, name)
    try:
        graph.prepare()
        return answers(_folded(mixed, graph, seed))
    finally:
        graph.clear()
        driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=name)
        driver.close()


def _folded(raw: Sequence[dict[str, Any]], graph: Any, seed: int) -> Any:
    """As the worker folds them from its topic."""
    log = MemoryEventLog()
    log.append_many([(message_key(parse(event)), encode(event)) for event in raw])
    settings = LineageSettings(batch_events=random.Random(seed).choice((50, 200, 500)))
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog(), settings)
    while worker.lag():
        worker.step(timeout=0.0)
    return graph


def _difference(got: tuple[Any, Any], expected: tuple[Any, Any]) -> str:
    """The first place where two dumps differ."""
    for name, rows in expected[0].items():
        missing, extra = sorted(set(rows) - set(got[0][name])), sorted(set(got[0][name]) - set(rows))
        if missing or extra:
            return f"{name}: {len(missing)} missing, {len(extra)} too many, as {(missing or extra)[0]}"
    for before, after in zip(expected[1], got[1], strict=False):
        if before != after:
            return f"answer of {before[:3]}"
    return "other datasets"
