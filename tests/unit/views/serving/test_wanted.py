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
from views.serving.comparisons import met_by, read_where
from views.serving.masked import type_name
from views.serving.wanted import Asked, read_wanted

COLUMNS = [
    Column(name, type_name(kind), kind)
    for name, kind in parse_ddl(
        "region STRING, window_start TIMESTAMP, total DECIMAL(12,2), n BIGINT, small TINYINT, ratio DOUBLE, "
        "f FLOAT, ok BOOLEAN,"
        " day DATE, local TIMESTAMP_NTZ, raw BINARY, who STRUCT<name: STRING>, tags ARRAY<STRING>, `Odd name` STRING,"
        " odd STRING, Odd INT"
    ).fields
]


def asked(key: str, /, **parameters: Any) -> Asked:
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("region = 'EU' AND total >= 10", [("region", "=", "EU"), ("total", ">=", "10.00")]),
        ("(n > -5 and n <> 7) AND n != 8", [("n", ">", -5), ("n", "!=", 7), ("n", "!=", 8)]),
        ("day < DATE '2026-01-02'", [("day", "<", "2026-01-02")]), ("day <= '2026-01-02'", [("day", "<=", "2026-01-02")]),
        ("window_start >= TIMESTAMP '2026-01-02 03:04:05'", [("window_start", ">=", "2026-01-02T03:04:05Z")]),
        ("ok = TRUE", [("ok", "=", True)]), ("ratio = 1e3", [("ratio", "=", 1000.0)]), ("n = 10L", [("n", "=", 10)]),
        ("REGION = 'it\\'s'", [("region", "=", "it's")]), ("`Odd name` = \"q\"", [("Odd name", "=", "q")]),
        ("Odd = 1", [("Odd", "=", 1)]),
        ("n == 1 -- comment", [("n", "=", 1)]),
        ("1 = n AND 5 < n AND -3 >= n", [("n", "=", 1), ("n", ">", 5), ("n", "<=", -3)]),
        ("n IN (1, -2, 3L)", [("n", "in", (1, -2, 3))]), ("region in ('a', 'b')", [("region", "in", ("a", "b"))]),
        ("total NOT IN (1, 2)", [("total", "!=", "1.00"), ("total", "!=", "2.00")]),
        ("n BETWEEN -1 AND 2 AND ok = true", [("n", ">=", -1), ("n", "<=", 2), ("ok", "=", True)]),
        ("n IS NULL", [("n", "is null", None)]), ("NOT n IS NULL", [("n", "is not null", None)]),
        ("who IS NOT NULL AND tags IS NULL", [("who", "is not null", None), ("tags", "is null", None)]),
    ],
)  # fmt: skip
def test_where(text: str, expected: list[Any]) -> None:
    assert read_where(text, COLUMNS) == [Comparison(*each) for each in expected]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("region = 'EU' OR n = 1", "OR of region, n"), ("NOT n = 1", "NOT of n"), ("n NOT BETWEEN 1 AND 2", "NOT of n"),
        ("n IN (SELECT 1)", "IN of n"), ("n IN (1, NULL)", "NULL, which is not a value; write n IS NULL"),
        ("n IN (1, small)", "the name of small"), ("NOT n IS NULL AND who IN (1)", "no order"),
        ("region LIKE 'E%'", "LIKE"), ("n IS TRUE", "IS"), ("n BETWEEN 1 AND small", "the name of small"),
        ("n = NULL", "NULL"), ("n <=> 1", "<=>"),
        ("n = small", "the name of small"),
        ("1 = 1", "no column on its left"), ("1 + small = n", "no column on its left"),
        ("n + 1 = 2", "no column on its left"), ("upper(region) = 'EU'", "no column"),
        ("n", "the name of n"),
        ("n = (SELECT 1)", "not a value"), ("n = 1; n = 2", "divided by ;"), ("SELECT 1", "a query"), ("", "empty"),
        ("n =", "line 1"),
        ("n = 'unclosed", "cannot be read"), ("n = 1) OR (1 = 1", "line 1"), ("who.name = 'a'", "a part of a column"),
        ("who = 'a'", "no order"),
        ("tags = 'a'", "no order"), ("nobody = 1", "which is not a column; there are region"),
        ("odD = 1", "which is not a column"),
        ("n = 'x'", "cannot be a bigint; write a whole number"), ("small = 128", "cannot be a tinyint"),
        ("region = 5", "cannot be a string; put a text in quotes"),
        ("total = 1.005", "cannot be a decimal(12,2)"), ("day = 20", "cannot be a date"), ("ok = 1", "cannot be a boolean"),
        ("n = TRUE", "cannot be a bigint"),
        ("window_start = 'noon'", "cannot be a timestamp; write it as in"), ("n = X'1F'", "not a value"),
        ("n = 1 = 1", "no column on its left"),
        ("n = rand()", "not a value"), ("n = 1 AND " * 1000 + "n = 1", "4000 characters"),
        ("(" * 1900 + "n = 1" + ")" * 1900, "where"),
    ],
)  # fmt: skip
def test_what_is_no_simple_comparison_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_where(text, COLUMNS)
    assert named in caught.value.message and caught.value.details["field"] == "where"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("n IN (1, 3)", [1, 3]), ("n NOT IN (1, 3)", [2]), ("n BETWEEN 2 AND 9", [2, 3]), ("n IS NULL", [None]),
        ("n IS NOT NULL", [1, 2, 3]), ("2 < n", [3]), ("n IS NULL AND n = 1", []), ("total IN (1)", []),
    ],
)  # fmt: skip
def test_null_meets_nothing_but_is_null(text: str, rows: list[Any]) -> None:
    check = met_by(read_where(text, COLUMNS), COLUMNS)
    assert [n for n in (1, 2, 3, None) if check({"n": n})] == rows
    assert check({}) == (None in rows), "a row without the column has NULL there"


def test_texts_of_numbers_are_compared_as_numbers() -> None:
    check = met_by(read_where("total IN (10, 9.5)", COLUMNS), COLUMNS)
    assert [t for t in ("10.00", "9.50", "1.00") if check({"total": t})] == ["10.00", "9.50"]


def test_a_refusal_names_the_place_and_no_value() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_where("n = 1 AND region LIKE 'Anna Keller'", COLUMNS)
    assert (caught.value.details["line"], caught.value.details["column"]) == (1, 11)
    assert "Anna" not in caught.value.message
    with pytest.raises(InvalidInput) as caught:
        asked("n", key="Anna Keller")
    assert (
        caught.value.details == {"field": "key", "name": "n", "type": "bigint"} and "Anna" not in caught.value.message
    )


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
    assert asked("n") == Asked(asked("").wanted, (), 100) and asked("n").wanted.keys is None
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
