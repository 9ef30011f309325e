"""What is hidden cannot be probed at other doors than queries: figures, recognizers, who may what, and the audit of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, world

POLICIES = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}], permissions: [scan]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: taster}
spec: {read: [{dataset: "*"}], rowFilters: [{dataset: "prod/*", where: "region = 'EU'"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: chief}
spec: {permissions: [review, scan, manage]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rob}
spec: {roles: [taster]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rita}
spec: {roles: [taster, scanner]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: scanner}
spec: {permissions: [scan]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: stan}
spec: {roles: [chief]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: sales}
spec: {members: [ana]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: board}
spec: {members: [stan]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
"""
EMAIL = "value.customer.email"
SCHEMA = "/api/v1/datasets/prod/orders/schema"
NARROW = {
    "supported_entity": "ONE_PERSON",
    "patterns": [{"name": "p", "regex": r"person4[0-9]@mail\.example", "score": 1}],
}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(POLICIES)
        yield weir


@pytest.fixture(scope="module")
def people(weir: ApiWorld) -> dict[str, TestClient]:
    return {"admin": weir.admin, **{name: weir.user(name) for name in ("ana", "rob", "rita", "otto", "stan")}}


def get(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def field(client: TestClient, path: str) -> dict[str, Any]:
    (fields,) = [f for f in get(client, SCHEMA)["fields"] if f["path"] == path]
    return dict(fields)


def last(weir: ApiWorld) -> dict[str, Any]:
    entry: dict[str, Any] = get(weir.admin, "/api/v1/audit?limit=1")["entries"][0]
    return entry


# --- figures ------------------------------------------------------------------------------------------------------------


def test_figures_of_a_masked_field_are_for_who_may_read_it_clear(people: dict[str, TestClient]) -> None:
    for name in ("otto", "stan", "admin"):
        assert field(people[name], EMAIL)["distinct"] and not get(people[name], SCHEMA)["withheld"]
    masked, clear = field(people["ana"], EMAIL), field(people["ana"], "value.order_id")
    assert masked["distinct"] is None and masked["lengths"] is None and masked["nullShare"] is None
    assert not {"magnitude", "sizes", "formats", "firstSeen"} & set(masked["details"])
    assert "distinct" in masked["withheld"] and masked["types"] and masked["presence"] == 1
    assert clear["distinct"] and clear["lengths"] and "withheld" not in clear
    assert get(people["ana"], SCHEMA)["withheld"] == ["fields"]
    assert field(people["ana"], "value.customer")["lengths"] is None, "what is around it has no figures either"


def test_counts_and_positions_are_for_who_may_read_every_row(people: dict[str, TestClient]) -> None:
    whole, some = (get(people[name], "/api/v1/datasets/prod/orders") for name in ("ana", "rob"))
    assert (
        whole["topic"]["retained"] == 50
        and whole["topic"]["size"] == 5_000
        and whole["scan"]["records"] == 50
        and whole["withheld"] == []
    )
    assert not {"retained", "offsets", "size"} & set(some["topic"]) and "records" not in some["scan"]
    assert some["withheld"] == ["rows"] and some["topic"]["partitions"] == 1
    (listed,) = get(people["rob"], "/api/v1/datasets")["datasets"]
    assert not {"retained", "offsets", "size"} & set(listed["topic"]) and "records" not in listed["scan"]
    schema = get(people["rob"], SCHEMA)
    assert schema["window"]["records"] is None and schema["window"]["partitions"] == []
    assert all(f["count"] is None and f["presence"] is None and f["distinct"] is None for f in schema["fields"])
    assert schema["withheld"] == ["rows", "fields"]


def test_no_answer_of_the_catalog_counts_records_for_a_row_filtered_reader(
    weir: ApiWorld, people: dict[str, TestClient]
) -> None:
    """Whatever door: the 50 records of the topic are in none of its numbers."""

    def numbers(value: Any) -> Iterator[float]:
        if isinstance(value, dict):
            for each in value.values():
                yield from numbers(each)
        elif isinstance(value, list):
            for each in value:
                yield from numbers(each)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield value

    doors = [
        "/api/v1/datasets",
        "/api/v1/datasets/prod/orders",
        SCHEMA,
        f"{SCHEMA}/versions",
        f"{SCHEMA}/diff",
        "/api/v1/datasets/prod/orders/classifications",
        "/api/v1/classifications",
        "/api/v1/search?q=orders",
        "/api/v1/events",
    ]
    seen = {door: 50 in list(numbers(get(people["rob"], door))) for door in doors}
    assert seen == dict.fromkeys(doors, False)
    assert any(50 in list(numbers(get(people["otto"], door))) for door in doors)


def test_exports_of_a_schema_have_the_same_types_for_all(people: dict[str, TestClient]) -> None:
    for form in ("ddl", "avro", "jsonschema", "pydantic"):
        texts = {people[name].get(SCHEMA, params={"format": form}).text for name in ("ana", "rob", "otto")}
        assert len(texts) == 1


# --- who may what -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["{0}", "{0}s", "{1}", "{1}s"])
def test_people_see_what_is_declared_of_themselves(word: str, people: dict[str, TestClient]) -> None:
    def names(client: TestClient, kind: str) -> set[str]:
        documents = get(client, f"/api/v1/declared/{word.format(kind, kind.lower())}")["documents"]
        return {each["metadata"]["name"] for each in documents}

    assert names(people["ana"], "User") == {"ana"} and names(people["ana"], "Group") == {"sales"}
    assert names(people["ana"], "Role") == {"analyst"} and names(people["ana"], "Grant") == set()
    assert {"ana", "rob", "stan"} <= names(people["admin"], "User") and "board" in names(people["stan"], "Group")
    assert "mask-email" in names(people["ana"], "Policy") or word.endswith("s")


def test_a_name_that_is_asked_for_is_no_way_around(people: dict[str, TestClient]) -> None:
    assert get(people["ana"], "/api/v1/declared/User?name=stan")["documents"] == []
    assert len(get(people["ana"], "/api/v1/declared/User?name=ana")["documents"]) == 1


# --- recognizers --------------------------------------------------------------------------------------------------------


def tried(client: TestClient, **asked: Any) -> Any:
    return client.post("/api/v1/recognizers/test", json={"recognizer": NARROW, "dataset": "prod/orders", **asked})


@pytest.mark.parametrize("name", ["ana", "rita", "stan"])
def test_a_recognizer_of_ones_own_is_no_oracle(name: str, weir: ApiWorld, people: dict[str, TestClient]) -> None:
    refused = tried(people[name], field=EMAIL)
    assert refused.status_code == 403 and "unmasked" in refused.json()["error"]["message"]
    entry = last(weir)
    assert (entry["actor"], entry["action"], entry["decision"]) == (name, "recognizer.test", "deny")
    assert any("person4[0-9]@mail" in reason for reason in entry["reasons"]), "the audit keeps the pattern"
    answer = tried(people[name])
    if name == "ana":
        assert answer.status_code == 200
        assert answer.json()["fields"] == [] and answer.json()["others"] == [] and answer.json()["withheld"]
        assert last(weir)["decision"] == "allow"
    else:
        assert answer.status_code == 403, "no field of it shows unmasked in every row"


def test_who_reads_a_field_clear_may_try_and_a_recognizer_of_another_counts(
    weir: ApiWorld, people: dict[str, TestClient]
) -> None:
    assert tried(people["ana"], field="value.order_id").status_code == 200
    declared = {"apiVersion": "weir/v1", "kind": "Recognizer", "metadata": {"name": "one"}, "spec": NARROW}
    weir.apply(yaml.safe_dump(declared))  # by the admin
    answer = tried(people["ana"], field=EMAIL, records=1)
    assert answer.status_code == 200 and answer.json()["records"] == 50, "a window as narrow as one record is not taken"
    assert tried(people["rita"], field=EMAIL).json()["records"] is None
    other = {**NARROW, "patterns": [{"name": "p", "regex": "person41@", "score": 1}]}
    assert tried(people["ana"], field=EMAIL, recognizer=other).status_code == 403
    weir.admin.delete("/api/v1/declared/Recognizer/one")


def test_scans_count_ones_own_recognizer_for_nobody_who_may_not_read(
    weir: ApiWorld, people: dict[str, TestClient]
) -> None:
    wide = {"supported_entity": "ANY_PERSON", "patterns": [{"name": "p", "regex": "person[0-9]+@mail", "score": 1}]}
    text = yaml.safe_dump({"apiVersion": "weir/v1", "kind": "Recognizer", "metadata": {"name": "wide"}, "spec": wide})
    assert people["stan"].post("/api/v1/apply", content=text.encode()).status_code == 200
    weir.scan(cluster="prod", topics=["orders"])

    def evidence(name: str) -> dict[str, Any]:
        answer = get(people[name], "/api/v1/datasets/prod/orders/classifications")
        (mine,) = [c["evidence"] for c in answer if c["entity"] == "ANY_PERSON"]
        return dict(mine)

    assert evidence("otto")["matched"] == 50
    assert "matched" not in evidence("stan") and evidence("stan")["withheld"]
    page = get(people["stan"], "/api/v1/classifications?entity=ANY_PERSON")["classifications"]
    assert "matched" not in page[0]["evidence"]


# --- the audit ----------------------------------------------------------------------------------------------------------


QUERY = {"sql": "SELECT order_id FROM prod.orders"}
DOORS: list[tuple[str, str, dict[str, Any], str]] = [
    ("post", "/api/v1/query", QUERY, "query"),
    ("post", "/api/v1/query?format=csv", QUERY, "query"),
    ("post", "/api/v1/query/explain", QUERY, "query.explain"),
    ("post", "/api/v1/query/check", QUERY, "query.check"),
    ("post", "/api/v1/query/complete", {"sql": "SELECT o FROM prod.orders", "position": 8}, "query.complete"),
    (
        "get",
        "/api/v1/query/complete",
        {"sql": "SELECT o FROM prod.orders", "position": 8, "purpose": "x"},
        "query.complete",
    ),
    ("get", "/api/v1/query/stream", {"sql": "SELECT nope() FROM prod.orders EMIT CHANGES"}, "query.stream"),
    (
        "post",
        "/api/v1/policies/test",
        {"tests": "cases:\n- {subject: ana, dataset: prod/orders, expect: allow}\n"},
        "policy.test",
    ),
    ("post", "/api/v1/policies/simulate?dataset=prod/orders", {}, "policy.simulate"),
    ("post", "/api/v1/policies/masks/preview", {"mask": {"type": "MASK_NULL"}, "values": ["a"]}, "mask.preview"),
    ("post", "/api/v1/recognizers/test", {"recognizer": NARROW, "dataset": "prod/orders"}, "recognizer.test"),
    ("post", "/api/v1/decisions", {"dataset": "prod/orders"}, "decision"),
]
"""Every door that evaluates or decides what somebody asks: what is sent, and the action of its audit entry."""


@pytest.mark.parametrize(("method", "path", "body", "action"), DOORS, ids=[f"{m} {p}" for m, p, _, _ in DOORS])
def test_every_door_leaves_an_entry(method: str, path: str, body: dict[str, Any], action: str, weir: ApiWorld) -> None:
    before = last(weir)["seq"]
    if method == "get":
        weir.admin.get(path, params=body)
    else:
        weir.admin.post(path, json=body or None)
    entries = get(weir.admin, "/api/v1/audit?limit=10")["entries"]
    later = [e for e in entries if e["seq"] > before]
    assert action in {e["action"] for e in later} and {e["actor"] for e in later} == {"admin"}


@pytest.mark.parametrize("path", ["/query", "/query/explain", "/query/check", "/query?format=arrow"])
@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT reflect('java.lang.System', 'exit') FROM prod.orders", 400),
        ("SELECT 1 FROM prod.orders AS OF OFFSETS '0:0-1'", 400),
        ("SELECT user FROM prod.orders", 400),
        (
            "WITH c0 AS (SELECT order_id FROM prod.orders), "
            + ", ".join(f"c{n} AS (SELECT a.order_id FROM c{n - 1} a JOIN c{n - 1} b)" for n in range(1, 22))
            + " SELECT count(*) FROM c21",
            400,
        ),
    ],
)
def test_every_refusal_leaves_an_entry(
    path: str, sql: str, status: int, weir: ApiWorld, people: dict[str, TestClient]
) -> None:
    before = last(weir)["seq"]
    answer = people["rob"].post(f"/api/v1{path}", json={"sql": sql})
    assert answer.status_code == (200 if path == "/query/check" else status)
    entries = [e for e in get(weir.admin, "/api/v1/audit?limit=10")["entries"] if e["seq"] > before]
    assert [(e["actor"], e["decision"]) for e in entries] == [("rob", "refused")]
