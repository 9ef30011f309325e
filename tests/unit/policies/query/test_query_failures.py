"""What the engine could not run is reported at its place, with the nearest name; never in the engine's own words."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import WeirError
from policies.plan.errors import QueryFailed
from policies.plan.prepare import PreparedQuery
from policies.query import failures
from tests.unit.policies.query.test_query import ANA, World


def told(sql: str, error: QueryFailed) -> WeirError:
    from policies.gate import gate

    preparer = World().service().preparer
    gated = gate.check(sql)
    prepared: PreparedQuery = preparer.govern(gated, preparer.find(ANA, gated, None))
    return failures.explained(prepared, error)


def unknown(name: str, **more: Any) -> QueryFailed:
    return QueryFailed("x", details={"condition": "UNRESOLVED_COLUMN.WITH_SUGGESTION", "name": name}, **more)


@pytest.mark.parametrize(
    ("sql", "error", "message", "column"),
    [
        ("SELECT t.totl FROM (SELECT sum(amount) AS total FROM orders) t", unknown("`t`.`totl`"),
         "There is no column t.totl; did you mean total?", 8),
        ("SELECT DISTINCT id FROM orders ORDER BY amount", unknown("`amount`"),
         "There is no column amount at this place of the query.", 41),
        ("SELECT o.id, p.amunt FROM orders o JOIN orders p ON true", unknown("`p`.`amunt`"),
         "p has no column amunt; did you mean amount?", 14),
        ("SELECT x.id FROM orders o", unknown("`x`.`id`"), "It is not known by the name x; the tables are o.", 8),
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
def test_a_failure_is_told_at_its_place(sql: str, error: QueryFailed, message: str, column: int) -> None:
    problem = told(sql, error)
    assert message in problem.message
    assert problem.details["column"] == column
    assert "fragment" not in problem.details


def test_words_of_a_view_have_no_place() -> None:
    problem = told("SELECT id FROM orders", QueryFailed("It failed.", fragment="substring(`_weir_secret`, 2)"))
    assert "line" not in problem.details


def failed(condition: str, fragment: str | None = None, **about: str) -> QueryFailed:
    return QueryFailed("x", details={"condition": condition}, fragment=fragment, about=about)


@pytest.mark.parametrize(
    ("sql", "error", "message"),
    [
        ("SELECT id FROM orders WHERE id = 5", failed("CAST_INVALID_INPUT", "`id` = 5", targetType='"BIGINT"', expression="'o-17'"),
         "id is a text, and 5 is a number: a value of id is not of type BIGINT. Write '5' in quotes, or try_cast(id AS BIGINT)."),
        ("SELECT id FROM orders WHERE id BETWEEN 1 AND 3", failed("CAST_INVALID_INPUT", "BETWEEN 1 AND 3", targetType='"BIGINT"'),
         "id is a text, and 1 is a number"),
        ("SELECT id FROM orders WHERE at = 'gestern'", failed("CAST_INVALID_INPUT", "`at` = 'gestern'", targetType='"TIMESTAMP"'),
         "'gestern' is not a time, and at is compared as one; write it as TIMESTAMP '2026-01-31 12:00:00'."),
        ("SELECT id + who FROM orders",
         failed("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "`id` + `who`", left='"STRING"', right="STRUCT<a>"),
         "id + who: one side is a text, the other a struct; CAST one of them."),
        ("SELECT window(at, '0 seconds') AS w FROM orders",
         failed("DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", exprName="`window_duration`"),
         "The length of a window must be above zero"),
        ("SELECT window(at, '1 minute', '2 minutes') AS w FROM orders",
         failed("DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION", leftExprName="`slide_duration`"),
         "The slide of a window must be above zero and not longer than the window"),
        ("SELECT CAST(id AS INT) FROM orders", failed("CAST_INVALID_INPUT", "CAST(`id` AS INT)", targetType='"INT"'),
         "A value of id is not of type INT; try_cast gives NULL instead."),
        ("SELECT sum(id) FROM orders", failed("CAST_INVALID_INPUT", "sum(`id`)", targetType='"DOUBLE"'),
         "sum(id) takes id as a number (DOUBLE), and a value of it is none; write try_cast(id AS DOUBLE)."),
        ("SELECT id, upper(who.name), sum(amount) FROM orders GROUP BY id",
         failed("MISSING_AGGREGATION", expression='"who.name"'),
         "who.name is neither in GROUP BY nor in an aggregate; write GROUP BY who.name, or any_value(who.name)"),
        ("SELECT id, sum(amount) FROM orders", failed("MISSING_GROUP_BY"), "write GROUP BY id, or any_value(id)"),
        ("SELECT 1 FROM orders a JOIN orders b USING (amunt)",
         failed("UNRESOLVED_USING_COLUMN_FOR_JOIN", colName="`amunt`", side="left"),
         "USING (amunt): the left side of the join has no column amunt; did you mean amount?"),
        ("SELECT 1 FROM orders a JOIN (SELECT 1 AS n) b USING (id)",
         failed("UNRESOLVED_USING_COLUMN_FOR_JOIN", colName="`id`", side="right"),
         "USING (id): the right side of the join has no column id; write ON with the column of each side."),
        ("SELECT upper(id, id) FROM orders", failed("WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "upper(`id`, `id`)",
                                                  expectedNum="1", actualNum="2"),
         "upper takes 1 argument and has 2."),
        ("SELECT explode(amount) FROM orders",
         failed("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "explode(`amount`)", requiredType='("ARRAY" or "MAP")',
                inputType='"DECIMAL(12,2)"', paramIndex="first"),
         "explode(amount) takes an array or a map, and its first argument is a number (DECIMAL(12,2))."),
        ("SELECT extract(epoch FROM at) FROM orders", failed("INVALID_EXTRACT_FIELD", "EXTRACT(EPOCH FROM `at`)"),
         "Write unix_timestamp(time)."),
    ],
)  # fmt: skip
def test_a_failure_names_what_it_is_about_and_what_to_write(sql: str, error: QueryFailed, message: str) -> None:
    assert message in told(sql, error).message


@pytest.mark.parametrize(
    "error",
    [
        failed("CAST_INVALID_INPUT", "`id` = 5", targetType="anna@example.eu", expression="anna@example.eu"),
        failed("MISSING_AGGREGATION", expression='"concat(anna@example.eu, id)"'),
        failed("DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "`id` = 5", requiredType="anna@example.eu", inputType="anna@example.eu"),
        failed("DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", "`id` = 5", left="'anna@example.eu'", right="INT"),
        failed("UNRESOLVED_USING_COLUMN_FOR_JOIN", colName="anna@example.eu", side="anna@example.eu"),
        failed("WRONG_NUM_ARGS", "upper(`id`)", expectedNum="anna@example.eu", actualNum="anna@example.eu"),
        failed("INVALID_EXTRACT_BASE_FIELD_TYPE", base="anna@example.eu", other="anna@example.eu"),
    ],
)  # fmt: skip
def test_nothing_of_the_engines_report_gets_into_a_sentence(error: QueryFailed) -> None:
    problem = told("SELECT upper(id) FROM orders WHERE id = 5", error)
    assert "anna" not in f"{problem.message} {problem.details}"
