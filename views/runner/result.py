"""The columns of a view: their types, where they come from, and which tags they inherit. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlglot import exp

from catalog.datatypes import parse_ddl, quote_identifier
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.decision.places import Places
from policies.model import DatasetFacts, FieldFacts, Mask, SourceFacts, SubjectMatch
from policies.plan import explain
from policies.plan.prepare import PreparedQuery
from policies.plan.views import GovernedTable
from policies.sql.expression_sources import Output
from policies.sql.names import fold
from policies.sql.untraceable import followed_outputs
from views.model import Column

_COUNTS = frozenset({"count", "count_if", "approx_count_distinct"})
"""Aggregates whose result holds nothing of a value."""
_INTERVAL = re.compile(r"(?<![^:<,])interval (?:year|month|day|hour|minute|second)(?: to [a-z]+)?(?![^,>])")
_VOID = re.compile(r"(?<![^:<,])void(?![^,>])")


def columns_of(schema: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
    """From names and Spark types."""
    return _columns_of(tuple((name, kind) for name, kind in schema))


@lru_cache(maxsize=1024)
def _columns_of(schema: tuple[tuple[str, str], ...]) -> tuple[Column, ...]:
    """Reading a type takes half a millisecond, and every read of a view asks for it."""
    if not schema:
        return ()
    parsed = parse_ddl(", ".join(f"{quote_identifier(name)} {_readable(kind)}" for name, kind in schema))
    return tuple(
        Column(name, kind, data_type) for (name, kind), (_, data_type) in zip(schema, parsed.fields, strict=True)
    )


def _readable(kind: str) -> str:
    """A type without the words that a parser of columns does not know: the fields of intervals, and void."""
    return _VOID.sub("null", _INTERVAL.sub("interval", kind))


@dataclass(frozen=True, slots=True)
class Flow:
    """A field that a column is made of.

    at      path in the view's rows that its value is at; source, path: the field
    mask    what the subject sees of it in every row; None: its value
    tags    of the field; direct: the column is the field itself, and not computed of it; counted: it only counts it
    """

    at: str
    source: str
    path: str
    mask: Mask | None
    tags: tuple[str, ...]
    direct: bool
    counted: bool

    @property
    def masked(self) -> bool:
        return self.mask is not None


def flows(prepared: PreparedQuery, names: Sequence[str]) -> dict[str, list[Flow]]:
    """Column -> the fields it comes from, sorted. A column that cannot be followed comes from every field of every table."""
    tree = prepared.gated.tree
    by_name: dict[str, list[Output]] = {}
    for each in followed_outputs(tree, prepared.columns()):
        by_name.setdefault(fold(each.name), []).append(each)
    counts = _counting(tree)
    tables = {ref: _Table.of(governed) for ref, governed in prepared.tables.items()}
    by_column: dict[str, list[Flow]] = {}
    for name in names:
        own, counted = by_name.get(fold(name), []), fold(name) in counts
        at = VALUE.field(name)
        fields: dict[tuple[str, str, str], Flow] = {}
        if own and all(each.followed for each in own):
            direct = len(own) == 1 and own[0].direct
            sources = {source for each in own for source in each.sources}
            flowing = (flow for ref, inner in sources for flow in tables[ref].below(at, inner, direct, counted))
        else:
            flowing = (flow for table in tables.values() for flow in table.everything(at, counted))
        for flow in flowing:
            fields[flow.source, flow.path, flow.at] = flow
        by_column[name] = [fields[key] for key in sorted(fields)]
    return by_column


def inherited(by_column: Mapping[str, Sequence[Flow]]) -> dict[str, dict[str, str]]:
    """Path in the view's rows (`value.email`) -> tag -> why.

    A column has the tags of every field it comes from; a mask of the subject's ends them, and so does a count.
    """
    by_path: dict[str, dict[str, str]] = {}
    for flow in (flow for each in by_column.values() for flow in each):
        if flow.tags and not (flow.masked or flow.counted):
            by_path.setdefault(flow.at, {}).update(dict.fromkeys(flow.tags, f"from {flow.source} {flow.path}"))
    return by_path


def origins(by_column: Mapping[str, Sequence[Flow]]) -> dict[str, list[list[str]]]:
    """Column -> [`CLUSTER/TOPIC`, path] of every field whose own value may be in it."""
    return {
        name: [[flow.source, flow.path] for flow in each if not (flow.masked or flow.counted)]
        for name, each in by_column.items()
    }


def made_of(by_column: Mapping[str, Sequence[Flow]]) -> list[list[Any]]:
    """[path in the rows, `CLUSTER/TOPIC`, path there, mask or None] of each field that is in the rows, masked ones included.
    JSON-ready; see `mask_of`."""
    return [
        [flow.at, flow.source, flow.path, explain.mask_json(flow.mask)]
        for each in by_column.values()
        for flow in each
        if not flow.counted
    ]


def mask_of(data: Mapping[str, Any] | None) -> Mask | None:
    """A mask of `made_of`."""
    return None if data is None else Mask(data["type"], data["expression"], data["params"])


@dataclass(frozen=True, slots=True)
class _Table:
    """A governed table, with the paths and masks of its fields."""

    governed: GovernedTable
    fields: tuple[tuple[FieldPath, FieldFacts, Mask | None], ...]

    @staticmethod
    def of(governed: GovernedTable) -> _Table:
        places = Places(governed.decision.columns)
        fields = []
        for fact in governed.table.facts.fields:
            path = FieldPath.parse(fact.path)
            rule = places.rule(path)
            fields.append((path, fact, rule.mask if not rule.clear_when else None))
        return _Table(governed, tuple(fields))

    def below(self, at: FieldPath, names: Sequence[str], direct: bool, counted: bool) -> Iterator[Flow]:
        """The fields at and below a column."""
        column = explain.find(self.governed, names[0])
        if column is None:
            yield from self.everything(at, counted)
            return
        if column.path is None:  # a position or a time
            return
        root = explain.path_of(self.governed, column, names[1:])
        for path, fact, mask in self.fields:
            if root.overlaps(path):
                steps = path.steps[len(root.steps) :] if direct and root.contains(path) else ()
                yield self._flow(FieldPath(at.root, (*at.steps, *steps)), path, fact, mask, direct, counted)

    def everything(self, at: FieldPath, counted: bool) -> Iterator[Flow]:
        for path, fact, mask in self.fields:
            yield self._flow(at, path, fact, mask, False, counted)

    def _flow(
        self, at: FieldPath, path: FieldPath, fact: FieldFacts, mask: Mask | None, direct: bool, counted: bool
    ) -> Flow:
        return Flow(
            at=str(at),
            source=self.governed.table.reference,
            path=str(path),
            mask=mask,
            tags=tuple(fact.tags),
            direct=direct,
            counted=counted,
        )


def facts_of(
    dataset: DatasetId,
    reference: str,
    columns: Sequence[Column],
    tags: Mapping[str, Mapping[str, str]],
    owners: SubjectMatch,
    sources: tuple[SourceFacts, ...] = (),
    generation: str = "",
) -> DatasetFacts:
    """What a decision on the view's rows rests on. Every column was computed from decided fields, so none is unclassified."""
    paths = dict.fromkeys([*(str(VALUE.field(each.name)) for each in columns), *tags])
    fields = tuple(FieldFacts(path, dict(tags.get(path, {}))) for path in paths)
    return DatasetFacts(
        id=dataset,
        reference=reference,
        fields=fields,
        tags=frozenset(),
        owners=owners,
        sources=sources,
        generation=generation,
    )


def _counting(tree: Any) -> frozenset[str]:
    """Result columns that are a count and nothing else."""
    if not isinstance(tree, exp.Select):
        return frozenset()
    return frozenset(fold(each.alias_or_name) for each in tree.expressions if _name(each.unalias()) in _COUNTS)


def _name(node: Any) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return str(node.sql_name()).lower() if isinstance(node, exp.Func) else ""
