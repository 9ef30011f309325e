"""Each facet from the event that is posted to the answer that a user reads. The whole door, over memory twins.

docs/reference/openlineage-mapping.md has the same in words; `test_lineage_compatibility.py` holds the page to the facets' names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from api.config.home import Home
from tests.api_world import ApiWorld, world
from tests.reported_door import LAKE, SCHEMA, SHOP, USERS, ask, event, place, post, ref


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as weir:
        yield weir


def told(weir: ApiWorld, facet: str) -> Any:
    """A facet as the dataset's answer gives it, without its time, which is that of the event."""
    facets = ask(weir, place())["reported"]["facets"][facet]
    assert facets.pop("at") == "2026-01-01T00:00:00Z"
    return facets


def test_schema_with_types_descriptions_and_nested_fields(weir: ApiWorld) -> None:
    post(weir, event(outputs=[ref(schema=SCHEMA)]))
    schema = ask(weir, f"{place()}/schema")
    assert schema["source"] == "lineage" and schema["version"] == 1
    fields = {field["path"]: field for field in schema["fields"]}
    assert set(fields) == {
        "value.id", "value.email", "value.address", "value.address.city", "value.tags", "value.tags[]",
        "value.tags[].key", "value.extra", "value.extra@keys", "value.extra{}",
    }  # fmt: skip
    assert fields["value.email"]["types"] == {"string": 1.0} and fields["value.id"]["types"] == {"int64": 1.0}
    assert fields["value.email"]["details"] == {
        "reportedType": "VARCHAR(200)", "description": "Where the receipt goes",
    }  # fmt: skip
    assert fields["value.email"]["presence"] is None, "nobody has looked"
    assert weir.admin.get(f"/api/v1/{place()}/schema", params={"format": "ddl"}).status_code == 400
    answer = ask(weir, "search", q="receipt")
    assert [(hit["kind"], hit["path"]) for hit in answer["hits"]] == [("field", "value.email")]
    marquez = ask(weir, f"namespaces/{quote(SHOP, safe='')}/{place().split('/', 2)[0]}/{USERS}")
    by_name = {field["name"]: field for field in marquez["fields"]}
    assert by_name["email"]["type"] == "VARCHAR(200)" and by_name["address.city"]["type"] == "string"
    assert marquez["facets"]["schema"]["fields"] == SCHEMA["fields"], "given back as it came"


@pytest.mark.parametrize(
    ("facet", "given", "kept"),
    [
        ("ownership", {"owners": [{"name": "team:data", "type": "OWNER"}]}, None),
        ("documentation", {"description": "People who bought"}, None),
        ("datasetType", {"datasetType": "VIEW", "subType": "MATERIALIZED"}, None),
        ("version", {"datasetVersion": "7"}, None),
        ("dataSource", {"name": "shop", "uri": "postgres://db.shop:5432/shop"}, None),
        ("storage", {"storageLayer": "iceberg", "fileFormat": "parquet"}, None),
        ("catalog", {"framework": "iceberg", "type": "hive", "name": "main", "catalogProperties": {"k": "v"}},
         {"framework": "iceberg", "type": "hive", "name": "main"}),
        ("hierarchy", {"hierarchy": [{"type": "DATABASE", "name": "shop"}, {"type": "TABLE", "name": "users"}]}, None),
        ("tags", {"tags": [{"key": "tier", "value": "gold", "source": "DBT"}]}, None),
    ],
)  # fmt: skip
def test_facets_of_datasets_as_they_are(weir: ApiWorld, facet: str, given: Any, kept: Any) -> None:
    facets: dict[str, Any] = {facet: {"_producer": "https://p", **given}}
    post(weir, event(outputs=[ref(**facets)]))
    assert told(weir, facet) == (kept or given)
    marquez = ask(weir, f"namespaces/{quote(SHOP, safe='')}/datasets/{USERS}")["facets"][facet]
    assert {key: value for key, value in marquez.items() if not key.startswith("_")} == (kept or given)


