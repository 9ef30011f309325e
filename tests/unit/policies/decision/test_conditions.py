"""Conditions on rows against their meaning: every one is tried in every row that its texts can distinguish."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from policies.decision.row_conditions import ALWAYS, MAX_CLAUSES, Condition, any_of, beyond, both, either, rows, text

TEXTS = "abcd"
ROWS = [dict(zip(TEXTS, values, strict=True)) for values in itertools.product([True, False], repeat=len(TEXTS))]
CONDITIONS = st.frozensets(st.frozensets(st.sampled_from(TEXTS), max_size=3), max_size=3)


def true(condition: Condition, row: dict[str, bool]) -> bool:
    return all(any(row[t] for t in clause) for clause in condition)


@given(CONDITIONS, CONDITIONS, CONDITIONS)
def test_what_the_combinations_mean(a: Condition, b: Condition, c: Condition) -> None:
    for row in ROWS:
        assert true(either(a, b), row) == (true(a, row) or true(b, row))
        assert true(both(a, b, c), row) == (true(a, row) and true(b, row) and true(c, row))
        assert true(any_of([a, b, c]), row) == (true(a, row) or true(b, row) or true(c, row))
        if true(a, row):
            assert true(beyond(a, b), row) == true(b, row)
    assert beyond(a, a) == ALWAYS and any_of([]) == ALWAYS == both()
    for combined in (either(a, b), both(a, b)):
        assert not any(x < y for x in combined for y in combined), "nothing in it follows from the rest"


@given(CONDITIONS)
def test_the_text_means_the_condition(condition: Condition) -> None:
    written = text(condition)
    for row in ROWS if condition else ():
        names = {**row, "FALSE": False}
        assert eval(written.replace("OR", "or").replace("AND", "and"), {}, names) == true(condition, row)


def test_the_texts_of_some_conditions() -> None:
    a, b = rows(["a > 1"]), rows(["b", "a > 1"])
    assert (text(a), text(b), text(both(a, rows(["c"])))) == ("a > 1", "(a > 1) OR (b)", "(a > 1) AND (c)")
    assert text(both(b, rows(["c"]))) == "((a > 1) OR (b)) AND (c)"
    assert text(rows([])) == "FALSE" and text(both(rows([]), rows([]))) == "FALSE"
    assert rows([None]) == rows(["a", None]) == ALWAYS and rows(["a", "a"]) == rows(["a"])


def test_what_would_be_too_large_to_read_is_refused() -> None:
    many = frozenset(frozenset({f"m{n}"}) for n in range(32))
    assert len(either(many, frozenset(frozenset({f"x{n}"}) for n in range(MAX_CLAUSES // 32)))) == MAX_CLAUSES
    with pytest.raises(InvalidInput, match="too many to combine; revoke some"):
        either(many, frozenset(frozenset({f"x{n}"}) for n in range(MAX_CLAUSES // 32 + 1)))
