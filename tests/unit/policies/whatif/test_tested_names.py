"""Tests of policies that name what is not there: an error with the nearest name, not a test that passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.datatypes import parse_ddl
from policies.gate import gate
from policies.masks.keys import MaskKeys
from policies.plan.model import PartRead
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from policies.query.door import AuditedGate
from policies.whatif.policy_cases import read_cases
from policies.whatif.policy_tests import PolicyTests, Report
from policies.whatif.tested_names import unknown_columns
from tests.gate_files import statements
from tests.query_world import KEYS
from tests.query_world import World as Stores
from tests.unit.policies.query.test_query import ANA, TABLE, WrittenAudit
from tests.unit.policies.world import ORDERS, World, company

STORES = Stores("a", "localhost:1", {"orders": "orders", "people": "people"})


def run(text: str, facts: Any = ORDERS) -> Report:
    world: World = company()

    class Tables:
        def find(self, name: str) -> Any:
            kind = parse_ddl("order_id STRING, amount INT, customer STRUCT<name: STRING, email: STRING>")
            return replace(TABLE, facts=facts, value=PartRead("json", kind))

    class Facts:
        def facts(self, reference: str) -> Any:
            return facts

    keys = MaskKeys(b"a secret for tests, sixteen or more")
    preparer = Preparer(Tables(), world.state, None, keys, QuerySettings())  # type: ignore[arg-type]
    service = PolicyTests(preparer, AuditedGate(WrittenAudit()), Facts(), world.clock)  # type: ignore[arg-type]
    return service.run(ANA, read_cases(text), world.state.view())


@pytest.mark.parametrize(
    ("case", "near"),
    [
        (
            "{subject: ana, dataset: prod/orders, field: value.customer.emial, expect: {mask: MASK_HASH}}",
            "value.customer.email",
        ),
        ("{subject: ana, dataset: prod/orders, field: value.customer.emial, expect: gap}", "value.customer.email"),
        ("{subject: ana, dataset: prod/orders, field: value.amuont, expect: {clearWhen: x}}", "value.amount"),
        ("{subject: ana, dataset: prod/orders, expect: {columns: {value.amuont: clear}}}", "value.amount"),
    ],
)
def test_a_field_that_is_not_there(case: str, near: str) -> None:
    (answer,) = run(f"- {case}")["cases"]
    assert not answer["ok"]
    assert f"did you mean {near}?" in answer["problems"][0]["found"]


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("SELECT order_idd FROM orders", "order_id"),
        ("SELECT o.customer.emial FROM orders o", "email"),
        ("SELECT order_id FROM orders WHERE amuont > 1", "amount"),
    ],
)
def test_a_column_of_sql_that_is_not_there(sql: str, near: str) -> None:
    for expected in ("clear", "deny", "{filter: none}"):
        (answer,) = run(f"- {{subject: petra, sql: {sql!r}, expect: {expected}}}")["cases"]
        assert [p["what"] for p in answer["problems"]] == ["column"], answer
        assert f"did you mean {near}?" in answer["problems"][0]["found"]


def test_a_column_of_the_answer_that_is_not_there() -> None:
    case = "- {subject: petra, sql: SELECT order_id FROM orders, expect: {columns: {order_idd: clear}}}"
    (problem,) = run(case)["cases"][0]["problems"]
    assert problem["found"] == "no such column; did you mean order_id?"


def test_columns_of_a_dataset_are_paths() -> None:
    holds = "{value.customer.email: masked, value.amount: clear, key: mask}"
    answer = run(f"- {{subject: ana, dataset: prod/orders, expect: {{columns: {holds}}}}}")
    assert [p for case in answer["cases"] for p in case["problems"]] == []
    (case,) = run("- {subject: ana, dataset: prod/orders, expect: {columns: {value.amount: masked}}}")["cases"]
    assert case["problems"] == [{"what": "column value.amount", "expected": "mask", "found": "allow"}]


def test_of_a_dataset_that_was_not_scanned_it_is_said_that_names_were_not_checked() -> None:
    unknown = replace(ORDERS, fields=())
    answer = run("- {subject: ana, dataset: prod/orders, field: value.nope, expect: gap}", unknown)
    (case,) = answer["cases"]
    assert case["ok"] and "names of its columns were not checked" in case["reasons"][0]


@pytest.mark.parametrize("sql", statements("honest.sql"))
def test_no_honest_name_is_called_unknown(sql: str) -> None:
    preparer = Preparer(STORES, STORES, None, KEYS, QuerySettings())  # type: ignore[arg-type]
    gated = gate.check(sql)
    assert unknown_columns(preparer.govern(gated, preparer.find(ANA, gated, "analysis"))) == []
