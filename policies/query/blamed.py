"""Which part of a query the engine means, by what it reports of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from catalog.datatypes import DataType, Primitive, StructType
from policies.plan.explain import find
from policies.plan.prepare import PreparedQuery
from policies.plan.refusals import split_name
from policies.plan.value_columns import kind_of
from policies.sql.lexer import DIALECT
from policies.sql.names import fold

_LONGEST = 120


def text_of(node: Any) -> str:
    """A part of the query as its author may have written it, cut where it is long."""
    written = str(node.sql(dialect=DIALECT, comments=False, normalize_functions=False))
    return written if len(written) <= _LONGEST else written[: _LONGEST - 3] + "..."


def written(prepared: PreparedQuery, expression: str) -> Iterator[Any]:
    """The part of the query that is an expression of the engine's report; none where the query has no such part."""
    wanted = _plain(expression.strip('"'))
    kinds = (exp.Column, exp.Anonymous, exp.Func, exp.Binary, exp.Unary, exp.Dot, exp.Bracket)
    for node in prepared.gated.tree.walk():
        if isinstance(node, kinds):
            mine = _plain(text_of(node))
            if wanted and f".{wanted}." in f".{mine}.":  # with the table before it, or the fields below it
                yield node
                return


def literal_of(node: Any, value: str) -> Any:
    """The text of the query within `node` that the engine reports as a value it could not convert; None for a value of
    a record."""
    literals = (each for each in node.find_all(exp.Literal) if each.is_string)
    return next((each for each in literals if value in (_quoted(each.name), f'"{each.name}"')), None)


def whole_name(node: Any) -> list[str] | None:
    """All the names of `o.customer.email`, when nothing but names is there."""
    if isinstance(node, exp.Column):
        return [part.name for part in node.parts]
    if isinstance(node, exp.Dot):
        before = whole_name(node.this)
        return [*before, node.expression.name] if before and isinstance(node.expression, exp.Identifier) else None
    return None


def taken_apart(prepared: PreparedQuery, base: str) -> list[str] | None:
    """The names up to `base` of the first column that has a field taken of it and is not known to be nested."""
    wanted = [fold(part) for part in split_name(base.strip('"'))]
    for node in prepared.gated.tree.find_all(exp.Column, exp.Dot, bfs=False):
        names = whole_name(node)
        folded = [fold(name) for name in names or ()]
        for at in range(len(folded) - len(wanted)):
            if names and folded[at : at + len(wanted)] == wanted and not _nested(prepared, names[: at + len(wanted)]):
                return names[: at + len(wanted)]
    return None


def columns_of_kind(prepared: PreparedQuery, node: Any, kind: str) -> list[str]:
    """The columns within `node`, as written, that are known to be of a primitive type; all where none is known so."""
    columns = list(dict.fromkeys(_outermost(node)))
    of_kind = [each for each in columns if _kind(prepared, whole_name(each) or []) == Primitive(kind)]
    return list(dict.fromkeys(map(text_of, of_kind or columns)))


def _outermost(node: Any) -> Iterator[Any]:
    """Columns with the fields that are taken of them."""
    for column in node.find_all(exp.Column, bfs=False):
        whole = column
        while isinstance(whole.parent, exp.Dot) and whole.parent.this is whole and whole is not node:
            whole = whole.parent
        yield whole if whole_name(whole) else column


def _kind(prepared: PreparedQuery, names: list[str]) -> DataType | None:
    """The type of a name of the query, where one table alone can have it."""
    kinds = []
    for table in prepared.gated.tree.find_all(exp.Table):
        governed = prepared.tables.get(table.meta.get("weir"))
        if governed is None or not names:
            continue
        rest = names[1:] if len(names) > 1 and fold(table.alias_or_name) == fold(names[0]) else names
        column = find(governed, rest[0])
        if column is None:
            continue
        kind = kind_of(governed.table, column.name, column.path)
        for name in rest[1:]:
            kind = _field(kind, name)
        kinds.append(kind)
    return kinds[0] if len(kinds) == 1 else None


def _nested(prepared: PreparedQuery, names: list[str]) -> bool:
    """Whether a name with its table before it is of a field that is known to be a struct, an array or a map."""
    kind = _kind(prepared, names) if len(names) > 1 else None
    return kind is not None and not isinstance(kind, Primitive)


def _field(kind: DataType | None, name: str) -> DataType | None:
    if not isinstance(kind, StructType):
        return None
    return next((inner for each, inner in kind.fields if fold(each) == fold(name)), None)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"


def _plain(text: str) -> str:
    """Without what one writes and another does not: quotes, brackets, spaces; `a[x]` as `a.x`."""
    return fold(re.sub(r"[`'\"\s()]", "", re.sub(r"\[['\"]?(\w+)['\"]?\]", r".\1", text)))
