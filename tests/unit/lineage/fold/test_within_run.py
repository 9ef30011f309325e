"""The fold within a run: which report of a run counts before which, and the halves of micro-batches."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from lineage.model import How, Kind
from tests.lineage_samples import IDENTITY, JOIN, KAFKA, MASKING, T0, columns, dataset, flows, graph_of, node, run


def test_inputs_in_one_event_and_outputs_in_another() -> None:
    graph = graph_of(run(0, ["a"], kind="START"), run(1, kind="RUNNING"), run(2, [], ["x"]), batch=1)
    assert flows(graph) == {("a", "x")}


def test_a_start_alone_is_on_the_map() -> None:
    graph = graph_of(run(0, ["a"], ["x"], kind="START"))
    assert flows(graph) == {("a", "x")}
    assert graph.nodes(["job:jobs:etl"])["job:jobs:etl"].info["state"] == "START"


def test_column_lineage_comes_before_inputs_times_outputs() -> None:
    x = dataset("x", columnLineage=columns({"f": [("a", "f", IDENTITY)]}))
    y = dataset("y", columnLineage=columns({"g": [("b", "g")]}))
    graph = graph_of(run(0, ["a", "b"], [x, y]))
    assert flows(graph) == {("a", "x"), ("b", "y")}


def test_an_input_that_no_column_names_still_feeds_what_was_written() -> None:
    x = dataset("x", columnLineage=columns({"f": [("a", "f")]}))
    graph = graph_of(run(0, ["a", "lookup"], [x]))
    known = {(e.source, e.target): e.columns for e in graph._store.edges.values() if e.kind is Kind.FEEDS}
    assert known == {(node("a"), node("x")): True, (node("lookup"), node("x")): False}


def test_column_lineage_that_comes_later_in_the_run_replaces_the_guess() -> None:
    x, y = (dataset(name, columnLineage=columns({"f": [(source, "f")]})) for name, source in (("x", "a"), ("y", "b")))
    events = [run(0, ["a", "b"], ["x", "y"], kind="START"), run(1, ["a", "b"], [x, y])]
    for order in (events, events[::-1]):
        graph = graph_of(*order, batch=1)
        assert flows(graph) == flows(graph, T0 + 1000) == {("a", "x"), ("b", "y")}
        assert flows(graph, T0 + 999) == set()  # data is there when the run completes


def test_an_explicit_facet_comes_before_all_else() -> None:
    entries = [
        {
            "type": "DATASET",
            "namespace": KAFKA,
            "name": "x",
            "inputs": [
                {"type": "DATASET", "namespace": KAFKA, "name": "a"},
                {"type": "JOB", "namespace": "jobs", "name": "helper"},
            ],
        },
        {"type": "DATASET", "namespace": KAFKA, "name": "y", "inputs": []},
    ]
    event = run(0, ["a", "b"], ["x", "y"], job_facets={"lineage": {"entries": entries}})
    event["outputs"][0]["facets"]["columnLineage"] = columns({"f": [("b", "f")]})
    graph = graph_of(event)
    edges = graph._store.edges.values()
    assert {(e.source, e.target, e.how) for e in edges if e.kind is Kind.FEEDS} == {
        (node("a"), node("x"), How.EXPLICIT)
    }
    assert [e for e in edges if e.kind is Kind.DERIVES] == []
    assert ("job:jobs:helper", node("x")) in {(e.source, e.target) for e in edges if e.kind is Kind.WRITES}


def test_indirect_columns_influence_the_dataset_once_in_either_form() -> None:
    spread = columns({"f": [("a", "f", IDENTITY), ("a", "k", JOIN)], "g": [("a", "g", IDENTITY), ("a", "k", JOIN)]})
    gathered = columns({"f": [("a", "f", IDENTITY)], "g": [("a", "g", IDENTITY)]}, [("a", "k", JOIN)])
    ends = []
    for facet in (spread, gathered):
        edges = graph_of(run(0, ["a"], [dataset("x", columnLineage=facet)]))._store.edges.values()
        ends.append({(e.kind, e.source, e.target) for e in edges})
    assert ends[0] == ends[1]
    assert (Kind.INFLUENCES, node("a", "value.k"), node("x")) in ends[0]
    assert (Kind.DERIVES, node("a", "value.k"), node("x", "value.f")) not in ends[0]


@pytest.mark.parametrize(
    ("ways", "raw"),
    [([], True), ([IDENTITY], True), ([MASKING], False), ([MASKING, IDENTITY], True), ([MASKING, JOIN], False)],
)
def test_an_edge_is_masked_when_every_direct_way_masks(ways: list[Any], raw: bool) -> None:
    graph = graph_of(run(0, ["a"], [dataset("x", columnLineage=columns({"f": [("a", "f", *ways)]}))]))
    edges = [e for e in graph._store.edges.values() if e.kind in (Kind.DERIVES, Kind.FEEDS)]
    assert [e.raw for e in edges] == [raw, raw]


def test_the_old_form_of_masking_is_read() -> None:
    facet = columns({"f": [("a", "f")]})
    facet["fields"]["f"]["transformationType"] = "MASKED"
    graph = graph_of(run(0, ["a"], [dataset("x", columnLineage=facet)]))
    assert [e.raw for e in graph._store.edges.values() if e.kind is Kind.DERIVES] == [False]


def test_a_change_data_connector_pairs_tables_with_their_topics() -> None:
    more: dict[str, Any] = {"kind": "RUNNING", "integration": "DEBEZIUM", "processing": "STREAMING"}
    tables = ("users", "orders")
    events = [run(at, [dataset(f"db.public.{t}", "postgres://h:5432")], [], **more) for at, t in enumerate(tables)]
    events += [run(5 + at, [], [f"cdc.public.{t}"], **more) for at, t in enumerate(tables)]
    pairs = {(s.split(".")[-1], t.split(".")[-1]) for s, t in flows(graph_of(*events))}
    assert pairs == {("users", "users"), ("orders", "orders")}


def test_two_halves_of_a_micro_batch_are_joined_by_the_run_that_started_both() -> None:
    more: dict[str, Any] = {"integration": "SPARK", "parent": ("app", "p1")}
    read = run(0, ["in"], [], job="app.read", run_id="c1", processing="STREAMING", **more)
    wrote = run(1, [], ["out"], job="app.write", run_id="c2", processing="BATCH", **more)
    for order in ([read, wrote], [wrote, read]):
        graph = graph_of(*order, batch=1)
        assert flows(graph) == {("in", "out")}
        edge = next(e for e in graph._store.edges.values() if e.kind is Kind.FEEDS)
        assert (edge.job, edge.how) == ("job:jobs:app", How.PARENT_RUN)


@pytest.mark.parametrize("seed", range(4))
def test_a_recorded_foreach_batch(seed: int) -> None:
    """Real events of Spark 4.0 with OpenLineage 1.53: one stream with foreachBatch, one that writes by itself."""
    lines = (Path(__file__).parent / "foreach_batch.jsonl").read_text().splitlines()
    events = [json.loads(line) for line in lines]
    random.Random(seed).shuffle(events)
    assert flows(graph_of(*events, batch=5)) == {("orders_in", "orders_out"), ("orders_in", "orders_out2")}


def micro_batches(*rounds: tuple[str, float, float]) -> list[Any]:
    """(stream, start, end) of micro-batches: the reading run encloses the writing one. One application, equal job names."""
    more: dict[str, Any] = {"integration": "SPARK", "parent": ("app", "p1")}
    events = []
    for stream, start, end in rounds:
        read = {"job": "app.project", "run_id": f"read {stream} {start}", "processing": "STREAMING", **more}
        wrote = {"job": "app.save", "run_id": f"write {stream} {start}", "processing": "BATCH", **more}
        events += [
            run(start, [f"{stream}_in"], [], kind="START", **read),
            run(start + 0.1, [], [f"{stream}_out"], kind="START", **wrote),
            run(end - 0.1, [], [f"{stream}_out"], **wrote),
            run(end, [f"{stream}_in"], [], **read),
        ]
    return events


@pytest.mark.parametrize("seed", range(3))
def test_two_streams_of_one_application_are_not_joined_crosswise(seed: int) -> None:
    events = micro_batches(
        ("a", 0, 2), ("b", 1, 3), ("a", 4, 6), ("b", 6.5, 9), *((s, t, t + 2) for t in (10, 20, 30) for s in "ab")
    )
    random.Random(seed).shuffle(events)
    assert flows(graph_of(*events, batch=3)) == {("a_in", "a_out"), ("b_in", "b_out")}


def test_streams_in_step_are_told_apart_by_the_first_micro_batch_that_is_not() -> None:
    in_step = micro_batches(*((stream, at, at + 2) for at in (0, 10) for stream in "ab"))
    assert len(flows(graph_of(*in_step))) == 4  # nothing tells them apart yet: each may have written either
    assert len(flows(graph_of(*in_step, *micro_batches(("a", 20, 22), ("b", 30, 32))))) == 2


def test_what_an_application_wrote_long_before_its_stream_is_not_joined() -> None:
    more: dict[str, Any] = {"integration": "SPARK", "parent": ("app", "p1")}
    wrote = run(0, [], ["seed"], job="app.write", run_id="c2", processing="BATCH", **more)
    read = run(4000, ["in"], [], job="app.read", run_id="c1", processing="STREAMING", **more)
    assert flows(graph_of(wrote, read)) == set()


def test_tasks_of_a_scheduler_are_not_joined() -> None:
    more: dict[str, Any] = {"integration": "AIRFLOW", "parent": ("dag", "p1"), "processing": "BATCH"}
    graph = graph_of(
        run(0, ["in"], [], job="dag.delete", run_id="c1", **more),
        run(1, [], ["out"], job="dag.load", run_id="c2", **more),
    )
    assert flows(graph) == set()
