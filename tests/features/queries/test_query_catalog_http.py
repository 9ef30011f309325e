"""SHOW, DESCRIBE and EXPLAIN through the door of queries: answers, formats, the audit, and what stays hidden."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from policies.plan.model import QueryPlan
from policies.query.service import GovernedQuery
from tests.api_world import ApiWorld, orders, world
from tests.query_door import NoOffsets

POLICIES = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "prod/orders"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: nobody}
spec: {roles: []}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: regions-for-a-purpose}
spec: {type: access, match: {fields: [{dataset: prod/orders, path: value.region}]}, requires: {grant: true, purpose: [sales]}}
"""


class Analysis:
    """An engine that knows the columns of a plan, and runs nothing."""

    def __init__(self) -> None:
        self.seen: list[QueryPlan] = []

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        self.seen.append(plan)
        asked = [name.strip("` ") for name in plan.sql.partition(" FROM ")[0].removeprefix("SELECT ").split(",")]
        return [(name.rpartition(".")[2].strip("`"), "string") for name in asked]

    def run(self, plan: QueryPlan) -> Any:
        raise AssertionError("no statement about the catalog reads a record")

    open = run


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {"orders": orders(5), "Orders.v2": orders(2), "payments": orders(3)}
    with world(tmp_path_factory.mktemp("home"), topics) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["*"])
        weir.apply(POLICIES)
        weir.services[GovernedQuery]._engine = Analysis()
        weir.services[GovernedQuery]._offsets = weir.services[GovernedQuery].preparer._offsets = NoOffsets()
        yield weir


@pytest.fixture(scope="module")
def ana(weir: ApiWorld) -> TestClient:
    return weir.user("ana")


def ask(client: TestClient, sql: str, status: int = 200) -> Any:
    answer = client.post("/api/v1/query", json={"sql": sql})
    assert answer.status_code == status, answer.text
    return answer.json()


def rows(client: TestClient, sql: str) -> Sequence[Any]:
    answer_rows: Sequence[Any] = ask(client, sql)["rows"]
    return answer_rows


def test_tables_that_one_may_read(weir: ApiWorld, ana: TestClient) -> None:
    assert rows(ana, "SHOW TABLES") == [["prod", "orders", False]]
    assert rows(ana, "show tables in PROD like 'ORD%'") == [["prod", "orders", False]]
    assert rows(ana, "SHOW DATABASES") == [["prod"]]
    nobody = weir.user("nobody")
    assert rows(nobody, "SHOW TABLES") == [] and rows(nobody, "SHOW CATALOGS") == []
    refused = ask(ana, "SHOW TABLES IN prd", 404)["error"]
    assert "did you mean prod?" in refused["message"]


def test_columns_that_one_may_see(ana: TestClient) -> None:
    answer = ask(ana, "SHOW COLUMNS FROM ORDERS")
    assert answer["rows"] == [["customer"], ["order_id"]], "region needs a purpose; system columns are not fields"
    assert "_offset" in answer["notes"][0] and "1 of its columns" in answer["notes"][1]
    assert set(answer) == {
        "columns",
        "rows",
        "decision",
        "window",
        "truncated",
        "partial",
        "notes",
        "unreadable",
        "unreadableText",
        "leftOut",
    }


def test_a_description_names_masks_and_no_denied_column(ana: TestClient) -> None:
    answer = ask(ana, "DESCRIBE prod.orders")
    assert [c["name"] for c in answer["columns"]] == ["col_name", "data_type", "comment"]
    shown = {row[0]: row[2] for row in answer["rows"]}
    assert list(shown) == ["customer", "order_id"] and "MASK_HASH" in shown["customer"]
    assert "region" not in str(answer["rows"])
    extended = [row[0] for row in rows(ana, "DESCRIBE EXTENDED orders")]
    assert "_timestamp" in extended and "Dataset" in extended and "region" not in extended
    assert rows(ana, "DESCRIBE orders order_id")[0][0] == "order_id"


@pytest.mark.parametrize(
    "sql",
    [
        "DESCRIBE payments",
        "DESC prod.payments order_id",
        "SHOW COLUMNS FROM payments",
        "DESCRIBE EXTENDED payments",
        "DESCRIBE SELECT * FROM payments",
    ],
)
def test_a_dataset_that_one_may_not_read_is_refused_as_a_query_of_it_is(
    weir: ApiWorld, ana: TestClient, sql: str
) -> None:
    plainly = ask(ana, "SELECT 1 FROM payments", 403)["error"]
    refused = ask(ana, sql, 403)["error"]
    assert refused["code"] == plainly["code"] == "not_allowed"
    assert refused["details"]["reasons"] == plainly["details"]["reasons"]


