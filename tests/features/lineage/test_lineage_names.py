"""Every legal name of OpenLineage goes in and comes back whole, through every route; none breaks the answer of another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from api.features.lineage.node_words import node_id
from catalog.model import NodeId
from tests.api_world import ApiWorld, world
from tests.lineage_door import ask
from tests.lineage_samples import IDENTITY, JOIN, run

PIECES = [
    ":",
    "/",
    "//",
    "|",
    "#",
    "~",
    ",",
    "%",
    "%3A",
    "[",
    "]",
    "{",
    "'",
    '"',
    "`",
    "\\",
    " ",
    "\n",
    "\x1f",
    "+",
    "&",
    "?",
    "0",
    "2024",
    "9092",
    "s3://lake",
    "arn:aws:glue:eu:1",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,a,PROD)",
    "x",
    "é",
    "💥",
]
NAMES = (
    st.lists(
        st.sampled_from(PIECES) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=1, max_size=5
    )
    .map("".join)
    .filter(lambda name: name not in ("", ".", "..", "runs"))
)
NEIGHBOUR = "innocent"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


def flow(namespace: str, name: str, field: str) -> dict[str, Any]:
    """A job of these names that makes a dataset of these names out of a neighbour."""
    source = {"namespace": "plain", "name": NEIGHBOUR, "field": "f"}
    lineage = {
        "fields": {field: {"inputFields": [{**source, "transformations": [IDENTITY]}]}},
        "dataset": [{**source, "field": "g", "transformations": [JOIN]}],
    }
    event = run(0, [], [], run_id=f"run {namespace} {name}", parent=("starter", "p"))
    event["job"] |= {"namespace": namespace, "name": name}
    event["inputs"] = [{"namespace": "plain", "name": NEIGHBOUR}]
    event["outputs"] = [{"namespace": namespace, "name": name, "facets": {"columnLineage": lineage}}]
    return event


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # shrinking takes minutes: each example is forty calls
)
@given(NAMES, NAMES, NAMES)
@example("s3://lake", "2024/03/01/orders.parquet", "day")
@example("ns", "2024", "2024")
@example("redis://h:6379", "0", "0")
@example("airflow", "2024", "a:b")
@example("x", "//y", "//z")
@example("a:b", "c", "d")
@example("a", "b:c", "d")
@example("a", "b", "c:d")
def test_every_name_through_every_route(weir: ApiWorld, namespace: str, name: str, field: str) -> None:
    assert weir.admin.post("/api/v1/lineage", json=flow(namespace, name, field)).status_code == 201
    weir.fold()
    dataset, job = NodeId("dataset", namespace, name), NodeId("job", namespace, name)
    column = NodeId("field", namespace, name, field)
    pair, of = {"namespace": namespace, "name": name}, f"{quote(namespace, safe='')}/{quote(name, safe='')}"
    ns = quote(namespace, safe="")

    def holds(rows: Any, wanted: dict[str, str], **more: Any) -> bool:
        return any(wanted.items() <= row.items() and more.items() <= row.items() for row in rows)

    for node in (dataset, job, column):
        for level in ("dataset", "column"):
            answer = ask(weir, "lineage", nodeId=str(node), level=level)
            assert answer["root"] == str(node)
            assert holds(answer["nodes"], node.to_json(), id=str(node), type=node.kind)
        for shape in ("csv", "dot", "mermaid"):
            assert weir.admin.get("/api/v1/lineage", params={"nodeId": str(node), "format": shape}).status_code == 200
        ask(weir, "impact", nodeId=str(node))
    graph = ask(weir, "lineage", nodeId=f"dataset:plain:{NEIGHBOUR}", depth=3)["graph"]
    assert holds([each["data"] for each in graph if each["type"] == "JOB"], pair)
    affected = ask(weir, "impact", nodeId=f"dataset:plain:{NEIGHBOUR}")["affected"]
    assert holds(affected, pair, type="dataset", id=str(dataset)) and holds(affected, pair, type="job", id=str(job))
    affected = ask(weir, "impact", nodeId=f"datasetField:plain:{NEIGHBOUR}:f", change="drop")["affected"]
    assert holds(affected, {**pair, "field": field}, type="field", id=str(column), effect="breaks")
    for form in ("markdown", "csv"):
        asked = {"nodeId": f"dataset:plain:{NEIGHBOUR}", "format": form}
        assert weir.admin.get("/api/v1/impact", params=asked).status_code == 200
    came = ask(weir, "lineage/reach", **{"from": f"dataset:plain:{NEIGHBOUR}", "at": "2025-01-01T00:00:00Z"})["reached"]
    assert holds(came, pair, id=str(dataset))
    assert ask(weir, "lineage/reach", **{"from": f"dataset:plain:{NEIGHBOUR}", "to": str(column), "at": "2025-01-01"})[
        "could"
    ]
    (path,) = ask(weir, "lineage/paths", **{"from": f"dataset:plain:{NEIGHBOUR}", "to": str(dataset)})["paths"]
    assert path[-1]["target"] == str(dataset) and path[-1]["job"] == str(job)
    only = ask(weir, "lineage", nodeId=str(dataset), namespace=["plain", namespace], job=str(job))
    assert {edge["job"] for edge in only["edges"]} == {str(job)}
    columns = ask(weir, "column-lineage", nodeId=str(dataset))["graph"]
    assert holds([each["data"] for each in columns], {"namespace": namespace, "dataset": name, "field": field})

    assert holds([ask(weir, f"jobs/{of}")], pair, id=str(job), writes=[str(dataset)])
    assert ask(weir, f"jobs/{of}/runs")["total"] >= 1
    assert holds(ask(weir, "jobs", limit=1000)["jobs"], pair)
    (shown,) = [each for each in ask(weir, f"namespaces/{ns}/jobs")["jobs"] if each["name"] == name]
    assert shown["outputs"] == [pair] and shown["inputs"] == [{"namespace": "plain", "name": NEIGHBOUR}]
    assert ask(weir, f"namespaces/{ns}/jobs/{quote(name, safe='')}")["parentJobName"] == "starter"
    ask(weir, f"namespaces/{ns}/jobs/{quote(name, safe='')}/runs")
    ask(weir, f"namespaces/{ns}/jobs/{quote(name, safe='')}/versions")
    assert holds(ask(weir, f"namespaces/{ns}/datasets")["datasets"], pair)
    one = ask(weir, f"namespaces/{ns}/datasets/{quote(name, safe='')}")
    assert holds(one["fields"], {"name": field}) and holds(one["columnLineage"], {"name": field})
    assert (
        holds(ask(weir, "search", q=name, filter="dataset", limit=1000)["results"], pair)
        or "%" in name
        or not name.strip()
    )
    assert ask(weir, f"namespaces/{ns}")["name"] == namespace and holds(
        ask(weir, "namespaces", limit=1000)["namespaces"], {"name": namespace}
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("dataset:s3://typed:2024/03/01/x", NodeId("dataset", "s3://typed", "2024/03/01/x")),
        ("job:s3://typed:2024/03/01/x", NodeId("job", "s3://typed", "2024/03/01/x")),
        ("datasetField:s3://typed:2024/03/01/x:7", NodeId("field", "s3://typed", "2024/03/01/x", "7")),
        ("s3://typed/2024/03/01/x", NodeId("dataset", "s3://typed", "2024/03/01/x")),
        ("s3://typed/2024/03/01/x:7", NodeId("field", "s3://typed", "2024/03/01/x", "7")),
    ],
)
def test_what_people_type_is_found_though_its_colons_could_be_read_in_two_ways(
    weir: ApiWorld, typed: str, meant: NodeId
) -> None:
    weir.admin.post("/api/v1/lineage", json=flow("s3://typed", "2024/03/01/x", "7"))
    weir.fold()
    assert ask(weir, "lineage", nodeId=node_id(typed))["root"] == str(meant)


def test_an_id_that_may_mean_two_nodes_is_refused_with_both(weir: ApiWorld) -> None:
    names = [("two", "1/x:2"), ("two:1/x", "2")]
    for namespace, name in names:
        weir.admin.post("/api/v1/lineage", json=flow(namespace, name, "f"))
    weir.fold()
    answer = weir.admin.get("/api/v1/lineage", params={"nodeId": "dataset:two:1/x:2"})
    ids = sorted(str(NodeId("dataset", *pair)) for pair in names)
    assert answer.status_code == 400 and answer.json()["error"]["details"]["candidates"] == ids
    assert [ask(weir, "lineage", nodeId=each)["root"] for each in ids] == ids
