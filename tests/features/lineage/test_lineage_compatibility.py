"""OpenLineage's compatibility tests, as a consumer answers them.

Their two checks: *syntax*, every recorded event of a scenario is accepted; *semantics*, what the consumer then reports of
jobs, runs, datasets and columns is what the events contain. What is expected is read here off the raw JSON by a few lines of
their own, and not by the code under test. docs/reference/openlineage-mapping.md lists what is kept of which facet.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage.fold import facts, learn, producer_info
from lineage.producers import facet_values
from lineage.questions.queries import Lineage
from tests.api_world import ApiWorld, world
from tests.lineage_answers import as_json
from tests.lineage_samples import real_rows

SCENARIOS = {
    "ct-simple-run-event": 1,
    "ct-cll": 9,
    "ct-airflow": 32,
    "ct-bigquery-shakespare": 12,
    "ct-simple": 4,
    "ct-simple-complete": 16,
}
ENDS = ("COMPLETE", "FAIL", "ABORT")


@pytest.fixture(params=sorted(SCENARIOS), scope="module")
def scenario(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ApiWorld, list[Any]]]:
    events = [row["event"] for row in real_rows(shared_data) if row["group"] == request.param]
    assert len(events) == SCENARIOS[request.param]
    with world(tmp_path_factory.mktemp("weir")) as weir:
        for event in events:
            answer = weir.admin.post("/api/v1/lineage", json=event)
            assert (answer.status_code, answer.text) == (201, "")
        weir.fold()
        yield weir, events


def named(ref: Any) -> tuple[str, str]:
    return ref["namespace"], ref["name"]


def facet(holder: Any, name: str) -> Any:
    return (holder.get("facets") or {}).get(name) or {}


def names(weir: ApiWorld, refs: Any) -> set[str]:
    """Node ids, a symlinked dataset under the one name it has."""
    return {weir.services[Lineage].find(f"dataset:{ns}:{name}").id for ns, name in refs}


def test_jobs_and_runs(scenario: tuple[ApiWorld, list[Any]]) -> None:
    weir, events = scenario
    runs: dict[tuple[str, str], dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        runs[named(event["job"])][event["run"]["runId"]].append(event)
    for (namespace, name), events_of_job in runs.items():
        job = as_json(weir.services[Lineage].job(f"job:{namespace}:{name}"))
        by_id = {run["id"]: run for run in job["runs"]}
        assert set(by_id) == set(events_of_job)
        for run_id, events_of_run in events_of_job.items():
            ends = {event["eventType"] for event in events_of_run if event["eventType"] in ENDS}
            last = max(events_of_run, key=lambda event: event["eventTime"])["eventType"]
            assert by_id[run_id]["state"] == (ends.pop() if len(ends) == 1 else last)
            parent = next(
                (facet(e["run"], "parent")["run"]["runId"] for e in events_of_run if facet(e["run"], "parent")), None
            )
            assert by_id[run_id]["parent"] == parent
        kind: dict[str, Any] = next(
            (facet(e["job"], "jobType") for es in events_of_job.values() for e in es if facet(e["job"], "jobType")), {}
        )
        assert job.get("integration") == kind.get("integration")


def test_datasets(scenario: tuple[ApiWorld, list[Any]]) -> None:
    weir, events = scenario
    sides: dict[tuple[str, str, str], set[tuple[str, str]]] = defaultdict(set)
    for event in events:
        for kind, refs in (("reads", event.get("inputs")), ("writes", event.get("outputs"))):
            sides[kind, *named(event["job"])] |= {named(ref) for ref in refs or ()}
    edges = weir.graph._store.edges.values()
    for (kind, namespace, name), refs in sides.items():
        job = f"job:{namespace}:{name}"
        assert {e.target for e in edges if e.kind == kind and e.source == job} == names(weir, refs), job
    flows = {(e.source, e.target) for e in edges if e.kind == "feeds"}
    known = {source for source, _ in flows} | {target for _, target in flows}
    assert known <= {node for refs in sides.values() for node in names(weir, refs)}


def test_columns(scenario: tuple[ApiWorld, list[Any]]) -> None:
    weir, events = scenario
    derives, influences = set(), set()
    for event in events:
        for output in event.get("outputs") or ():
            (target,) = names(weir, [named(output)])
            for column, entry in (facet(output, "columnLineage").get("fields") or {}).items():
                for item in entry["inputFields"]:
                    (source,) = names(weir, [named(item)])
                    ways = [way["type"] for way in item.get("transformations") or ()]
                    field = f"datasetField:{source.removeprefix('dataset:')}:{item['field']}"
                    if "INDIRECT" in ways:
                        influences.add((field, target))
                    if "DIRECT" in ways or not ways:
                        derives.add((field, f"datasetField:{target.removeprefix('dataset:')}:{column}"))
            for item in facet(output, "columnLineage").get("dataset") or ():
                (source,) = names(weir, [named(item)])
                influences.add((f"datasetField:{source.removeprefix('dataset:')}:{item['field']}", target))
    edges = weir.graph._store.edges.values()
    assert {(e.source, e.target) for e in edges if e.kind == "derives"} == derives
    assert {(e.source, e.target) for e in edges if e.kind == "influences"} == influences
    for field, target in derives:
        graph = weir.admin.get("/api/v1/column-lineage", params={"nodeId": target}).json()["graph"]
        shown = next(entry for entry in graph if entry["id"] == target)
        open_edge = any(e.valid_at(2**62) for e in edges if (e.source, e.target) == (field, target))
        assert not open_edge or {"origin": target, "destination": field} in shown["inEdges"]


def test_every_valid_event_is_accepted(shared_data: Path, tmp_path: Path) -> None:
    rows = real_rows(shared_data)
    with world(tmp_path) as weir:
        taken = weir.admin.post("/api/v1/lineage/batch", json=[row["event"] for row in rows if row["valid"]]).json()
        assert taken["summary"]["successful"] == 161 and taken["failed_events"] == []
        broken = weir.admin.post("/api/v1/lineage/batch", json=[row["event"] for row in rows if not row["valid"]])
        assert broken.status_code == 200 and all(refused["reason"] for refused in broken.json()["failed_events"])


# --- the mapping page ---------------------------------------------------------------------------------------------------

PAGE = (Path(__file__).resolve().parents[3] / "docs/reference/openlineage-mapping.md").read_text()

FACETS = {
    "Run facets": "parent nominalTime processing_engine errorMessage externalQuery extractionError environmentVariables"
    " executionParameters jobDependencies tags test",
    "Job facets": "jobType sourceCodeLocation sourceCode sql documentation ownership tags lineage",
    "Dataset facets": "schema columnLineage symlinks dataSource ownership documentation lifecycleStateChange version storage"
    " datasetType catalog hierarchy subset tags dataQualityMetrics dataQualityAssertions lineage inputStatistics"
    " outputStatistics",
}
"""The standard facets of the spec (1.52), by where they are."""


@pytest.mark.parametrize("section", FACETS)
def test_the_page_names_every_standard_facet(section: str) -> None:
    text = PAGE.split(f"## {section}")[1].split("\n## ")[0]
    rows = [row.split("|")[1] for row in text.splitlines() if row.startswith("| ")][1:]
    listed = set(re.findall(r"\w+", " ".join(rows)))
    assert set(FACETS[section].split()) <= listed, set(FACETS[section].split()) - listed


def test_the_page_names_every_facet_that_the_code_reads() -> None:
    read = set()
    for module in (facts, producer_info, learn):
        source = Path(str(module.__file__)).read_text()
        read |= set(re.findall(r'facet\([^()]*?, "(\w+)"\)', source)) | set(
            re.findall(r'^ {8}\("(\w+)", "\w+", ', source, re.M)
        )
    read |= {
        *facet_values.DATASET_FACETS,
        *facet_values.RUN_FACETS,
        *(n for names in facet_values.ELSEWHERE.values() for n in names),
    }
    read -= {"parentRun"}  # the old name of parent
    assert {"columnLineage", "jobType", "sql", "tags", "ownership"} <= read
    rows = [row for row in PAGE.splitlines() if row.startswith("| ")]
    kept = " ".join(row.split("|")[1] for row in rows if "log only" not in row.split("|")[2])
    missing = {name for name in read if not re.search(rf"\b{name}\b", kept)}
    assert not missing, f"the page does not show where these land: {missing}"
