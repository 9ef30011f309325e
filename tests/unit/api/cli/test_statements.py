"""Statements of a text: what ends one, and what only looks as if it did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.terminal.statements import is_blank, parted

STATEMENTS = st.sampled_from(
    ["SELECT 1",
     "SELECT ';' AS a", "SELECT 'it''s;' -- ; no\n", 'SELECT "a;b"', "SELECT `x;y`", "/* ; */ SHOW TABLES", "SELECT '\\';'"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("", [], ""),
        ("SELECT 1", [], "SELECT 1"),
        ("SELECT 1;", ["SELECT 1"], ""),
        ("SELECT ';", [], "SELECT ';"),
        ("SELECT 1 -- ;", [], "SELECT 1 -- ;"),
        ("/* ; ", [], "/* ; "),
        (";; -- nothing\n;", [], ""),
        ("\\d orders\nSELECT 1;\\q", ["\\d orders", "SELECT 1"], "\\q"),
        ("SELECT '\n\\d\n';", ["SELECT '\n\\d\n'"], ""),
    ],
)
def test_a_statement_ends_with_its_semicolon(text: str, statements: list[str], rest: str) -> None:
    assert parted(text) == (statements, rest)


@given(st.lists(STATEMENTS, max_size=6), STATEMENTS)
def test_statements_are_parted_as_they_were_joined(statements: list[str], last: str) -> None:
    ended, rest = parted(";\n".join([*statements, last]))
    assert (ended, rest.strip()) == ([each.strip() for each in statements], last.strip())


@pytest.mark.parametrize(
    ("text", "blank"), [(" \n", True), ("-- a\n/* b */", True), ("-- a", True), ("x", False), ("-- a\nx", False)]
)
def test_comments_are_nothing_to_run(text: str, blank: bool) -> None:
    assert is_blank(text) is blank
