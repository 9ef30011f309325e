"""Whatever is sent as an event is stored or refused with a reason; what was stored folds, and the graph answers."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.wiring.duties import Duties
from tests.api_world import ApiWorld, world
from tests.lineage_samples import IDENTITY, columns, dataset, real_rows, run

JUNK: list[Any] = [
    None,
    [],
    {},
    [None],
    {"": None},
    0,
    -1,
    2**63,
    1.5,
    True,
    "",
    " ",
    "null",
    "x" * 3000,
    "naïve 💥 \u202e\x00 zero",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "2026-02-30T00:00:00Z",
    "12026-01-01T00:00:00Z",
    "'}) DETACH DELETE n //",
    "`) MATCH (n) DETACH DELETE n WITH 1 AS `x",
    "$graph",
    "weir.1|dataset:a:b",
    "a|b",
    ":::",
    "../..",
    [[[[]]]],
    {"namespace": "n", "name": ["m"]},
    {"namespace": None, "name": "m"},
    {"facets": []},
    {"fields": [1]},
    {"fields": {"a": {"inputFields": "x"}}},
    {"fields": {"a": None}, "dataset": {}},
    {"_deleted": True},
    {"_deleted": "yes"},
    {"identifiers": [{"namespace": "n", "name": "m"}, None, 3]},
    {"run": {"runId": 3}, "job": []},
]


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if here:
        yield here
    if len(here) < 9:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in items:
            yield from places(part, (*here, key))


def mutate(event: Any, at: tuple[Any, ...], how: str, junk: Any) -> Any:
    holder = event
    for key in at[:-1]:
        holder = holder[key]
    match how:
        case "replace":
            holder[at[-1]] = junk
        case "delete":
            del holder[at[-1]]
        case "wrap":
            holder[at[-1]] = [holder[at[-1]]]
        case "key" if isinstance(holder, dict):
            holder[str(junk)] = holder.pop(at[-1])
    return event


def rich() -> dict[str, Any]:
    """One event with every facet that is read."""
    lineage = {
        "inputs": [{"namespace": "n", "name": "s", "type": "DATASET", "field": "f"}],
        "fields": {"x": {"inputs": [{"namespace": "n", "name": "s", "field": "f"}]}},
    }
    output = dataset(
        "out",
        columnLineage=columns({"x": [("in", "y", IDENTITY)]}, [("in", "z")]),
        lineage=lineage,
        symlinks={"identifiers": [{"namespace": "n", "name": "link", "type": "TABLE"}]},
        lifecycleStateChange={
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "n", "name": "was"},
        },
        ownership={"owners": [{"name": "ann", "type": "MAINTAINER"}]},
        documentation={"description": "d"},
        tags={"tags": [{"key": "pii", "value": "true", "source": "X", "field": "x"}]},
        datasetType={"datasetType": "TABLE"},
    )
    job = {
        "sql": {"query": "select 1", "dialect": "spark"},
        "sourceCodeLocation": {"type": "git", "version": "abc"},
        "lineage": {
            "entries": [
                {
                    "type": "JOB",
                    "namespace": "j",
                    "name": "k",
                    "inputs": [{"type": "JOB", "namespace": "j", "name": "l"}],
                }
            ]
        },
        "ownership": {"owners": [{"name": "bob"}]},
    }
    event = run(0, ["in"], [output], processing="STREAMING", integration="SPARK", parent=("app", "p"), job_facets=job)
    event["run"]["facets"]["processing_engine"] = {"name": "spark", "version": "4"}
    return event


def check(weir: ApiWorld, event: Any) -> int:
    answer = weir.admin.post("/api/v1/lineage", content=json.dumps(event).encode("utf-8", "surrogatepass"))
    assert answer.status_code in (201, 400, 413, 422), (answer.status_code, answer.text[:300])
    if answer.status_code != 201:
        assert answer.json()["error"]["message"]
    worker = weir.services[Duties].lineage_worker()
    while worker.step(timeout=0):
        pass
    assert worker.state.dead == 0, "what was accepted could not be folded"
    return answer.status_code


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_mutated_event_is_stored_or_refused_and_what_is_stored_folds(weir: ApiWorld, data: st.DataObject) -> None:
    event = rich()
    for _ in range(data.draw(st.integers(1, 4))):
        where = data.draw(st.sampled_from(list(places(event)) or [("producer",)]))
        how = data.draw(st.sampled_from(["replace", "replace", "delete", "wrap", "key"]))
        event = mutate(event, where, how, copy.deepcopy(data.draw(st.sampled_from(JUNK))))
    check(weir, event)


def test_real_events_cut_anywhere_are_stored_or_refused(weir: ApiWorld, shared_data: Path) -> None:
    refused = 0
    for number, row in enumerate(real_rows(shared_data)):
        if isinstance(row["event"], dict) and row["event"]:
            event = copy.deepcopy(row["event"])
            places_seen = list(places(event))
            where = places_seen[(number * 7919) % len(places_seen)]
            refused += (
                check(weir, mutate(event, where, ["replace", "delete", "wrap"][number % 3], JUNK[number % len(JUNK)]))
                != 201
            )
    assert 0 < refused < 120


@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1969-12-31", "0001-01-01T00:00:00+14:00"]
)
def test_a_wrong_clock_is_stored_and_answers(weir: ApiWorld, time: str) -> None:
    name = f"clock {time}"
    assert check(weir, {**run(0, [name], [f"{name} out"], job=name), "eventTime": time}) in (201, 400)
    answer = weir.admin.get("/api/v1/lineage", params={"nodeId": f"dataset:{dataset(name)['namespace']}:{name}"})
    assert answer.status_code in (200, 404), answer.text


@pytest.mark.parametrize("name", [junk for junk in JUNK if isinstance(junk, str) and junk.strip() and len(junk) < 200])
def test_any_name_is_found_again_and_is_only_a_name(weir: ApiWorld, name: str) -> None:
    before = weir.graph.counts().datasets
    assert (
        check(weir, run(0, [dataset(name, "odd")], [dataset(name, "odd"), dataset(f"{name} 2", "odd")], job=name))
        == 201
    )
    answer = weir.admin.get("/api/v1/lineage", params={"nodeId": f"dataset:odd:{name}"})
    assert answer.status_code == 200 and len(answer.json()["nodes"]) >= 2, answer.text
    assert weir.admin.get(f"/api/v1/jobs/jobs/{quote(name, safe='')}").status_code == 200
    for path in (
        f"namespaces/odd/datasets/{quote(name, safe='')}",
        f"namespaces/jobs/jobs/{quote(name, safe='')}/runs",
    ):
        assert weir.admin.get(f"/api/v1/{path}").status_code == 200, path
    assert weir.graph.counts().datasets > before


def test_ten_thousand_columns_over_http(weir: ApiWorld) -> None:
    wide = dataset("wide", columnLineage=columns({f"c{n}": [("narrow", f"c{n}", IDENTITY)] for n in range(10_000)}))
    assert check(weir, run(0, ["narrow"], [wide], job="widen")) == 201
    asked = {"nodeId": f"datasetField:{wide['namespace']}:narrow:value.c7777"}
    assert {
        row["id"].rsplit(":", 1)[1] for row in weir.admin.get("/api/v1/impact", params=asked).json()["affected"]
    } == {"value.c7777", "widen"}
