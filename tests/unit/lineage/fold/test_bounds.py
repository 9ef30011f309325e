"""What is kept of runs is bounded, however many there are and however much they report."""

from __future__ import annotations

from typing import Any

import pytest

from lineage.fold.fold import fold
from lineage.fold.job_ledger import Book
from lineage.ingest.parse import parse
from lineage.model import FOREVER, Kind
from lineage.settings import LineageSettings
from tests.lineage_samples import IDENTITY, T0, columns, dataset, flows, graph_of, node, run, write
from tests.twins.lineage import MemoryGraph


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


def test_parts_of_one_parent_run_that_are_forgotten_are_not_refuted_by_the_others() -> None:
    def part(number: int, parent: str, time: int) -> dict[str, Any]:
        return run(time, [f"in_{number}"], ["out"], job="dag.load", run_id=f"{parent}{number}", parent=("dag", parent))

    graph, few = MemoryGraph(), LineageSettings(runs_kept=3)
    write(graph, *(part(number, "p1", number) for number in range(9)), batch=1, settings=few)
    assert flows(graph) == {(f"in_{number}", "out") for number in range(9)}
    write(graph, part(8, "p2", 100), batch=1, settings=few)
    assert flows(graph) == {("in_8", "out")}