def test_summary_search_and_description_order(weir: ApiWorld) -> None:
    post(weir, event(outputs=[ref(
        documentation={"description": "People who bought"}, ownership={"owners": [{"name": "team:data"}]},
        tags={"tags": [{"key": "tier", "value": "gold"}]}, datasetType={"datasetType": "TABLE"})]))  # fmt: skip
    shown = ask(weir, place())
    assert (shown["source"], shown["cluster"], shown["description"]) == ("lineage", None, "People who bought")
    assert shown["descriptionSource"] == "producer" and shown["owners"] == [], "a producer's owner has no rights here"
    assert shown["reported"]["type"] == "TABLE" and shown["reported"]["owners"] == [{"name": "team:data"}]
    for words in ("bought", "gold", "team:data", "users", f"{SHOP}/{USERS}"):
        hits = ask(weir, "search", q=words, source="lineage")["hits"]
        assert [hit["name"] for hit in hits if hit["kind"] == "dataset"] == [USERS], words
    assert ask(weir, "search", q="users", source="catalog")["total"] == 0
    assert {"value": "lineage", "count": 1} in ask(weir, "search", q="")["facets"]["source"]


def test_lifecycle(weir: ApiWorld) -> None:
    life = {"lifecycleStateChange": "rename", "previousIdentifier": {"namespace": SHOP, "name": "shop.public.people"}}
    post(weir, event(outputs=[ref(lifecycleStateChange=life)]))
    assert told(weir, "lifecycleStateChange") == {
        "state": "RENAME", "previous": {"namespace": SHOP, "name": "shop.public.people"}}  # fmt: skip
    post(weir, event(9, outputs=[ref(lifecycleStateChange={"lifecycleStateChange": "DROP"})]))
    assert ask(weir, place())["reported"]["lifecycle"] == "DROP"
    marquez = ask(weir, f"namespaces/{quote(SHOP, safe='')}/datasets/{USERS}")
    assert (marquez["lastLifecycleState"], marquez["deleted"]) == ("DROP", True)


def test_statistics_quality_metrics_and_assertions_without_values(weir: ApiWorld) -> None:
    metrics = {"rowCount": 10, "bytes": 99, "lastUpdated": "2026-01-01T00:00:00Z", "captureDate": "4242424", "columnMetrics": {
        "email": {"nullCount": 1, "distinctCount": 9, "min": "a@secret.example", "max": "z@secret.example",
                  "quantiles": {"0.5": 4242424}}}}  # fmt: skip
    assertions = {
        "assertions": [
            {
                "assertion": "not_null",
                "success": False,
                "column": "email",
                "expected": "0",
                "actual": "a@secret.example",
            }
        ]
    }
    post(weir, event(
        inputs=[ref(side="inputFacets", given={"dataQualityMetrics": metrics, "dataQualityAssertions": assertions,
                                               "inputStatistics": {"rowCount": 10, "size": 5, "fileCount": 1}})],
        outputs=[ref("copy", LAKE, "outputFacets", {"outputStatistics": {"rowCount": 7, "size": 70}})]))  # fmt: skip
    assert told(weir, "inputStatistics") == {"rowCount": 10, "size": 5, "fileCount": 1}
    assert told(weir, "dataQualityMetrics") == {
        "rowCount": 10, "bytes": 99, "lastUpdated": "2026-01-01T00:00:00Z",
        "columns": {"email": {"nullCount": 1, "distinctCount": 9}}, "valuesLeftOut": 3,
    }  # fmt: skip
    assert told(weir, "dataQualityAssertions") == {
        "assertions": [{"assertion": "not_null", "column": "email", "success": False}], "valuesLeftOut": 2}  # fmt: skip
    copy = ask(weir, place("copy", LAKE))["reported"]["facets"]
    assert copy["outputStatistics"] == {"rowCount": 7, "size": 70, "at": "2026-01-01T00:00:00Z"}
    given_back = ask(weir, f"namespaces/{quote(SHOP, safe='')}/datasets/{USERS}")["facets"]["dataQualityMetrics"]
    assert {key: value for key, value in given_back.items() if not key.startswith("_")} == {
        "rowCount": 10, "bytes": 99, "lastUpdated": "2026-01-01T00:00:00Z",
        "columnMetrics": {"email": {"nullCount": 1, "distinctCount": 9}}}  # fmt: skip
    database = Path(weir.services[Home].root / "weir.db").read_bytes()
    assert b"secret.example" not in database and b"4242424" not in database


