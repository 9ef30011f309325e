"""Tables and blocks: within the width, no word cut, nothing left out; without a width nothing wrapped."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from api.terminal.cells import cell
from api.terminal.layout import laid_out, wrapped
from api.terminal.output import local_time

LONG = "prod/shop.customers.loyalty-programme.transactions-by-region-eu"
MAIL = "maximiliane.von-und-zu-hohenstein@subsidiary.department.example.com"
ROW: list[Any] = [
    LONG,
    MAIL,
    {"city": "東京都千代田区", "geo": {"lat": 35.6895123, "lon": 139.6917}},
    ["EMAIL_ADDRESS", "PERSON"],
    [{"sku": "A-1", "count": 2}, {"sku": "B-2", "count": None}],
    1234567.125,
    True,
    None,
    "A sentence that is a good deal longer than what a column of a table may have at eighty characters.",
    "2026-11-23T10:00:00Z",
    "x",
    "line one\nline two \x1b[31m",
]
NAMES = [f"column_{n}" for n in range(len(ROW))]
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Mn", "Me", "Cf", "Zl", "Zp")), max_size=30)


@pytest.mark.parametrize("width", [80, 100, 240])
@pytest.mark.parametrize("exact", [True, False])
def test_one_row_and_blocks_are_one_value_a_line(width: int, exact: bool) -> None:
    for laid in (
        laid_out(NAMES, [ROW, ROW], width, exact=exact, blocks=True),
        laid_out(NAMES, [ROW], width, exact=exact),
    ):
        lines = [line.text for line in laid.lines]
        assert (laid.left, laid.cut) == ([], False)
        assert max(map(cell_len, lines)) <= width
        text = "\n".join(lines)
        for word in (LONG, MAIL, "東京都千代田区", "column_2.geo.lon", "1234567.125", "count=2", "null"):
            assert word in text, word
        assert '{"' not in text and "\x1b" not in text and "…" not in text


@pytest.mark.parametrize("width", [20, 80, 100])
@pytest.mark.parametrize("exact", [True, False])
def test_several_rows_stay_a_table_and_name_the_columns_left_out(width: int, exact: bool) -> None:
    laid = laid_out(NAMES, [ROW, ROW], width, exact=exact)
    lines = [line.text for line in laid.lines]
    assert laid.left and laid.lines[0].heading and lines[0].split() == NAMES[: len(NAMES) - len(laid.left)]
    assert laid.left == NAMES[len(NAMES) - len(laid.left) :]
    assert max(map(cell_len, lines)) <= width
    assert laid.cut is exact and any("…" in line for line in lines) is exact


def test_a_pipe_gets_one_line_a_row() -> None:
    head, first = [line.text for line in laid_out(NAMES, [ROW], None).lines]
    assert head.startswith("column_0 ") and first.startswith(LONG)
    assert "at eighty characters." in first and "line one\\nline two \\x1b[31m" in first


def test_columns_of_sentences_give_way_and_names_do_not() -> None:
    rows = [[LONG, "Orders of all shops with their customers, as they are written", "otto"]] * 2
    lines = [line.text for line in laid_out(["dataset", "description", "owners"], rows, 100).lines]
    assert lines[0].split() == ["dataset", "description", "owners"] and max(map(cell_len, lines)) <= 100
    assert sum(LONG in line for line in lines) == 2
    assert (
        " ".join(line[len(LONG) :].replace("otto", "").strip() for line in lines[1:]).split() == rows[0][1].split() * 2
    )


def test_data_is_never_wrapped_in_a_table() -> None:
    laid = laid_out(["id", "note"], [["1", "a " * 60], ["2", "b"]], 80, exact=True)
    assert len(laid.lines) == 3 and laid.lines[1].text.endswith("…") and laid.cut and not laid.left


@pytest.mark.parametrize(
    ("value", "shown", "exact"),
    [
        (None, "", "null"),
        ([], "", "[]"),
        (True, "yes", "true"),
        (0.87654, "0.877", "0.87654"),
        (12345.678, "12345.678", "12345.678"),
        ({"a": 1, "b": [1, {"c": None}]}, *["a=1, b=[1, (c=null)]"] * 2),
        ([["a"], {"b": {}}], *["[a], (b=())"] * 2),
    ],
)
def test_values_in_words(value: Any, shown: str, exact: str) -> None:
    assert (cell(value), cell(value, exact=True)) == (shown, exact)


@given(st.lists(WORDS, max_size=8).map(" ".join), st.integers(10, 60))
def test_wrapping_keeps_every_word_and_the_width(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cell_len(line) <= max(width, 2) for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    if all(cell_len(word) <= width // 2 for word in text.split()):
        assert " ".join(lines).split() == text.split()


def test_many_rows_stay_a_table_of_the_first_columns() -> None:
    names = ["dataset", "format", "records", "size", "description", "owners"]
    row = [
        "prod/orders",
        "key string, value json",
        1500,
        "312.2 kB",
        "Orders as the shop confirms them.",
        ["otto", MAIL],
    ]
    laid = laid_out(names, [row] * 20, 80)
    lines = [line.text for line in laid.lines]
    assert 1 <= len(laid.left) <= len(names) - 2
    assert max(map(cell_len, lines)) <= 80 and lines[0].split() == names[: -len(laid.left)]
    assert laid_out(names, [row] * 20, 300).left == laid_out(names, [row], 80).left == []


@given(st.lists(st.lists(WORDS, min_size=4, max_size=4), min_size=2, max_size=9), st.integers(20, 120))
def test_what_fits_is_a_table_within_the_width(rows: list[list[str]], width: int) -> None:
    names = ["a", "b", "c", "d"]
    for exact in (True, False):
        laid = laid_out(names, rows, width, exact=exact)
        assert laid.lines[0].heading and laid.lines[0].text.split() == names[: len(names) - len(laid.left)]
        assert max(cell_len(line.text) for line in laid.lines) <= width


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2026-11-23T10:00:00Z", "2026-11-23 11:00:00"),
        ("2026-07-23T10:00:00.123456+00:00", "2026-07-23 12:00:00"),
        ("2026-13-23T10:00:00Z", "2026-13-23T10:00:00Z"),
        ("at 2026-11-23T10:00:00Z", "at 2026-11-23T10:00:00Z"),
        (7, 7),
        (None, None),
    ],
)
def test_times_are_local(monkeypatch: pytest.MonkeyPatch, value: Any, shown: Any) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert local_time(value) == shown
    finally:
        monkeypatch.undo()
        time.tzset()
