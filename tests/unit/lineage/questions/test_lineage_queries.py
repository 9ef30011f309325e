"""Answers that can be read off the events by hand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId
from lineage.model import Direction, Kind, Level
from lineage.questions.exports import safe_cell
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from tests.lineage_answers import as_json
from tests.lineage_samples import IDENTITY, JOIN, KAFKA, MASKING, T0, at, columns, dataset, graph_of, node, run, write
from tests.twins.lineage import MemoryGraph

ORDERS = DatasetId(KAFKA, "orders")


def shop() -> MemoryGraph:
    """orders -> clean (e-mail raw, phone hashed, joined on id) -> mart (email); clean -> dark (no columns) -> darker."""
    clean = columns(
        {
            "email": [("orders", "customer.email", IDENTITY)],
            "phone": [("orders", "phone", MASKING)],
            "total": [("orders", "total", IDENTITY)],
        },
        [("orders", "id", JOIN)],
    )
    mart = columns({"mail": [("clean", "email", IDENTITY)], "p": [("clean", "phone", IDENTITY)]})
    owners: Any = {"ownership": {"owners": [{"name": "team-x", "type": "team"}]}}
    location = {"sourceCodeLocation": {"type": "git", "url": "https://git/x", "version": "abc123"}}
    return graph_of(
        run(0, ["orders"], [dataset("clean", columnLineage=clean)], job="cleaner", job_facets={**owners, **location}),
        run(1, ["clean"], [dataset("mart", columnLineage=mart)], job="marter", run_id="r2"),
        run(2, ["clean"], ["dark"], job="darkener", run_id="r3"),
        run(3, ["dark"], ["darker"], job="deeper", run_id="r4"),
        run(4, ["mart"], [], job="dashboard", run_id="r5"),
    )


def short(node_id: str) -> str:
    for start in (f"dataset:{KAFKA}:", f"datasetField:{KAFKA}:", "job:jobs:"):
        node_id = node_id.removeprefix(start)
    return node_id


def ids(answer: Any) -> dict[str, tuple[int, bool]]:
    return {short(row.id): (row.hops, row.raw) for row in answer.affected}


def test_lineage_downstream_of_a_dataset() -> None:
    answer = Lineage(shop()).lineage(node("orders"), Direction.DOWNSTREAM)
    pairs = {(e.source.rsplit(":", 1)[1], e.target.rsplit(":", 1)[1], str(e.kind)) for e in answer.edges}
    assert pairs == {
        ("orders", "clean", "feeds"),
        ("clean", "mart", "feeds"),
        ("clean", "dark", "feeds"),
        ("dark", "darker", "feeds"),
        ("dashboard", "mart", "reads"),
    }
    shown = as_json(answer)
    assert {n["type"] for n in shown["nodes"]} == {"dataset", "job"} and shown["truncated"] is False
    edge = next(e for e in shown["edges"] if e["target"] == node("clean"))
    assert edge | {} == {
        "source": node("orders"),
        "target": node("clean"),
        "job": "job:jobs:cleaner",
        "kind": "feeds",
        "masked": False,
        "columns": "known",
        "from": "2026-01-01T00:00:00.000Z",
        "to": None,
        "seen": "2026-01-01T00:00:00.000Z",
        "how": "columns",
        "origin": "observed",
        "stale": False,
    }


def test_depth_and_direction() -> None:
    lineage = Lineage(shop())

    def pairs(start: str, direction: str, depth: int) -> set[str]:
        answer = lineage.lineage(node(start), direction, depth)
        return {
            e.source.rsplit(":", 1)[1] + ">" + e.target.rsplit(":", 1)[1] for e in answer.edges if e.kind == "feeds"
        }

    assert pairs("orders", "downstream", 1) == {"orders>clean"}
    assert pairs("darker", "upstream", 2) == {"dark>darker", "clean>dark"}
    assert pairs("clean", "both", 1) == {"orders>clean", "clean>mart", "clean>dark"}
    assert pairs("orders", "upstream", 5) == set()


def test_lineage_of_a_job() -> None:
    answer = Lineage(shop()).lineage("job:jobs:cleaner", "both", 2)
    pairs = {(e.source.rsplit(":", 1)[1], e.target.rsplit(":", 1)[1], str(e.kind)) for e in answer.edges}
    assert pairs >= {("cleaner", "orders", "reads"), ("cleaner", "clean", "writes"), ("clean", "mart", "feeds")}
    assert ("dark", "darker", "feeds") not in pairs


def test_column_lineage_of_a_field_and_of_a_dataset() -> None:
    lineage = Lineage(shop())
    up = lineage.lineage(node("mart", "value.mail"), "upstream")
    assert {(e.source, e.target) for e in up.edges} == {
        (node("clean", "value.email"), node("mart", "value.mail")),
        (node("orders", "value.customer.email"), node("clean", "value.email")),
    }
    whole = lineage.lineage(node("clean"), "upstream", level=Level.COLUMN)
    assert {e.source.rsplit(":", 1)[1] for e in whole.edges} == {
        "value.customer.email",
        "value.phone",
        "value.total",
        "value.id",
    }
    assert {as_json(e).get("masked") for e in whole.edges if e.source == node("orders", "value.phone")} == {True}


def test_impact_of_a_field() -> None:
    answer = Lineage(shop()).impact(node("orders", "value.customer.email"))
    assert ids(answer) == {
        "clean:value.email": (1, True),
        "mart:value.mail": (2, True),
        "cleaner": (1, True),
        "marter": (2, True),
        "dark": (2, True),
        "darkener": (2, True),
        "darker": (3, True),
        "deeper": (3, True),
        "dashboard": (3, True),
    }
    dark = {row.id: row.columns for row in answer.affected if row.type == "dataset"}
    assert dark == {node("dark"): "unknown", node("darker"): "unknown"}
    cleaner = next(row for row in as_json(answer)["affected"] if row["id"] == "job:jobs:cleaner")
    assert cleaner["owners"] == ["team-x"] and cleaner["location"]["version"] == "abc123"
    assert as_json(answer)["root"] == node("orders", "value.customer.email")


def test_impact_of_a_masked_field_is_not_raw_behind_the_mask() -> None:
    rows = ids(Lineage(shop()).impact(node("orders", "phone")))
    assert rows["clean:value.phone"] == (1, False) and rows["mart:value.p"] == (2, False)
    assert rows["dark"] == (2, False)


def test_impact_of_a_field_that_is_only_a_condition() -> None:
    rows = ids(Lineage(shop()).impact(node("orders", "id")))
    assert rows["clean"] == (1, False) and rows["cleaner"] == (1, True)  # the job sees it
    assert "clean:value.email" not in rows


def test_impact_of_a_field_that_nothing_uses() -> None:
    assert ids(Lineage(shop()).impact(node("orders", "total"))).keys() >= {"clean:value.total", "cleaner"}
    unused = graph_of(
        run(0, ["a"], [dataset("x", columnLineage=columns({"f": [("a", "f"), ("a", "g")]}))]),
        run(10, ["a"], [dataset("x", columnLineage=columns({"f": [("a", "f")]}))], run_id="r2"),
    )
    assert ids(Lineage(unused).impact(node("a", "g"), basis="last_run")) == {}
    assert "x:value.f" in ids(Lineage(unused).impact(node("a", "g")))  # the first run's rows are still in it


def test_impact_of_a_dataset_and_of_a_job() -> None:
    lineage = Lineage(shop())
    assert ids(lineage.impact(node("orders"))) == {
        "clean": (1, True),
        "mart": (2, True),
        "dark": (2, True),
        "darker": (3, True),
        "cleaner": (1, True),
        "marter": (2, True),
        "darkener": (2, True),
        "deeper": (3, True),
        "dashboard": (3, True),
    }
    assert ids(lineage.impact("job:jobs:marter")) == {"mart": (1, True), "dashboard": (2, True)}
    assert set(ids(lineage.impact(node("orders"), depth=1))) == {"clean", "cleaner"}


def test_a_dataset_behind_a_mask_alone_is_not_raw() -> None:
    facet = columns({"h": [("a", "h", MASKING)]})
    graph = graph_of(
        run(0, ["a"], [dataset("m", columnLineage=facet)], job="j1"), run(1, ["m"], ["n"], job="j2", run_id="r2")
    )
    assert ids(Lineage(graph).impact(node("a")))["m"] == (1, False)
    assert ids(Lineage(graph).impact(node("a")))["n"] == (2, False)


def test_owners_come_from_producers_and_from_the_catalog() -> None:
    owned: dict[str, Any] = {"ownership": {"owners": [{"name": "said"}]}}
    graph = graph_of(run(0, ["orders"], [dataset("clean", **owned)]))
    lineage = Lineage(graph, owners=lambda dataset_id: ["otto"] if dataset_id.name == "clean" else [])
    assert next(row.owners for row in lineage.impact(node("orders")).affected if row.type == "dataset") == (
        "otto",
        "said",
    )


def test_flows_of_a_field_for_the_report() -> None:
    lineage = Lineage(shop())
    flows = {flow.id: (flow.raw, flow.columns) for flow in lineage.downstream_of(ORDERS, "value.customer.email")}
    assert flows == {
        node("clean", "value.email"): (True, None),
        node("mart", "value.mail"): (True, None),
        node("dark"): (True, "unknown"),
        node("darker"): (True, "unknown"),
    }
    unmapped = lineage.downstream_of(DatasetId(KAFKA, "dark"), "value.anything")
    assert [(flow.id, flow.columns) for flow in unmapped] == [(node("darker"), "unknown")]
    assert lineage.downstream_of(DatasetId(KAFKA, "nowhere"), "value.x") == []
    assert [flow.id for flow in lineage.downstream_of(DatasetId(KAFKA, "dark"))] == [node("darker")]


def test_flows_and_readers_of_many_are_those_of_each() -> None:
    table, place = DatasetId("hive", "shop.orders"), DatasetId("s3://lake", "orders")
    link = {"symlinks": {"identifiers": [{"namespace": place.namespace, "name": place.name, "type": "LOCATION"}]}}
    graph = shop()
    linked = run(5, [{"namespace": table.namespace, "name": table.name, "facets": link}], ["copy"], run_id="r6")
    write(graph, linked)
    lineage = Lineage(graph)
    datasets = [ORDERS, *(DatasetId(KAFKA, name) for name in ("clean", "dark", "nowhere")), table, place]
    fields = [(each, path) for each in datasets for path in ("value.customer.email", "value.email", "value.nothing")]
    flows = lineage.downstream_of_each(fields)
    assert flows == {field: each for field in fields if (each := lineage.downstream_of(*field))}
    named = lineage.in_graph(datasets)
    assert set(named) == set(datasets) - {DatasetId(KAFKA, "nowhere")}
    readers = lineage.readers_of_each(set(named.values()))
    for one in datasets:
        assert readers.get(named.get(one, one), []) == lineage.readers_of(one)
    assert {field[0] for field in flows} >= {ORDERS, table, place} and lineage.readers_of(place)


def test_readers() -> None:
    lineage = Lineage(shop())
    assert [reader.name for reader in lineage.readers_of(DatasetId(KAFKA, "clean"))] == ["darkener", "marter"]
    assert lineage.readers_of(DatasetId(KAFKA, "nowhere")) == []


def test_details_of_a_job() -> None:
    graph = graph_of(
        run(0, ["a"], ["b"], kind="START", parent=("dag", "p")),
        run(5, kind="FAIL"),
        run(9, ["a"], ["b"], run_id="r2", job_facets={"sql": {"query": "select 1", "dialect": "spark"}}),
    )
    shown = as_json(Lineage(graph).job("job:jobs:etl"))
    assert shown["state"] == "COMPLETE" and shown["sql"] == "select 1"
    assert (shown["reads"], shown["writes"], shown["parents"]) == ([node("a")], [node("b")], ["job:jobs:dag"])
    assert [(r["id"], r["state"], r["started"], r["ended"], r["parent"]) for r in shown["runs"]] == [
        ("r2", "COMPLETE", at(9), at(9), None),
        ("r1", "FAIL", at(0), at(5), "p"),
    ]
    with pytest.raises(InvalidInput, match="not a job"):
        Lineage(graph).job(node("a"))


@pytest.mark.parametrize("moment", [T0 + 50_000, at(50), datetime(2026, 1, 1, 0, 0, 50, tzinfo=UTC)])
def test_as_of_shows_the_graph_of_that_day(moment: Any) -> None:
    graph = graph_of(run(0, ["a"], ["old"]), run(100, ["a"], ["new"], run_id="r2"))
    lineage = Lineage(graph)
    assert {e.target for e in lineage.lineage(node("a"), "downstream", as_of=moment).edges} == {node("old")}
    assert {e.target for e in lineage.lineage(node("a"), "downstream").edges} == {node("new")}
    assert {row.id for row in lineage.impact(node("a"), as_of=moment).affected} == {node("old"), "job:jobs:etl"}


def test_every_name_of_a_dataset_finds_it() -> None:
    links = {"identifiers": [{"namespace": "hive://h", "name": "db.t", "type": "TABLE"}]}
    graph = graph_of(run(0, ["a"], [dataset("t", symlinks=links)]))

    def resolve(namespace: str, name: str) -> DatasetId:
        return DatasetId(KAFKA if namespace in ("kafka", "kafka://other:9092") else namespace, name)

    lineage = Lineage(graph, resolve)
    for asked in (
        node("t"),
        "dataset:hive://h:db.t",
        "dataset:kafka://other:9092:t",
        "urn:li:dataset:(urn:li:dataPlatform:kafka,t,PROD)",
    ):
        assert lineage.find(asked).id == node("t")


def test_what_the_catalog_knows_is_answered_for_though_nobody_spoke_of_it() -> None:
    lineage = Lineage(
        shop(),
        known=lambda dataset_id, path: dataset_id.name == "new" or (dataset_id.name, path) == ("orders", "value.n"),
    )
    alone = as_json(lineage.lineage(node("new")))
    assert ([n["id"] for n in alone["nodes"]], alone["edges"]) == ([node("new")], [])
    assert lineage.impact(node("new")).affected == ()
    assert lineage.impact(node("orders", "n")).affected == ()
    with pytest.raises(NotFound):
        lineage.impact(node("orders", "misspelt"))


def test_a_field_of_a_dataset_without_column_lineage() -> None:
    answer = Lineage(graph_of(run(0, ["a"], ["b"]))).impact(node("a", "value.x"))
    assert {row.id: row.columns for row in answer.affected} == {node("b"): "unknown", "job:jobs:etl": None}


def test_an_unknown_node_gets_a_hint() -> None:
    with pytest.raises(NotFound) as missing:
        Lineage(shop()).lineage(node("ordrs"))
    assert missing.value.details["nearest"][0] == node("orders")
    assert f"Did you mean {node('orders')}?" in missing.value.message


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"node_id": "orders"}, "nodeId 'orders' is not one"),
        ({"direction": "sideways"}, "direction 'sideways'"),
        ({"level": "atom"}, "level 'atom'"),
        ({"depth": 0}, "depth 0"),
        ({"depth": 101}, "depth 101"),
        ({"as_of": "soon"}, "asOf 'soon'"),
    ],
)
def test_questions_that_cannot_be_understood(asked: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Lineage(shop()).lineage(**{"node_id": node("orders"), **asked})
    assert says in refused.value.message


def test_a_small_budget_is_said() -> None:
    graph = graph_of(run(0, ["hub"], [f"n{n:02}" for n in range(30)]))
    lineage = Lineage(graph, settings=LineageSettings(node_budget=10))
    assert lineage.lineage(node("hub")).truncated and lineage.impact(node("hub")).truncated


def test_a_silent_streaming_job_is_shown_as_stale() -> None:
    graph = graph_of(
        run(0, ["a"], ["b"], processing="STREAMING", kind="RUNNING"), run(0, ["a"], ["c"], job="batch", run_id="r2")
    )
    shown = as_json(Lineage(graph, settings=LineageSettings(stale_after_days=1)).lineage(node("a"), "downstream"))
    assert {edge["target"]: edge["stale"] for edge in shown["edges"]} == {node("b"): True, node("c"): False}


def test_cycles_and_self_loops_end() -> None:
    graph = graph_of(run(0, ["a"], ["b", "a"]), run(1, ["b"], ["a"], job="back", run_id="r2"))
    assert set(ids(Lineage(graph).impact(node("a"), depth=100))) == {"b", "etl", "back"}


def test_what_producers_say_of_things_is_in_the_answers() -> None:
    facets: dict[str, Any] = {
        "tags": {"tags": [{"key": "pii", "value": "yes", "field": "mail"}, {"key": "tier", "value": "gold"}]},
        "documentation": {"description": "all orders"},
        "ownership": {"owners": [{"name": "ann", "type": "STEWARD"}]},
        "columnLineage": columns({"mail": [("raw", "email")]}),
    }
    code = {
        "sourceCodeLocation": {"type": "git", "url": "https://git/x", "version": "abc123", "branch": "main"},
        "documentation": {"description": "cleans"},
        "tags": {"tags": [{"key": "team", "value": "a"}]},
    }
    lineage = Lineage(graph_of(run(0, ["raw"], [dataset("clean", **facets)], job_facets=code)))
    shown = {entry["id"]: entry for entry in as_json(lineage.lineage(node("raw")))["nodes"]}
    clean = shown[node("clean")]
    assert (clean["description"], clean["tags"], clean["owners"][0]["name"]) == ("all orders", {"tier": "gold"}, "ann")
    job = shown["job:jobs:etl"]
    assert (job["location"]["version"], job["description"], job["tags"]) == ("abc123", "cleans", {"team": "a"})
    fields = {f["id"]: f for f in as_json(lineage.lineage(node("clean"), level="column"))["nodes"]}
    assert fields[node("clean", "value.mail")]["tags"] == {"pii": "yes"}
    assert {row.owners for row in lineage.impact(node("raw")).affected if row.type == "dataset"} == {("ann",)}


@pytest.mark.parametrize(
    "change, flows_on", [("CREATE", True), ("ALTER", True), ("OVERWRITE", True), ("TRUNCATE", False), ("DROP", False)]
)
def test_lifecycle_changes(change: str, flows_on: bool) -> None:
    out = dataset("b", lifecycleStateChange={"lifecycleStateChange": change})
    answer = Lineage(graph_of(run(0, ["a"], [out]))).lineage(node("a"), "downstream")
    assert any(edge.kind is Kind.FEEDS for edge in answer.edges) is flows_on


def test_a_renamed_dataset_is_reached_from_its_old_name() -> None:
    renamed = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": KAFKA, "name": "old"}}
    graph = graph_of(
        run(0, ["src"], ["old"]), run(9, ["old"], [dataset("new", lifecycleStateChange=renamed)], job="mv", run_id="m")
    )
    assert ids(Lineage(graph).impact(node("src")))["new"] == (2, True)


def test_reach_prefers_a_way_that_is_confirmed() -> None:
    day = 86_400
    graph = graph_of(
        run(0, ["a"], ["b"], job="slow", run_id="1"),
        run(day, ["a"], ["b"], job="slow", run_id="2"),
        run(0, ["b"], ["c"], job="once", run_id="3"),
    )
    lineage = Lineage(graph)
    to_b, to_c = (lineage.reach(node("a"), at(3600 * 5), node(name)) for name in "bc")
    assert to_b.arrivals[0].confirmed and not to_c.arrivals[0].confirmed  # `once` did not run again
    assert lineage.reach(node("c"), at(0), node("a")).arrivals == ()


def test_paths_of_a_ladder_end_at_the_limit() -> None:
    events = []
    for rung in range(40):
        events.append(run(0, [f"n{rung}"], [f"l{rung}", f"r{rung}"], job=f"s{rung}", run_id=f"s{rung}"))
        events += [
            run(0, [f"{side}{rung}"], [f"n{rung + 1}"], job=f"{side}{rung}", run_id=f"{side}{rung}") for side in "lr"
        ]
    paths, more = Lineage(graph_of(*events)).paths(node("n0"), node("n40"), limit=5, depth=100)
    assert len(paths) == 5 and more and all(len(path) == 80 for path in paths)
    assert Lineage(graph_of(*events)).paths(node("n0"), node("n40"), depth=79) == ([], False)


@pytest.mark.parametrize("text", ["=1+1", "\n=1+1", " @x", "-3", "\t=x"])
def test_no_cell_of_an_export_is_a_formula(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
    assert safe_cell(f"a{text}") == f"a{text}"


def test_a_table_of_glue_is_found_by_its_arn() -> None:
    glue = "arn:aws:glue:eu-west-1:123456789012"
    links = {"identifiers": [{"namespace": glue, "name": "table/shop/orders", "type": "TABLE"}]}
    event = run(
        0,
        ["raw"],
        [
            dataset(
                "wh/shop/orders", "s3://lake", symlinks=links, columnLineage=columns({"id": [("raw", "id", IDENTITY)]})
            )
        ],
    )
    for asked in ("dataset:s3://lake:wh/shop/orders", f"dataset:{glue}:table/shop/orders"):
        assert Lineage(graph_of(event)).find(asked).id == "dataset:s3://lake:wh/shop/orders"
    field = Lineage(graph_of(event)).find(f"datasetField:{glue}:table/shop/orders:id")
    assert field.id == "datasetField:s3://lake:wh/shop/orders:id"


def test_a_comment_counts_jobs_apart_from_what_holds_the_value() -> None:
    from lineage.questions.exports import impact_markdown

    answer = as_json(Lineage(shop()).impact(node("orders", "phone")))
    text = impact_markdown(answer)
    jobs = [row for row in answer["affected"] if row["type"] == "job"]
    places = [row for row in answer["affected"] if row["type"] != "job"]
    assert f"arrive at {sum(r['raw'] for r in places)} of the {len(places)} fields and datasets" in text
    assert f"be read by {sum(r['raw'] for r in jobs)} of the {len(jobs)} jobs" in text
    assert f"**{len(jobs)}** job" in text and len(
        [line for line in text.splitlines() if line.startswith("| job ")]
    ) == len(jobs)
    condition = impact_markdown(as_json(Lineage(shop()).impact(node("orders", "id"))))
    assert "| condition |" in condition
