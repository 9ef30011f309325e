"""Marquez's shapes, as its OpenAPI document and its clients' types have them, on a whole Weir over memory twins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest

from catalog.datasets.datasets import Datasets
from catalog.model import DatasetId, DatasetScan, FieldProfile, SchemaVersion
from tests.api_world import ApiWorld
from tests.lineage_door import EMAIL, ask, told
from tests.lineage_samples import KAFKA, node, run


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with told(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


def test_marquez_lineage(weir: ApiWorld) -> None:
    answer = weir.admin.get(f"/api/v1/lineage/?nodeId={node('orders')}&depth=2").json()
    graph = {entry["id"]: entry for entry in answer["graph"]}
    assert set(graph["job:jobs:cleaner"]) == {"id", "type", "data", "inEdges", "outEdges"}
    job = graph["job:jobs:cleaner"]
    assert job["type"] == "JOB" and graph[node("orders")]["type"] == "DATASET"
    assert job["inEdges"] == [{"origin": node("orders"), "destination": "job:jobs:cleaner"}]
    assert job["outEdges"] == [{"origin": "job:jobs:cleaner", "destination": node("clean2")}]
    assert job["data"]["inputs"] == [{"namespace": KAFKA, "name": "orders"}]
    assert job["data"]["type"] == "BATCH" and job["data"]["latestRun"]["state"] == "COMPLETED"
    assert graph[node("orders")]["data"]["type"] == "STREAM"
    assert "graph" not in ask(weir, "lineage", nodeId=node("orders"), direction="both")


def test_a_node_is_found_by_the_id_of_one_of_its_versions(weir: ApiWorld) -> None:
    version = "#123e4567-e89b-12d3-a456-426614174000"
    for path in ("lineage", "column-lineage"):
        for asked in (node("orders"), EMAIL, "job:jobs:cleaner"):
            if not (path == "lineage" and asked == EMAIL):
                assert ask(weir, path, nodeId=asked + version) == ask(weir, path, nodeId=asked)
    missing = weir.admin.get("/api/v1/lineage", params={"nodeId": node("nothing") + version})
    assert missing.status_code == 404


def test_marquez_column_lineage(weir: ApiWorld) -> None:
    field = node("clean2", "value.email")
    graph = {entry["id"]: entry for entry in ask(weir, "column-lineage", nodeId=field)["graph"]}
    assert graph[field]["type"] == "DATASET_FIELD"
    assert graph[field]["inEdges"] == [{"origin": field, "destination": EMAIL}]
    assert graph[EMAIL]["outEdges"] == [{"origin": EMAIL, "destination": field}]
    assert graph[field]["data"]["inputFields"][0] | {} == {
        "namespace": KAFKA, "dataset": "orders", "datasetVersion": None, "field": "value.email",
        "transformationDescription": None, "transformationType": "IDENTITY",
    }  # fmt: skip
    assert len(ask(weir, "column-lineage", nodeId=EMAIL)["graph"]) == 1  # a field is there, though nothing feeds it
    assert len(ask(weir, "column-lineage", nodeId=EMAIL, withDownstream=True)["graph"]) == 2
    of_job = {entry["id"]: entry for entry in ask(weir, "column-lineage", nodeId="job:jobs:cleaner")["graph"]}
    assert of_job[field]["inEdges"] == graph[field]["inEdges"], "of what the job writes, as Marquez has it"
    assert ask(weir, "column-lineage", nodeId="job:jobs:board")["graph"] == []
    assert weir.admin.get("/api/v1/column-lineage", params={"nodeId": "job:jobs:none"}).status_code == 404


def test_marquez_namespaces_jobs_runs_and_datasets(weir: ApiWorld) -> None:
    kafka = quote(KAFKA, safe="")
    assert [n["name"] for n in ask(weir, "namespaces")["namespaces"]] == ["jobs", KAFKA]
    assert ask(weir, f"namespaces/{kafka}")["name"] == KAFKA
    assert weir.admin.get("/api/v1/namespaces/nowhere").status_code == 404
    jobs = ask(weir, "namespaces/jobs/jobs", limit=2)
    assert [j["name"] for j in jobs["jobs"]] == ["board", "cleaner"] and jobs["totalCount"] == 3
    job = ask(weir, "namespaces/jobs/jobs/cleaner")
    assert job["outputs"] == [{"namespace": KAFKA, "name": "clean2"}] and job["latestRun"]["id"] == "r3"
    assert job["location"] == "https://git/x"
    runs = ask(weir, "namespaces/jobs/jobs/board/runs")
    assert [(r["state"], r["durationMs"]) for r in runs["runs"]] == [("FAILED", 0)] and runs["totalCount"] == 1
    datasets = ask(weir, f"namespaces/{kafka}/datasets")
    assert datasets["totalCount"] == 4 and datasets["datasets"][0]["id"] == {"namespace": KAFKA, "name": "clean"}
    fields = ask(weir, f"namespaces/{kafka}/datasets/orders")["fields"]
    assert [f["name"] for f in fields] == ["value.email", "value.phone", "value.status"]
    assert weir.admin.get(f"/api/v1/namespaces/{kafka}/datasets/none").status_code == 404
    graph = ask(weir, "lineage", nodeId=node("orders"), depth=5)["graph"]
    named = [ask(weir, "namespaces/jobs"), job, *runs["runs"], *datasets["datasets"], *(each["data"] for each in graph)]
    assert all(each["createdAt"] and each["updatedAt"] for each in named)  # Marquez's own client refuses a null here


def test_marquez_search_and_all_jobs(weir: ApiWorld) -> None:
    answer = ask(weir, "search", q="ORD", filter="DATASET")
    assert answer["totalCount"] == 1
    assert answer["results"][0] | {"updatedAt": ""} == {
        "type": "DATASET", "name": "orders", "namespace": KAFKA, "nodeId": node("orders"), "updatedAt": "",
    }  # fmt: skip
    every = ask(weir, "search", q="", sort="NAME")
    assert {each["type"] for each in every["results"]} == {"DATASET", "JOB"} and every["totalCount"] == 7
    assert [each["name"] for each in every["results"]] == sorted(each["name"] for each in every["results"])
    newest = ask(weir, "search", q="", filter="JOB", sort="UPDATE_AT", limit=1)
    assert newest["totalCount"] == 3 and len(newest["results"]) == 1
    assert ask(weir, "search", q="clean", filter="JOB", namespace="jobs")["totalCount"] == 1
    assert "hits" in ask(weir, "search", q="orders"), "asked otherwise it is Weir's own"
    assert weir.admin.get("/api/v1/search", params={"filter": "NOTHING"}).status_code == 400
    assert [j["name"] for j in ask(weir, "jobs", limit=2, offset=1)["jobs"]] == ["cleaner", "marter"]
    assert ask(weir, "jobs")["totalCount"] == 3


def test_marquez_versions_are_those_that_scans_found(weir: ApiWorld) -> None:
    path = f"namespaces/{quote(KAFKA, safe='')}/datasets/orders"
    (reported,) = ask(weir, f"{path}/versions")["versions"]
    assert [f["name"] for f in reported["fields"]] == ["value.email", "value.phone", "value.status"]
    assert ask(weir, path)["currentVersion"] == reported["version"]
    field = FieldProfile("value.email", {"string": 1.0}, 10, 1.0)
    weir.services[Datasets].record_scan(
        DatasetScan(DatasetId(KAFKA, "orders"), SchemaVersion({"value": "json"}, (field,)))
    )
    versions = ask(weir, f"{path}/versions")
    (only,) = versions["versions"]
    assert versions["totalCount"] == 1 and only["createdAt"] > "2020"
    assert only["fields"] == [{"name": "value.email", "type": "string", "tags": [], "description": None}]
    assert ask(weir, path)["currentVersion"] == only["version"] == only["id"]["version"]
    assert ask(weir, f"{path}/versions/{only['version']}") == only
    assert weir.admin.get(f"/api/v1/{path}/versions/none").status_code == 404


# Fields that must be there, with the types Marquez's OpenAPI document and its clients' models want: `?` for one that may
# be null.
TEXT, LIST, OBJECT, NUMBER, FLAG = str, list, dict, int, bool
Types = Mapping[str, type]
RUN: Types = {
    "id": TEXT, "createdAt": TEXT, "updatedAt": TEXT, "nominalStartTime?": TEXT, "nominalEndTime?": TEXT, "state": TEXT,
    "startedAt?": TEXT, "endedAt?": TEXT, "durationMs?": NUMBER, "args": OBJECT, "jobVersion": OBJECT,
    "inputVersions": LIST, "outputVersions": LIST, "facets": OBJECT,
}  # fmt: skip
JOB: Types = {
    "id": OBJECT, "type": TEXT, "name": TEXT, "simpleName": TEXT, "createdAt": TEXT, "updatedAt": TEXT, "namespace": TEXT,
    "inputs": LIST, "outputs": LIST, "location?": TEXT, "description?": TEXT, "latestRun?": OBJECT, "latestRuns": LIST,
    "tags": LIST, "facets": OBJECT, "currentVersion?": TEXT, "parentJobName?": TEXT, "parentJobUuid?": TEXT,
}  # fmt: skip
JOB_VERSION: Types = {
    "id": OBJECT, "name": TEXT, "version": TEXT, "createdAt": TEXT, "namespace": TEXT, "inputs": LIST, "outputs": LIST,
    "location?": TEXT, "latestRun?": OBJECT, "facets": OBJECT, "context": OBJECT,
}  # fmt: skip
DATASET: Types = {
    "id": OBJECT, "type": TEXT, "name": TEXT, "physicalName": TEXT, "createdAt": TEXT, "updatedAt": TEXT, "namespace": TEXT,
    "sourceName": TEXT, "fields": LIST, "tags": LIST, "lastModifiedAt?": TEXT, "lastLifecycleState?": TEXT,
    "description?": TEXT, "facets": OBJECT, "currentVersion?": TEXT, "deleted": FLAG, "columnLineage?": LIST,
}  # fmt: skip
SOURCE: Types = {
    "type": TEXT,
    "name": TEXT,
    "createdAt": TEXT,
    "updatedAt": TEXT,
    "connectionUrl": TEXT,
    "description?": TEXT,
}
NAMESPACE: Types = {
    "name": TEXT,
    "createdAt": TEXT,
    "updatedAt": TEXT,
    "ownerName": TEXT,
    "description?": TEXT,
    "isHidden": FLAG,
}


def wrong(shown: dict[str, Any], wanted: Types) -> list[str]:
    return [
        key for key, kind in wanted.items()
        if key.rstrip("?") not in shown
        or not (isinstance(shown[key.rstrip("?")], kind) or (key.endswith("?") and shown[key.rstrip("?")] is None))
    ]  # fmt: skip


def test_every_answer_has_marquezs_fields(weir: ApiWorld) -> None:
    kafka = quote(KAFKA, safe="")
    shown: list[tuple[dict[str, Any], Types]] = [
        *((job, JOB) for job in ask(weir, "jobs")["jobs"]), (ask(weir, "namespaces/jobs/jobs/cleaner"), JOB),
        (ask(weir, "namespaces/jobs/jobs/cleaner/versions")["versions"][0], JOB_VERSION),
        *((run, RUN) for run in ask(weir, "namespaces/jobs/jobs/cleaner/runs")["runs"]),
        (ask(weir, "jobs/runs/r3"), RUN), (ask(weir, "jobs")["jobs"][0]["latestRun"], RUN),
        *((one, DATASET) for one in ask(weir, f"namespaces/{kafka}/datasets")["datasets"]),
        (ask(weir, f"namespaces/{kafka}/datasets/clean2"), DATASET), (ask(weir, f"sources/{kafka}"), SOURCE),
        (ask(weir, "namespaces")["namespaces"][0], NAMESPACE),
        *((each["data"], JOB if each["type"] == "JOB" else DATASET)
          for each in ask(weir, "lineage", nodeId=node("orders"))["graph"]),
    ]  # fmt: skip
    assert [
        (one["name"] if "name" in one else one["id"], wrong(one, wanted)) for one, wanted in shown if wrong(one, wanted)
    ] == []


def test_a_job_with_its_newest_runs_and_the_version_it_is_in(weir: ApiWorld) -> None:
    job = ask(weir, "namespaces/jobs/jobs/cleaner")
    assert [run["id"] for run in job["latestRuns"]] == ["r3", "r1"] and job["latestRun"] == job["latestRuns"][0]
    assert job["facets"]["sourceCodeLocation"]["version"] == "0a1b2c3d4e5f6a7b"
    assert job["facets"]["ownership"]["owners"] == [{"name": "team:data"}] and "sql" not in job["facets"]
    assert all({"_producer", "_schemaURL"} <= facet.keys() for facet in job["facets"].values())
    (version,) = ask(weir, "namespaces/jobs/jobs/cleaner/versions")["versions"]
    assert version["version"] == job["currentVersion"] == version["id"]["version"]
    assert ask(weir, f"namespaces/jobs/jobs/cleaner/versions/{version['version']}") == version
    assert weir.admin.get("/api/v1/namespaces/jobs/jobs/cleaner/versions/other").status_code == 404
    listed = {each["name"]: each for each in ask(weir, "namespaces/jobs/jobs")["jobs"]}
    assert listed["cleaner"]["inputs"] == job["inputs"] and listed["cleaner"]["outputs"] == job["outputs"]
    failed = ask(weir, "jobs", lastRunStates="FAILED")
    assert [each["name"] for each in failed["jobs"]] == ["board"] and failed["totalCount"] == 1


def test_a_run_by_its_id_alone_and_a_job_in_a_namespace_called_runs(weir: ApiWorld) -> None:
    assert ask(weir, "jobs/runs/r4")["state"] == "FAILED"
    facets = ask(weir, "jobs/runs/r3/facets", type="job")
    assert facets["runId"] == "r3" and facets["facets"]["sourceCodeLocation"]["url"] == "https://git/x"
    assert ask(weir, "jobs/runs/r3/facets")["facets"] == {}
    for lost in ("r1", "none", "%22", "a%2Fb"):
        assert weir.admin.get(f"/api/v1/jobs/runs/{lost}").status_code == 404
    with world_of_runs(weir):
        assert ask(weir, "jobs/runs/nightly")["reads"] == [node("orders")], "Weir's own route still finds it"
        assert ask(weir, "jobs/runs/nightly/runs")["total"] == 1
        by_id = ask(weir, f"jobs/runs/{UPPER}")
        assert by_id == ask(weir, f"jobs/runs/{UPPER.lower()}") and by_id["startedAt"] is not None


UPPER = "AAAAAAAA-0000-4000-8000-00000000000A"


@contextmanager
def world_of_runs(weir: ApiWorld) -> Iterator[None]:
    event = run(300, ["orders"], [], job="nightly", run_id=UPPER)
    event["job"]["namespace"] = "runs"
    assert weir.admin.post("/api/v1/lineage", json=event).status_code == 201
    weir.fold()
    yield


def test_sources_tags_and_what_a_dataset_is_made_of(weir: ApiWorld) -> None:
    kafka = quote(KAFKA, safe="")
    assert [each["name"] for each in ask(weir, "sources")["sources"]] == [KAFKA]
    assert ask(weir, f"sources/{kafka}")["type"] == "KAFKA" and ask(weir, f"sources/{kafka}")["connectionUrl"] == KAFKA
    assert weir.admin.get("/api/v1/sources/jobs").status_code == 404
    assert isinstance(ask(weir, "tags")["tags"], list)
    made_of = {each["name"]: each for each in ask(weir, f"namespaces/{kafka}/datasets/clean2")["columnLineage"]}
    assert set(made_of) == {"value.email", "value.phone"}
    assert made_of["value.phone"]["transformationType"] == "MASKED"
    assert made_of["value.email"]["inputFields"] == [{
        "namespace": KAFKA, "dataset": "orders", "field": "value.email", "transformationDescription": None,
        "transformationType": "IDENTITY"}]  # fmt: skip


@pytest.mark.parametrize(("asked", "names"), [
    ({"q": "clean", "filter": "dataset", "sort": "name"}, ["clean", "clean2"]),
    ({"q": "c%n2", "filter": "DATASET"}, ["clean2"]),
    ({"q": "%", "filter": "JOB", "limit": 2}, ["board", "cleaner"]),
    ({"q": "c.*n", "sort": "updated_at"}, []),
])  # fmt: skip
def test_search_as_each_client_spells_it(weir: ApiWorld, asked: dict[str, Any], names: list[str]) -> None:
    assert [each["name"] for each in ask(weir, "search/", **asked)["results"]] == names
