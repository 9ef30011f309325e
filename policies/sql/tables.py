"""Which names of a query are tables of the catalog, and which are its own (WITH)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.windows import NEWEST, AsOf


@dataclass(frozen=True, slots=True)
class TableRef:
    """A topic as the query names it. Two mentions of one name with one window are one table.

    parts   the name's parts, as written: ("prod", "orders") or ("shop.orders",)
    """

    parts: tuple[str, ...]
    as_of: AsOf = NEWEST

    @property
    def name(self) -> str:
        return ".".join(self.parts)


def references(root: exp.Expression) -> Iterator[exp.Table]:
    """Every table node that is not a WITH name in scope nor a function."""
    yield from _walk(root, frozenset())


def _walk(node: Any, names: frozenset[str]) -> Iterator[exp.Table]:
    clause = node.args.get("with_")
    if clause is not None:
        for cte in clause.expressions:
            yield from _walk(cte.this, names)
            names = names | {fold(cte.alias)}
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        own = not node.args.get("db") and fold(node.name) in names
        if not own or node.args.get("version"):
            yield node
    for child in node.iter_expressions():
        if child is not clause:
            yield from _walk(child, names)


def parts(table: exp.Table) -> tuple[str, ...]:
    return tuple(identifier.name for identifier in table.parts)
