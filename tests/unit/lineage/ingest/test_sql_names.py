"""Names that only an event's SQL knows do not become datasets: columns lead to the tables behind them, masked where it masks.

Column lineage is what openlineage-sql 1.40 gives for each text: dbt reports it as it is, Airflow puts the default database
and schema before every name.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.fold.fold import fold
from lineage.ingest.parse import parse
from lineage.ingest.sql_names import with_tables
from lineage.questions.queries import Lineage
from tests.lineage_answers import as_json
from tests.lineage_samples import graph_of

DUCK = "duckdb:///jaffle.duckdb"
OUT = "jaffle.main.customers"
STG = "jaffle.main.stg_users"


def dataset(name: str, *columns: str, **facets: Any) -> dict[str, Any]:
    schema = {"schema": {"fields": [{"name": c, "type": "text"} for c in columns]}} if columns else {}
    return {"namespace": DUCK, "name": name, "facets": schema | facets}


def source(name: str, field: str, *ways: dict[str, Any], namespace: str = DUCK) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "field": field, **({"transformations": list(ways)} if ways else {})}


def dbt(
    sql: str,
    fields: dict[str, list[dict[str, Any]]],
    inputs: list[dict[str, Any]],
    whole: list[dict[str, Any]] | None = None,
    outputs: list[dict[str, Any]] | None = None,
    integration: str = "DBT",
    dialect: str = "duckdb",
) -> dict[str, Any]:
    """A COMPLETE of a model, as dbt-ol sends it."""
    lineage = {
        "fields": {name: {"inputFields": listed} for name, listed in fields.items()},
        **({"dataset": whole} if whole else {}),
    }
    return {
        "eventTime": "2026-01-01T00:00:02.5Z",
        "eventType": "COMPLETE",
        "producer": "https://github.com/OpenLineage/OpenLineage/tree/1.40.1/integration/dbt",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": "018d0000-0000-7000-8000-000000000001",
            "facets": {
                "parent": {
                    "run": {"runId": "018d0000-0000-7000-8000-000000000000"},
                    "job": {"namespace": "dbt", "name": "dbt-run-jaffle"},
                },
                "dbt_version": {"version": "1.10.2"},
            },
        },
        "job": {
            "namespace": "dbt",
            "name": "jaffle.main.jaffle.customers",
            "facets": {
                "sql": {"query": sql, "dialect": dialect},
                "jobType": {"processingType": "BATCH", "integration": integration, "jobType": "MODEL"},
            },
        },
        "inputs": inputs,
        "outputs": outputs or [dataset(OUT, *fields, columnLineage=lineage)],
    }


def derived(*events: dict[str, Any]) -> dict[str, dict[str, bool]]:
    """Target column -> source -> whether it arrives raw."""
    rows = fold(map(parse, events)).upserts
    columns: dict[str, dict[str, bool]] = {}
    for edge in rows:
        if str(edge.kind) == "derives":
            columns.setdefault(edge.ends[5], {})[f"{edge.ends[1]}:{edge.ends[2]}"] = edge.raw
    return columns


def datasets(*events: dict[str, Any]) -> set[str]:
    return {each.name for each in fold(map(parse, events)).datasets.values()}


IMPORT = 'with u as (select * from "jaffle"."main"."stg_users") select u.id, u.email from u'
IMPORTED = {"id": [source("u", "id")], "email": [source("u", "email")]}


def test_an_import_cte_is_the_model_that_it_imports() -> None:
    event = dbt(IMPORT, IMPORTED, [dataset(STG)])
    assert derived(event) == {"id": {f"{STG}:id": True}, "email": {f"{STG}:email": True}}
    assert datasets(event) == {STG, OUT}
    feeds = [edge for edge in fold([parse(event)]).upserts if str(edge.kind) == "feeds"]
    assert [(edge.ends[1], edge.columns) for edge in feeds] == [(STG, True)]


def test_impact_goes_on_through_it() -> None:
    stage = dbt('select id, email from "jaffle"."main"."users"', {}, [dataset("jaffle.main.users")])
    stage["job"]["name"], stage["run"]["runId"] = "stg", "018d0000-0000-7000-8000-000000000002"
    stage["outputs"] = [
        dataset(STG, columnLineage={"fields": {"email": {"inputFields": [source("jaffle.main.users", "email")]}}})
    ]
    answer = Lineage(graph_of(stage, dbt(IMPORT, IMPORTED, [dataset(STG)]))).impact(
        f"datasetField:{DUCK}:jaffle.main.users:email"
    )
    assert f"datasetField:{DUCK}:{OUT}:email" in {each["id"] for each in as_json(answer)["affected"]}


HASHED = (
    'with u as (select * from "jaffle"."main"."stg_users"), h as (select id, md5(email) as mail, email from u)'
    " select h.id, h.mail, upper(h.email) as email from h"
)


def test_what_a_cte_hashes_is_masked_and_what_it_passes_is_raw() -> None:
    fields = {"id": [source("h", "id")], "mail": [source("h", "mail")], "email": [source("h", "email")]}
    event = dbt(HASHED, fields, [dataset(STG)])
    assert derived(event) == {
        "id": {f"{STG}:id": True},
        "mail": {f"{STG}:email": False},
        "email": {f"{STG}:email": True},
    }


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ([], "md5(email)", [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}]),
        ([], "email", None),
        (
            [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False}],
            "md5(email)",
            [{"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}],
        ),
        (
            [{"type": "DIRECT", "subtype": "AGGREGATION", "masking": True}],
            "upper(email)",
            [{"type": "DIRECT", "subtype": "AGGREGATION", "masking": True}],
        ),
        ([{"type": "INDIRECT", "subtype": "JOIN"}], "md5(email)", [{"type": "INDIRECT", "subtype": "JOIN"}]),
    ],
)
def test_transformations_are_those_of_both_steps(outer: list[Any], inner: str, expected: Any) -> None:
    sql = f"with u as (select {inner} as mail from stg_users) select mail from u"
    event = with_tables(parse(dbt(sql, {"mail": [source("u", "mail", *outer)]}, [dataset(STG)])))
    [item] = event.outputs[0].facets["columnLineage"]["fields"]["mail"]["inputFields"]  # type: ignore[union-attr]
    assert (item["name"], item["field"], item.get("transformations")) == (STG, "email", expected)


def test_a_column_of_a_condition_stays_an_influence() -> None:
    event = dbt(IMPORT, IMPORTED, [dataset(STG)], whole=[source("u", "id", {"type": "INDIRECT", "subtype": "FILTER"})])
    influences = [edge for edge in fold([parse(event)]).upserts if str(edge.kind) == "influences"]
    assert [edge.ends[1:3] for edge in influences] == [(STG, "id")]


@pytest.mark.parametrize("name", ["u", "jaffle.main.u", "JAFFLE.MAIN.U", '"jaffle"."main"."u"'])
def test_names_with_database_and_schema_in_any_case(name: str) -> None:
    event = dbt(IMPORT, {"email": [source(name, "email")]}, [dataset(STG)], integration="AIRFLOW")
    assert derived(event) == {"email": {f"{STG}:email": True}}
    assert datasets(event) == {STG, OUT}


def test_quoted_names_and_names_folded_to_upper_case() -> None:
    sql = 'with "U" as (select ID, sha2(EMAIL) as MAIL from JAFFLE.MAIN.STG_USERS) select "U".MAIL from "U"'
    event = dbt(sql, {"MAIL": [source("U", "MAIL")]}, [dataset(STG.upper())], dialect="snowflake")
    assert derived(event) == {"MAIL": {f"{STG.upper()}:EMAIL": False}}


def test_an_alias_of_a_subquery() -> None:
    sql = "select s.id from (select * from (select id, email from stg_users) as inner_most) as s"
    event = dbt(sql, {"id": [source("s", "id")], "x": [source("inner_most", "email")]}, [dataset(STG)])
    assert derived(event) == {"id": {f"{STG}:id": True}, "x": {f"{STG}:email": True}}


def test_with_recursive() -> None:
    sql = (
        "with recursive tree as (select id, parent, md5(email) as mail from stg_users union all"
        " select c.id, c.parent, tree.mail from stg_users c join tree on tree.id = c.parent) select id, mail from tree"
    )
    event = dbt(sql, {"id": [source("tree", "id")], "mail": [source("tree", "mail")]}, [dataset(STG)])
    assert derived(event) == {"id": {f"{STG}:id": True}, "mail": {f"{STG}:email": False}}


def test_a_cte_named_like_the_table_that_it_reads() -> None:
    orders = "jaffle.main.orders"
    sql = (
        'with orders as (select id as order_id, md5(email) as id from "jaffle"."main"."orders")'
        " select order_id, id from orders"
    )
    by_cte = {"order_id": [source("orders", "order_id")], "id": [source("orders", "id")]}
    # A parser that went on to the table says so by the table's whole name.
    by_table = {"order_id": [source(orders, "id")], "id": [source(orders, "email")]}
    for fields in (by_cte, by_table):
        for table in (dataset(orders), dataset(orders, "id", "email")):
            event = dbt(sql, fields, [table], dialect="postgres")
            assert derived(event) == {"order_id": {f"{orders}:id": True}, "id": {f"{orders}:email": False}}
            assert datasets(event) == {orders, OUT}


def test_a_cte_named_like_a_table_that_another_reads() -> None:
    """`orders` means the table where the CTE of that name is defined, and the CTE after it."""
    raw = "jaffle.raw.orders"
    sql = (
        'with orders as (select id, sha256(email) as email from "jaffle"."raw"."orders"),'
        " last_orders as (select * from orders where id > 3) select last_orders.email from last_orders"
    )
    event = dbt(sql, {"email": [source("last_orders", "email")]}, [dataset(raw)])
    assert derived(event) == {"email": {f"{raw}:email": False}}


def test_a_name_among_the_inputs_is_replaced_by_what_it_reads() -> None:
    event = dbt(IMPORT, IMPORTED, [dataset("u")])
    assert derived(event) == {"id": {f"{STG}:id": True}, "email": {f"{STG}:email": True}}
    assert datasets(event) == {STG, OUT}


def test_a_table_of_the_run_with_the_name_of_a_cte_stays() -> None:
    other = "jaffle.raw.u"
    event = dbt(IMPORT, IMPORTED, [dataset(STG), dataset(other, "id", "key")])
    assert other in datasets(event)
    assert derived(event)["email"] == {f"{STG}:email": True}


def test_temporary_tables_and_views_of_the_same_text() -> None:
    sql = (
        "create temp table u as select id, md5(email) as mail from stg_users;"
        " insert into customers (id, mail) select id, mail from u"
    )
    lineage = {"fields": {"mail": {"inputFields": [source("jaffle.main.u", "mail")]}}}
    outputs = [dataset(OUT, columnLineage=lineage), dataset("jaffle.main.u", columnLineage=lineage)]
    event = dbt(sql, {}, [dataset(STG), dataset("jaffle.main.u")], outputs=outputs, integration="AIRFLOW")
    assert derived(event) == {"mail": {f"{STG}:email": False}}
    assert datasets(event) == {STG, OUT}
    spark = (
        "CREATE OR REPLACE TEMPORARY VIEW u AS SELECT id, sha2(email, 256) AS mail FROM stg_users;"
        " INSERT OVERWRITE customers SELECT id, mail FROM u"
    )
    event = dbt(spark, {"mail": [source("u", "mail")]}, [dataset(STG)], integration="SPARK", dialect="spark")
    assert derived(event) == {"mail": {f"{STG}:email": False}}


def test_what_the_text_does_not_show_leaves_the_columns_unknown() -> None:
    other = "jaffle.main.stg_orders"
    sql = f"with u as (select * from {STG} a join {other} b on a.id = b.id) select u.total from u"
    event = dbt(sql, {"total": [source("u", "total")]}, [dataset(STG), dataset(other)])
    feeds = {edge.ends[1]: edge.columns for edge in fold([parse(event)]).upserts if str(edge.kind) == "feeds"}
    assert feeds == {STG: False, other: False}
    assert datasets(event) == {STG, other, OUT}
    known = dbt(sql, {"total": [source("u", "total")]}, [dataset(STG, "id"), dataset(other, "id", "total")])
    assert derived(known) == {"total": {f"{other}:total": True}}


def test_a_text_that_cannot_be_read_makes_no_datasets_of_its_names() -> None:
    sql = "with u as (select * from stg_users qualify ((( ) select u.id from u"
    event = dbt(sql, {"id": [source("u", "id")]}, [dataset(STG)])
    assert datasets(event) == {STG, OUT}
    feeds = {edge.ends[1]: edge.columns for edge in fold([parse(event)]).upserts if str(edge.kind) == "feeds"}
    assert feeds == {STG: False}


def test_constants_have_no_source() -> None:
    sql = "with u as (select 1 as one, id from stg_users) select u.one, u.id from u"
    event = dbt(sql, {"one": [source("u", "one")], "id": [source("u", "id")]}, [dataset(STG)])
    assert derived(event) == {"id": {f"{STG}:id": True}}
    feeds = {edge.ends[1]: edge.columns for edge in fold([parse(event)]).upserts if str(edge.kind) == "feeds"}
    assert feeds == {STG: True}


def test_a_transformation_type_that_is_empty_says_nothing() -> None:
    """Airflow sends `transformationType: ""` with each field."""
    event = dbt("select md5(email) as mail from stg_users", {"mail": [source(STG, "email")]}, [dataset(STG)])
    event["outputs"][0]["facets"]["columnLineage"]["fields"]["mail"]["transformationType"] = ""
    assert derived(event) == {"mail": {f"{STG}:email": False}}


@given(
    steps=st.lists(st.tuples(st.booleans(), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=5),
    ways=st.sampled_from([(), ({"type": "DIRECT", "subtype": "IDENTITY"},)]),
)
def test_a_chain_of_ctes_masks_where_any_step_does(steps: list[tuple[bool, str]], ways: tuple[Any, ...]) -> None:
    """Whatever the chain, and although names are used twice, the column ends at the table, masked if any step masks."""
    before, parts = "jaffle.main.stg_users", []
    for at, (masks, name) in enumerate(steps):
        parts.append(f"{name}{at} as (select id, {'md5(mail)' if masks else 'mail'} as mail from {before})")
        before = f"{name}{at}"
    sql = f"with {', '.join(parts)} select {before}.mail from {before}"
    event = dbt(sql, {"mail": [source(before, "mail", *ways)]}, [dataset(STG)])
    assert derived(event) == {"mail": {f"{STG}:mail": not any(masks for masks, _ in steps)}}
    assert datasets(event) == {STG, OUT}


@given(st.text(alphabet="withas(select*from,)u1 .\"'", max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    event = parse(dbt(text, IMPORTED, [dataset(STG)]))
    assert with_tables(event).outputs[0].id == event.outputs[0].id  # type: ignore[union-attr]