def test_column_transformations_and_masking(weir: ApiWorld) -> None:
    def made(field: str, *ways: Any) -> Any:
        return {"namespace": SHOP, "name": USERS, "field": field, "transformations": list(ways)}

    mask = {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "md5", "masking": True}
    lineage = {"fields": {
        "id": {"inputFields": [made("id", {"type": "DIRECT", "subtype": "IDENTITY"},
                                    {"type": "INDIRECT", "subtype": "JOIN"})]},
        "hash": {"inputFields": [made("email", mask)]},
        "total": {"inputFields": [made("paid", {"type": "DIRECT", "subtype": "AGGREGATION"})]}}}  # fmt: skip
    post(weir, event(inputs=[ref()], outputs=[ref("copy", LAKE, columnLineage=lineage)]))
    edges = ask(weir, "lineage", nodeId=f"dataset:{LAKE}:copy", level="column")["edges"]
    ways = {(e["source"].rpartition(":")[2], e["target"].rpartition(":")[2]): e["transformations"] for e in edges}
    assert ways == {
        ("id", "id"): [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False}],
        ("email", "hash"): [{"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "md5", "masking": True}],
        ("paid", "total"): [{"type": "DIRECT", "subtype": "AGGREGATION", "masking": False}],
        ("id", "copy"): [{"type": "INDIRECT", "subtype": "JOIN", "masking": False}],
    }
    users = ask(weir, f"{place()}/schema")["fields"]
    assert [field["path"] for field in users] == ["value.email", "value.id", "value.paid"], "columns that jobs name"
    assert [f["path"] for f in ask(weir, f"{place('copy', LAKE)}/schema")["fields"]] == [
        "value.hash", "value.id", "value.total"]  # fmt: skip
    facet = ask(weir, f"namespaces/{quote(LAKE, safe='')}/datasets/copy")["facets"]["columnLineage"]
    assert facet["fields"]["hash"]["inputFields"] == [made("email", mask)]


def test_facets_of_runs(weir: ApiWorld) -> None:
    facets = {
        "nominalTime": {"nominalStartTime": "2026-01-01T00:00:00Z", "nominalEndTime": "2026-01-01T01:00:00Z"},
        "errorMessage": {"message": "Key (email)=(joe@x.example) exists", "programmingLanguage": "JAVA",
                         "stackTrace": "at a.b(C.java:1)"},
        "externalQuery": {"externalQueryId": "q-1", "source": "bigquery"},
        "extractionError": {"totalTasks": 2, "failedTasks": 1, "errors": [
            {"errorMessage": "bad 'joe@x.example'", "stackTrace": "at x", "task": "t"}]},
        "environmentVariables": {"environmentVariables": [{"name": "HOME", "value": "/home/joe"}]},
        "executionParameters": {"parameters": [{"key": "day", "value": "2026-01-01"}]},
        "jobDependencies": {"upstream": [{"job": {"namespace": "jobs", "name": "before"}}]},
        "tags": {"tags": [{"key": "team", "value": "blue"}]},
        "test": {"tests": [{"name": "unique", "status": "fail", "actual": "joe@x.example"}]},
        "spark_properties": {"properties": {"a": "b"}},
    }  # fmt: skip
    post(weir, event(run=facets, kind="FAIL", job={"sourceCode": {"language": "sql", "sourceCode": "x"}}))
    job = ask(weir, "jobs/jobs/loader")
    assert job["runs"][0]["facets"] == {
        "nominalTime": facets["nominalTime"],
        "errorMessage": {"message": "Key […] exists", "programmingLanguage": "JAVA", "stackTraceLeftOut": True},
        "externalQuery": facets["externalQuery"],
        "extractionError": {"totalTasks": 2, "failedTasks": 1, "errors": [{"message": "bad […]", "task": "t"}]},
        "environmentVariables": {"names": ["HOME"]}, "executionParameters": {"names": ["day"]},
        "jobDependencies": {"upstream": [{"job": {"namespace": "jobs", "name": "before"}}]},
        "tags": facets["tags"], "test": {"tests": [{"name": "unique", "status": "fail"}]},
    }  # fmt: skip
    assert job["logOnly"] == ["run.spark_properties", "sourceCode"], "not kept, and not silent"
    (run,) = ask(weir, "namespaces/jobs/jobs/loader/runs")["runs"]
    assert (
        run["nominalEndTime"] == "2026-01-01T01:00:00Z" and run["facets"]["errorMessage"]["message"] == "Key […] exists"
    )
    assert set(ask(weir, "jobs/runs/r1/facets")["facets"]) == {
        "nominalTime", "errorMessage", "externalQuery", "extractionError", "tags", "test"}  # fmt: skip
    errors = run["facets"]["extractionError"]["errors"]
    assert errors == [{"errorMessage": "bad […]", "task": "t"}], "under the names of the spec"
    assert ask(weir, "namespaces/jobs/jobs/loader")["latestRuns"] == [run] == [ask(weir, "jobs/runs/r1")]
    assert ask(weir, "jobs/jobs/loader/runs")["runs"][0]["facets"]["nominalTime"] == facets["nominalTime"]


def test_job_facets_and_source_code_location(weir: ApiWorld) -> None:
    location = {"type": "git", "url": "https://git/x", "version": "0a1b", "pullRequestNumber": "7"}
    post(weir, event(job={"sourceCodeLocation": location, "documentation": {"description": "Loads"},
                          "ownership": {"owners": [{"name": "team:data"}]}}))  # fmt: skip
    job = ask(weir, "jobs/jobs/loader")
    assert (job["location"], job["description"]) == (location, "Loads")
    assert ask(weir, "namespaces/jobs/jobs/loader")["facets"]["sourceCodeLocation"]["version"] == "0a1b"


def test_facets_not_read_are_listed_by_name(weir: ApiWorld) -> None:
    post(weir, event(inputs=[ref(confluent={"x": 1}, subset={"inputCondition": {}})]))
    assert ask(weir, place())["reported"]["logOnly"] == ["confluent", "subset"]


def test_what_is_too_large_is_cut_and_counted(weir: ApiWorld) -> None:
    fields = [{"name": f"c{n}", "type": "int"} for n in range(2100)]
    many = {"tags": [{"key": f"k{n}", "value": "v"} for n in range(600)]}
    post(weir, event(outputs=[ref(schema={"fields": fields}, tags=many)]))
    reported = ask(weir, place())["reported"]
    assert (reported["columns"], reported["columnsLeftOut"]) == (2000, 100)
    assert reported["facets"]["tags"]["cut"] == 100 and len(reported["facets"]["tags"]["tags"]) == 500


def test_a_deleted_facet_takes_its_value_away(weir: ApiWorld) -> None:
    post(weir, event(outputs=[ref(documentation={"description": "People"})]))
    post(weir, event(5, outputs=[ref(documentation={"_deleted": True})]))
    shown = ask(weir, place())
    assert shown["description"] == "" and "documentation" not in shown["reported"]["facets"]


def test_symlinks_are_names_of_one_dataset(weir: ApiWorld) -> None:
    link = {"identifiers": [{"namespace": "hive://meta:9083", "name": "shop.users", "type": "TABLE"}]}
    post(weir, event(inputs=[ref("warehouse/users", LAKE, schema=SCHEMA)]))
    post(weir, event(5, run_id="r2", inputs=[ref("warehouse/users", LAKE, symlinks=link)]))
    post(weir, event(9, run_id="r3", inputs=[
        ref("shop.users", "hive://meta:9083", documentation={"description": "By its other name"})]))  # fmt: skip
    listed = ask(weir, "datasets")
    assert [(d["namespace"], d["name"], d["description"]) for d in listed["datasets"]] == [
        (LAKE, "warehouse/users", "By its other name")]  # fmt: skip
    answer = ask(weir, place("shop.users", "hive://meta:9083"))
    assert answer["name"] == "warehouse/users" and answer["schemaVersion"] == 1
    assert answer["reported"]["names"] == [
        {"namespace": "hive://meta:9083", "name": "shop.users"}, {"namespace": LAKE, "name": "warehouse/users"}]  # fmt: skip
