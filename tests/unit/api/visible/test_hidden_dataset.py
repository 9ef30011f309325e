"""An outsider asks every route about a dataset they may not know of, and about one that does not exist.

What the dataset holds in names is planted: its name, a field, its owner, its description, its tag, the SQL of a job on it.
None of them may be in any answer, and no answer may differ from that of a name that means nothing. A second world has no such
dataset: whatever lists or counts gives the same in both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from catalog.search.service import Search
from tests.api_world import ApiWorld, orders, record, world

NAME, MISSING = "zqxledger", "zqyledger"
FIELD, OWNER, WORD, TAG = "vexmarrow", "quillon", "obsidianword", "tagpurple"
PLANTED = (NAME, FIELD, OWNER, WORD, TAG)
BROKER = "kafka://localhost:9092"
API = "/api/v1"

DECLARED = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: out}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
"""
HIDDEN = f"""
apiVersion: weir/v1
kind: Dataset
metadata: {{name: {NAME}, cluster: prod}}
spec: {{owners: [{{user: {OWNER}}}], description: {WORD} of the vault, tags: [{TAG}]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: of-{NAME}}}
spec: {{type: access, match: {{datasets: [prod/{NAME}]}}, requires: {{grant: true}}}}
---
apiVersion: weir/v1
kind: Workflow
metadata: {{name: vault}}
spec:
  match: {{datasets: ["prod/{NAME}*"]}}
  stages: [{{name: owner, approvers: {{owners: true}}}}]
---
apiVersion: weir/v1
kind: Visibility
metadata: {{name: vault}}
spec:
  match: {{datasets: [prod/{NAME}]}}
  existence: {{users: [{OWNER}]}}
"""


def ran(job: str, reads: str | None, writes: str | None, sql: str = "") -> dict[str, Any]:
    facets = {"sql": {"_producer": "t", "_schemaURL": "t", "query": sql}} if sql else {}

    def columns(name: str) -> dict[str, Any]:
        built = {
            FIELD if name == NAME else "page": {
                "inputFields": [{"namespace": BROKER, "name": reads, "field": "order_id"}]
            }
        }
        return {"columnLineage": {"_producer": "t", "_schemaURL": "t", "fields": built}} if reads == "orders" else {}

    return {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-01T10:00:00Z",
        "producer": "t",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-4000-8000-{abs(hash(job)) % 10**12:012d}"},
        "job": {"namespace": "etl", "name": job, "facets": facets},
        "inputs": [{"namespace": BROKER, "name": reads}] if reads else [],
        "outputs": [{"namespace": BROKER, "name": writes, "facets": columns(writes)}] if writes else [],
    }


def secret(count: int) -> list[Any]:
    return [record({FIELD: f"m{n}", "contact": f"p{n}@mail.example.com"}, key=f"k{n}", offset=n) for n in range(count)]


def built(folder: Path, hidden: bool) -> Iterator[ApiWorld]:
    topics = {"orders": orders(50), "clicks": [record({"page": f"/p/{n}"}, offset=n) for n in range(50)]}
    with world(folder, topics | ({NAME: secret(50)} if hidden else {})) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders", "clicks"])
        if hidden:
            weir.scan(cluster="prod", topics=[NAME])
        weir.apply(DECLARED)
        events = [ran("plain", "orders", "clicks", "INSERT INTO clicks SELECT order_id AS page FROM orders")]
        if hidden:
            weir.apply(HIDDEN)
            events += [
                ran(f"fill_{NAME}", "orders", NAME, f"INSERT INTO {NAME} SELECT order_id AS {FIELD} FROM orders"),
                ran("drain", NAME, "clicks", f"SELECT count(*) AS n FROM {NAME} WHERE {FIELD} > 1"),
                ran("alone", NAME, None),
            ]
        for event in events:
            assert weir.admin.post(f"{API}/lineage", json=event).status_code == 201
        weir.fold()
        weir.services[Search].reindex_dirty()
        yield weir


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    yield from built(tmp_path_factory.mktemp("hidden"), True)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    yield from built(tmp_path_factory.mktemp("twin"), False)


@pytest.fixture(scope="module")
def outsider(weir: ApiWorld) -> TestClient:
    return weir.user("out")


KINDS = (
    "Dataset",
    "Policy",
    "Workflow",
    "Visibility",
    "Role",
    "User",
    "Grant",
    "View",
    "Connector",
    "Cluster",
    "Group",
)


