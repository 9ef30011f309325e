"""CUSTOM masks and row conditions: Spark SQL expressions, checked by the same allow-lists as queries.

A custom mask is an expression of `{col}` and nothing else: no other column, no subquery, no aggregate, no random
number. A row condition (row filters, the rows of a grant) may name the fields of the stored record.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from catalog.datatypes import quote_identifier
from catalog.errors import InvalidInput, SqlRefused
from catalog.near_names import did_you_mean
from policies.gate.fragment import Fragment, read_fragment
from policies.sql.names import fold, nearest

_MAY_HOLD = frozenset({exp.DataType.Type.BOOLEAN, exp.DataType.Type.UNKNOWN, exp.DataType.Type.NULL})
_COLUMN = "weir_masked_column"
_MEND = "write Spark SQL of {col} only, as in substring_index({col}, '?', 1)."


def check(expression: str) -> None:
    """Whether a CUSTOM mask can be used. Raises InvalidInput that names the obstacle."""
    _read(expression)


def render(expression: str, value: str) -> str:
    """The checked expression with `{col}` replaced by another Spark SQL expression."""
    return f"({_read(expression).replace(f'`{_COLUMN}`', f'({value})')})"


@lru_cache(maxsize=1024)
def _read(expression: str) -> str:
    if "{col}" not in expression:
        raise InvalidInput(
            f"The mask expression does not name {{col}}; {_MEND}", details={"expression": expression[:200]}
        )
    if _COLUMN in expression:
        raise InvalidInput(f"{_COLUMN} is kept for Weir's own use; {_MEND}")
    try:
        fragment = read_fragment(expression.replace("{col}", f"`{_COLUMN}`"))
    except SqlRefused as error:
        raise InvalidInput(f"The mask expression cannot be used: {_sentence(error)}", details=error.details) from error
    for column in fragment.columns():
        if column.parts[0].name != _COLUMN or len(column.parts) > 1:
            raise InvalidInput(
                f"The mask expression names {column.name[:60]!r}; {_MEND}", details={"column": column.name}
            )
    if any(_COLUMN in literal.name for literal in fragment.tree.find_all(exp.Literal)):
        raise InvalidInput(f"{{col}} is inside a string of the mask expression; {_MEND}")
    return fragment.sql()


def check_condition(condition: str) -> tuple[str, ...]:
    """Whether a row condition can be used; the top-level fields it names. Raises InvalidInput."""
    fragment = _condition(condition)
    kind = annotate_types(fragment.tree.copy(), dialect="spark").type
    # What columns and many functions give is not known here; a row for which it is not true is hidden.
    if kind is not None and kind.this not in _MAY_HOLD:
        raise InvalidInput(
            f"The row condition gives {kind.sql().lower()}, not true or false. Write one as in region = 'EU'.",
            details={"condition": condition[:200]},
        )
    return tuple(sorted({column.parts[0].name for column in fragment.columns()}))


def render_condition(condition: str, names: Mapping[str, str]) -> str:
    """The checked condition as it runs: true or not true, never an error and never NULL.

    `names` maps each name it may use to the SQL of it. Raises InvalidInput for any other name.
    """
    tree = _condition(condition).tree.copy()
    exact, folded = dict(names), {fold(name): sql for name, sql in names.items()}
    # A root of its own, so that a condition that is a single column can be replaced too.
    root = exp.Paren(this=tree)
    for column in list(root.find_all(exp.Column)):
        first, *rest = [part.name for part in column.parts]
        source = exact.get(first) or folded.get(fold(first))
        if source is None:
            hint = did_you_mean(nearest(first, names), "the record has no such field.")
            raise InvalidInput(f"The row condition names {first[:60]!r}; {hint}", details={"column": first[:60]})
        column.replace(exp.Var(this=".".join([source, *map(quote_identifier, rest)])))
    return f"coalesce(CAST({Fragment(root).sql()} AS BOOLEAN), FALSE)"


@lru_cache(maxsize=1024)
def _condition(condition: str) -> Fragment:
    try:
        return read_fragment(condition)
    except SqlRefused as error:
        raise InvalidInput(
            f"The row condition cannot be used: {_sentence(error)} Write one as in region = 'EU'.",
            details=error.details,
        ) from error


def _sentence(error: Any) -> str:
    return str(error.message)
