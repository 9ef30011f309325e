"""The fold: precedence within a run, evidence between runs, and one graph whatever the order."""

from __future__ import annotations

import json
import random
import zlib
from itertools import permutations
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.errors import Unavailable
from catalog.model import DatasetId
from lineage.fold.fold import fold
from lineage.fold.job_ledger import Book
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta
from lineage.ingest.events import Event
from lineage.ingest.parse import parse
from lineage.model import FOREVER, How, Kind
from lineage.names import Link, canonical, field_text
from lineage.ports import TooMuch
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from tests.lineage_samples import (
    IDENTITY,
    JOIN,
    KAFKA,
    MASKING,
    T0,
    columns,
    content,
    dataset,
    flows,
    graph_of,
    node,
    real_events,
    run,
    write,
)
from tests.twins.lineage import MemoryGraph

# --- within a run ----------------------------------------------------------------------------------------------------


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


# --- between runs ----------------------------------------------------------------------------------------------------


def test_a_finished_run_that_lacks_an_edge_closes_it_at_its_start() -> None:
    graph = graph_of(run(0, ["a", "b"], ["x"]), run(100, ["a"], ["x"], run_id="r2"))
    assert flows(graph) == {("a", "x")}
    assert flows(graph, T0 + 50_000) == {("a", "x"), ("b", "x")}
    closed = next(e for e in graph._store.edges.values() if e.kind is Kind.FEEDS and e.vt != FOREVER)
    assert (closed.source, closed.vf, closed.vt) == (node("b"), T0, T0 + 100_000)


def test_what_comes_back_is_a_new_edge() -> None:
    graph = graph_of(
        run(0, ["a", "b"], ["x"]), run(100, ["a"], ["x"], run_id="r2"), run(200, ["a", "b"], ["x"], run_id="r3")
    )
    times = [(e.vf - T0, e.vt) for e in graph._store.edges.values() if e.kind is Kind.FEEDS and e.source == node("b")]
    assert sorted(times) == [(0, T0 + 100_000), (200_000, FOREVER)]


@pytest.mark.parametrize("kind", ["FAIL", "ABORT", "START", "RUNNING"])
def test_only_a_finished_run_closes(kind: str) -> None:
    assert flows(graph_of(run(0, ["a", "b"], ["x"]), run(100, ["a"], ["x"], run_id="r2", kind=kind))) >= {("b", "x")}


@pytest.mark.parametrize(("inputs", "outputs"), [([], []), (["a"], []), ([], ["x"])])
def test_a_missing_list_closes_no_flow(inputs: list[str], outputs: list[str]) -> None:
    assert ("b", "x") in flows(graph_of(run(0, ["a", "b"], ["x"]), run(100, inputs, outputs, run_id="r2")))


def test_the_end_of_a_streaming_run_closes_nothing() -> None:
    events = [run(at, ["a" if at else "b"], ["x"], run_id=f"r{at}", processing="STREAMING") for at in (0, 100)]
    assert flows(graph_of(*events)) == {("a", "x"), ("b", "x")}