def values_of(name: str) -> Mapping[str, tuple[str, ...]]:
    """What a parameter is filled with, where it asks about the dataset `name`."""
    ids = (f"dataset:{BROKER}:{name}", f"datasetField:{BROKER}:{name}:{FIELD}", f"dataset:prod:{name}")
    return {
        "namespace": ("prod", BROKER),
        "name": (name,),
        "cluster": ("prod",),
        "topic": (name,),
        "dataset": (f"prod/{name}",),
        "job": ("drain", f"fill_{name}"),
        "kind": KINDS,
        "id": ("1",),
        "run_id": ("1",),
        "version": ("1",),
        "source": (BROKER,),
        "nodeId": ids,
        "from": ids[:2],
        "to": (f"dataset:{BROKER}:clicks",),
        "sql": (f"SELECT * FROM {name}", f"SELECT {FIELD} FROM prod.{name} EMIT CHANGES", f"SELECT * FROM {name[:2]}"),
        "q": (name, FIELD, OWNER, WORD, f"{name[:2]}", f"owner:{OWNER[:3]}", f"tag:{TAG[:4]}", ""),
        "field": (FIELD,),
        "subject": (f"prod/{name}", f"{name}-value"),
        "key": ("1",),
        "format": ("json",),
        "left": ("out",),
        "days": ("1",),
        "change": ("drop",),
        "user": ("out",),
    }


SKIPPED = {"/events/stream", "/metrics"}  # the first never ends by itself, the other counts requests


def gets(weir: ApiWorld) -> list[tuple[str, dict[str, Any]]]:
    paths = weir.app.openapi()["paths"]
    return [(p, m["get"]) for p, m in sorted(paths.items()) if "get" in m and p.removeprefix(API) not in SKIPPED]


