"""Evidence between runs: what a run closes of another, what comes back, what is declared beside them."""

from __future__ import annotations

import zlib
from itertools import permutations
from typing import Any

import orjson
import pytest

from lineage.fold.fold import fold
from lineage.fold.job_ledger import Book
from lineage.ingest.parse import parse
from lineage.model import FOREVER, Kind
from tests.lineage_samples import IDENTITY, KAFKA, MASKING, T0, columns, content, dataset, flows, graph_of, node, run


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
