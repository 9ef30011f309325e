"""Agents over HTTP: made, narrowed, counted, shown, ended; and what one tries beyond its token."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.plan.model import QueryPlan, Result, ResultColumn
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, orders, world
from tests.query_door import NoOffsets

API = "/api/v1"
SQL = "SELECT order_id FROM prod.orders"
DECLARED = """
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [steward]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}, except: {users: [ana]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: payments, cluster: prod}
spec: {owners: [{user: ana}]}
"""


class Rows:
    """An engine that gives as many rows as it is asked for, and keeps the plans."""

    def __init__(self) -> None:
        self.plans: list[QueryPlan] = []

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        return [("order_id", "string")]

    def run(self, plan: QueryPlan) -> Result:
        self.plans.append(plan)
        rows: list[list[object]] = [[f"O-{n}"] for n in range(plan.limit)]
        return Result((ResultColumn("order_id", pa.string()),), rows, False)

    @contextmanager
    def open(self, plan: QueryPlan) -> Iterator[Any]:
        self.plans.append(plan)
        yield _Batches(plan.limit)


class _Batches:
    columns = (ResultColumn("order_id", "string"),)
    schema = pa.schema([("order_id", pa.string())])
    limit = None
    unreadable: Any = None

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def rows(self, batches: Any) -> list[list[object]]:
        return [[value] for batch in batches for value in batch.column(0).to_pylist()]

    def __iter__(self) -> Iterator[Any]:
        for at in range(0, self._rows, 10):
            values = [f"O-{n}" for n in range(at, min(at + 10, self._rows))]
            yield pa.RecordBatch.from_arrays([pa.array(values)], schema=self.schema)


@pytest.fixture
def weir(tmp_path: Any) -> Iterator[ApiWorld]:
    with world(tmp_path, {"orders": orders(20), "payments": orders(5)}) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["*"])
        weir.apply(DECLARED)
        queries = weir.services[GovernedQuery]
        queries._engine = Rows()
        queries._offsets = queries.preparer._offsets = NoOffsets()
        yield weir


def made(person: TestClient, status: int = 201, **more: Any) -> Any:
    body = {"name": "helper", "purpose": "support", "datasets": ["prod/orders"], "expiresIn": "7d", **more}
    answer = person.post(f"{API}/agents", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def agent_of(weir: ApiWorld, person: TestClient, **more: Any) -> TestClient:
    return weir._client(made(person, **more)["token"])


def ask(client: TestClient, status: int = 200, sql: str = SQL, **more: Any) -> Any:
    answer = client.post(f"{API}/query", json={"sql": sql, **more})
    assert answer.status_code == status, answer.text
    return answer.json()


def message(answer: Any) -> str:
    return str(answer["error"]["message"])


def test_queries_run_with_the_fixed_purpose_and_the_audit_names_agent_person_and_tool(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    new = made(ana)
    agent = weir._client(new["token"])
    ask(agent)
    named = agent.post(f"{API}/query", json={"sql": SQL, "purpose": "support"}, headers={"X-Weir-Tool": "run_query"})
    assert named.status_code == 200
    refused = ask(agent, 403, purpose="marketing")
    assert message(refused) == "The token of agent helper is for the purpose 'support' alone; leave the purpose out."
    listed = weir.admin.get(f"{API}/audit", params={"agent": "helper"}).json()["entries"]
    begun = [each for each in listed if each["action"] == "query"]
    assert len(begun) == 2
    for each in begun:
        assert each["actor"] == "ana"
        assert each["details"]["agent"] == "helper"
        assert each["details"]["agentToken"] == new["id"]
        assert each["details"]["purpose"] == "support"
        assert each["details"]["fields"] == {"prod/orders": ["value.order_id"]}
    assert {each["details"].get("tool") for each in begun} == {None, "run_query"}
    ends = [each for each in listed if each["action"] == "query.end"]
    assert [each["details"]["rows"] for each in ends] == [100, 100]
    assert weir.admin.get(f"{API}/audit", params={"agent": new["id"]}).json()["entries"] == listed
    assert not weir.admin.get(f"{API}/audit", params={"agent": "other"}).json()["entries"]
    ask(ana)
    assert not any("agent" in each["details"] for each in weir.admin.get(f"{API}/audit").json()["entries"][:2])


def test_each_entry_that_a_call_of_an_agent_makes_names_it(weir: ApiWorld) -> None:
    agent = agent_of(weir, weir.user("ana"))
    asked = agent.post(
        f"{API}/access-requests",
        json={"dataset": "prod/orders", "purpose": "support", "reason": "a case"},
        headers={"X-Weir-Tool": "request_access"},
    )
    assert asked.status_code == 201, asked.text
    assert asked.json()["reason"] == "Asked for by agent helper. a case"
    entry = weir.admin.get(f"{API}/audit", params={"action": "request.create"}).json()["entries"][0]
    assert (entry["actor"], entry["details"]["agent"], entry["details"]["tool"]) == ("ana", "helper", "request_access")


def test_with_masked_values_only_an_exception_of_its_person_does_not_count(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    sql = "SELECT customer FROM prod.orders"

    def masks(client: TestClient) -> dict[str, Any]:
        answer = client.post(f"{API}/query/explain", json={"sql": sql})
        assert answer.status_code == 200, answer.text
        (table,) = answer.json()["tables"]
        return {each["path"]: each for each in table["fields"]}

    hers, plain, masked = masks(ana), masks(agent_of(weir, ana)), masks(agent_of(weir, ana, name="m", maskedOnly=True))
    assert hers["value.customer.email"]["mask"] == plain["value.customer.email"]["mask"]
    assert "MASK_HASH" in str(masked["value.customer.email"])
    assert "MASK_HASH" not in str(hers["value.customer.email"].get("mask", ""))
    assert hers["value.order_id"]["mask"] == masked["value.order_id"]["mask"]


def test_rows_of_an_answer_and_of_a_day(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    agent = agent_of(weir, ana, rows=30, rowsADay=70)
    assert len(ask(agent)["rows"]) == 30
    assert message(ask(agent, 429, limit=31)).startswith("Agent helper may have 30 rows in one answer")
    assert len(ask(agent, limit=30)["rows"]) == 30
    refused = agent.post(f"{API}/query", json={"sql": SQL, "limit": 20})
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) <= 86_400
    assert "has 10 of them left, and this answer has 20" in refused.text
    assert refused.json()["error"]["details"]["resetAt"].endswith("T00:00:00Z")
    csv = agent.post(f"{API}/query", json={"sql": SQL, "limit": 10}, params={"format": "csv"})
    assert csv.status_code == 200
    assert csv.text.count("O-") == 10
    for door, body in (("/query", {"sql": SQL, "limit": 1}), ("/query?format=csv", {"sql": SQL, "limit": 1})):
        over = agent.post(API + door, json=body)
        assert over.status_code == 429, over.text
        assert "was given all of them" in over.text
    other = agent_of(weir, ana, name="other", rows=30, rowsADay=70)
    assert len(ask(other)["rows"]) == 30, "each agent has rows of its own"
    assert len(ask(ana, limit=500)["rows"]) == 500, "and its person has no such limit"
    (used,) = [each for each in ana.get(f"{API}/agents").json()["agents"] if each["name"] == "helper"]
    assert used["rowsToday"] == 70


@pytest.mark.parametrize(
    "column",
    [
        "collect_list(order_id)",
        "array_join(collect_set(order_id), ',')",
        "listagg(order_id, ',')",
        "array_agg(order_id)",
    ],
)
def test_many_rows_are_not_packed_into_one(weir: ApiWorld, column: str) -> None:
    ana = weir.user("ana")
    agent = agent_of(weir, ana, rows=1, rowsADay=5)
    refused = ask(agent, 400, sql=f"SELECT {column} AS c FROM prod.orders")
    assert "puts values of many rows into one" in message(refused)
    ask(agent, 400, sql=f"WITH t AS (SELECT {column} AS c FROM prod.orders) SELECT c FROM t")
    ask(agent, sql="SELECT count(*) AS order_id FROM prod.orders")
    ask(ana, sql=f"SELECT {column} AS c FROM prod.orders")
    assert weir.admin.get(f"{API}/audit", params={"agent": "helper", "decision": "refused"}).json()["entries"]


def test_an_export_of_more_rows_than_are_left_gives_none_of_the_batch_that_is_too_much(weir: ApiWorld) -> None:
    agent = agent_of(weir, weir.user("ana"), rows=40, rowsADay=40)
    ask(agent, limit=25)
    answer = agent.post(f"{API}/query", json={"sql": SQL, "limit": 40}, params={"format": "csv"})
    assert answer.text.count("O-") <= 10, "the first batch of ten fits in the fifteen that are left"
    assert "rows a day" in answer.text or answer.status_code == 429


def test_the_rights_are_those_of_the_person_now(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    agent = agent_of(weir, ana)
    ask(agent)
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: []}")
    ask(agent, 403)
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [reader], disabled: true}")
    ask(agent, 401)
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [reader]}")
    assert agent.get(f"{API}/me").status_code in (200, 401)  # tokens of who was out may have ended for good
    assert weir.admin.delete(f"{API}/declared/User/ana").status_code == 200
    ask(agent, 401)


def test_an_agent_is_ended_at_once(weir: ApiWorld) -> None:
    ana, otto, petra = weir.user("ana"), weir.user("otto"), weir.user("petra")
    new = made(ana)
    agent = weir._client(new["token"])
    ask(agent)
    at = f"{API}/agents/{new['id']}"
    assert otto.get(at).status_code == otto.delete(at).status_code == 404
    assert agent.get(at).status_code == agent.delete(at).status_code == 403
    page = petra.get(at).json()
    assert page["agent"]["user"] == "ana"
    assert page["agent"]["rowsToday"] == 100
    assert [each["action"] for each in page["calls"]][:2] == ["query.end", "query"]
    assert otto.get(f"{API}/agents", params={"all": True}).status_code == 403
    assert [each["name"] for each in petra.get(f"{API}/agents", params={"all": True}).json()["agents"]] == ["helper"]
    assert otto.get(f"{API}/agents").json()["agents"] == []
    begun = time.monotonic()
    ended = petra.delete(at)
    assert ended.status_code == 200, ended.text
    assert ended.json()["agent"]["active"] is False
    ask(agent, 401)
    assert time.monotonic() - begun < 1
    assert weir.admin.get(f"{API}/audit", params={"action": "agent.end"}).json()["entries"][0]["actor"] == "petra"


def test_the_end_and_the_rows_of_an_agent_hold_in_every_process(weir: ApiWorld, tmp_path: Any) -> None:
    new = made(weir.user("ana"), rows=10, rowsADay=15)
    with world(tmp_path, {"orders": orders(20)}) as other:
        queries = other.services[GovernedQuery]
        queries._engine = Rows()
        queries._offsets = queries.preparer._offsets = NoOffsets()
        here, there = weir._client(new["token"]), other._client(new["token"])
        ask(here, limit=10)
        assert "has 5 of them left" in message(ask(there, 429, limit=6))
        ask(there, limit=5)
        ask(here, 429, limit=1)
        assert there.get(f"{API}/datasets").status_code == 200
        weir.admin.delete(f"{API}/agents/{new['id']}")
        assert there.get(f"{API}/datasets").status_code == 401


def test_an_agent_has_no_power_of_its_person(weir: ApiWorld) -> None:
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: [reader, admin, steward]}")
    ana, otto = weir.user("ana"), weir.user("otto")
    agent = agent_of(weir, ana, datasets=["prod/*"], scopes=["read", "query", "request", "report:read"])
    asked = otto.post(f"{API}/access-requests", json={"dataset": "prod/payments", "purpose": "support"}).json()
    mine = ana.post(f"{API}/access-requests", json={"dataset": "prod/payments", "purpose": "support"}).json()
    assert ana.get(f"{API}/access-requests/{asked['id']}").status_code == 200
    assert agent.get(f"{API}/access-requests/{asked['id']}").status_code == 404
    assert agent.get(f"{API}/access-requests/{mine['id']}").status_code == 200
    assert agent.get(f"{API}/access-requests", params={"toDecide": True}).json()["requests"] == []
    tries: list[tuple[str, str, Any]] = [
        *(
            ("POST", f"/access-requests/{asked['id']}/{verb}", {"text": "x"})
            for verb in ("approve", "deny", "ask-back")
        ),
        ("POST", f"/access-requests/{mine['id']}/cancel", {}),
        ("POST", f"/access-requests/{mine['id']}/comments", {"text": "x"}),
        ("POST", "/access-requests/break-glass", {"dataset": "prod/orders", "purpose": "support", "reason": "x"}),
        ("PUT", "/me/delegation", {"delegates": ["otto"], "until": "2099-01-01T00:00:00Z"}),
        ("POST", "/tokens", {"user": "ana"}),
        ("POST", "/agents", {"name": "b", "purpose": "p", "datasets": ["*"], "expiresIn": "1d"}),
        ("GET", "/tokens", None),
        ("GET", "/audit", None),
        ("GET", "/saved-queries", None),
        ("GET", "/events", None),
        ("POST", "/saved-queries", {"name": "x", "sql": SQL}),
        ("POST", "/apply", {}),
    ]
    for method, path, body in tries:
        answer = agent.request(method, API + path, json=body)
        assert answer.status_code == 403, (method, path, answer.text)
    for text in ("CREATE STREAM VIEW v AS SELECT order_id FROM prod.orders", "DROP VIEW v"):
        answer = agent.post(f"{API}/query", json={"sql": text})
        assert answer.status_code in (400, 403, 404), answer.text


def test_an_agent_asks_for_access_within_its_token_alone(weir: ApiWorld) -> None:
    agent = agent_of(weir, weir.user("ana"))
    hidden = agent.post(f"{API}/access-requests", json={"dataset": "prod/payments", "purpose": "support"})
    missing = agent.post(f"{API}/access-requests", json={"dataset": "prod/paymentz", "purpose": "support"})
    assert hidden.status_code == missing.status_code == 404
    assert hidden.text.replace("payments", "paymentz") == missing.text
    other = agent.post(f"{API}/access-requests", json={"dataset": "prod/orders", "purpose": "marketing"})
    assert other.status_code == 403
    both = {"datasets": ["prod/orders", "prod/payments"], "purpose": "support"}
    assert agent.post(f"{API}/access-requests/bundle", json=both).status_code == 404


def test_an_agent_sees_and_stops_its_own_queries_alone(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    agent = agent_of(weir, ana)
    running = weir.services[GovernedQuery].running
    identity = weir.services[Identity]
    hers = running.begin(identity.current("ana"), "SELECT 'a secret'", None)
    try:
        assert agent.get(f"{API}/queries").json()["queries"] == []
        assert agent.get(f"{API}/queries/{hers.id}").status_code == 404
        assert agent.delete(f"{API}/queries/{hers.id}").status_code == 404
        assert [each["id"] for each in ana.get(f"{API}/queries").json()["queries"]] == [hers.id]
    finally:
        running.end(hers)


def test_a_token_of_an_agent_is_not_rotated_into_a_wider_one(weir: ApiWorld) -> None:
    new = made(weir.user("ana"))
    answer = weir.admin.post(f"{API}/tokens/{new['id']}/rotate", json={"overlapHours": 1})
    assert answer.status_code == 400
    assert "end it, and make another" in message(answer.json())


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"name": "a b"}, "The agent's name 'a b' has to be"),
        ({"purpose": "  "}, "An agent needs a purpose"),
        ({"datasets": ["orders*"]}, "'orders*' is not a dataset; write CLUSTER/TOPIC"),
        ({"rows": 0}, "rows: it must be at least 1"),
        ({"rows": 100_001, "rowsADay": 200_000}, "An answer for an agent has 1 to 100,000 rows"),
        ({"rows": 50, "rowsADay": 49}, "Rows a day are at least those of one answer"),
        ({"expiresIn": "31d"}, "A token of an agent must expire: give up to 30 days"),
        ({"expiresIn": "soon"}, "expiresIn: 'soon' is not a duration"),
        ({"scopes": ["manage"]}, "'manage' is not a scope for it"),
        ({"scopes": []}, "none is named"),
    ],
)
def test_limits_that_cannot_be_are_refused_in_a_sentence(weir: ApiWorld, more: dict[str, Any], sentence: str) -> None:
    refused = made(weir.user("ana"), 400, **more)
    assert sentence in message(refused)


def test_a_dataset_that_its_person_may_not_know_of_cannot_be_named(weir: ApiWorld) -> None:
    refused = made(weir.user("ana"), 404, datasets=["prod/order"])
    assert "did you mean" in message(refused)


def test_a_limited_token_gives_an_agent_no_scope_that_it_lacks(weir: ApiWorld) -> None:
    account = "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: etl}\nspec: {roles: [reader]}"
    weir.apply(account)

    def token(*scopes: str) -> TestClient:
        body = {"user": "etl", "days": 1, "scopes": list(scopes)}
        return weir._client(weir.admin.post(f"{API}/tokens", json=body).json()["token"])

    assert made(token("request", "query"))["scopes"] == ["query", "request"]
    made(token("request", "query"), 400, scopes=["read"])
    made(token("read", "query"), 403)


def test_who_calls_shows_the_limits(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    assert ana.get(f"{API}/me").json()["agent"] is None
    me = agent_of(weir, ana).get(f"{API}/me").json()
    assert me["user"] == "ana"
    assert me["permissions"] == []
    assert me["agent"] == {
        "name": "helper",
        "purpose": "support",
        "datasets": ["prod/orders"],
        "rows": 1000,
        "rowsADay": 10_000,
        "maskedOnly": False,
    }
    (listed,) = [t for t in weir.admin.get(f"{API}/tokens", params={"user": "ana"}).json()["tokens"] if t["agent"]]
    assert listed["agent"] == "helper"
    assert weir.services[AuditLog].verify().holds
