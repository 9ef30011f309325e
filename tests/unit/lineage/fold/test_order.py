"""Any order, any repetition and any division of events give one graph."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.errors import Unavailable
from lineage.fold.fold import fold
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta
from lineage.ingest.events import Event
from lineage.ingest.parse import parse
from tests.lineage_samples import IDENTITY, JOIN, KAFKA, MASKING, columns, content, dataset, real_events, run
from tests.twins.lineage import MemoryGraph


def _written(events: list[Event], sizes: random.Random) -> Any:
    graph = MemoryGraph()
    writer = GraphWriter(graph)
    at = 0
    while at < len(events):
        size = sizes.choice([1, 2, 7, 40, 500])
        writer.write(events[at : at + size])
        at += size
    return content(graph)


@pytest.mark.parametrize("seed", range(12))
def test_the_real_events_in_any_order_doubled_and_cut_anyhow_are_one_graph(shared_data: Path, seed: int) -> None:
    events, dice = real_events(shared_data), random.Random(seed)
    expected = _written(events, random.Random(1))
    shuffled = events[::-1] if seed == 0 else events * (1 + seed % 2)
    if seed:
        dice.shuffle(shuffled)
    assert _written(shuffled, dice) == expected


@pytest.mark.parametrize("seed", range(6))
def test_small_transactions_that_fail_at_random_give_the_same_graph(shared_data: Path, seed: int) -> None:
    """Cut off after any transaction, folded again from the log: as if nothing had happened."""
    events, dice = real_events(shared_data), random.Random(seed)
    expected = _written(events, random.Random(1))
    dice.shuffle(events)
    graph = MemoryGraph()
    writer = GraphWriter(graph)
    write_one = graph.write
    failures = 0

    def fragile(delta: GraphDelta) -> None:
        nonlocal failures
        if dice.random() < 0.1:
            failures += 1
            raise Unavailable("Neo4j does not answer.")
        write_one(delta)

    graph.write = fragile  # type: ignore[method-assign]
    at = 0
    while at < len(events):
        writer._rows = dice.choice([3, 20, 10_000])
        try:
            writer.write(events[at : at + 40])
            at += 40
        except Unavailable:
            continue
    assert failures
    assert content(graph) == expected


NAMES = st.sampled_from(["a", "b", "c", "x", "y"])


@st.composite
def any_run(draw: st.DrawFn) -> dict[str, Any]:
    outputs = []
    for name in draw(st.lists(NAMES, max_size=2, unique=True)):
        facets: dict[str, Any] = {}
        if draw(st.booleans()):
            source, way = draw(NAMES), draw(st.sampled_from([(), (MASKING,), (IDENTITY,), (JOIN,)]))
            facets["columnLineage"] = columns({draw(st.sampled_from(["f", "g"])): [(source, "f", *way)]})
        if draw(st.integers(0, 9)) == 0:
            facets["lifecycleStateChange"] = {"lifecycleStateChange": "DROP"}
        if draw(st.integers(0, 9)) == 0:
            other = {"namespace": KAFKA, "name": draw(NAMES), "type": draw(st.sampled_from(["TABLE", "LOCATION"]))}
            facets["symlinks"] = {"identifiers": [other]}
        outputs.append(dataset(name, **facets))
    event = run(
        draw(st.integers(0, 12)) * 30,
        draw(st.lists(NAMES, max_size=2, unique=True)),
        outputs,
        job=draw(st.sampled_from(["j1", "j2", "j3"])),
        run_id=draw(st.sampled_from(["r1", "r2", "r3", "r4"])),
        kind=draw(st.sampled_from(["START", "RUNNING", "COMPLETE", "COMPLETE", "FAIL"])),
        processing=draw(st.sampled_from([None, "BATCH", "STREAMING"])),
        integration=draw(st.sampled_from([None, "SPARK"])),
        parent=draw(st.sampled_from([None, ("app", "p1"), ("app", "p2")])),
        snapshot=draw(st.integers(0, 9)) == 0,
    )
    if draw(st.integers(0, 7)) == 0:
        del event["run"]
    return event


@given(st.lists(any_run(), max_size=9), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_events_in_any_order_are_one_graph(raw: list[dict[str, Any]], dice: random.Random) -> None:
    events = [parse(event) for event in raw]
    expected = _written(events, random.Random(0))
    again = events + [event for event in events if dice.random() < 0.4]
    dice.shuffle(again)
    assert _written(again, dice) == expected


def test_the_pure_fold_agrees_with_the_writer(shared_data: Path) -> None:
    events = real_events(shared_data)
    written = _written(events, random.Random(0))
    assert sorted(edge.id for edge in fold(events).upserts) == [row[0] for row in written["edges"]]
