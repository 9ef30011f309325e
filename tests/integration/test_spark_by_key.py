"""Keys of records that replace one another, on the real engine: which records a view takes, which it skips and which end it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from catalog.adapters.spark_connect import connect, release
from catalog.datatypes import STRING, DataType, Primitive, parse_ddl
from policies.adapters.spark.governed_views import GovernedViews
from policies.plan.model import ByKey, PartRead, TablePlan, Window
from views.adapters.spark_failures import failure

pytestmark = pytest.mark.integration

BIGINT = Primitive("BIGINT")
STORED = (
    "key BINARY, value BINARY, headers ARRAY<STRUCT<key: STRING, value: BINARY>>, partition INT, offset BIGINT,"
    " timestamp TIMESTAMP"
)


@pytest.fixture(scope="module")
def session(stack: Any) -> Iterator[Any]:
    session = connect(stack.spark)
    session.conf.set("spark.sql.ansi.enabled", "false")
    yield session
    release(session)


def taken(
    session: Any,
    value: str,
    key: DataType,
    records: Sequence[tuple[str | bytes | None, Mapping[str, Any] | None]],
    *filters: str,
) -> list[list[Any]]:
    """`id`, `_key` and whether it is gone, of each record that the view takes."""
    kind = parse_ddl(value)
    of_key = [("id", "weir_key.`id`", "BIGINT")] if not isinstance(key, Primitive) else [("id", "weir_key", key.name)]
    fields = tuple(of_key) if any(name == "id" for name, _ in kind.fields) else ()
    shown = "weir_value.`id`" if fields else "CAST(NULL AS STRING)"
    columns = (("id", shown), ("_key", "to_json(struct(weir_key))"), ("gone", "weir_raw IS NULL"))
    part = PartRead("text" if key == STRING else "json", key)
    table = TablePlan(
        "v", "prices", {}, Window(()), part, PartRead("json", kind), filters, columns=columns, by_key=ByKey(fields)
    )
    rows: list[tuple[Any, ...]] = [
        (k.encode() if isinstance(k, str) else k, json.dumps(v).encode() if v is not None else None, [], 3, n, None)
        for n, (k, v) in enumerate(records)
    ]
    frame = session.createDataFrame(rows, STORED)
    rows_taken = GovernedViews().governed(table, False, frame, exact=True).collect()
    return [[row["id"], row["gone"]] for row in rows_taken]


@pytest.mark.parametrize(
    ("value", "key", "records", "expected"),
    [
        ("id BIGINT", STRING, [("1", {"id": 1}), ("1", None)], [[1, False], [1, True]]),
        ("id STRING", BIGINT, [("1", {"id": "1"}), ("1", None)], [["1", False], ["1", True]]),
        ("id INT", BIGINT, [("1", {"id": 1}), ("5000000000", None)], [[1, False]]),
        ("id DOUBLE", Primitive("DOUBLE"), [("1.5", {"id": 1.5}), ("1.5", None)], [[1.5, False], [1.5, True]]),
        ("id BIGINT", parse_ddl("id BIGINT"), [('{"id": 1}', {"id": 1}), ('{"id": 1}', None)], [[1, False], [1, True]]),
        ("id BIGINT", parse_ddl("id BIGINT"), [('{"id": null}', {"x": 1})], [[None, False]]),
        # A record that deletes what cannot be here takes nothing away.
        ("id BIGINT", STRING, [("1", {"id": 1}), ("01", None), (" 1", None), ("a", None)], [[1, False]]),
        ("n INT", BIGINT, [("1", {"n": 1}), (" 1", None), ("a", None), ("1", None)], [[None, False], [None, True]]),
        ("n INT", STRING, [("a", {"n": 1}), (b"\xff", None)], [[None, False]]),
    ],
)
def test_records_with_their_own_key(session: Any, value: str, key: DataType, records: Any, expected: Any) -> None:
    assert taken(session, value, key, records) == expected


@pytest.mark.parametrize(
    ("value", "key", "record", "field"),
    [
        ("id BIGINT", STRING, ("01", {"id": 1}), "id"),
        ("id BIGINT", STRING, (" 1", {"id": 1}), "id"),
        ("id BIGINT", STRING, ("1", {"x": 1}), "id"),
        ("id BIGINT", STRING, ("a", {"x": 1}), "id"),
        ("id BIGINT", STRING, ("1", {"id": None}), "id"),
        ("id STRING", BIGINT, ("1", {"id": "01"}), "id"),
        ("id STRING", STRING, ("a", {"id": "A"}), "id"),
        ("id BIGINT", STRING, (None, {"id": 1}), "id"),
        ("id BIGINT", parse_ddl("id BIGINT"), ('{"id": 2}', {"id": 1}), "id"),
        ("n INT", BIGINT, (" 1", {"n": 1}), "_key"),
        ("n INT", BIGINT, ("a", {"n": 1}), "_key"),
        ("n INT", STRING, (b"\xff", {"n": 1}), "_key"),
    ],
)
def test_a_record_with_another_key_ends_the_view(
    session: Any, value: str, key: DataType, record: Any, field: str
) -> None:
    with pytest.raises(Exception, match="weir-other-key") as ended:
        taken(session, value, key, [record])
    shown = failure(str(ended.value))
    assert shown.details["field"] == field and shown.details["offset"] == 0 and shown.details["partition"] == 3
    assert (
        "cannot be read" if field == "_key" else "is not its id"
    ) in shown.message and "compactedAs: stream" in shown.message


def test_a_record_that_a_filter_hides_is_compared_with_nothing(session: Any) -> None:
    records = [("1", {"id": 1, "n": 1}), ("1", {"id": 9, "n": 0}), ("01", {"id": 1, "n": 0})]
    assert taken(session, "id BIGINT, n INT", STRING, records, "weir_value.`n` = 1") == [[1, False], [1, True]]
