"""The columns of a view: their types, where they come from, and which tags they inherit. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from catalog.datatypes import parse_ddl, quote_identifier
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.model import DatasetFacts, FieldFacts, SubjectMatch
from policies.plan import explain
from policies.plan.prepare import Prepared
from policies.sql import trace
from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.model import Column

_COUNTS = frozenset({"count", "count_if", "approx_count_distinct"})
"""Aggregates whose result holds nothing of a value."""


def columns_of(schema: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
    """From names and Spark types."""
    if not schema:
        return ()
    parsed = parse_ddl(", ".join(f"{quote_identifier(name)} {kind}" for name, kind in schema))
    return tuple(
        Column(name, kind, data_type) for (name, kind), (_, data_type) in zip(schema, parsed.fields, strict=True)
    )


def inherited(prepared: Prepared, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Path in the view's rows (`value.email`) -> tag -> why, for the result columns `names`.

    A column has the tags of every field it comes from; a mask of the subject's ends them, and so does a count. Where a
    column cannot be followed to its fields it has the tags of all fields that the query reads.
    """
    tree = prepared.gated.tree
    outputs = trace.outputs(tree, prepared.columns())
    by_name = {fold(each.name): each for each in outputs}
    counts = _counting(tree)
    used = trace.used(tree, prepared.columns())
    by_path: dict[str, dict[str, str]] = {}
    for name in names:
        output = by_name.get(fold(name))
        if fold(name) in counts:
            continue
        sources = output.sources if output is not None else used
        direct = output is not None and output.direct
        for ref, inner in sources:
            for path, tags in _tags(prepared, ref, inner):
                at = VALUE.field(name)
                if direct:
                    at = _moved(path, prepared, ref, inner, at)
                by_path.setdefault(str(at), {}).update(tags)
    return by_path


@dataclass(frozen=True, slots=True)
class Flow:
    """A field that a column is made of. `masked`: the subject's mask hides its value; `direct`: the column is the field
    itself, and not computed of it; `counted`: the column only counts it."""

    source: str
    path: str
    masked: bool
    direct: bool
    counted: bool


def flows(prepared: Prepared, names: Sequence[str]) -> dict[str, list[Flow]]:
    """Column -> the fields it comes from, sorted. A column that cannot be followed comes from all that the query reads."""
    tree = prepared.gated.tree
    by_name = {fold(each.name): each for each in trace.outputs(tree, prepared.columns())}
    used, counts = trace.used(tree, prepared.columns()), _counting(tree)
    by_column: dict[str, list[Flow]] = {}
    for name in names:
        output = by_name.get(fold(name))
        direct, counted = output is not None and output.direct, fold(name) in counts
        fields = {
            Flow(prepared.tables[ref].table.reference, str(path), masked, direct, counted)
            for ref, inner in (output.sources if output is not None else used)
            for path, _, masked in _fields(prepared, ref, inner)
        }
        by_column[name] = sorted(fields, key=lambda flow: (flow.source, flow.path))
    return by_column


def origins(by_column: Mapping[str, Sequence[Flow]]) -> dict[str, list[list[str]]]:
    """Column -> [`CLUSTER/TOPIC`, path] of every field whose own value may be in it."""
    return {
        name: [[flow.source, flow.path] for flow in each if not (flow.masked or flow.counted)]
        for name, each in by_column.items()
    }


def facts_of(
    dataset: DatasetId,
    reference: str,
    columns: Sequence[Column],
    tags: Mapping[str, Mapping[str, str]],
    owners: SubjectMatch,
) -> DatasetFacts:
    """What a decision on the view's rows rests on. Every column was computed from decided fields, so none is unclassified."""
    paths = dict.fromkeys([*(str(VALUE.field(each.name)) for each in columns), *tags])
    fields = tuple(FieldFacts(path, dict(tags.get(path, {}))) for path in paths)
    return DatasetFacts(dataset, reference, fields, frozenset(), owners)


def _counting(tree: Any) -> frozenset[str]:
    """Result columns that are a count and nothing else."""
    if not isinstance(tree, exp.Select):
        return frozenset()
    return frozenset(fold(each.alias_or_name) for each in tree.expressions if _name(each.unalias()) in _COUNTS)


def _name(node: Any) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return str(node.sql_name()).lower() if isinstance(node, exp.Func) else ""


def _tags(prepared: Prepared, ref: TableRef, names: Sequence[str]) -> Iterator[tuple[FieldPath, dict[str, str]]]:
    """The tagged fields at and below a column of a source that the subject sees unmasked."""
    for path, fact, masked in _fields(prepared, ref, names):
        if fact.tags and not masked:
            yield path, dict.fromkeys(fact.tags, f"from {prepared.tables[ref].table.reference} {fact.path}")


def _fields(prepared: Prepared, ref: TableRef, names: Sequence[str]) -> Iterator[tuple[FieldPath, FieldFacts, bool]]:
    """The fields at and below a column of a source, and whether the subject sees each masked in every row."""
    governed = prepared.tables.get(ref)
    column = explain.find(governed, names[0]) if governed is not None else None
    if governed is None or column is None or column.path is None:
        return
    root = explain.path_of(governed, column, names[1:])
    masked = {c.path for c in governed.decision.columns if explain.is_masked(c) and c.clear_when is None}
    for fact in governed.table.facts.fields:
        path = FieldPath.parse(fact.path)
        if root.contains(path) or path.contains(root):
            yield path, fact, fact.path in masked


def _moved(path: FieldPath, prepared: Prepared, ref: TableRef, names: Sequence[str], at: FieldPath) -> FieldPath:
    """The place below `at` that a field below a source column has in the view."""
    governed = prepared.tables[ref]
    column = explain.find(governed, names[0])
    assert column is not None and column.path is not None
    root = explain.path_of(governed, column, names[1:])
    below = path.steps[len(root.steps) :] if root.contains(path) else ()
    return FieldPath(at.root, (*at.steps, *below))
