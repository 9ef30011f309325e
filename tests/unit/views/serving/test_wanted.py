"""From the parameters of a request to the rows that are asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.datatypes import parse_ddl
from catalog.errors import InvalidInput
from views.model import Column, identity
from views.row_ports import Comparison
from views.serving.masked import type_name
from views.serving.wanted import RowQuestion, read_wanted
from views.serving.where.bounds import met_by

COLUMNS = [
    Column(name, type_name(kind), kind)
    for name, kind in parse_ddl(
        "region STRING, window_start TIMESTAMP, total DECIMAL(12,2), n BIGINT, small TINYINT, ratio DOUBLE, "
        "f FLOAT, ok BOOLEAN,"
        " day DATE, local TIMESTAMP_NTZ, raw BINARY, who STRUCT<name: STRING>, tags ARRAY<STRING>, `Odd name` STRING,"
        " odd STRING, Odd INT"
    ).fields
]


def asked(key: str, /, **parameters: Any) -> RowQuestion:
    given = {name.rstrip("_"): value if isinstance(value, list) else [value] for name, value in parameters.items()}
    return read_wanted(given, COLUMNS, key.split(), 100, 1000)


def keys(key: str, /, **parameters: Any) -> Any:
    answer = asked(key, **parameters).wanted.keys
    return None if answer is None else [json.loads(each) for each in answer]


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("region", "EU", ["EU"]), ("region", "12", ["12"]), ("region", "", None), ("region", "a,b", ["a,b"]),
        ("region", '["EU"]', ["EU"]),
        ("region", "[EU]", ["[EU]"]), ("region", '"EU"', ['"EU"']), ("region", " EU", [" EU"]), ("region", "null", ["null"]),
        ("region", "[null]", [None]), ("region", "ä😀", ["ä😀"]),
        ("n", "12", [12]), ("n", "-9223372036854775808", [-(2**63)]), ("n", "+7", [7]), ("n", "12.0", [12]),
        ("n", "[12]", [12]),
        ("n", "[12.0]", [12]), ("n", '["12"]', [12]), ("n", "[null]", [None]), ("small", "127", [127]),
        ("total", "10.5", ["10.50"]), ("total", "-0", ["0.00"]), ("total", "1e2", ["100.00"]), ("total", "[10.5]", ["10.50"]),
        ("ratio", "1", [1.0]), ("ratio", "nan", ["NaN"]), ("ratio", "-Infinity", ["-Infinity"]), ("ratio", "[NaN]", ["NaN"]),
        ("f", "1.10000002", [1.1]), ("ok", "TRUE", [True]), ("ok", "[false]", [False]), ("day", "2026-11-23", ["2026-11-23"]),
        ("window_start", "2026-11-23 10:00", ["2026-11-23T10:00:00Z"]),
        ("window_start", "2026-11-23T12:00:00+02:00", ["2026-11-23T10:00:00Z"]),
        ("window_start", "2026-11-23T10:00:00.5Z", ["2026-11-23T10:00:00.500000Z"]),
        ("window_start", "2026-11-23", ["2026-11-23T00:00:00Z"]),
        ("local", "2026-11-23 10:00", ["2026-11-23T10:00:00"]), ("raw", "AAE=", ["AAE="]),
        ("who", '[{"name": "a"}]', [{"name": "a"}]),
        ("region window_start", '["EU", "2026-11-23 10:00"]', ["EU", "2026-11-23T10:00:00Z"]),
        ("region n", "EU,5", ["EU", 5]), ("region n", '"a,b",5', ["a,b", 5]), ("region n", ["EU", "5"], ["EU", 5]),
        ("region n", ["a,b", "5"], ["a,b", 5]),
    ],
)  # fmt: skip
def test_one_key(key: str, text: Any, expected: list[Any] | None) -> None:
    if expected is None:
        assert keys(key, key=text) == [[text]]
        return
    assert keys(key, key=text) == [expected]


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("region", "EU,US", [["EU"], ["US"]]), ("region", '["EU","US"]', [["EU"], ["US"]]),
        ("region", '[["EU"],"US"]', [["EU"], ["US"]]),
        ("region", '"a,b",c', [["a,b"], ["c"]]), ("region", "EU,EU", [["EU"]]), ("n", "1, 2", [[1], [2]]), ("region", "[]", []),
        ("region n", '[["EU",1],["US",2]]', [["EU", 1], ["US", 2]]), ("n", "1,1.0,[1]", InvalidInput),
    ],
)  # fmt: skip
def test_several_keys(key: str, text: str, expected: Any) -> None:
    if expected is InvalidInput:
        with pytest.raises(InvalidInput):
            keys(key, keys=text)
        return
    assert keys(key, keys=text) == expected


@pytest.mark.parametrize(
    ("key", "text", "prefix", "begins"),
    [
        ("region n", "E", ("E",), True), ("region n", '["E"]', ("E",), False), ("region n", '["E", "5"]', ("E", 5), False),
        ("n region", "5", (5,), False), ("region", "", ("",), True), ("region n", "[E", ("[E",), True),
        ("region n", "[]", (), False),
    ],
)  # fmt: skip
def test_prefixes(key: str, text: str, prefix: tuple[Any, ...], begins: bool) -> None:
    answer = asked(key, prefix=text).wanted
    assert (answer.prefix, answer.begins, answer.keys) == (prefix, begins, None)


def test_bounds_narrow_and_are_compared_exactly() -> None:
    answer = asked("n", from_="3", to="7")
    assert (answer.wanted.low, answer.wanted.high) == (3, 7)
    assert answer.comparisons == (Comparison("n", ">=", 3), Comparison("n", "<=", 7))
    answer = asked("window_start", from_="2026-11-23 10:00", to="2026-11-23T11:00Z")
    low, high = str(answer.wanted.low), str(answer.wanted.high)
    rows = [
        f"2026-11-23T{t}Z"
        for t in ("10:00:00", "10:00:00.000001", "11:00:00", "11:00:00.5", "09:59:59.999999", "10:30:00")
    ]
    check = met_by(answer.comparisons, COLUMNS)
    met = [each for each in rows if check({"window_start": each})]
    assert met == [rows[0], rows[1], rows[2], rows[5]] and all(low <= each <= high for each in met)
    for key in ("total", "ratio", "raw"):
        wanted = asked(key, from_="AAE=" if key == "raw" else "9.5").wanted
        assert (wanted.low, wanted.high) == (None, None), "the table's order of texts is not theirs"
    assert met_by(asked("total", from_="9.5").comparisons, COLUMNS)({"total": "10.00"})


def test_a_refusal_of_a_key_names_no_value() -> None:
    with pytest.raises(InvalidInput) as caught:
        asked("n", key="Anna Keller")
    assert (
        caught.value.details == {"field": "key", "name": "n", "type": "bigint"} and "Anna" not in caught.value.message
    )


def test_bounds_and_where_count_together() -> None:
    check = asked("n", from_="3", where="n < 7 OR region = 'EU'").check(COLUMNS)
    rows = [{"n": n, "region": region} for n in (1, 5, 9) for region in ("EU", None)]
    assert [tuple(each.values()) for each in rows if check(each)] == [(5, "EU"), (5, None), (9, "EU")]


@pytest.mark.parametrize(
    ("key", "parameters", "named"),
    [
        ("n", {"key": "x"}, "key has a value for the column n that cannot be a bigint"),
        ("n", {"key": "1.5"}, "cannot be a bigint"),
        ("n", {"key": "true"}, "cannot be a bigint"),
        ("n", {"key": "[true]"}, "cannot be a bigint"), ("n", {"key": str(2**63)}, "cannot be a bigint"),
        ("n", {"key": ""}, "cannot be a bigint"),
        ("n", {"key": "1_0"}, "cannot be a bigint"),
        ("n", {"key": "٣"}, "cannot be a bigint"), ("total", {"key": "1_0"}, "cannot be a decimal"),
        ("total", {"key": "NaN"}, "cannot be a decimal"),
        ("total", {"key": "1e999999"}, "cannot be a decimal"),
        ("total", {"key": "99999999999.00"}, "cannot be a decimal"), ("ratio", {"key": "1e999"}, "cannot be a double"),
        ("f", {"key": "1e39"}, "cannot be a float"),
        ("day", {"key": "2026-02-30"}, "cannot be a date"),
        ("local", {"key": "2026-01-01T00:00:00Z"}, "cannot be a timestamp_ntz"),
        ("raw", {"key": "?"}, "cannot be a binary"),
        ("region", {"key": "[5]"}, "cannot be a string"),
        ("region n", {"key": "EU"}, "1 values, and the key has 2 columns (region, n)"),
        ("region n", {"key": '["EU"]'}, "1 values"), ("region n", {"key": ["EU", "1", "2"]}, "3 values"),
        ("region n", {"keys": "EU,1"}, "JSON list of lists"),
        ("region n", {"keys": '["EU", 1]'}, "1 values"), ("region n", {"key": '"EU,1'}, "double quote"),
        ("n", {"key": "1", "keys": "1"}, "one of them"),
        ("n", {"prefix": "[1,2]"}, "2 values"), ("n", {"from_": "x"}, "from has a value"),
        ("who", {"to": "x"}, "need an order"),
        ("", {"key": "1"}, "keeps each row"), ("hidden n", {"key": "1"}, "hidden, which you may not see"),
        ("n hidden", {"prefix": "[1]"}, "hidden"),
        ("hidden", {"from_": "1"}, "hidden"), ("n", {"limit": "0"}, "1 to 1000"), ("n", {"limit": "1001"}, "1 to 1000"),
        ("n", {"limit": "x"}, "1 to 1000"),
        ("n", {"limit": "²"}, "1 to 1000"), ("n", {"limit": ["1", "2"]}, "once"), ("n", {"where": ["n = 1", "n = 2"]}, "once"),
    ],
)  # fmt: skip
def test_bad_parameters(key: str, parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        asked(key, **parameters)
    assert named in caught.value.message
    assert caught.value.details["field"] in {name.rstrip("_") for name in parameters}


def test_nothing_asked_is_all() -> None:
    assert asked("n") == RowQuestion(asked("").wanted, (), 100) and asked("n").wanted.keys is None
    assert asked("n", limit="5", cursor="abc").limit == 5
    assert asked("n", other="x", limit=[]).limit == 100


@given(
    st.sampled_from(["key", "keys", "prefix", "from", "to", "where", "limit"]),
    st.text(max_size=20),
    st.sampled_from(["n", "region n", "total", "day", "window_start", "raw", "who", "ok", "ratio", ""]),
)
def test_any_text_is_read_or_refused_in_a_sentence(parameter: str, text: str, key: str) -> None:
    try:
        read_wanted({parameter: [text]}, COLUMNS, key.split(), 100, 1000)
    except InvalidInput as refused:
        assert refused.message.endswith(".") and refused.details["field"] == parameter


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True))
def test_a_json_list_names_any_texts(texts: list[str]) -> None:
    assert asked("region", keys=json.dumps(texts)).wanted.keys == tuple(identity([each]) for each in texts)


ORDERED: dict[str, list[Any]] = {
    "n": [-5, 0, 7], "total": ["-1.00", "9.50", "10.00"], "ratio": ["-Infinity", -1.0, 0.5, 1e300, "Infinity", "NaN"],
    "ok": [False, True],
    "day": ["-0044-03-15", "0999-01-01", "2026-01-01", "+12026-01-01"], "region": ["", "Z", "a", "ä", "\uffff", "😀"],
    "window_start": ["-0001-01-01T00:00:00Z", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000001Z", "2026-01-01T10:00:01Z",
    "+10000-01-01T00:00:00Z"],
    "raw": ["", "AA==", "AAA=", "/w=="],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERED)
def test_values_compare_as_their_type_does(name: str) -> None:
    values = ORDERED[name]
    for op, expected in (
        ("<", lambda a, b: a < b),
        ("=", lambda a, b: a == b),
        (">=", lambda a, b: a >= b),
        ("!=", lambda a, b: a != b),
    ):
        for i, left in enumerate(values):
            for j, right in enumerate(values):
                met = met_by([Comparison(name, op, right)], COLUMNS)({name: left})
                assert met == expected(i, j), (left, op, right)
    assert not met_by([Comparison(name, "!=", values[0])], COLUMNS)({name: None}), "NULL compares with nothing"
