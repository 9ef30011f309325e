"""What any lineage graph promises; tested with the memory twin and with Neo4j."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from catalog.model import DatasetId, NodeId
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta, StoredBook
from lineage.ingest.parse import MAX_FIELD_BYTES, MAX_NAME_BYTES, MAX_NAMESPACE_BYTES, parse
from lineage.model import FOREVER, Basis, Direction, Edge, Kind
from lineage.ports import LineageGraph, StaleBook
from lineage.questions.queries import NOW, Lineage
from lineage.settings import Neo4jSettings
from lineage.warming.rehearsal import rehearse
from tests.lineage_samples import (
    IDENTITY,
    KAFKA,
    MASKING,
    T0,
    columns,
    content,
    dataset,
    node,
    real_events,
    run,
    write,
)
from tests.twins.lineage import MemoryGraph

ANY_NAME = (
    st.lists(
        st.sampled_from(
            [
                ":",
                "/",
                "//",
                "|",
                "~",
                "[",
                "'",
                '"',
                "`",
                "\\",
                "\x1f",
                "\n",
                "0",
                "2024",
                "s3://lake",
                "urn:li:x",
                "é",
            ]
        )
        | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        min_size=1,
        max_size=5,
    )
    .map("".join)
    .filter(bool)
)

DOWN, UP = Direction.DOWNSTREAM, Direction.UPSTREAM


@pytest.fixture(params=["memory", pytest.param("neo4j", marks=pytest.mark.integration)])
def graph(request: pytest.FixtureRequest) -> Iterator[LineageGraph]:
    if request.param == "memory":
        yield MemoryGraph()
        return
    from lineage.adapters.neo4j.graph import Neo4jGraph
    from lineage.adapters.neo4j.server import connect

    stack = request.getfixturevalue("stack")
    settings = Neo4jSettings(uri=stack.neo4j, user=stack.neo4j_auth[0], password=stack.neo4j_auth[1])
    driver = connect(settings)
    neo4j = Neo4jGraph(driver, settings, f"test-{uuid.uuid4().hex[:12]}")
    neo4j.prepare()
    yield neo4j
    neo4j.clear()
    driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=neo4j.name)
    driver.close()


def feeds(a: str, b: str, **more: Any) -> Edge:
    defaults: dict[str, Any] = {"owner": "job:jobs:etl", "job": "job:jobs:etl", "vf": 10, "vt": FOREVER, "seen": 10}
    return Edge(f"{a}>{b}", Kind.FEEDS, node(a), node(b), **{**defaults, **more})


def chain(*edges: Edge) -> GraphDelta:
    names = {end.rsplit(":", 1)[1] for edge in edges for end in (edge.source, edge.target)}
    return GraphDelta(
        datasets={node(name): DatasetId(KAFKA, name) for name in names},
        jobs={"job:jobs:etl": ("jobs", "etl")},
        upserts=list(edges),
    )


def ids(edges: list[Edge]) -> set[str]:
    return {edge.id for edge in edges}


def test_what_is_written_is_read(graph: LineageGraph) -> None:
    edge = feeds("a", "b", raw=False, columns=True, origin="declared", owner="dataset:x")
    graph.write(chain(edge))
    assert graph.edges_at([node("a")], Kind.FEEDS, DOWN, NOW) == [edge]
    assert graph.edges_at([node("b")], Kind.FEEDS, UP, NOW) == [edge]
    assert graph.edges_at([node("b")], Kind.FEEDS, DOWN, NOW) == []
    entry = graph.node(node("a"))
    assert entry is not None and (entry.type, entry.namespace, entry.name) == ("dataset", KAFKA, "a")
    assert graph.node(node("nowhere")) is None


def test_an_edge_is_set_again_and_removed(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b")))
    graph.write(chain(feeds("a", "b", vt=50, seen=40)))
    assert [(e.vt, e.seen) for e in graph.edges_at([node("a")], Kind.FEEDS, DOWN, 20)] == [(50, 40)]
    graph.write(GraphDelta(removed=[(Kind.FEEDS, name, "job:jobs:etl") for name in ("a>b", "never was")]))
    assert graph.counts().edges == {}
    assert graph.node(node("a")) is not None


def test_time_is_half_open(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b", vf=10, vt=20)))
    seen = [len(graph.edges_at([node("a")], Kind.FEEDS, DOWN, time)) for time in (9, 10, 19, 20, NOW)]
    assert seen == [0, 1, 1, 0, 0]
    assert [len(graph.closure([node("a")], Kind.FEEDS, DOWN, 3, time, 9).edges) for time in (9, 10, 19, 20)] == [
        0,
        1,
        1,
        0,
    ]


def test_closure_by_depth_and_direction(graph: LineageGraph) -> None:
    graph.write(
        chain(feeds("a", "b"), feeds("b", "c"), feeds("c", "d"), feeds("d", "a"), feeds("x", "c"), feeds("b", "b"))
    )

    def reached(start: str, direction: Direction, depth: int) -> set[str]:
        return ids(graph.closure([node(start)], Kind.FEEDS, direction, depth, NOW, 100).edges)

    assert reached("a", DOWN, 1) == {"a>b"}
    assert reached("a", DOWN, 2) == {"a>b", "b>b", "b>c"}
    assert reached("a", DOWN, 100) == {"a>b", "b>b", "b>c", "c>d", "d>a"}
    assert reached("c", UP, 1) == {"b>c", "x>c"}
    assert reached("x", UP, 100) == set()
    both = graph.closure([node("x"), node("d")], Kind.FEEDS, DOWN, 1, NOW, 100)
    assert (ids(both.edges), both.truncated) == ({"x>c", "d>a"}, False)


def test_an_edge_closed_on_the_way_stops_a_walk(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b", vt=50), feeds("b", "c")))
    assert ids(graph.closure([node("a")], Kind.FEEDS, DOWN, 9, NOW, 100).edges) == set()
    assert ids(graph.closure([node("a")], Kind.FEEDS, DOWN, 9, 49, 100).edges) == {"a>b", "b>c"}


def test_forty_diamonds_are_walked_by_node_and_not_by_path(graph: LineageGraph) -> None:
    edges = [
        feeds(a, b)
        for at in range(40)
        for side in "lr"
        for a, b in ((f"n{at}", f"{side}{at}"), (f"{side}{at}", f"n{at + 1}"))
    ]
    graph.write(chain(*edges))
    reach = graph.closure([node("n0")], Kind.FEEDS, DOWN, 100, NOW, 1000)
    assert (len(reach.edges), reach.truncated) == (160, False)


def test_a_budget_cuts_and_says_so(graph: LineageGraph) -> None:
    graph.write(
        chain(*(feeds("hub", f"n{at:03}") for at in range(60)), *(feeds(f"n{at:03}", "far") for at in range(60)))
    )
    for depth in (1, 5):
        cut = graph.closure([node("hub")], Kind.FEEDS, DOWN, depth, NOW, 20)
        assert cut.truncated
        assert len({end for edge in cut.edges for end in (edge.source, edge.target)}) <= 20
    assert not graph.closure([node("hub")], Kind.FEEDS, DOWN, 5, NOW, 62).truncated


def test_many_starts(graph: LineageGraph) -> None:
    graph.write(chain(*(feeds(f"s{at}", f"t{at}") for at in range(120))))
    reach = graph.closure([node(f"s{at}") for at in range(120)], Kind.FEEDS, DOWN, 4, NOW, 1000)
    assert (len(reach.edges), reach.truncated) == (120, False)


def test_two_writers_of_one_book_do_not_both_win(graph: LineageGraph) -> None:
    graph.write(GraphDelta(books=[StoredBook("job:jobs:etl", 0, b"one")]))
    books = graph.books(["job:jobs:etl", "job:jobs:other"])
    assert {key: (book.version, book.document) for key, book in books.items()} == {"job:jobs:etl": (1, b"one")}
    for version in (0, 2):
        with pytest.raises(StaleBook):
            graph.write(GraphDelta(books=[StoredBook("job:jobs:etl", version, b"two")], upserts=[]))
    graph.write(GraphDelta(books=[StoredBook("job:jobs:etl", 1, b"three")]))
    assert graph.books(["job:jobs:etl"])["job:jobs:etl"] == StoredBook("job:jobs:etl", 2, b"three")


def test_a_refused_write_changes_nothing(graph: LineageGraph) -> None:
    delta = chain(feeds("a", "b"))
    delta.books = [StoredBook("job:jobs:etl", 7, b"stale")]
    with pytest.raises(StaleBook):
        graph.write(delta)
    assert graph.counts().edges == {} and graph.node(node("a")) is None


def test_writers_side_by_side_make_one_graph(graph: LineageGraph) -> None:
    first, second = GraphWriter(graph), GraphWriter(graph)
    events = [parse(run(at, [f"in{at % 7}"], [f"out{at % 5}"], run_id=f"r{at}", kind="RUNNING")) for at in range(40)]
    for at, event in enumerate(events):
        (first if at % 2 else second).write([event])
    alone = MemoryGraph()
    GraphWriter(alone).write(events)
    assert graph.counts() == alone.counts()


def test_a_field_goes_with_its_last_edge(graph: LineageGraph) -> None:
    facet = columns({"f": [("a", "f", IDENTITY)]})
    write(graph, run(0, ["a"], [dataset("x", columnLineage=facet)]))
    assert [n.id for n in graph.fields_of(node("a"), 10)] == [node("a", "value.f")]
    edges = graph.edges_at([node("a", "value.f")], Kind.DERIVES, DOWN, NOW)
    graph.write(GraphDelta(removed=[(Kind.DERIVES, edge.id, edge.owner) for edge in edges]))
    assert graph.fields_of(node("a"), 10) == [] and graph.node(node("x", "value.f")) is None


def test_owners_of_the_edges_at_a_dataset(graph: LineageGraph) -> None:
    write(graph, run(0, ["a"], ["b"], job="one"), run(1, ["b"], ["c"], job="two", run_id="r2"))
    assert graph.owners_of([node("b")]) == {"job:jobs:one", "job:jobs:two"}
    assert graph.owners_of([node("c"), node("nowhere")]) == {"job:jobs:two"}


def test_hints_are_the_nearest(graph: LineageGraph) -> None:
    graph.write(chain(feeds("orders", "payments")))
    assert graph.search_ids(node("ordrs"), 3)[0] == node("orders")
    assert graph.search_ids("job:jobs:elt", 3) == ["job:jobs:etl"]
    assert graph.search_ids("dataset:zzzz:qqqqqqqqqqqqqqqqqqqqqqqqqqq", 3) == []


def test_clear_removes_this_graph(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b")))
    graph.clear()
    counts = graph.counts()
    assert (counts.datasets, counts.jobs, counts.edges) == (0, 0, {})


def test_what_is_tried_apart_is_never_shown(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b")))
    apart = graph.apart()
    apart.write(chain(feeds("c", "d")))
    assert apart.node(node("c")) is not None and apart.node(node("a")) is None
    assert graph.node(node("c")) is None and graph.counts().edges == {"feeds": 1}
    apart.clear()
    assert apart.counts().edges == {} and graph.counts().edges == {"feeds": 1}


def test_a_rehearsal_leaves_the_graph_as_it_was(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b")))
    before = graph.counts()
    assert rehearse(graph, 0.0) == 1
    assert graph.counts() == before
    left = graph.apart().counts()
    assert (left.datasets, left.jobs, left.edges) == (0, 0, {})


def test_a_fresh_graph_takes_the_place_of_the_old_one(graph: LineageGraph) -> None:
    graph.write(chain(feeds("a", "b")))
    fresh = graph.fresh()
    fresh.write(chain(feeds("c", "d")))
    assert (graph.node(node("a")) is None, graph.node(node("c")) is None) == (False, True)
    graph.activate(fresh)
    assert (graph.node(node("a")) is None, graph.node(node("c")) is None) == (True, False)
    graph.write(chain(feeds("e", "f")))
    assert graph.node(node("e")) is not None and graph.counts().edges == {"feeds": 2}


NASTY = [
    "'}) DETACH DELETE n //",
    "\\",
    "`",
    '"',
    "a\x00b",
    "{name}",
    "$name",
    "🕷\u202e\u0301",
    "\n\r\t ",
    "a|b:c",
    "x" * 1500,
]


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_strange_names_are_data(graph: LineageGraph, name: str) -> None:
    facet = {"fields": {name: {"inputFields": [{"namespace": name, "name": name, "field": name}]}}}
    event = run(0, [dataset(name, name)], [dataset(name + "2", name, columnLineage=facet)], job=name)
    event["job"]["namespace"] = name
    write(graph, event)
    source = DatasetId(name, name)
    edges = graph.edges_at([source.node_id], Kind.FEEDS, DOWN, NOW)
    assert [edge.target for edge in edges] == [DatasetId(name, name + "2").node_id]
    entry = graph.node(source.node_id)
    assert entry is not None and (entry.namespace, entry.name) == (name, name)
    assert [(n.name, n.field) for n in graph.fields_of(source.node_id, 5)] == [(name, name)]
    assert graph.counts().edges == {"feeds": 1, "derives": 1, "reads": 1, "writes": 1}


def test_the_longest_names_that_are_taken_fit(graph: LineageGraph) -> None:
    namespace, name, field = "é" * (MAX_NAMESPACE_BYTES // 2), "n" * MAX_NAME_BYTES, "f" * MAX_FIELD_BYTES
    facet = {"fields": {field: {"inputFields": [{"namespace": namespace, "name": name, "field": field}]}}}
    event = run(0, [dataset(name, namespace)], [dataset("out", columnLineage=facet)], job="j" * MAX_NAME_BYTES)
    event["job"]["namespace"] = namespace
    write(graph, event)
    assert graph.fields_of(DatasetId(namespace, name).node_id, 2)[0].field == field


def test_the_real_events_give_the_same_graph_as_in_memory(graph: LineageGraph, shared_data: Path) -> None:
    events = real_events(shared_data) * 2
    random.Random(5).shuffle(events)
    writer = GraphWriter(graph)
    for start in range(0, len(events), 60):
        writer.write(events[start : start + 60])
    alone = MemoryGraph()
    GraphWriter(alone).write(real_events(shared_data))
    assert graph.counts() == alone.counts()
    store = alone._store
    for kind in Kind:
        starts = {edge.source for edge in store.edges.values() if edge.kind is kind}
        for time in (NOW, 1_740_000_000_000, 1_609_286_000_000):
            assert sorted(graph.edges_at(starts, kind, DOWN, time), key=lambda e: e.id) == sorted(
                alone.edges_at(starts, kind, DOWN, time), key=lambda e: e.id
            )
    nodes = graph.nodes([*store.datasets, *store.columns, *store.jobs])
    assert nodes == alone.nodes([*store.datasets, *store.columns, *store.jobs])
    assert content(alone)["links"]


def test_masked_and_raw_edges_are_told_apart(graph: LineageGraph) -> None:
    facet = columns({"f": [("a", "f", MASKING)], "g": [("a", "g", IDENTITY)]})
    write(graph, run(0, ["a"], [dataset("x", columnLineage=facet)]))
    starts = [node("a", "value.f"), node("a", "value.g")]
    assert {e.source.rsplit(".")[-1]: e.raw for e in graph.edges_at(starts, Kind.DERIVES, DOWN, NOW)} == {
        "f": False,
        "g": True,
    }
    assert [e.vf for e in graph.edges_at(starts, Kind.DERIVES, DOWN, T0)] == [T0, T0]


def test_edges_since_a_time(graph: LineageGraph) -> None:
    closed, opened = feeds("a", "b", vf=10, vt=20), feeds("a", "c", vf=30)
    graph.write(chain(closed, opened))
    assert ids(graph.edges_since([node("a")], Kind.FEEDS, DOWN, 15)) == {closed.id, opened.id}
    assert ids(graph.edges_since([node("a")], Kind.FEEDS, DOWN, 20)) == {opened.id}
    assert graph.edges_since([], Kind.FEEDS, DOWN, 0) == []


def test_what_a_namespace_has(graph: LineageGraph) -> None:
    write(graph, run(0, ["b", "a"], [dataset("x", "other")]), run(1, ["a"], [], job="second", run_id="r2"))
    assert graph.namespaces() == {KAFKA: (2, 0), "other": (1, 0), "jobs": (0, 2)}
    assert [hit.name for hit in graph.named_in("dataset", KAFKA, 10)] == ["a", "b"]
    assert [hit.name for hit in graph.named_in("dataset", KAFKA, 1, 1)] == ["b"]
    assert [(hit.name, hit.type) for hit in graph.named_in("job", "jobs", 10)] == [
        ("etl", "job"),
        ("second", "job"),
    ]
    assert graph.named_in("job", "nowhere", 10) == []
    assert [hit.name for hit in graph.named_in("dataset", None, 10, holding="B")] == ["b"]
    assert graph.named_in("dataset", "jobs", 10, holding="b") == []
    assert graph.named_in("dataset", None, 10, holding=".*") == []


def test_the_job_of_its_newest_run(graph: LineageGraph) -> None:
    odd = 'r"\\3 \u00fc'
    write(
        graph,
        run(0, ["a"], ["b"], run_id="r1"),
        run(9, ["a"], ["b"], run_id="r2"),
        run(1, ["a"], [], job="n", run_id=odd),
    )
    jobs = [graph.job_of_run(run_id) for run_id in ("r2", "r1", odd, "r", "")]
    assert [node.id if node else None for node in jobs] == ["job:jobs:etl", None, "job:jobs:n", None, None]


def test_a_cluster_declared_after_its_events(graph: LineageGraph) -> None:
    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId(KAFKA if namespace == "kafka://late:9092" else namespace, name)

    write(
        graph,
        run(0, [dataset("a", "kafka://late:9092")], ["b"]),
        run(1, ["b"], [dataset("c", "kafka://late:9092")], job="n"),
    )
    assert GraphWriter(graph, resolve).realign() == 2
    assert graph.namespaces()[KAFKA] == (3, 0) and "kafka://late:9092" not in graph.namespaces()
    assert {edge.target for edge in graph.edges_at([node("a"), node("b")], Kind.FEEDS, DOWN, NOW)} == {
        node("b"),
        node("c"),
    }


def test_a_write_that_was_cut_off_is_done_again(graph: LineageGraph) -> None:
    """A large delta goes in parts, the books last: what is there already is set and not made twice."""
    edge = feeds("a", "b")
    graph.write(chain(edge))
    graph.write(chain(edge, feeds("b", "c")))
    assert len(graph.edges_at([node("a"), node("b")], Kind.FEEDS, DOWN, NOW)) == 2


@given(
    st.lists(st.tuples(ANY_NAME, ANY_NAME, ANY_NAME), min_size=1, max_size=12),
)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
def test_every_name_comes_back_from_the_store(graph: Any, names: list[tuple[str, str, str]]) -> None:
    events = []
    for at, (namespace, name, field) in enumerate(names):
        made_of = {"namespace": "plain", "name": "innocent", "field": "f", "transformations": [IDENTITY]}
        facet = {"fields": {field: {"inputFields": [made_of]}}}
        event = run(0, [], [dataset(name, namespace, columnLineage=facet)], run_id=f"r{at}")
        event["job"] |= {"namespace": namespace, "name": name}
        events.append(event)
    write(graph, *events)
    lineage = Lineage(graph)
    reached = {row.id: row for row in lineage.impact("datasetField:plain:innocent:f").affected}
    for namespace, name, field in names:
        for meant in (
            NodeId("dataset", namespace, name),
            NodeId("job", namespace, name),
            NodeId("field", namespace, name, field),
        ):
            hit = lineage.find(str(meant))
            assert (hit.id, hit.type, hit.namespace, hit.name) == (str(meant), meant.kind, namespace, name)
            assert meant.kind == "dataset" or str(meant) in reached
        assert lineage.job(str(NodeId("job", namespace, name))).writes == (str(NodeId("dataset", namespace, name)),)


def test_contents_outlive_the_last_run_and_end_with_it(graph: LineageGraph) -> None:
    edges = (feeds("a", "b", vt=20, ct=FOREVER), feeds("b", "c", vt=FOREVER, ct=30, unfinished=True))
    graph.write(chain(*edges))
    for basis, times, names in (
        (Basis.LAST_RUN, (15, 25, 35), ({"a>b", "b>c"}, set(), set())),
        (Basis.CONTENTS, (15, 25, 35), ({"a>b", "b>c"}, {"a>b", "b>c"}, {"a>b"})),
    ):
        shown = [ids(graph.closure([node("a")], Kind.FEEDS, DOWN, 3, time, 9, basis).edges) for time in times]
        assert shown == list(names)
    assert graph.edges_at([node("b")], Kind.FEEDS, DOWN, 15, Basis.CONTENTS) == [edges[1]]
    graph.write(GraphDelta(updates=[edges[0]._replace(ct=40)], clears={DatasetId(KAFKA, "b"): (30, 40)}))
    assert graph.edges_at([node("a")], Kind.FEEDS, DOWN, 45, Basis.CONTENTS) == []
    assert graph.context([DatasetId(KAFKA, "b")]).clears == {DatasetId(KAFKA, "b"): (30, 40)}