@pytest.mark.parametrize("sql", ["DESCRIBE ordrs", "SHOW COLUMNS FROM ordrs", "EXPLAIN SELECT * FROM ordrs"])
def test_an_unknown_dataset_is_said_at_its_place(ana: TestClient, sql: str) -> None:
    error = ask(ana, sql, 404)["error"]
    assert error["details"]["column"] == sql.index("ordrs") + 1 and "prod/orders" in error["message"]


def test_an_explanation_is_weirs_own(weir: ApiWorld, ana: TestClient) -> None:
    answer = ask(ana, "EXPLAIN EXTENDED\nSELECT order_id, customer.email FROM orders")
    text = "\n".join(line for (line,) in answer["rows"])
    assert "Decision: allow" in text and "field value.customer.email: MASK_HASH" in text and "left out" in text
    assert "weir_value" not in text and "sha2" not in text and "hmac" not in text
    denied = "\n".join(line for (line,) in rows(ana, "EXPLAIN SELECT * FROM payments"))
    assert "Decision: deny" in denied and "Column" not in denied
    assert "INSERT" not in ask(ana, "EXPLAIN INSERT INTO orders SELECT 1", 400)["error"]["details"]


@pytest.mark.parametrize("form", ["csv", "arrow", "parquet"])
def test_every_format(ana: TestClient, form: str) -> None:
    answer = ana.post("/api/v1/query", params={"format": form}, json={"sql": "SHOW TABLES"})
    assert answer.status_code == 200, answer.text
    if form == "csv":
        assert list(csv.reader(io.StringIO(answer.text)))[1][:2] == ["prod", "orders"]
        return
    read = (
        pa.ipc.open_stream(answer.content).read_all()
        if form == "arrow"
        else pa.parquet.read_table(io.BytesIO(answer.content))
    )
    assert read.to_pylist() == [{"namespace": "prod", "tableName": "orders", "isTemporary": False}]


def test_a_limit_says_that_it_cut(ana: TestClient) -> None:
    answer = ana.post("/api/v1/query", json={"sql": "SHOW FUNCTIONS LIKE 'date*'", "limit": 2}).json()
    assert len(answer["rows"]) == 2 and answer["truncated"] and answer["partial"]["limit"] == "rows"
    assert not any(name in ("reflect", "java_method", "raise_error") for (name,) in rows(ana, "SHOW FUNCTIONS"))


def test_the_audit_knows(weir: ApiWorld, ana: TestClient) -> None:
    ask(ana, "SHOW TABLES LIKE 'anna@example.eu'")
    ask(ana, "DESCRIBE orders")
    ask(ana, "DESCRIBE payments", 403)
    ask(ana, "SHOW GRANTS", 400)
    entries = weir.admin.get("/api/v1/audit", params={"action": "query.catalog", "limit": 4}).json()["entries"]
    newest = sorted(entries, key=lambda entry: entry["seq"])[-4:]
    assert [entry["decision"] for entry in newest] == ["allow", "allow", "deny", "refused"]
    assert [entry["target"] for entry in newest][1:3] == ["prod/orders", "prod/payments"]
    assert "anna" not in str(newest)


def test_other_doors_take_queries_only(ana: TestClient) -> None:
    assert ana.post("/api/v1/query/explain", json={"sql": "SHOW TABLES"}).status_code == 400
    assert ana.get("/api/v1/query/stream", params={"sql": "SHOW TABLES"}).status_code == 400


def test_editors_check_and_complete_them(ana: TestClient) -> None:
    def check(sql: str) -> Any:
        return ana.post("/api/v1/query/check", json={"sql": sql}).json()

    assert check("SHOW TABLES")["ok"] and check("DESCRIBE orders")["ok"]
    assert check("EXPLAIN SELECT order_id FROM orders")["ok"]
    (problem,) = check("DESCRIBE payments")["problems"]
    assert "You may not read prod/payments" in problem["message"] and problem["column"] == 10
    (problem,) = check("SHOW GRANTS")["problems"]
    assert problem["column"] == 6
    items = ana.post("/api/v1/query/complete", json={"sql": "DESCRIBE ord"}).json()["items"]
    assert [i["insert"] for i in items if i["kind"] == "table"][:1] == ["orders"]
