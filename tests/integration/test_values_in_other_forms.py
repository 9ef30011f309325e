"""A value of another form than its type's is NULL and counted, whatever else its record holds; keys of maps have types, too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from catalog.adapters.spark_connect import connect, release
from catalog.datatypes import STRING, StructType, parse_ddl
from policies.adapters.spark import reading
from policies.adapters.spark.governed_views import GovernedViews
from policies.plan.model import PartRead, Rows, TablePlan, Window
from policies.sql.literals import literal

pytestmark = pytest.mark.integration

KIND = parse_ddl("paid DECIMAL(10,2), at TIMESTAMP, days ARRAY<TIMESTAMP>, fees MAP<STRING, DECIMAL(10,2)>")
MAPS = parse_ddl(
    "ages MAP<INT, STRING>, flags MAP<BOOLEAN, INT>, who STRUCT<days: ARRAY<MAP<DATE, MAP<TIMESTAMP, DECIMAL(9,2)>>>>"
)
PLACES = ("value.paid", "value.at", "value.days[]", "value.fees{}", "value.ages")
UNFIT = {
    '{"paid": "1,234.5"}': "value.paid",
    '{"paid":"+1"}': "value.paid",
    '{"paid": "one"}': "value.paid",
    '{"paid": "123456789.10"}': "value.paid",
    '{"paid": "1E+2"}': "value.paid",
    '{"at": 1795424400}': "value.at",
    '{"at": 1795424400000}': "value.at",
    '{"at" : -1}': "value.at",
    '{"days": ["2026-11-23T10:00:00Z", 1795424400]}': "value.days[]",
    '{"fees": {"a": "1e1"}}': "value.fees{}",
}
FIT_AS_TEXT = {
    '{"paid": "1.10"}': {"paid": 1.1},
    '{"paid":"-1"}': {"paid": -1.0},
    '{"paid": "99999999.99"}': {"paid": 99999999.99},
    '{"fees": {"a": "0.5", "b": 2}}': {"fees": {"a": 0.5, "b": 2.0}},
}
ROUNDED = {'{"paid": "1.005"}': 1.01, '{"paid": "1.005", "at": 5}': 1.01, '{"paid": 1.005}': 1.01}
FIT = ('{"paid": 1.1, "at": "2026-11-23T10:00:00Z", "note": "1.10", "fees": {"a": 2, "b": "x"}}', '{"paid": null}')


@pytest.fixture(scope="module")
def spark(stack: Any) -> Iterator[Any]:
    session = connect(stack.spark)
    yield session
    release(session)


def read(spark: Any, records: Sequence[str], kind: StructType = KIND) -> list[Any]:
    """For each record, in order, whether it is read a second time, its values, and the places that do not fit."""
    table = TablePlan(
        "v",
        "t",
        {},
        Window(()),
        PartRead("text", STRING),
        PartRead("json", kind),
        columns=(("paid", "weir_value.paid"),),
        watched=tuple((place, place) for place in PLACES),
    )
    rows = ", ".join(f"({number}, CAST({literal(each)} AS BINARY))" for number, each in enumerate(records))
    frame = spark.sql(f"SELECT no, value, CAST(NULL AS BINARY) AS key FROM VALUES {rows} AS t(no, value)")
    exact = reading.read(frame, table, avro=False, exact=True)
    kind_of_first = f"typeof(weir_value.{kind.fields[0][0]}) AS type"
    shown = "CAST(weir_value AS STRING) AS shown"
    columns = (
        "weir_odd_value AS odd",
        "to_json(weir_value) AS value",
        "weir_slips_value AS slips",
        kind_of_first,
        shown,
    )
    return list(exact.orderBy("no").selectExpr(*columns).collect())


def test_a_number_is_no_time_and_a_text_no_decimal_unless_it_is_a_plain_number(spark: Any) -> None:
    rows = read(spark, [*UNFIT])
    assert [[PLACES[at] for at in row.slips] for row in rows] == [[place] for place in UNFIT.values()]
    assert [json.loads(row.value).get("paid") for row in rows] == [None] * len(UNFIT)
    assert [json.loads(row.value) for row in rows if "at" in row.value] == []


def test_money_that_is_sent_as_text_is_a_decimal(spark: Any) -> None:
    rows = read(spark, [*FIT_AS_TEXT])
    assert [json.loads(row.value) for row in rows] == [*FIT_AS_TEXT.values()]
    assert [row.odd for row in rows[:3]] == [False] * 3
    # The same beside a value that does not fit, for which the record is read a second time.
    beside = [f'{{"at": 5, {record[1:]}' for record in FIT_AS_TEXT]
    assert [json.loads(row.value) for row in read(spark, beside)] == [*FIT_AS_TEXT.values()]


def test_a_decimal_with_more_digits_is_rounded_and_counted_as_text_and_as_number(spark: Any) -> None:
    rows = read(spark, [*ROUNDED])
    assert [json.loads(row.value)["paid"] for row in rows] == [*ROUNDED.values()]
    assert all(PLACES.index("value.paid") in row.slips for row in rows)


def test_values_of_their_own_form_are_read_once(spark: Any) -> None:
    rows = read(spark, FIT, parse_ddl("paid DECIMAL(10,2), at TIMESTAMP, note STRING, fees MAP<STRING, STRING>"))
    assert [row.odd for row in rows] == [False, False]
    assert json.loads(rows[0].value)["paid"] == 1.1


def test_keys_of_maps_have_their_types(spark: Any) -> None:
    records = [
        '{"ages": {"7": "a", "-1": null}, "flags": {"true": 1, "false": 2}}',
        '{"who": {"days": [{"2026-11-23": {"2026-11-23T10:00:00Z": 1.5}}, null]}}',
        '{"ages": {"7": "a", "x": "b"}}',
        '{"ages": null, "who": {"days": {}}}',
    ]
    rows = read(spark, records, MAPS)
    assert [row.shown for row in rows] == [
        "{{-1 -> null, 7 -> a}, {false -> 2, true -> 1}, null}",
        "{null, null, {[{2026-11-23 -> {2026-11-23 10:00:00 -> 1.50}}, null]}}",
        "{{7 -> a}, null, null}",
        "{null, null, {null}}",
    ]
    assert [row.type for row in rows] == ["map<int,string>"] * 4
    assert [list(row.slips) for row in rows] == [[], [], [PLACES.index("value.ages")], []]


def test_rows_of_a_view_have_maps_with_typed_keys(spark: Any) -> None:
    kind = parse_ddl("flags MAP<BOOLEAN, INT>")
    table = TablePlan(
        "v",
        "t",
        {},
        Window(()),
        PartRead("text", STRING),
        PartRead("json", kind),
        columns=(("flags", "weir_value.flags"),),
        rows=Rows("weir-generation", "1-a", True, ("id",), "weir-key"),
    )
    source = spark.sql(
        "SELECT CAST('k' AS BINARY) AS key, CAST('{\"flags\": {\"true\": 1}}' AS BINARY) AS value, 't' AS topic, 0 AS partition,"
        " 0L AS offset, current_timestamp() AS timestamp, CAST(array() AS ARRAY<STRUCT<key: STRING, value: BINARY>>) AS headers"
    )
    assert [row.flags for row in GovernedViews().governed(table, False, source).collect()] == [{True: 1}]