def calls(path: str, operation: Mapping[str, Any], name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The requests of a route: each way to fill its path and what it requires, then each further parameter by itself."""
    known = values_of(name)
    params = [p for p in operation.get("parameters", ()) if p["in"] in ("path", "query")]
    needed = [p["name"] for p in params if p["in"] == "path" or p.get("required")]
    if path == f"{API}/access/people/{{name}}":
        known = {**known, "name": ("out",)}
    if "/jobs/" in path:
        known = {**known, "namespace": ("etl",), "name": known["job"]}
    others = [p["name"] for p in params if p["name"] in known and p["name"] not in needed]
    for chosen in product(*(known.get(each, ("1",)) for each in needed)):
        given = dict(zip(needed, chosen, strict=True))
        at = re.sub(r"{(\w+)}", lambda m: given.pop(m[1]).replace("/", "%2F").replace(":", "%3A"), path)  # noqa: B023
        yield at, given
        for each in others:
            for value in known[each]:
                yield at, {**given, each: value}


def posts(name: str) -> list[tuple[str, dict[str, Any]]]:
    reference = f"prod/{name}"
    sqls = (
        f"SELECT * FROM {name}",
        f"SELECT {FIELD} FROM prod.{name}",
        f"DESCRIBE {name}",
        f"SHOW COLUMNS FROM {name}",
        f"SELECT * FROM prod.`{name.upper()}`",
        "SHOW TABLES",
        f"SHOW TABLES LIKE '{name[:2]}*'",
        f"EXPLAIN SELECT 1 FROM {name}",
        "SHOW VIEWS",
        "SELECT * FROM orders JOIN " + name + " USING (order_id)",
    )
    node = {
        "namespace": "prod",
        "name": name,
        "path": f"value.{FIELD}",
        "entity": "EMAIL_ADDRESS",
        "state": "confirmed",
    }
    review = {k: v for k, v in node.items() if k not in ("namespace", "name")}
    return [
        *((f"/query{door}", {"sql": sql}) for sql in sqls for door in ("", "/explain", "/check", "/complete")),
        ("/query/complete", {"sql": f"SELECT * FROM {name[:2]}"}),
        ("/query/complete", {"sql": f"SELECT  FROM {name}", "position": 7}),
        ("/access-requests", {"dataset": reference, "purpose": "x"}),
        ("/access-requests", {"dataset": name, "purpose": "x"}),
        ("/access-requests/break-glass", {"dataset": reference, "purpose": "x", "reason": "y"}),
        ("/decisions", {"dataset": reference}),
        ("/decisions", {"requests": [{"dataset": reference}, {"dataset": name}]}),
        ("/search/opened", {"q": "x", "dataset": reference}),
        ("/lineage/sql", {"sql": f"INSERT INTO x SELECT * FROM {name}", "cluster": "prod"}),
        ("/classifications/review", {"items": [node]}),
        (f"/datasets/prod/{name}/classifications", review),
        ("/recognizers/test", {"recognizer": {}, "dataset": reference}),
        ("/policies/simulate", {}),
        ("/scans", {"cluster": "prod", "topics": [name]}),
    ]


_LOOSE = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?"), "TIME"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,64}|q-[0-9a-f]+"), "ID"),
    (re.compile(r'"(seq|sequence|next|latency_ms|seconds|queryId|revision|usage|at)": ?[^,}]+'), "N"),
)


def shape(text: str) -> str:
    """An answer without what differs from one moment to the next."""
    for pattern, word in _LOOSE:
        text = pattern.sub(word, text)
    return text


def apart(one: str, other: str) -> str:
    """Where two answers differ, for the message of a failure."""
    left, right = shape(as_of(one, NAME)), shape(as_of(other, MISSING))
    at = next((n for n, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), 0)
    return f"\n    {left[max(0, at - 80) : at + 120]}\n    {right[max(0, at - 80) : at + 120]}"


def found_in(text: str, asked: str) -> list[str]:
    """Planted words of an answer, but for those that the question itself has."""
    return [word for word in PLANTED if word in text.lower() and word not in asked.lower()]


def as_of(text: str, name: str) -> str:
    """An answer as if it was about a dataset of one name."""
    return re.sub(name, "NAME", text, flags=re.I)


def test_no_get_route_tells_a_hidden_dataset_from_one_that_does_not_exist(weir: ApiWorld, outsider: TestClient) -> None:
    problems, asked = [], 0
    for path, operation in gets(weir):
        pairs = zip(calls(path, operation, NAME), calls(path, operation, MISSING), strict=True)
        for (at, query), (other_at, other_query) in pairs:
            mine, other = outsider.get(at, params=query), outsider.get(other_at, params=other_query)
            asked += 1
            question = f"{at} {json.dumps(query)}"
            if mine.status_code >= 500 and mine.status_code != 503:
                problems.append(f"{question}: {mine.status_code} {mine.text[:200]}")
            if words := found_in(mine.text, question):
                problems.append(f"{question}: shows {words}: {mine.text[:600]}")
            if (mine.status_code, shape(as_of(mine.text, NAME))) != (
                other.status_code,
                shape(as_of(other.text, MISSING)),
            ):
                problems.append(f"{question}: {mine.status_code} {other.status_code} {apart(mine.text, other.text)}")
    assert asked > 300
    assert not problems, f"{len(problems)} of {asked}:\n" + "\n".join(problems[:40])


def test_no_post_route_does(weir: ApiWorld, outsider: TestClient) -> None:
    problems = []
    for (path, body), (other_path, other_body) in zip(posts(NAME), posts(MISSING), strict=True):
        mine, other = outsider.post(API + path, json=body), outsider.post(API + other_path, json=other_body)
        question = f"{path} {json.dumps(body)}"
        if mine.status_code >= 500 and mine.status_code != 503:
            problems.append(f"{question}: {mine.status_code} {mine.text[:200]}")
        if words := found_in(mine.text, question):
            problems.append(f"{question}: shows {words}: {mine.text[:600]}")
        if (mine.status_code, shape(as_of(mine.text, NAME))) != (other.status_code, shape(as_of(other.text, MISSING))):
            problems.append(f"{question}: {mine.status_code} {other.status_code} {apart(mine.text, other.text)}")
    assert not problems, "\n".join(problems)


LINEAGE = (
    "/lineage",
    "/impact",
    "/column-lineage",
    "/jobs",
    "/namespaces",
    "/search",
    "/sources",
    "/datasets/",
    "/events",
    "/health",
    "/readyz",
    "/metrics",
    "/me",
    "/audit",
)
"""Routes that show what is hidden as something that may not be seen, or that count requests."""


def test_lists_and_counts_are_as_in_a_world_without_it(weir: ApiWorld, twin: ApiWorld, outsider: TestClient) -> None:
    other = twin.user("out")
    problems, compared = [], 0
    for path, operation in gets(weir):
        for at, query in calls(path, operation, NAME):
            lineage = path.removeprefix(API).startswith(LINEAGE) and not path.endswith(
                ("/search", "/suggest", "/related")
            )
            if lineage and path not in (f"{API}/datasets",):
                continue
            compared += 1
            mine, theirs = outsider.get(at, params=query), other.get(at, params=query)
            if (mine.status_code, shape(mine.text)) != (theirs.status_code, shape(theirs.text)):
                problems.append(
                    f"{at} {query}: {mine.status_code} {theirs.status_code} {apart(mine.text, theirs.text)}"
                )
    assert compared > 60
    assert not problems, f"{len(problems)} of {compared}:\n" + "\n".join(problems[:20])


def test_whoever_may_know_of_it_sees_it(weir: ApiWorld) -> None:
    for client in (weir.admin, weir.user(OWNER)):
        assert client.get(f"{API}/datasets/prod/{NAME}").status_code == 200
        assert client.get(f"{API}/search", params={"q": FIELD}).json()["total"] == 2


def test_lineage_keeps_hops_through_what_may_not_be_seen(outsider: TestClient) -> None:
    asked = {"nodeId": f"dataset:{BROKER}:orders", "direction": "downstream"}
    shown = outsider.get(f"{API}/lineage", params=asked).json()
    hidden = [node for node in shown["nodes"] if node.get("hidden")]
    assert [node["type"] for node in hidden].count("dataset") == 1 and all(n["namespace"] == "hidden" for n in hidden)
    (dataset,) = [node["id"] for node in hidden if node["type"] == "dataset"]
    feeds = {(edge["source"], edge["target"]) for edge in shown["edges"] if edge["kind"] == "feeds"}
    clicks = f"dataset:{BROKER}:clicks"
    assert {(f"dataset:{BROKER}:orders", dataset), (dataset, clicks), (f"dataset:{BROKER}:orders", clicks)} <= feeds
    assert outsider.get(f"{API}/lineage", params={"nodeId": dataset}).status_code == 404
    rows = outsider.get(f"{API}/impact", params={"nodeId": f"dataset:{BROKER}:orders"}).json()["affected"]
    assert [row["hops"] for row in rows if row["id"] == dataset] == [1]
