"""`weir dataset schema` on a terminal: what is above the table, in its cells, and below it."""

from __future__ import annotations

from typing import Any

import pytest

from api.terminal.output import Format
from api.terminal.schema_table import field_row, format_lines, read_line, shape_lines, share, show_schema, wrong_lines

ANSWER: Any = {
    "version": 3,
    "format": {"key": "string", "value": "json", "value.options": '{"packed": ["utf-16"]}', "headers.t": "avro"},
    "window": {"records": 1000, "complete": False, "partitions": [{"begin": 10, "end": 40010}]},
    "fields": [
        {
            "path": "value",
            "types": {"object": 1.0},
            "presence": 1.0,
            "nullShare": 0.0,
            "distinct": None,
            "details": {"formatsSeen": {"json": 998, "avro": 2}, "schemaIds": [4, 9]},
        },
        {
            "path": "value.id",
            "types": {"int32": 0.998, "string": 0.002},
            "presence": 0.001,
            "nullShare": 0.0004,
            "distinct": 1234,
            "details": {},
        },
    ],
    "shapes": [
        {"share": 0.996, "paths": ["value.id"], "when": {"value.gift": True}},
        {"share": 0.004, "paths": [], "when": {"others": 11}},
    ],
    "problems": [{"part": "value", "reason": "not_json", "count": 7, "first": {"partition": 0, "offset": 5}}],
    "departures": [],
}


def test_what_was_read_in_which_formats_and_by_which_schemas_stands_at_the_top() -> None:
    assert list(read_line("prod/orders", ANSWER)) == [
        "prod/orders, schema version 3: 1,000 records read of 40,000 retained offsets"
    ]
    assert list(format_lines(ANSWER)) == [
        "value: json >99%, avro <1%; text in UTF-16; schema ids 4, 9",
        "headers.t: avro",
        "key: string",
    ]
    assert "no scan" in next(iter(read_line("prod/orders", {"version": 0})))


@pytest.mark.parametrize(
    ("part", "text"),
    [(0.0, "0%"), (0.0004, "<1%"), (0.01, "1%"), (0.5, "50%"), (0.996, ">99%"), (1.0, "100%"), (None, "")],
)
def test_a_share_is_not_rounded_to_none_or_all(part: float | None, text: str) -> None:
    assert share(part) == text


def test_estimates_are_marked() -> None:
    row = field_row(ANSWER["fields"][1])
    assert row == {
        "path": "value.id",
        "types": "int32 >99%, string <1%",
        "presence": "<1%",
        "null": "<1%",
        "distinct": "~1,234",
    }
    few: Any = {**ANSWER["fields"][1], "distinct": 7}
    assert field_row(few)["distinct"] == "7"


def test_rare_shapes_are_no_shape_of_their_own() -> None:
    _, first, rest = shape_lines(ANSWER["shapes"])
    assert first == ">99% of the records: 1 field when value.gift = true"
    assert rest == "<1% of the records: 11 rarer shapes, not listed one by one"


def test_what_is_wrong_says_what_to_do() -> None:
    (line,) = wrong_lines(ANSWER)
    assert "7 times the value" in line and "offset 5" in line and "--dead-letter" in line
    departure = {"message": "value.id is missing in 3 records"}
    assert "weir dataset diff" in list(wrong_lines({**ANSWER, "problems": [], "departures": [departure]}))[-1]


def test_all_of_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    show_schema("prod/orders", ANSWER, Format.TABLE)
    printed = capsys.readouterr().out
    assert "others" not in printed and "value.id" in printed and "0%" not in printed.replace("100%", "")
