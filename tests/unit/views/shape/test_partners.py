"""Finding a row without a partner: an expression that is NULL where all columns of the joined table are, against SQLite."""

from __future__ import annotations

import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.gate import gate
from views.shape.partners import null_without

_EXPRESSIONS = st.recursive(
    st.sampled_from(["u.a", "u.b", "t.a", "t.b", "1", "'x'", "NULL"]),
    lambda inner: st.one_of(
        *(st.builds(lambda x, y, op=op: f"({x} {op} {y})", inner, inner) for op in ("+", "-", "*", "/", "%", "||")),
        *(st.builds(lambda x, f=f: f"{f}({x})", inner) for f in ("upper", "lower", "trim", "length", "abs", "round")),
        *(st.builds(lambda x, y, f=f: f"{f}({x}, {y})", inner, inner) for f in ("coalesce", "ifnull", "nullif")),
        st.builds(lambda x: f"CAST({x} AS INT)", inner),
        st.builds(lambda x: f"(- {x})", inner),
        st.builds(lambda x: f"({x} IS NULL)", inner),
        st.builds(lambda x, y: f"CASE WHEN {x} IS NULL THEN {y} END", inner, inner),
        st.builds(lambda x: f"substring({x}, 1, 2)", inner),
    ),
    max_leaves=6,
)


@settings(max_examples=500, deadline=None)
@given(_EXPRESSIONS, st.sampled_from([None, 0, 3, "ab"]), st.sampled_from([None, 1, "x"]))
def test_what_shows_a_partner_is_null_without_one(text: str, a: object, b: object) -> None:
    node = gate.check(f"SELECT {text} AS e FROM t JOIN u ON true").tree.expressions[0].this
    if null_without(node, "u"):
        connection = sqlite3.connect(":memory:")
        sql = f"SELECT {text} FROM (SELECT ? AS a, ? AS b) t LEFT JOIN (SELECT 1 AS a, 2 AS b) u ON false"
        assert connection.execute(sql, (a, b)).fetchone() == (None,)


def test_a_key_in_a_cast_shows_it() -> None:
    node = gate.check("SELECT CAST(u._key AS BIGINT) AS e FROM t JOIN u ON true").tree.expressions[0].this
    assert null_without(node, "u") and not null_without(node, "t")
