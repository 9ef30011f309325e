"""Columns that openlineage-sql names by a SELECT are those of the table that is written to, read off the job's SQL.

The column lineage is what openlineage-sql 1.54 gives for each text, as Airflow's provider reports it.
"""

from __future__ import annotations

from typing import Any

import pytest

from lineage.fold.fold import fold
from lineage.ingest.parse import parse
from tests.lineage_samples import run

SHOP = "postgres://db:5432"
INSERT = "INSERT INTO customers (mail, town) SELECT md5(o.email), o.town FROM orders o"


def table(name: str, *columns: str, **facets: Any) -> dict[str, Any]:
    schema = {"schema": {"fields": [{"name": each, "type": "text"} for each in columns]}} if columns else {}
    return {"namespace": SHOP, "name": f"shop.public.{name}", "facets": schema | facets}


def task(sql: str, fields: dict[str, list[str]], *columns: str) -> dict[str, Any]:
    """A COMPLETE of a task of SQL. fields: reported column -> columns of orders; columns: those that the target has."""
    lineage = {
        "fields": {
            name: {
                "inputFields": [{"namespace": SHOP, "name": "shop.public.orders", "field": each} for each in sources]
            }
            for name, sources in fields.items()
        }
    }
    target = table("customers", *columns, columnLineage=lineage)
    source = table("orders", "id", "email", "town")
    return run(0, [source], [target], job="shop.copied", job_facets={"sql": {"query": sql, "dialect": "postgres"}})


def edges(event: dict[str, Any]) -> set[tuple[str, str, bool]]:
    """(column of orders, column of customers, whether the raw value arrives)"""
    rows = fold([parse(event)]).upserts
    return {(row.ends[2], row.ends[5], row.raw) for row in rows if str(row.kind) == "derives"}


@pytest.mark.parametrize("columns", [(), ("mail", "town")], ids=["columns unknown", "columns known"])
def test_an_expression_without_a_name_goes_to_the_column_that_is_written(columns: tuple[str, ...]) -> None:
    event = task(INSERT, {"_0": ["email"], "town": ["town"]}, *columns)
    assert edges(event) == {("email", "mail", False), ("town", "town", True)}


def test_a_table_that_is_named_in_the_columns_alone_is_an_input() -> None:
    sql = "INSERT INTO customers (mail, town) WITH o AS (SELECT email, town FROM orders) SELECT md5(o.email), o.town FROM o"
    event = task(sql, {"_0": ["email"], "town": ["town"]}, "mail", "town") | {"inputs": []}
    assert edges(event) == {("email", "mail", False), ("town", "town", True)}


def test_a_name_given_in_the_select_is_not_one_of_the_table() -> None:
    sql = "INSERT INTO customers (mail, place) SELECT md5(o.email) AS x, o.town FROM orders o"
    event = task(sql, {"x": ["email"], "town": ["town"]}, "mail", "place")
    assert edges(event) == {("email", "mail", False), ("town", "place", True)}


def test_without_a_list_the_columns_of_the_table_go_by_place() -> None:
    sql = "INSERT INTO customers SELECT md5(o.email), o.town FROM orders o"
    assert edges(task(sql, {"_0": ["email"], "town": ["town"]}, "mail", "place")) == {
        ("email", "mail", False),
        ("town", "place", True),
    }


def test_where_the_text_is_not_read_the_columns_are_unknown() -> None:
    event = task("INSERT INTO customers (((", {"_0": ["email"]}, "mail", "town")
    assert edges(event) == set()
    feeds = {row.columns for row in fold([parse(event)]).upserts if str(row.kind) == "feeds"}
    assert feeds == {False}


@pytest.mark.parametrize(
    ("sql", "fields", "columns"),
    [
        ("CREATE TABLE customers AS SELECT email AS mail FROM orders", {"mail": ["email"]}, ("id",)),
        (INSERT, {"MAIL": ["email"]}, ("mail", "town")),
        (INSERT, {"town.name": ["town"], "mail[].first": ["email"]}, ("mail", "town")),
        ("INSERT INTO customers SELECT _0 FROM orders", {"_0": ["email"]}, ("_0",)),
    ],
    ids=["documented in part", "another case", "places inside", "a column of that name"],
)
def test_other_column_lineage_stays(sql: str, fields: dict[str, list[str]], columns: tuple[str, ...]) -> None:
    assert {(source, target) for source, target, _ in edges(task(sql, fields, *columns))} == {
        (source, name) for name, sources in fields.items() for source in sources
    }
