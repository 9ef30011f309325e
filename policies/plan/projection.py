"""A query reads no more of a record than it names: of a topic of 600 fields, three are decoded where three are asked for.

What a statement may mention is taken broadly (every identifier in it, whatever it is the name of); where columns can be
meant without being named (a star, NATURAL JOIN, PIVOT, columns renamed by their place), every field is read. System
columns (`_offset`...) are read only where they are named. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from catalog.datatypes import Alternatives, StructType
from policies.plan.model import TablePlan
from policies.sql.names import fold
from policies.sql.stars import counts_rows

_BY_NAME = frozenset({"json", "decoded json-schema", "decoded avro"})
"""Formats that are read by the names of their fields, so that those nobody asks for can be skipped."""

_STORED = re.compile(r"\bweir_value\b(?:\.(?P<field>`(?:[^`]|``)*`))?")


@dataclass(frozen=True, slots=True)
class Mentioned:
    """`names`: every name in a query, folded. `every_field`: it may mean fields that it does not name."""

    names: frozenset[str]
    every_field: bool

    def means(self, column: str, system: Collection[str]) -> bool:
        """Whether the query may read a column, `system` being those that a star does not include."""
        return fold(column) in self.names or (self.every_field and column not in system)


def mentioned(tree: Any) -> Mentioned:
    """What a gated tree may read."""
    names = frozenset(fold(str(name.this)) for name in tree.find_all(exp.Identifier))
    return Mentioned(names, any(map(_means_every_field, tree.walk())))


def _means_every_field(node: Any) -> bool:
    if isinstance(node, exp.Star):
        return not counts_rows(node.parent)
    if isinstance(node, exp.Pivot) or (isinstance(node, exp.Select) and not node.expressions):
        return True
    if isinstance(node, exp.Join):
        return str(node.args.get("method") or "").upper() == "NATURAL"
    return isinstance(node, exp.Table) and not _plainly_read(node)


def _plainly_read(table: exp.Table) -> bool:
    alias = table.args.get("alias")
    return isinstance(table.parent, (exp.From, exp.Join)) and not (alias is not None and alias.args.get("columns"))


def narrowed(plan: TablePlan, mentions: Mentioned, system: Collection[str] = ()) -> TablePlan:
    """The plan without the columns that are not asked for, and without the fields of a record they rest on.

    `system`: the columns of the plan that a star does not include.
    """
    columns = tuple((name, sql) for name, sql in plan.columns if mentions.means(name, system))
    if not columns:
        # A view needs a column; this one costs no decoding.
        columns = tuple((name, sql) for name, sql in plan.columns if name == "_timestamp")[:1] or plan.columns
    kept_names = {fold(name) for name, _ in columns}
    watched = tuple(each for each in plan.watched if fold(each[0]) in kept_names)
    # Whole records are counted where a field of theirs is.
    roots = {path.partition(".")[0] for _, path in watched}
    watched = tuple(each for each in plan.watched if each in watched or (each[0] == each[1] and each[1] in roots))
    plan = replace(plan, watched=watched)
    kind = plan.value.kind
    texts = [*(sql for _, sql in columns), *plan.filters, *(sql for _, sql in plan.conditions)]
    # An alternative that is left out would count as a value that does not fit.
    if plan.value.format not in _BY_NAME or not isinstance(kind, StructType) or isinstance(kind, Alternatives):
        return replace(plan, columns=columns)
    needed = _fields(texts)
    if needed is None:
        return replace(plan, columns=columns)
    # from_json needs a field to read; the first serves where none is asked for.
    fields = tuple(field for field in kind.fields if fold(field[0]) in needed) or kind.fields[:1]
    return replace(plan, columns=columns, value=replace(plan.value, kind=StructType(fields)))


def _fields(texts: Iterable[str]) -> frozenset[str] | None:
    """Names of the stored fields in SQL over a stored record, folded; None when the record is used as a whole."""
    names: set[str] = set()
    for text in texts:
        for match in _STORED.finditer(text):
            if match["field"] is None:
                return None
            names.add(fold(match["field"][1:-1].replace("``", "`")))
    return frozenset(names)
