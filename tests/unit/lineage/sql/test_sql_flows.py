"""The SQL of a run in the graph: only where no lineage is given, matched with the run's datasets, never a guess."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.model import DatasetId
from lineage.fold.fold import fold
from lineage.ingest.parse import parse
from lineage.sql.flows import KnownNames

PG = "postgres://db:5432"
KAFKA = "kafka://broker:9092"


def dataset(namespace: str, name: str, *columns: str, **facets: Any) -> dict[str, Any]:
    schema = {"schema": {"fields": [{"name": c, "type": "text"} for c in columns]}} if columns else {}
    return {"namespace": namespace, "name": name, "facets": schema | facets}


def event(
    sql: str | None,
    inputs: list[Any],
    outputs: list[Any],
    kind: str = "COMPLETE",
    dialect: str = "postgres",
    **more: Any,
) -> Any:
    facets = {"sql": {"query": sql, "dialect": dialect}} if sql else {}
    return parse(
        {
            "eventTime": "2026-01-01T00:00:00Z",
            "eventType": kind,
            "producer": "p",
            "schemaURL": "s",
            "run": {"runId": "018d0000-0000-7000-8000-000000000001"},
            "inputs": inputs,
            "outputs": outputs,
            "job": {"namespace": "jobs", "name": "j", "facets": facets | more},
        }
    )


def edges(*events: Any, resolve: Any = DatasetId) -> set[tuple[str, str, str, str]]:
    rows = fold(events, resolve).upserts

    def short(node: str) -> str:
        return node.replace(PG, "pg").replace(KAFKA, "k")

    return {
        (
            str(e.kind),
            short(e.source).partition(":")[2],
            short(e.target).partition(":")[2],
            str(e.how),
        )
        for e in rows
        if e.kind not in ("reads", "writes")
    }


SQL = "INSERT INTO mart.clean SELECT id, md5(email) FROM users WHERE id > 3"
USERS, CLEAN = dataset(PG, "shop.public.users", "id", "email"), dataset(PG, "shop.mart.clean", "id", "mail")
EXPECTED = {
    ("feeds", "pg:shop.public.users", "pg:shop.mart.clean", "sql"),
    ("derives", "pg:shop.public.users:id", "pg:shop.mart.clean:id", "sql"),
    ("derives", "pg:shop.public.users:email", "pg:shop.mart.clean:mail", "sql"),
    ("influences", "pg:shop.public.users:id", "pg:shop.mart.clean", "sql"),
}


def test_columns_of_a_run_with_sql_alone() -> None:
    assert edges(event(SQL, [USERS], [CLEAN])) == EXPECTED


def test_text_and_datasets_may_come_in_different_events() -> None:
    start = event(SQL, [], [], "START")
    end = event(SQL, [USERS], [CLEAN])
    assert edges(start, end) == edges(end, start) == EXPECTED


def test_given_lineage_comes_first() -> None:
    facet = {
        "columnLineage": {
            "fields": {"mail": {"inputFields": [{"namespace": PG, "name": "shop.public.users", "field": "id"}]}}
        }
    }
    rows = edges(
        event(SQL, [USERS], [dataset(PG, "shop.mart.clean", "id", "mail", **facet)]),
        event(SQL, [USERS], [CLEAN], "START"),
    )
    assert {row for row in rows if row[0] == "derives"} == {
        ("derives", "pg:shop.public.users:id", "pg:shop.mart.clean:mail", "columns")
    }


def test_what_cannot_be_told_leaves_the_flow_with_unknown_columns() -> None:
    rows = fold([event("INSERT INTO clean SELECT nope, email FROM users", [USERS], [CLEAN])]).upserts
    feeds = next(e for e in rows if e.kind == "feeds")
    assert feeds.columns is False
    assert [e.source.rsplit(":", 1)[1] for e in rows if e.kind == "derives"] == ["email"]


def test_a_table_that_two_datasets_could_be_is_no_match() -> None:
    other = dataset(PG, "shop.private.users", "id", "email")
    rows = fold([event(SQL, [USERS, other], [CLEAN])]).upserts
    assert not [e for e in rows if e.kind == "derives"]
    assert len([e for e in rows if e.kind == "feeds" and not e.columns]) == 2


def test_an_input_that_could_be_two_is_not_taken_for_an_output() -> None:
    mart = dataset(PG, "shop.mart.users", "id", "email")
    ins = [USERS, dataset(PG, "shop.private.users", "id", "email")]
    rows = fold([event("INSERT INTO mart.users SELECT id, email FROM users", ins, [mart])]).upserts
    assert not [e for e in rows if e.kind == "derives"]


def test_topics_by_the_catalogs_learned_columns_and_the_texts_own_names() -> None:
    learned = {DatasetId(KAFKA, "shop.orders"): {"customer": {"email": None}, "amount": None}}
    text = (
        "CREATE STREAM orders WITH (KAFKA_TOPIC='shop.orders', VALUE_FORMAT='JSON');"
        "CREATE STREAM tmp AS SELECT customer->email AS e, amount FROM orders EMIT CHANGES;"
        "CREATE STREAM clean WITH (KAFKA_TOPIC='shop.clean') AS SELECT HASH(e) AS mail, amount FROM tmp EMIT CHANGES;"
    )
    run = event(text, [dataset(KAFKA, "shop.orders")], [dataset(KAFKA, "shop.clean")], dialect="ksqldb")
    rows = fold([run], KnownNames(DatasetId, learned.get)).upserts
    assert {(e.source.rsplit(":", 1)[1], e.target.rsplit(":", 1)[1], e.raw) for e in rows if e.kind == "derives"} == {
        ("value.customer.email", "value.MAIL", False),
        ("value.amount", "value.AMOUNT", True),
    }


@pytest.mark.parametrize("sql", ["", "nonsense (", "SELECT " + "(" * 10_000, None])
def test_bad_sql_changes_nothing(sql: str | None) -> None:
    rows = edges(event(sql, [USERS], [CLEAN]))
    assert rows == {("feeds", "pg:shop.public.users", "pg:shop.mart.clean", "inputs_outputs")}


@pytest.mark.parametrize(
    ("sql", "way", "masked"),
    [
        ("select id, md5(email) as h from users", {}, {"h"}),
        ("select id, md5(email) as h, email as h from users", {}, set()),  # one way is raw
        ("select id, upper(email) as h from users", {}, set()),
        ("select id, md5(email) as h from users", {"masking": False}, set()),  # the producer says that it does not
        ("select id, sha2(EMAIL, 256) as H from users", {}, {"h"}),
        ("this is no sql", {}, set()),
    ],
)
def test_what_a_statement_masks_counts_where_the_column_lineage_is_silent(sql: str, way: Any, masked: set[str]) -> None:
    users = {"namespace": PG, "name": "shop.public.users"}
    ways = [{"type": "DIRECT", "subtype": "TRANSFORMATION", **way}]
    fields = {
        name: {"inputFields": [{**users, "field": source, "transformations": ways}]}
        for name, source in (("id", "id"), ("h", "email"))
    }
    out = dataset(PG, "shop.public.hashed", "id", "h", columnLineage={"fields": fields})
    rows = fold([event(sql, [dataset(PG, "shop.public.users", "id", "email")], [out])], DatasetId).upserts
    derives = {e.target.rpartition(":")[2]: e.raw for e in rows if str(e.kind) == "derives"}
    assert derives.keys() == {"id", "h"} and {name for name, raw in derives.items() if not raw} == masked
