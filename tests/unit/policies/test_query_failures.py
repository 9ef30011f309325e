"""What the engine could not run is told at its place, with the nearest name; never in the engine's own words."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import WeirError
from policies import query_failures
from policies.query_errors import QueryFailed
from policies.query_prepare import Prepared
from tests.unit.policies.test_query import ANA, World


def told(sql: str, error: QueryFailed) -> WeirError:
    from policies import gate

    preparer = World().service().preparer
    gated = gate.check(sql)
    prepared: Prepared = preparer.govern(gated, preparer.find(ANA, gated, None))
    return query_failures.told(prepared, error)


def unknown(name: str, **more: Any) -> QueryFailed:
    return QueryFailed("x", details={"condition": "UNRESOLVED_COLUMN.WITH_SUGGESTION", "name": name}, **more)


@pytest.mark.parametrize(
    ("sql", "error", "said", "column"),
    [
        ("SELECT t.totl FROM (SELECT sum(amount) AS total FROM orders) t", unknown("`t`.`totl`"),
         "There is no column t.totl; did you mean total?", 8),
        ("SELECT DISTINCT id FROM orders ORDER BY amount", unknown("`amount`"),
         "There is no column amount at this place of the query.", 41),
        ("SELECT x.id FROM orders o", unknown("`x`.`id`"), "It is not known by the name x.", 8),
        ("SELECT o.id, o.who.nme FROM orders o", unknown("`nme`", fragment="`o`.`who`.`nme`", known=("name", "mail")),
         "o.who has no field nme; did you mean name?", 14),
        ("SELECT id,\n amount + 'x' FROM orders",
         QueryFailed("The types do not fit.", details={"condition": "X"}, fragment="`amount` + 'x'"),
         "The types do not fit.", 2),
        ("SELECT id FROM orders a, orders b",
         QueryFailed("The column id fits several.", details={"condition": "AMBIGUOUS_REFERENCE", "name": "`id`"}),
         "The column id fits several.", 8),
    ],
)  # fmt: skip
def test_a_failure_is_told_at_its_place(sql: str, error: QueryFailed, said: str, column: int) -> None:
    found = told(sql, error)
    assert said in found.message
    assert found.details["column"] == column
    assert "fragment" not in found.details


def test_words_of_a_view_have_no_place() -> None:
    found = told("SELECT id FROM orders", QueryFailed("It failed.", fragment="substring(`_weir_secret`, 2)"))
    assert "line" not in found.details
