"""Two questions: what does the last run read, and where do the contents come from. When data is there, and until when."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.ingest.service import Ingest
from lineage.model import NOW, Basis, Kind
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from lineage.worker.consume import LineageWorker
from tests.lineage_answers import as_json
from tests.lineage_samples import (
    IDENTITY,
    MASKING,
    T0,
    at,
    columns,
    content,
    dataset,
    graph_of,
    node,
    real_rows,
    run,
    write,
)
from tests.twins.lineage import MemoryGraph

CONTENTS, LAST_RUN = Basis.CONTENTS, Basis.LAST_RUN


def lifecycle(name: str, change: str, **more: Any) -> dict[str, Any]:
    return {**dataset(name, lifecycleStateChange={"lifecycleStateChange": change}), **more}


def into(graph: Any, name: str, basis: Basis = CONTENTS, seconds: float | None = None) -> set[str]:
    """Names of what feeds a dataset."""
    when = NOW if seconds is None else T0 + int(seconds * 1000)
    return {
        edge.source.rsplit(":", 1)[1]
        for edge in graph._store.edges.values()
        if edge.kind is Kind.FEEDS and edge.target == node(name) and edge.valid_at(when, basis)
    }


def days(
    count: int, change: str | None = None, job: str = "daily", start: int = 0, **more: Any
) -> list[dict[str, Any]]:
    """A job that adds the partition of each day to one table."""
    target = lifecycle("table", change, **more) if change else "table"
    events = []
    for day in range(start, start + count):
        what: dict[str, Any] = {"job": job, "run_id": f"{job} {day}"}
        events.append(run(day * 100, [f"day{day}"], ["table"], kind="START", **what))
        events.append(run(day * 100 + 2, [f"day{day}"], [target], **what))
    return events


def test_a_job_that_appends_one_partition_a_day_holds_all_of_them() -> None:
    graph = graph_of(*days(5))
    assert into(graph, "table", LAST_RUN) == {"day4"}
    assert into(graph, "table") == {f"day{day}" for day in range(5)}
    assert into(graph, "table", seconds=250) == {"day0", "day1", "day2"}
    lineage = Lineage(graph)
    assert node("table") in {row.id for row in lineage.impact(node("day0")).affected}
    assert lineage.impact(node("day0"), basis="last_run").affected == ()
    assert len(lineage.lineage(node("table"), "upstream", basis="contents").nodes) == 7
    assert [flow.id for flow in lineage.downstream_of(parse_id("day0"))] == [node("table")]


def parse_id(name: str) -> Any:
    from lineage.model import parts_of

    return parts_of(node(name)).dataset


def test_data_is_there_when_the_run_completes() -> None:
    graph = graph_of(run(0, ["a"], ["x"], kind="START"), run(1.6, ["a"], ["x"]))
    for basis in Basis:
        assert into(graph, "x", basis, 1.5) == set() and into(graph, "x", basis, 1.6) == {"a"}
    shown = Lineage(graph).lineage(node("a"), as_of=at(1))
    assert [edge for edge in shown.edges if edge.kind is Kind.FEEDS] == []


def test_a_stream_has_data_from_its_first_running() -> None:
    more: dict[str, Any] = {"processing": "STREAMING"}
    graph = graph_of(run(0, ["a"], ["x"], kind="START", **more), run(5, [], [], kind="RUNNING", **more))
    assert into(graph, "x", seconds=4) == set() and into(graph, "x", seconds=5) == {"a"} == into(graph, "x", LAST_RUN)


@pytest.mark.parametrize("kind", ["START", "RUNNING", "FAIL", "ABORT"])
def test_what_only_unfinished_runs_report_is_flagged(kind: str) -> None:
    graph = graph_of(run(0, ["a"], ["x"], kind="START"), run(1, ["a"], ["x"], kind=kind))
    (edge,) = [edge for edge in as_json(Lineage(graph).lineage(node("x")))["edges"] if edge["kind"] == "feeds"]
    assert edge["unfinished"] is True
    write(graph, run(9, ["a"], ["x"], run_id="r2"))
    (edge,) = [edge for edge in as_json(Lineage(graph).lineage(node("x")))["edges"] if edge["kind"] == "feeds"]
    assert "unfinished" not in edge and edge["from"] == at(9)


def test_a_run_that_starts_again_changes_nothing_until_it_completes() -> None:
    graph = graph_of(run(0, ["a"], ["x"]), run(10, ["a"], ["x"], run_id="r2", kind="START"))
    (edge,) = [edge for edge in as_json(Lineage(graph).lineage(node("x")))["edges"] if edge["kind"] == "feeds"]
    assert "unfinished" not in edge and edge["from"] == at(0)


@pytest.mark.parametrize("who", ["daily", "another"])
@pytest.mark.parametrize("change", ["OVERWRITE", "TRUNCATE", "DROP"])
def test_what_is_overwritten_emptied_or_dropped_holds_nothing_of_before(who: str, change: str) -> None:
    events = days(3)
    clearing = run(300, ["fresh"], [lifecycle("table", change)], job=who, run_id="clearing")
    later = days(1, start=5)
    expected = {"fresh", "day5"} if change == "OVERWRITE" else {"day5"}
    for seed in range(4):
        mixed = [*events, clearing, *later]
        random.Random(seed).shuffle(mixed)
        for batch in (1, 3, 500):
            graph = graph_of(*mixed, batch=batch)
            assert into(graph, "table") == expected
            assert into(graph, "table", seconds=299) == {"day0", "day1", "day2"}
            assert into(graph, "table", seconds=400) == expected - {"day5"}


@pytest.mark.parametrize("change", ["CREATE", "ALTER"])
def test_creating_or_altering_a_table_empties_nothing(change: str) -> None:
    graph = graph_of(*days(2), run(300, ["fresh"], [lifecycle("table", change)], job="other", run_id="o"))
    assert into(graph, "table") == {"day0", "day1", "fresh"}


def test_a_run_that_fails_to_overwrite_empties_nothing() -> None:
    failed = [
        run(300, ["b"], [lifecycle("table", "OVERWRITE")], job="o", run_id="o", kind=kind) for kind in ("START", "FAIL")
    ]
    assert into(graph_of(*days(2), *failed), "table") >= {"day0", "day1"}


def test_overwriting_one_partition_leaves_the_others() -> None:
    part: dict[str, Any] = {"outputFacets": {"subset": {"outputCondition": {"type": "partition"}}}}
    graph = graph_of(*days(3, "OVERWRITE", **part))
    assert into(graph, "table") == {"day0", "day1", "day2"}
    assert into(graph_of(*days(3, "OVERWRITE")), "table") == {"day2"}


def test_tasks_of_one_run_that_each_overwrite_their_part_do_not_empty_each_other() -> None:
    tasks = [run(n, [f"in{n}"], [lifecycle("t", "OVERWRITE")], run_id=f"r{n}", parent=("dag", "p")) for n in range(3)]
    assert into(graph_of(*tasks), "t") == {"in0", "in1", "in2"}


def test_a_table_that_is_overwritten_every_run_by_the_same_flow_has_one_edge() -> None:
    events = [run(n * 100, ["a"], [lifecycle("x", "OVERWRITE")], run_id=f"r{n}") for n in range(60)]
    graph = graph_of(*events, batch=7)
    assert [(e.vf, e.ct) for e in graph._store.edges.values() if e.kind is Kind.FEEDS] == [(T0, None)]


def test_what_was_raw_stays_raw_until_it_is_overwritten() -> None:
    def event(seconds: int, way: Any, change: str) -> dict[str, Any]:
        target = dataset("x", columnLineage=columns({"f": [("a", "f", way)]}))
        target["facets"]["lifecycleStateChange"] = {"lifecycleStateChange": change}
        return run(seconds, ["a"], [target], run_id=f"r{seconds}")

    appended = Lineage(graph_of(event(0, IDENTITY, "CREATE"), event(100, MASKING, "ALTER")))
    (row,) = [row for row in appended.impact(node("a", "value.f")).affected if row.type == "field"]
    assert row.raw
    (row,) = [row for row in appended.impact(node("a", "value.f"), basis="last_run").affected if row.type == "field"]
    assert not row.raw
    (edge,) = [e for e in appended.lineage(node("x", "value.f"), basis="contents").edges if e.kind is Kind.DERIVES]
    assert edge.raw and edge.vf == T0
    replaced = Lineage(graph_of(event(0, IDENTITY, "CREATE"), event(100, MASKING, "OVERWRITE")))
    (row,) = [row for row in replaced.impact(node("a", "value.f")).affected if row.type == "field"]
    assert not row.raw


def test_what_forgotten_runs_left_is_still_there_and_still_ends() -> None:
    few = LineageSettings(runs_kept=3)
    for batch in (1, 500):
        graph = graph_of(*days(12), batch=batch, settings=few)
        assert len(into(graph, "table")) == 12 and into(graph, "table", LAST_RUN) == {"day11"}
        write(graph, run(5000, ["fresh"], [lifecycle("table", "OVERWRITE")], job="daily", run_id="last"), settings=few)
        assert into(graph, "table") == {"fresh"} and len(into(graph, "table", seconds=4000)) == 12


def test_dropping_a_source_leaves_what_was_made_of_it() -> None:
    graph = graph_of(run(0, ["a"], ["x"]), run(50, [], [lifecycle("a", "DROP")], job="cleanup", run_id="d"))
    assert into(graph, "x", LAST_RUN) == set() and into(graph, "x") == {"a"}


def test_a_run_that_says_the_same_as_the_one_before_refutes_what_ran_beside_that_one() -> None:
    events = [
        run(0, ["b"], ["x"], kind="START"),
        run(50, ["b"], ["x"]),
        run(40, ["a"], ["x"], run_id="r2", kind="START"),
        run(60, ["a"], ["x"], run_id="r2"),
        run(100, ["a"], ["x"], run_id="r3", kind="START"),
        run(110, ["a"], ["x"], run_id="r3"),
    ]
    for order in permutations(range(0, 6, 2)):
        graph = graph_of(*(event for n in order for event in events[n : n + 2]))
        assert into(graph, "x", LAST_RUN) == {"a"} and into(graph, "x", LAST_RUN, 70) == {"a", "b"}


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_is_overwritten_twice_is_gone_at_the_first_for_any_order_of_news(order: tuple[int, ...]) -> None:
    """News of an overwriting that comes late also ends what a later one had ended already."""
    events = [
        run(10, ["a"], ["x"], job="first"),
        run(20, ["b"], [lifecycle("x", "OVERWRITE")], job="second", run_id="r2"),
        run(30, ["c"], [lifecycle("x", "OVERWRITE")], job="third", run_id="r3"),
        run(40, [], [lifecycle("x", "TRUNCATE")], job="fourth", run_id="r4"),
    ]
    graph = graph_of(*(events[at] for at in order), batch=1)
    ends = {edge.source: edge.ct - T0 for edge in graph._store.edges.values() if edge.kind is Kind.FEEDS and edge.ct}
    assert ends == {node("a"): 20_000, node("b"): 30_000, node("c"): 40_000}


@pytest.mark.parametrize("order", list(permutations(range(4))))
@pytest.mark.parametrize("first", ["COMPLETE", "START"])
def test_ends_of_contents_are_the_same_for_any_order_of_news(order: tuple[int, ...], first: str) -> None:
    """A drop that is known already, or a run that never ended, hides nothing from an emptying whose news comes late."""
    events = [
        run(10, ["a"], ["x"], job="first", kind=first),
        run(20, [], [lifecycle("x", "TRUNCATE")], job="second", run_id="r2"),
        run(30, [], [lifecycle("x", "DROP")], job="third", run_id="r3"),
        run(40, ["c"], [lifecycle("x", "OVERWRITE")], job="fourth", run_id="r4"),
    ]
    whole = content(graph_of(*events, batch=500))
    assert content(graph_of(*(events[at] for at in order), batch=1)) == whole


@pytest.mark.parametrize("way", ["reversed", "doubled", "shuffled 1", "shuffled 2"])
def test_the_recorded_events_give_the_same_graph_and_answers_in_any_order(shared_data: Path, way: str) -> None:
    rows = [row["event"] for row in real_rows(shared_data) if row["valid"]]
    mixed = list(rows)
    if way == "reversed":
        mixed.reverse()
    elif way == "doubled":
        mixed = [event for event in rows for _ in range(2)]
    else:
        random.Random(way).shuffle(mixed)

    def built(events: list[Any], batch: int) -> MemoryGraph:
        graph = MemoryGraph()
        writer = GraphWriter(graph)
        for start in range(0, len(events), batch):
            writer.write([parse(event) for event in events[start : start + batch]])
        return graph

    one, other = built(rows, 500), built(mixed, 17)
    assert content(one) == content(other)
    for key in sorted(one._store.datasets):
        for basis in Basis:
            asked = [as_json(Lineage(graph).impact(key, basis=basis)) for graph in (one, other)]
            assert asked[0] == asked[1]
            shown = [as_json(Lineage(graph).lineage(key, basis=basis)) for graph in (one, other)]
            assert shown[0] == shown[1]


def test_a_rebuild_knows_the_contents_as_the_worker_did() -> None:
    from lineage.worker.rebuild import rebuild
    from tests.twins.lineage import MemoryEventLog, MemoryEventSource

    log, graph = MemoryEventLog(), MemoryGraph()
    for event in [*days(4), run(350, ["n"], [lifecycle("table", "OVERWRITE")], job="o", run_id="o"), *days(2, start=6)]:
        Ingest(log).post(event)
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog(), LineageSettings(batch_events=2))
    while worker.step():
        pass
    before = content(graph)
    rebuild(log, graph)
    assert content(graph) == before and into(graph, "table") == {"n", "day6", "day7"}
