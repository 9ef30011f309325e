"""Conditions against SQLite, which has read and computed them by its own means; on both tables and with a masked key."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.datatypes import parse_ddl
from catalog.model import DatasetId
from policies.masks.keys import MaskKeys
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType
from tests.twins.views import MemoryServingTable
from views.adapters.serving_sql import SqlServingTable
from views.model import Column, Row, identity
from views.row_ports import ServingTable
from views.serving.cursors import Cursors
from views.serving.masked import masked_view, type_name
from views.serving.page import read_page
from views.serving.wanted import read_wanted

COLUMNS = [Column(n, type_name(k), k) for n, k in parse_ddl("id BIGINT, a BIGINT, b INT, s STRING, t STRING").fields]
ROWS = [
    (n, *values)
    for n, values in enumerate(product((None, -3, 0, 7), (None, 2, 7), (None, "", "ab", "B_b"), (None, "ab", "%")))
]
KEYS = MaskKeys(b"k" * 32)
Pair = tuple[str, str]
"""A part as Weir reads it, and as SQLite does."""


def same(text: str) -> Pair:
    return text, text


def of(shape: str, *parts: Pair, other: str | None = None) -> Pair:
    return shape.format(*(each for each, _ in parts)), (other or shape).format(*(each for _, each in parts))


NUMBER_LEAVES = st.sampled_from(["a", "b", "0", "1", "2", "-3", "7", "CAST(NULL AS INT)"]).map(same)
TEXT_LEAVES = st.sampled_from(["s", "t", "''", "'ab'", "'B_b'"]).map(same)


def numbers(depth: int) -> st.SearchStrategy[Pair]:
    if depth == 0:
        return NUMBER_LEAVES
    inner = numbers(depth - 1)
    return st.one_of(
        NUMBER_LEAVES,
        *(st.builds(lambda x, y, op=op: of(f"({{}} {op} {{}})", x, y), inner, inner) for op in "+-*%"),
        st.builds(lambda x, y: of("({} DIV {})", x, y, other="({} / {})"), inner, inner),
        st.builds(lambda x: of("abs({})", x), inner),
        st.builds(lambda x: of("(- {})", x), inner),
        st.builds(lambda x, y: of("coalesce({}, {})", x, y), inner, inner),
        st.builds(lambda x: of("nullif({}, b)", x), inner),
        st.builds(lambda c, x, y: of("CASE WHEN {} THEN {} ELSE {} END", c, x, y), conditions(depth - 1), inner, inner),
        st.builds(lambda x: of("length({})", x), texts(depth - 1)),
        st.builds(lambda x: of("instr({}, 'b')", x), texts(depth - 1)),
    )


def texts(depth: int) -> st.SearchStrategy[Pair]:
    if depth == 0:
        return TEXT_LEAVES
    inner = texts(depth - 1)
    return st.one_of(
        TEXT_LEAVES,
        st.builds(lambda x, y: of("({} || {})", x, y), inner, inner),
        *(st.builds(lambda x, f=f: of(f"{f}({{}})", x), inner) for f in ("upper", "lower", "trim")),
        st.builds(lambda x: of("replace({}, 'b', 'xy')", x), inner),
        st.builds(lambda x: of("substring({}, 2, 1)", x), inner),
        st.builds(lambda x: of("CAST({} AS STRING)", x, other="CAST({} AS TEXT)"), numbers(depth - 1)),
        st.builds(lambda c, x: of("CASE WHEN {} THEN {} END", c, x), conditions(depth - 1), inner),
    )


def conditions(depth: int) -> st.SearchStrategy[Pair]:
    comparison = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
    below = max(0, depth - 1)
    n, x = numbers(below), texts(below)
    leaves = st.one_of(
        st.builds(lambda op, one, two: of(f"{{}} {op} {{}}", one, two), comparison, n, n),
        st.builds(lambda op, one, two: of(f"{{}} {op} {{}}", one, two), comparison, x, x),
        st.builds(lambda one, two: of("{} <=> {}", one, two, other="{} IS {}"), n, n),
        st.builds(lambda one, two, three: of("{} BETWEEN {} AND {}", one, two, three), n, n, n),
        st.builds(lambda one, two, three: of("{} NOT IN ({}, {})", one, two, three), n, n, n),
        st.builds(lambda one, two: of("{} IN ({}, 'ab')", one, two), x, x),
        st.builds(lambda one: of("{} IN (2, 7, -3)", one), n),
        st.builds(lambda one: of("{} IS NULL", one), st.one_of(n, x)),
        st.builds(
            lambda one, p: of(f"{{}} LIKE '{p}'", one),
            x,
            st.sampled_from(["%b", "a_", "%", "", "_%b%", "%b%b%", "B__"]),
        ),
    )
    if depth == 0:
        return leaves
    inner = conditions(depth - 1)
    return st.one_of(
        leaves,
        st.builds(lambda one, two: of("({} AND {})", one, two), inner, inner),
        st.builds(lambda one, two: of("({} OR {})", one, two), inner, inner),
        st.builds(lambda one: of("NOT ({})", one), inner),
        st.builds(
            lambda one, flag: of(f"(({{}}) IS {flag})", one), inner, st.sampled_from(["TRUE", "NOT FALSE", "NULL"])
        ),
    )


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServingTable]]:
    stored = SqlServingTable(f"sqlite:///{tmp_path_factory.mktemp('views')}/views.db")
    both: list[ServingTable] = [stored, MemoryServingTable()]
    for table in both:
        table.prepare("v", "g")
        named = [dict(zip("id a b s t".split(), row, strict=True)) for row in ROWS]
        table.write("v", "g", [Row(identity([row["id"]]), row, n) for n, row in enumerate(named)], [], {0: len(ROWS)})
    yield both
    stored.close()


@pytest.fixture(scope="module")
def reference() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    connection.execute("CREATE TABLE v (id INTEGER, a INTEGER, b INTEGER, s TEXT, t TEXT)")
    connection.executemany("INSERT INTO v VALUES (?, ?, ?, ?, ?)", ROWS)
    yield connection
    connection.close()


def chosen(table: ServingTable, where: str, masked_key: bool) -> list[object]:
    mask = Mask(MaskType.MASK_NULL) if masked_key else None
    decided = [ColumnDecision(f"value.{c.name}", Effect.ALLOW, mask if c.name == "id" else None) for c in COLUMNS]
    masked = masked_view(COLUMNS, Decision(DatasetId("kafka", "v"), "prod/v", Effect.ALLOW, decided), KEYS)
    asked = read_wanted({"where": [where], "limit": ["1000"]}, masked.columns, ["id"])
    return [row[1:] for row in read_page(table, "v", "g", ["id"], asked, masked, Cursors(KEYS)).rows]


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(pair=conditions(3), key=st.integers(-1, len(ROWS)))
def test_the_same_rows_as_sqlite_chooses(
    pair: Pair, key: int, tables: list[ServingTable], reference: sqlite3.Connection
) -> None:
    ours, theirs = pair
    if len(ours) > 4_000:
        return
    expected = [list(row) for row in reference.execute(f"SELECT a, b, s, t FROM v WHERE {theirs} ORDER BY id")]
    one = [list(row) for row in reference.execute(f"SELECT a, b, s, t FROM v WHERE id = {key} AND ({theirs})")]
    for table in tables:
        assert chosen(table, ours, False) == expected
        assert chosen(table, f"{key} = id AND ({ours})", False) == one
        assert sorted(map(str, chosen(table, ours, True))) == sorted(map(str, expected))
