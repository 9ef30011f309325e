"""A query reads no more of a record than it names: of a topic of 600 fields, three are decoded where three are asked for.

What a statement may mention is taken broadly (every identifier in it, whatever it stands for); where columns can be
meant without being named (a star, NATURAL JOIN, PIVOT, columns renamed by their place), nothing is left out. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from catalog.datatypes import Alternatives, StructType
from policies.plan import TablePlan
from policies.sql.names import fold

_BY_NAME = frozenset({"json", "decoded json-schema", "decoded avro"})
"""Formats that are read by the names of their fields, so that those nobody asks for can be skipped."""

_STORED = re.compile(r"\bweir_value\b(?:\.(?P<field>`(?:[^`]|``)*`))?")


def mentioned(tree: Any) -> frozenset[str] | None:
    """Every name that stands in a gated tree, folded; None when it may mean columns that it does not name."""
    for node in tree.walk():
        if isinstance(node, exp.Star) and not _counts_rows(node.parent):
            return None
        if isinstance(node, exp.Pivot) or (isinstance(node, exp.Select) and not node.expressions):
            return None
        if isinstance(node, exp.Join) and str(node.args.get("method") or "").upper() == "NATURAL":
            return None
        if isinstance(node, exp.Table) and not _plainly_read(node):
            return None
    return frozenset(fold(str(name.this)) for name in tree.find_all(exp.Identifier))


def _counts_rows(call: Any) -> bool:
    """Whether a star stands alone in `count(*)`."""
    return isinstance(call, exp.Anonymous) and str(call.this).lower() == "count" and len(call.expressions) == 1


def _plainly_read(table: exp.Table) -> bool:
    alias = table.args.get("alias")
    return isinstance(table.parent, (exp.From, exp.Join)) and not (alias is not None and alias.args.get("columns"))


def narrowed(plan: TablePlan, names: frozenset[str] | None) -> TablePlan:
    """The plan without the columns that are not among `names`, and without the fields of a record they rest on."""
    if names is None:
        return plan
    columns = tuple((name, sql) for name, sql in plan.columns if fold(name) in names)
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
    asked = _fields(texts)
    if asked is None:
        return replace(plan, columns=columns)
    # from_json needs a field to read; the first serves where none is asked for.
    kept = tuple(field for field in kind.fields if fold(field[0]) in asked) or kind.fields[:1]
    return replace(plan, columns=columns, value=replace(plan.value, kind=StructType(kept)))


def _fields(texts: Iterable[str]) -> frozenset[str] | None:
    """Names of the stored fields in SQL over a stored record, folded; None when the record is used as a whole."""
    found: set[str] = set()
    for text in texts:
        for match in _STORED.finditer(text):
            if match["field"] is None:
                return None
            found.add(fold(match["field"][1:-1].replace("``", "`")))
    return frozenset(found)
