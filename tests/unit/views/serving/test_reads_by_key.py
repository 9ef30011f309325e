"""Reads by key from a table in SQLite, each written as an address; the answers were worked out by hand from the ten rows."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.datastructures import QueryParams

from catalog.datatypes import parse_ddl
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect
from views.adapters.serving_sql import SqlServingTable
from views.model import Column, Row, identity
from views.serving.cursors import Cursors
from views.serving.masked import masked_view, type_name
from views.serving.page import Page, read_page
from views.serving.wanted import read_wanted

DDL = "region STRING, day DATE, n INT, total DECIMAL(20,2), at TIMESTAMP, note STRING, ratio DOUBLE, ok BOOLEAN, refresh STRING"
ROWS: list[tuple[Any, ...]] = [
    # In the order of the key: NULL, then texts by code point.
    (None, "2026-01-01", 4, "100.00", "2026-01-01T00:00:00Z", "it's", 0.5, True, "daily"),
    ("", "2026-01-01", 5, "0.00", None, "a,b", -1.0, False, None),
    ("E", "2026-01-03", 6, "-0.50", "2026-01-03T10:00:00.500000Z", "ä", "NaN", None, "never"),
    ("EU", None, 3, None, "2026-01-02T00:00:00Z", "", None, True, None),
    ("EU", "2026-01-01", 1, "10.00", "2026-01-01T10:00:00Z", "a", 1.5, True, "daily"),
    ("EU", "2026-01-02", 2, "12345678901234567.89", "2026-01-01T10:00:00.000001Z", None, "Infinity", False, None),
    ("EU-West", "2026-02-01", 7, "9.99", "2026-02-01T23:59:59Z", '"q"', 2.0, None, None),
    ("a/b?c&d=e", "2026-01-01", 8, "1.00", "2025-12-31T23:00:00Z", "100%", 1e300, True, None),
    ("eu", "2026-01-01", 10, "2.00", "2026-01-01T10:00:00Z", "x+y", 0.1, False, None),
    ("日本", "2026-01-01", 9, "3.00", "2026-01-01T10:00:00Z", "[1]", 0.0, True, None),
]  # fmt: skip
ALL = [4, 5, 6, 3, 1, 2, 7, 8, 10, 9]
KEY = ("region", "day")
COLUMNS = [Column(name, type_name(kind), kind) for name, kind in parse_ddl(DDL).fields]
BY_PARTS = {
    "by_total": ("total",), "by_at": ("at",), "by_n": ("n",), "by_ratio": ("ratio",), "by_ok_n": ("ok", "n"),
}  # fmt: skip
KEYS = MaskKeys(b"k" * 32)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlServingTable]:
    table = SqlServingTable(f"sqlite:///{tmp_path_factory.mktemp('views')}/views.db")
    named = [dict(zip((each.name for each in COLUMNS), row, strict=True)) for row in ROWS]
    for view, key in {"stays": KEY, **BY_PARTS}.items():
        table.prepare(view, "1")
        table.write(view, "1", [Row(identity([row[each] for each in key]), row, row["n"]) for row in named], [], {0: 9})
    yield table
    table.close()


def page(table: SqlServingTable, address: str, view: str = "stays") -> Page:
    given = QueryParams(address)
    key = BY_PARTS.get(view, KEY)
    asked = read_wanted({name: given.getlist(name) for name in given}, COLUMNS, key, 100, 1000)
    seen = [ColumnDecision(f"value.{each.name}", Effect.ALLOW, None) for each in COLUMNS]
    masked = masked_view(COLUMNS, Decision(DatasetId("kafka", "stays"), "prod/stays", Effect.ALLOW, seen), KEYS)
    return read_page(table, view, "1", key, asked, masked, Cursors(KEYS))


def numbers(answer: Page) -> list[object]:
    at = [each.name for each in COLUMNS].index("n")
    return [row[at] for row in answer.rows]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("", ALL), ("limit=3", ALL[:3]), ("limit=1000", ALL), ("limit=10", ALL), ("limit=001", ALL[:1]),
        # One key: joined, listed, in parts, encoded in several ways.
        ("key=EU,2026-01-01", [1]), ("key=EU%2C2026-01-01", [1]), ("key=EU&key=2026-01-01", [1]),
        ("key=[%22EU%22,%222026-01-01%22]", [1]), ("key=%5B%22EU%22%2C%20%222026-01-01%22%5D", [1]), ("key=EU,20260101", [1]),
        ("key=[%22EU%22,null]", [3]), ("key=[null,%222026-01-01%22]", [4]), ("key=,2026-01-01", [5]),
        ("key=&key=2026-01-01", [5]), ("key=eu,2026-01-01", [10]), ("key=EU,2026-01-03", []),
        ("key=a%2Fb%3Fc%26d%3De,2026-01-01", [8]), ("key=a/b?c%26d=e,2026-01-01", [8]),
        ("key=%E6%97%A5%E6%9C%AC,2026-01-01", [9]), ("key=日本,2026-01-01", [9]), ("key=EU%20,2026-01-01", []),
        ("key=EU,%202026-01-01", [1]), ("key=null,2026-01-01", []), ("key=%22EU%22,2026-01-01", [1]),
        # Several.
        ("keys=[[%22EU%22,%222026-01-01%22],[%22eu%22,%222026-01-01%22]]", [1, 10]),
        ("keys=[[%22eu%22,%222026-01-01%22],[%22EU%22,%222026-01-01%22],[%22EU%22,%222026-01-01%22]]", [1, 10]),
        ("keys=[[null,%222026-01-01%22],[%22EU%22,null],[%22no%22,null]]", [4, 3]), ("keys=[]", []),
        ("keys=[[%22EU%22,%222026-01-01%22]]&where=n%20=%202", []),
        # Prefixes and ranges.
        ("prefix=EU", [3, 1, 2, 7]), ("prefix=[%22EU%22]", [3, 1, 2]), ("prefix=[%22EU%22,null]", [3]), ("prefix=[null]", [4]),
        ("prefix=", [5, 6, 3, 1, 2, 7, 8, 10, 9]), ("prefix=[]", ALL), ("prefix=%E6%97%A5", [9]), ("prefix=EU-", [7]),
        ("prefix=EU&limit=2", [3, 1]), ("from=EU", [3, 1, 2, 7, 8, 10, 9]), ("to=EU", [5, 6, 3, 1, 2]),
        ("from=EU&to=EU", [3, 1, 2]),
        ("from=F&to=E", []), ("from=&to=", [5]), ("prefix=E&from=EU&to=EU", [3, 1, 2]), ("from=eu", [10, 9]),
        # Comparisons.
        ("where=n%20%3E%3D%208", [8, 10, 9]), ("where=n+IN+(1,+2,+99)", [1, 2]), ("where=n%20BETWEEN%203%20AND%205", [4, 5, 3]),
        ("where=note='it''s'", [4]), ("where=note%20=%20'it%5C's'", [4]), ("where=note=%22a%22", [1]), ("where=note=''", [3]),
        ("where=note+IS+NULL", [2]), ("where=note+IS+NOT+NULL+AND+n+<+4", [3, 1]), ("where=note='x%2By'", [10]),
        ("where=note='100%25'", [8]), ("where=total+=+12345678901234567.89", [2]), ("where=total+<+0", [6]),
        ("where=total+<>+0+AND+total+<=+1", [6, 8]), ("where=total+=+10", [1]), ("where=ratio+=+'NaN'", [6]),
        ("where=ratio+>+1e299", [6, 2, 8]), ("where=ok+=+true+AND+region+=+'EU'", [3, 1]), ("where=ok+!=+true", [5, 2, 10]),
        ("where=at+>+'2026-01-01T10:00:00Z'+AND+n+<+7", [6, 3, 2]), ("where=at+=+'2026-01-01T11:00:00%2B01:00'", [1, 10, 9]),
        ("where=at+=+'2026-01-01T11:00:00+01:00'", [1, 10, 9]), ("where=day+>=+DATE+'2026-01-02'", [6, 2, 7]),
        ("where=refresh+=+'daily'", [4, 1]), ("where=5+<=+n+AND+n+<=+7", [5, 6, 7]), ("where=REGION+=+'eu'", [10]),
        ("where=`note`+=+'a'", [1]), ("where=n+NOT+IN+(1,2,3,4,5)", [6, 7, 8, 10, 9]), ("where=(n+=+1+AND+ok+=+TRUE)", [1]),
    ],
)  # fmt: skip
def test_a_key_of_a_text_and_a_date(table: SqlServingTable, address: str, expected: list[int]) -> None:
    assert numbers(page(table, address)) == expected


@pytest.mark.parametrize(
    ("view", "address", "expected"),
    [
        ("by_total", "key=10", [1]), ("by_total", "key=10.00", [1]), ("by_total", "key=[10.0]", [1]), ("by_total", "key=-.5", [6]),
        ("by_total", "key=-0.5", [6]), ("by_total", "key=[null]", [3]), ("by_total", "key=12345678901234567.89", [2]),
        ("by_total", "key=[12345678901234567.89]", [2]), ("by_total", "key=0", [5]), ("by_total", "key=1e2", [4]),
        ("by_total", "keys=1,2.0,3.00", [8, 10, 9]), ("by_total", "from=2&to=10", [1, 10, 9, 7]),
        ("by_at", "key=2025-12-31T23:00:00Z", [8]), ("by_at", "key=2026-01-01", [4]),
        ("by_at", "key=2026-01-01T00:00:00+00:00", [4]),
        ("by_at", "key=2026-01-01T00:00:00%2B01:00", [8]), ("by_at", "key=2026-01-01T00:00:00+01:00", [8]),
        ("by_at", "key=2026-01-03T10:00:00.5Z", [6]), ("by_at", "from=2026-01-01T10:00:00.000001Z&to=2026-01-03T10:00:00Z", [2, 3]),
        ("by_at", "to=2025-12-31T23:00:00Z", [8]), ("by_at", "from=2026-02-01", [7]),
        ("by_n", "key=7", [7]), ("by_n", "key=%2B7", [7]), ("by_n", "key=+7", [7]), ("by_n", "key=7.0", [7]),
        ("by_n", "keys=9,1,7", [1, 7, 9]),
        ("by_n", "from=9", [9, 10]), ("by_n", "prefix=1", [1]), ("by_n", "from=-5&to=2", [1, 2]),
        ("by_ratio", "key=NaN", [6]), ("by_ratio", "key=inf", None), ("by_ratio", "key=Infinity", [2]),
        ("by_ratio", "key=1e300", [8]),
        ("by_ratio", "key=0.10", [10]), ("by_ratio", "key=-0", [9]), ("by_ratio", "key=2", [7]), ("by_ratio", "key=[null]", [3]),
        ("by_ok_n", "key=true,4", [4]), ("by_ok_n", "key=[null,7]", [7]), ("by_ok_n", "prefix=[false]", [2, 5, 10]),
        ("by_ok_n", "prefix=[true]&from=true&limit=2", [1, 3]),
    ],
)  # fmt: skip
def test_keys_of_other_types(table: SqlServingTable, view: str, address: str, expected: list[int] | None) -> None:
    if expected is None:
        with pytest.raises(InvalidInput):
            page(table, address, view)
        return
    assert numbers(page(table, address, view)) == expected


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("key=EU", "key"), ("key=EU,2026-13-01", "key"), ("key=a&key=b&key=c", "key"), ("key=EU,2026-01-01&keys=[]", "keys"),
        ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=-1", "limit"), ("limit=1.0", "limit"), ("limit=", "limit"),
        ("limit=1&limit=2", "limit"), ("cursor=x", "cursor"), ("where=", "where"), ("where=n+=+1+OR+n", "where"),
        ("where=nothing+=+1", "where"), ("where=n+=+'x'", "where"), ("where=note+=+5", "where"), ("where=n+=+NULL", "where"),
        ("where=n+=+1;n+=+2", "where"), ("where=note+=+'a", "where"), ("where=note+=+'a'+'b'", "where"), ("keys=EU", "keys"),
        ("prefix=[%22EU%22,%222026-01-01%22,1]", "prefix"), ("where=n+=+1+GROUP+BY+n", "where"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_name(table: SqlServingTable, address: str, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        page(table, address)
    assert refused.value.details["field"] == field


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("n = 1 OR n = 2", [1, 2]), ("n + total > 12", [4, 2, 7]), ("n = total * 5", [10]), ("upper(region) = 'EU'", [3, 1, 2, 10]),
        ("day IN (CAST('2026-02-01' AS DATE)) OR NOT ok", [5, 2, 7, 10]), ("total / n >= 10", [4, 1, 2]),
        ("coalesce(note, region) = 'EU' OR length(note) = 0", [3, 2]), ("CAST(at AS DATE) < day", [2, 8]),
    ],
)  # fmt: skip
def test_conditions_over_columns(table: SqlServingTable, where: str, expected: list[int]) -> None:
    assert numbers(page(table, urlencode({"where": where}))) == expected


@pytest.mark.parametrize("conditions", ["", "prefix=E", "where=n+>+2", "from=E&to=eu"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_join_to_the_whole(table: SqlServingTable, conditions: str, limit: int) -> None:
    whole, joined, cursor = numbers(page(table, conditions)), [], ""
    for _ in range(20):
        one = page(table, f"{conditions}&limit={limit}{cursor}")
        joined += numbers(one)
        if one.next is None:
            break
        cursor = f"&cursor={one.next}"
    assert joined == whole


def test_a_condition_is_in_no_log(table: SqlServingTable, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for name in ("refresh", "note"):
            page(table, f"where={name}+=+'Anna Keller'")
    assert "Keller" not in caplog.text
