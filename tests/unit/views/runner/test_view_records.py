"""Records of a view's topic as rows: forms of values, keys, and what is counted instead of read."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from views.model import identity
from views.ports import ViewRecord
from views.runner.records import SINGLE, Reader
from views.runner.result import columns_of

COLUMNS = columns_of(
    [
        ("id", "string"),
        ("n", "bigint"),
        ("price", "decimal(12,2)"),
        ("ratio", "double"),
        ("at", "timestamp"),
        ("who", "struct<name:string,born:date,spent:decimal(38,10)>"),
        ("tags", "array<timestamp>"),
        ("counts", "map<string,decimal(5,1)>"),
    ]
)


def record(
    value: dict[str, Any] | None, key: dict[str, Any] | None = None, generation: str = "1-a", offset: int = 0
) -> ViewRecord:
    text = None if value is None else json.dumps(value).encode()
    return ViewRecord(0, offset, text, generation, None if key is None else json.dumps(key).encode())


def test_values_have_the_forms_of_an_answer_to_a_query() -> None:
    raw = (
        b'{"id":"a","n":9223372036854775807,"price":12.50,"ratio":0.1,"at":"2026-11-23T10:00:00.000000Z",'
        b'"who":{"name":null,"born":"1969-07-20","spent":1E-7},"tags":["2026-11-23T10:00:00.250000Z",null],'
        b'"counts":{"x":1.0}}'
    )
    rows, gone = Reader("1-a", COLUMNS, ["id"]).rows([ViewRecord(0, 7, raw, "1-a")])
    assert gone == [] and rows[0].key == '["a"]' and rows[0].offset == 7
    assert rows[0].values == {
        "id": "a",
        "n": 9223372036854775807,
        "price": "12.50",
        "ratio": 0.1,
        "at": "2026-11-23T10:00:00Z",
        "who": {"name": None, "born": "1969-07-20", "spent": "0.0000001"},
        "tags": ["2026-11-23T10:00:00.250000Z", None],
        "counts": {"x": "1.0"},
    }


def test_numbers_that_are_none_stay_texts() -> None:
    values = {"id": "a", "ratio": "NaN"}
    (row,), _ = Reader("1-a", COLUMNS, ["id"]).rows([record(values)])
    assert row.values["ratio"] == "NaN" and row.values["price"] is None


def test_the_newest_record_of_a_key_counts_and_a_tombstone_ends_it() -> None:
    reader = Reader("1-a", COLUMNS, ["id"])
    rows, gone = reader.rows(
        [
            record({"id": "a", "n": 1}),
            record({"id": "a", "n": 2}, offset=1),
            record({"id": "b", "n": 1}, offset=2),
            record(None, {"id": "b"}, offset=3),
            record(None, {"id": "c"}, offset=4),
            record({"id": "c", "n": 5}, offset=5),
        ]
    )
    assert {row.key: row.values["n"] for row in rows} == {'["a"]': 2, '["c"]': 5} and gone == ['["b"]']


def test_records_of_other_generations_and_broken_ones_are_counted() -> None:
    reader = Reader("2-b", COLUMNS, ["id"])
    broken = [
        ViewRecord(0, 0, b"{", "2-b"),
        ViewRecord(0, 1, b"[1]", "2-b"),
        ViewRecord(0, 2, None, "2-b"),
        ViewRecord(0, 3, b'{"id":"a","price":"x"}', "2-b"),
    ]
    rows, gone = reader.rows([record({"id": "a"}), *broken, record({"id": "ok"}, generation="2-b")])
    assert [row.key for row in rows] == ['["ok"]'] and gone == []
    assert (reader.foreign, reader.unread) == (1, 4)


def test_without_a_key_each_record_is_a_row_and_a_single_row_has_one_key() -> None:
    records = [record({"id": "a"}), record({"id": "a"}, offset=1)]
    rows, _ = Reader("1-a", COLUMNS, []).rows(records)
    assert [row.key for row in rows] == ["[0,0]", "[0,1]"]
    placed = [ViewRecord(0, n, b'{"id":"a"}', "1-a", None, place) for n, place in enumerate(["7,1", "7,2", "7,x"])]
    rows, _ = Reader("1-a", COLUMNS, []).rows(placed)
    assert [row.key for row in rows] == ["[7,1,0,0]", "[7,2,0,1]", "[0,2]"]
    rows, _ = Reader("1-a", COLUMNS, [], single=True).rows(records)
    assert [row.key for row in rows] == [SINGLE]


@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.text()), min_size=1, max_size=4))
def test_keys_are_distinct_texts_that_can_be_read_back(values: list[object]) -> None:
    assert json.loads(identity(values)) == values


PLAIN = columns_of(
    [
        ("id", "bigint"),
        ("ratio", "double"),
        ("name", "string"),
        ("ok", "boolean"),
        ("more", "map<string,array<double>>"),
    ]
)
DIGITS = columns_of([*((each.name, each.type) for each in PLAIN), ("price", "decimal(5,2)")])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    ["NaN", "Infinity", 1e-320, -0.0, 1e16, 5.0]
)


@given(
    st.integers(-(2**63), 2**63 - 1),
    NUMBERS,
    st.text() | st.just("half \ud800"),
    st.booleans(),
    st.dictionaries(st.text(max_size=3), st.lists(NUMBERS | st.none(), max_size=3), max_size=3),
    st.booleans(),
)
def test_both_readers_read_alike(
    number: int, ratio: float | str, name: str, ok: bool, more: dict[str, list[float | None]], ascii_only: bool
) -> None:
    """Without a decimal among the columns, records are read by the faster reader."""
    value = {"id": number, "ratio": ratio, "name": name, "ok": ok, "more": more}
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    fast, exact = (Reader("g", columns, ["id"]).rows([ViewRecord(0, 0, text, "g")])[0] for columns in (PLAIN, DIGITS))
    assert len(fast) == len(exact)
    for one, other in zip(fast, exact, strict=True):
        assert one.key == other.key and repr({**one.values, "price": None}) == repr(dict(other.values))


def test_keys_of_maps_are_the_texts_of_an_answer_to_a_query() -> None:
    kinds = {
        "boolean": ("true", "true"),
        "timestamp": ("2026-11-23 10:00:00.5", "2026-11-23T10:00:00.500000Z"),
        "timestamp_ntz": ("1969-12-31 23:59:59", "1969-12-31T23:59:59"),
        "double": ("1.0E308", "1e+308"),
        "float": ("NaN", "NaN"),
        "decimal(10,8)": ("1.00E-6", "0.00000100"),
        "date": ("-0044-03-15", "-0044-03-15"),
        "string": ("2026-11-23 10:00:00", "2026-11-23 10:00:00"),
    }
    columns = columns_of([(f"c{number}", f"map<{kind},int>") for number, kind in enumerate(kinds)])
    written = {f"c{number}": {text: 1} for number, (text, _) in enumerate(kinds.values())}
    (row,), _ = Reader("1-a", columns, []).rows([record(written)])
    assert row.values == {f"c{number}": {shown: 1} for number, (_, shown) in enumerate(kinds.values())}