def test_a_topic_that_joins_a_streaming_job_is_dated_from_then_on() -> None:
    events = [run(at, ["a", "b"][: 1 + at // 500], ["x"], kind="RUNNING", processing="STREAMING") for at in (0, 1000)]
    graph = graph_of(*events)
    assert flows(graph, T0 + 999_000) == {("a", "x")}
    assert flows(graph, T0 + 1_000_000) == {("a", "x"), ("b", "x")}


def test_complete_snapshots_stand_alone() -> None:
    events = [
        run(at, inputs, ["x"], kind="RUNNING", processing="STREAMING", snapshot=True)
        for at, inputs in ((0, ["a", "b"]), (100, ["a"]))
    ]
    assert flows(graph_of(*events)) == {("a", "x")}


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("gap", [100, 15])  # the second: all within a minute
@pytest.mark.parametrize("declared", [False, True])
def test_what_is_said_taken_back_and_said_again_is_open(order: tuple[int, ...], gap: int, declared: bool) -> None:
    sources = (["a"], ["b"], ["a"], ["a"])
    raw = [
        run(at * gap, inputs, ["x"], kind="RUNNING", processing="STREAMING", snapshot=True)
        for at, inputs in enumerate(sources)
    ]
    if declared:
        for event in raw:
            del event["run"], event["eventType"]
    for batch in (1, 500):
        graph = graph_of(*(raw[at] for at in order), raw[3], batch=batch)
        times = {
            (e.source, e.vf - T0, e.vt if e.vt == FOREVER else e.vt - T0)
            for e in graph._store.edges.values()
            if e.kind is Kind.FEEDS
        }
        step = gap * 1000
        assert times == {(node("a"), 0, step), (node("b"), step, 2 * step), (node("a"), 2 * step, FOREVER)}


def test_a_book_is_read_as_it_was_written_and_as_earlier_versions_wrote_it() -> None:
    events = [parse(run(at, [name], ["x"], kind="RUNNING", snapshot=True)) for at, name in enumerate("aba")]
    (stored,) = fold(events).books
    book = Book.load(stored.document, 1)
    (loaded,) = book.runs.values()
    assert len(loaded.turns) == 3 and Book.load(book.dump(), 1) == book
    document = orjson.loads(zlib.decompress(stored.document))
    document["runs"] = [row[:8] for row in document["runs"]]
    del document["declared_turns"]
    (old,) = Book.load(zlib.compress(orjson.dumps(document)), 1).runs.values()
    assert old.phases == loaded.phases and old.turns == []


def test_a_masked_field_that_was_raw_before_shows_both_times() -> None:
    def event(at: int, way: Any) -> dict[str, Any]:
        return run(at, ["a"], [dataset("x", columnLineage=columns({"f": [("a", "f", way)]}))], run_id=f"r{at}")

    graph = graph_of(event(0, IDENTITY), event(100, MASKING))
    stretches = {
        (e.raw, e.vf - T0, e.vt - T0 if e.vt != FOREVER else None)
        for e in graph._store.edges.values()
        if e.kind is Kind.DERIVES
    }
    assert stretches == {(True, 0, 100_000), (False, 100_000, None)}


def test_runs_side_by_side_do_not_refute_each_other() -> None:
    events = [run(0, ["b"], ["x"], kind="START"), run(10, ["a"], ["x"], run_id="r2"), run(90, ["b"], ["x"])]
    assert flows(graph_of(*events)) == {("a", "x"), ("b", "x")}


def test_a_dropped_dataset_closes_what_touched_it_whoever_said_so() -> None:
    drop = run(
        100, [], [dataset("x", lifecycleStateChange={"lifecycleStateChange": "DROP"})], job="cleanup", run_id="d"
    )
    first, again = run(0, ["a"], ["x"]), run(200, ["a"], ["x"], run_id="r2")
    for order in ([first, drop], [drop, first]):
        assert flows(graph_of(*order, batch=1)) == set()
    graph = graph_of(again, drop, first, batch=1)
    assert flows(graph) == {("a", "x")}
    assert flows(graph, T0 + 150_000) == set()


def test_a_renamed_dataset_goes_on_under_its_new_name() -> None:
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": KAFKA, "name": "old"}}
    graph = graph_of(run(0, [], [dataset("new", lifecycleStateChange=change)]))
    assert flows(graph) == {("old", "new")}


def test_declared_lineage_stands_beside_what_runs_do() -> None:
    declared = run(0, ["a"], ["x"])
    del declared["run"], declared["eventType"]
    graph = graph_of(declared, run(10, ["b"], ["x"]))
    origins = {(e.source, e.origin) for e in graph._store.edges.values() if e.kind is Kind.FEEDS}
    assert origins == {(node("a"), "declared"), (node("b"), "observed")}
    assert graph_of(declared | {"eventTime": "2026-01-02", "inputs": [dataset("c")]}, declared) is not None


def test_job_details_are_the_newest_said() -> None:
    def event(at: int, version: str) -> dict[str, Any]:
        location = {"type": "git", "url": f"https://u:secretvalue@git/x/{version}", "version": version}
        return run(at, ["a"], ["x"], run_id=f"r{at}", job_facets={"sourceCodeLocation": location})

    for order in ((0, 100), (100, 0)):
        info = graph_of(*(event(at, f"v{at}") for at in order), batch=1).nodes(["job:jobs:etl"])["job:jobs:etl"].info
        assert info["location"]["version"] == "v100"
        assert "secretvalue" not in info["location"]["url"]


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("email", "value.email"),
        ("value.email", "value.email"),
        ("key", "key"),
        ("key.id", "key.id"),
        ("headers.trace", "headers.trace"),
        ("_offset", "_offset"),
        ("customer.email", "value.customer.email"),
        ("items[].sku", "value.items[].sku"),
        ("key_id", "value.key_id"),
        ("values", "value.values"),
        ("a..b", "value.a.``.b"),
        ("x[0]", "value.`x[0]`"),
        ("'); MATCH (n) DETACH DELETE n //", "value.'); MATCH (n) DETACH DELETE n //"),
    ],
)
def test_columns_of_a_topic_are_paths(column: str, text: str) -> None:
    assert field_text(DatasetId(KAFKA, "t"), column) == text


def test_columns_elsewhere_stay_as_they_are() -> None:
    assert field_text(DatasetId("postgres://h:5432", "db.t"), "customer.email") == "customer.email"


def test_a_symlink_makes_two_names_one_dataset_whatever_comes_first() -> None:
    table = {"namespace": "hive://h:9083", "name": "db.t"}
    path = dataset("/wh/t", "hdfs://nn", symlinks={"identifiers": [{**table, "type": "TABLE"}]})
    events = [
        run(0, [dataset("db.t", "hive://h:9083")], ["x"], job="by table"),
        run(1, ["y"], [path], job="by path", run_id="r2"),
    ]
    for order in (events, events[::-1]):
        graph = graph_of(*order, batch=1)
        assert flows(graph) == {("y", "/wh/t"), ("/wh/t", "x")}
        assert "dataset:hive://h:9083:db.t" not in graph._store.datasets


def test_of_names_that_are_each_others_symlink_the_table_stands() -> None:
    table, path = DatasetId("hive://h", "db.t"), DatasetId("hdfs://nn", "/wh/t")
    assert canonical([table, path], [Link(path, table, "TABLE"), Link(table, path, "LOCATION")]) == table
    assert canonical([table, path], [Link(path, table, "TABLE")]) == path


def test_one_cluster_by_many_addresses() -> None:
    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId(KAFKA if namespace.startswith("kafka://") else namespace, name)

    graph = MemoryGraph()
    events = [
        run(0, [dataset("a", "kafka://broker-1:9092")], [dataset("x", "kafka://broker-2:9092")]),
        run(1, ["x"], ["y"], job="next", run_id="r2"),
    ]
    GraphWriter(graph, resolve).write([parse(event) for event in events])
    assert flows(graph) == {("a", "x"), ("x", "y")}


@pytest.mark.parametrize("seed", range(3))
def test_a_cluster_declared_after_its_events_is_one_namespace_all_the_same(seed: int) -> None:
    """The same graph as if it had been declared before: edges, columns, links, drops, and what was reported of datasets."""
    known: set[str] = set()

    def shown(graph: MemoryGraph) -> Any:
        parts = content(graph)  # what was noted under the old names lies there, and nobody asks for it
        for part in ("infos", "drops"):
            parts[part] = [row for row in parts[part] if row[0].namespace != other]
        parts["links"] = [link for link in parts["links"] if link.primary.namespace != other]
        return parts

    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId("kafka://first:9092" if namespace in known else namespace, name)

    owned = {
        "ownership": {"owners": [{"name": "ann"}]},
        "symlinks": {"identifiers": [{"namespace": "urn", "name": "a"}]},
    }
    gone = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    other = "kafka://second:9092"
    events = [
        run(0, [dataset("a", other, **owned)], [dataset("b", "kafka://first:9092")]),
        run(
            1,
            [dataset("b", other)],
            [dataset("c", other, columnLineage=columns({"x": [("b", "y")]}))],
            job="n",
            run_id="r2",
        ),
        run(2, [dataset("c", other)], [dataset("d", other)], job="streamer", run_id="r3", processing="STREAMING"),
        run(3, [], [dataset("d", other, **gone)], job="dropper", run_id="r4"),
        run(4, [dataset("a", other)], [], job="reader", run_id="r5", kind="START"),
    ]
    random.Random(seed).shuffle(events)
    late = MemoryGraph()
    writer = GraphWriter(late, resolve)
    writer.write([parse(event) for event in events])
    assert writer.realign() == 0
    known.add(other)
    assert writer.realign() == 4 and writer.realign() == 0
    early = MemoryGraph()
    GraphWriter(early, resolve).write([parse(event) for event in events])
    assert shown(late) == shown(early)
    assert Lineage(late, resolve).find(f"dataset:{other}:a").info["owners"] == [{"name": "ann", "type": None}]
    writer.write([parse(event) for event in events])  # and it goes on under the new name
    assert shown(late) == shown(early)


# --- order, repeats, bounds ------------------------------------------------------------------------------------------


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


def test_a_store_short_of_memory_gets_smaller_transactions() -> None:
    graph = MemoryGraph()
    write_one, weights = graph.write, []

    def small(delta: GraphDelta) -> None:
        weights.append(delta.weight)
        if delta.weight > 900:
            raise TooMuch("memory")
        write_one(delta)

    graph.write = small  # type: ignore[method-assign]
    facet = columns({f"c{at}": [("a", f"c{at}", IDENTITY)] for at in range(3000)})
    write(graph, run(0, ["a"], [dataset("x", columnLineage=facet)]), run(1, ["b"], ["y"], job="j2", run_id="r2"))
    assert max(weights) > 900
    counts = graph.counts()
    assert (counts.edges["derives"], counts.columns, counts.edges["feeds"]) == (3000, 6000, 2)


def test_transactions_grow_again_once_the_store_has_recovered() -> None:
    graph = MemoryGraph()
    write_one, busy = graph.write, [True]

    def slow(delta: GraphDelta) -> None:
        if busy[0] and delta.weight > 900:
            raise TooMuch("time")
        write_one(delta)

    graph.write = slow  # type: ignore[method-assign]
    writer = GraphWriter(graph)
    facet = columns({f"c{at}": [("a", f"c{at}", IDENTITY)] for at in range(3000)})
    writer.write([parse(run(0, ["a"], [dataset("x", columnLineage=facet)]))])
    halved = writer._rows
    assert halved < LineageSettings().transaction_rows
    busy[0] = False
    for at in range(400):
        writer.write([parse(run(at, ["b"], ["y"], job="j2", run_id=f"r{at}"))])
    assert writer._rows == LineageSettings().transaction_rows


def test_a_write_that_neo4j_ends_for_its_time_is_tried_in_smaller_parts() -> None:
    from neo4j.exceptions import Neo4jError

    from lineage.adapters.neo4j.graph import Neo4jGraph
    from lineage.adapters.neo4j.server import connect
    from lineage.settings import Neo4jSettings

    settings = Neo4jSettings()
    graph = Neo4jGraph(connect(settings), settings)
    code = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
    error = Neo4jError._hydrate_neo4j(code=code, message="The transaction has been terminated.")
    with pytest.raises(TooMuch), graph._server.errors(writes=True):
        raise error
    with pytest.raises(Unavailable), graph._server.errors():
        raise error
    graph._driver.close()


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


def test_repeats_of_running_write_nothing() -> None:
    graph = MemoryGraph()
    writer = GraphWriter(graph)
    writes = []
    original = graph.write
    graph.write = lambda delta: (writes.append(delta), original(delta))[1]  # type: ignore[method-assign,func-returns-value]
    for second in range(0, 59):
        event = run(second, ["a"], ["x"], kind="RUNNING" if second else "START", processing="STREAMING")
        writer.write([parse(event)])
    assert len(writes) <= 2


def test_old_runs_are_forgotten_and_their_edges_stay() -> None:
    settings_ = LineageSettings(runs_kept=3)
    raw = [run(at * 100, ["a"] if at != 1 else ["b"], ["x"], run_id=f"r{at:02}") for at in range(12)]
    for batch in (1, 5, 500):
        graph = MemoryGraph()
        write(graph, *raw, batch=batch, settings=settings_)
        feeds = sorted(
            (e.source, e.vf - T0, e.vt - T0 if e.vt != FOREVER else None)
            for e in graph._store.edges.values()
            if e.kind is Kind.FEEDS
        )
        assert feeds == [(node("a"), 0, 100_000), (node("a"), 200_000, None), (node("b"), 100_000, 200_000)]


def test_a_very_late_event_moves_the_beginning_back() -> None:
    settings_ = LineageSettings(runs_kept=3)
    raw = [run(1000 + at * 100, ["a"], ["x"], run_id=f"r{at:02}") for at in range(12)]
    graph = MemoryGraph()
    write(graph, *raw, batch=1, settings=settings_)
    write(graph, run(0, ["a"], ["x"], run_id="late"), settings=settings_)
    assert [e.vf for e in graph._store.edges.values() if e.kind is Kind.FEEDS] == [T0]


def test_a_run_with_very_many_different_reports_stays_bounded() -> None:
    raw = [run(at, [f"in{at}"], ["x"], kind="RUNNING", processing="STREAMING") for at in range(40)]
    graph = MemoryGraph()
    write(graph, *raw, batch=1, settings=LineageSettings(phases_kept=8))
    assert len(flows(graph)) == 40


@pytest.mark.parametrize("batch", [1, 500])
def test_a_run_that_tells_everything_each_time_has_only_its_newest_open(batch: int) -> None:
    raw = [
        run(at, [f"in{at}"], ["x"], kind="RUNNING", processing="STREAMING", snapshot=True) for at in (*range(80), 80)
    ]
    graph = MemoryGraph()
    write(graph, *raw, batch=batch)
    assert flows(graph) == {("in80", "x")}
    (row,) = fold([parse(event) for event in raw]).books
    assert len(Book.load(row.document, 1).runs.popitem()[1].phases) == LineageSettings().phases_kept


def test_a_report_that_is_only_repeated_takes_no_room() -> None:
    raw = [run(at * 60, ["b"] if at == 5 else ["a"], ["x"], kind="RUNNING", snapshot=True) for at in range(500)]
    (row,) = fold([parse(event) for event in raw]).books
    (loaded,) = Book.load(row.document, 1).runs.values()
    assert len(loaded.turns) <= LineageSettings().phases_kept
    graph = MemoryGraph()
    write(graph, *raw, batch=50)
    assert sorted(e.vf - T0 for e in graph._store.edges.values() if e.kind is Kind.FEEDS) == [0, 300_000, 360_000]


def test_ten_thousand_columns() -> None:
    facet = columns({f"c{at}": [("a", f"c{at}", IDENTITY)] for at in range(10_000)})
    graph = graph_of(run(0, ["a"], [dataset("x", columnLineage=facet)]))
    assert graph.counts().edges["derives"] == 10_000


def test_parts_of_one_parent_run_do_not_refute_each_other() -> None:
    """Mapped tasks and loops: one job runs many times under one parent run, each time with other datasets."""

    def part(time: float, name: str, parent: str) -> dict[str, Any]:
        return run(
            time, [f"in_{name}"], [f"out_{name}"], job="dag.load", run_id=f"{parent}{name}", parent=("dag", parent)
        )

    first = [part(0, "a", "p1"), part(10, "b", "p1"), part(20, "c", "p1")]
    everything = {(f"in_{name}", f"out_{name}") for name in "abc"}
    assert flows(graph_of(*first)) == everything
    second = [part(100, "a", "p2"), part(110, "b", "p2")]
    shrunk = graph_of(*first, *second)
    assert flows(shrunk) == everything - {("in_c", "out_c")}
    assert flows(shrunk, T0 + 50_000) == everything
    assert len([edge for edge in shrunk._store.edges.values() if edge.kind == "feeds"]) == 3, "none came back as new"
    for order in permutations([*first, *second]):
        assert content(graph_of(*order, batch=1)) == content(shrunk)
    alone = run(200, ["in_a"], ["out_a"], job="dag.load", run_id="by hand")
    assert flows(graph_of(*first, *second, alone)) == {("in_a", "out_a")}


def test_parts_of_one_parent_run_that_are_forgotten_are_not_refuted_by_the_others() -> None:
    def part(number: int, parent: str, time: int) -> dict[str, Any]:
        return run(time, [f"in_{number}"], ["out"], job="dag.load", run_id=f"{parent}{number}", parent=("dag", parent))

    graph, few = MemoryGraph(), LineageSettings(runs_kept=3)
    write(graph, *(part(number, "p1", number) for number in range(9)), batch=1, settings=few)
    assert flows(graph) == {(f"in_{number}", "out") for number in range(9)}
    write(graph, part(8, "p2", 100), batch=1, settings=few)
    assert flows(graph) == {("in_8", "out")}
