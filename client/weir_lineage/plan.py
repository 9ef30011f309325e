"""Spark's analysed plan, as its own JSON, -> which columns a written column is made of. Pure: no Spark needed.

Spark gives every attribute an id that is unique in the application, so a plan is read bottom up into one table from id
to value, and the rows that `foreachBatch` hands to a function are found again in the plan of their stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from weir_lineage.plan_expressions import Expressions
from weir_lineage.plan_tree import Node, Tree, attributes, id_of, several, tree_of
from weir_lineage.plan_values import Source, Value, Way, Ways, united

_OPAQUE = (
    "MapInPandas",
    "MapInArrow",
    "PythonMapInArrow",
    "FlatMapGroupsInPandas",
    "FlatMapCoGroupsInPandas",
    "MapPartitions",
    "FlatMapGroupsInPandasWithState",
    "FlatMapGroupsWithState",
    "MapElements",
    "DeserializeToObject",
    "TypedFilter",
    "FlatMapGroupsInArrow",
    "FlatMapCoGroupsInArrow",
    "TransformWithState",
    "TransformWithStateInPandas",
    "SerializeFromObject",
    "MapGroups",
    "CoGroup",
    "ScriptTransformation",
    "AppendColumns",
    "TransformWithStateInPySpark",
)


@dataclass(slots=True)
class WrittenColumns:
    """What a plan writes: columns in order with what they are made of, and what filters, joins, groups or sorts."""

    columns: list[tuple[str, Value]] = field(default_factory=list)
    conditions: Ways = field(default_factory=dict)
    sources: set[Source] = field(default_factory=set)

    @property
    def known(self) -> bool:
        return all(value.known for _, value in self.columns)


class PlanReader:
    """Reads plans of one application; values of attributes are kept from plan to plan."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}
        self._expressions = Expressions(self._values, lambda plan: self._plan(tree_of(plan)))
        self._conditions: dict[str, Ways] = {}
        self._leaves: Iterator[Sequence[Source]] = iter(())
        self._ctes: dict[Any, list[tuple[str, str]]] = {}
        self._written = WrittenColumns()

    def read(self, nodes: Sequence[Node], leaves: Sequence[Sequence[Source]]) -> WrittenColumns:
        """One plan. `leaves`: the datasets each of its leaves reads, in order; none for what is none."""
        if len(self._values) > 200_000:  # a stream makes new ids with each batch
            self._values.clear()
            self._conditions.clear()
        self._written, self._leaves = WrittenColumns(), iter(leaves)
        output = self._plan(tree_of(nodes))
        self._written.columns = [(name, self._values.get(key, Value(known=False))) for name, key in output]
        for _, value in self._written.columns:
            self._written.sources |= {place[0] for place in value.ways}
        self._written.sources |= {place[0] for place in self._written.conditions}
        for _, key in output:  # whoever continues from these columns (foreachBatch) was filtered by the same
            self._conditions[key] = self._written.conditions
        return self._written

    # -- plans --------------------------------------------------------------------------------------------------------

    def _plan(self, tree: Tree) -> list[tuple[str, str]]:
        """(name, id) of the node's output."""
        kind, node = tree.kind, tree.node
        below = [self._plan(child) for child in tree.children]
        joined = [column for output in below for column in output]
        if not tree.children:
            return self._leaf(tree)
        if kind in _OPAQUE:
            output = attributes(node.get("output") or node.get("serializer") or node.get("outputObjAttr"))
            for _, key in output:
                self._values[key] = Value(known=False)
            return output or joined
        if kind == "Project":
            return self._named(node.get("projectList"))
        if kind == "Aggregate":
            self._condition(node.get("groupingExpressions"), "GROUP_BY")
            return self._named(node.get("aggregateExpressions"))
        if kind == "Window":
            return below[0] + self._named(node.get("windowExpressions"))
        if kind in ("Union", "Except", "Intersect"):
            return self._by_place(kind, below)
        if kind == "Generate":
            return self._generate(tree, below[0])
        if kind == "Expand":
            return self._expand(node)
        if kind == "Join":
            self._condition(node.get("condition"), "JOIN")
            how = str((node.get("joinType") or {}).get("object", ""))
            return below[0] if "Semi" in how or "Anti" in how else joined
        if kind == "Filter":
            self._condition(node.get("condition"), "FILTER")
        elif kind == "Sort":
            self._condition(node.get("order"), "SORT")
        elif kind in ("Deduplicate", "DeduplicateWithinWatermark"):
            self._condition(node.get("keys"), "GROUP_BY")
        elif kind == "CTERelationDef":
            self._ctes[node.get("id")] = below[0]
        elif kind == "WithCTE":
            return below[-1] if node.get("plan") != 0 else below[0]
        return joined

    def _leaf(self, tree: Tree) -> list[tuple[str, str]]:
        node = tree.node
        sources = next(self._leaves, ())
        output = attributes(node.get("output"))
        if tree.kind == "CTERelationRef":
            for (_, key), (_, source_key) in zip(output, self._ctes.get(node.get("cteId"), ()), strict=False):
                self._values[key] = self._values.get(source_key, Value(known=False))
            return output
        for name, key in output:
            if sources:
                places = tuple((source, (_column(source, name),)) for source in sources)
                self._values[key] = Value(dict.fromkeys(places, frozenset({Way()})), places)
            elif tree.kind in ("LocalRelation", "OneRowRelation", "Range", "EmptyRelation"):
                self._values[key] = Value()
            elif key in self._values:  # rows of a stream, as foreachBatch hands them on
                self._add(self._conditions.get(key, {}))
            else:
                self._values[key] = Value(known=False)
        self._written.sources.update(sources)
        return output

    def _by_place(self, kind: str, below: list[list[tuple[str, str]]]) -> list[tuple[str, str]]:
        if kind != "Union":
            for _, key in (column for output in below[1:] for column in output):
                self._add(self._values.get(key, Value()).indirect("FILTER").ways)
            return below[0]
        for at, (_, key) in enumerate(below[0]):
            parts = [self._values.get(output[at][1], Value(known=False)) for output in below if at < len(output)]
            self._values[key] = united(parts)
        return below[0]

    def _generate(self, tree: Tree, below: list[tuple[str, str]]) -> list[tuple[str, str]]:
        generator = tree.node.get("generator")
        value = self._expressions.value(tree_of(generator)) if generator else Value(known=False)
        output = attributes(tree.node.get("generatorOutput"))
        for _, key in output:
            self._values[key] = value
        return below + output

    def _expand(self, node: Node) -> list[tuple[str, str]]:
        output = attributes(node.get("output"))
        rows = node.get("projections") or []
        for at, (_, key) in enumerate(output):
            self._values[key] = united(self._expressions.value(tree_of(row[at])) for row in rows if at < len(row))
        return output

    def _named(self, expressions: Any) -> list[tuple[str, str]]:
        output = []
        for each in expressions or ():
            tree = tree_of(each)
            name, key = str(tree.node.get("name", "")), id_of(tree.node)
            value = self._expressions.value(tree)
            if tree.kind != "AttributeReference":
                self._values[key] = value
            output.append((name, key))
        return output

    def _condition(self, expressions: Any, subtype: str) -> None:
        for each in several(expressions):
            self._add(self._expressions.value(tree_of(each)).indirect(subtype).ways)

    def _add(self, ways: Ways) -> None:
        for place, more in ways.items():
            self._written.conditions[place] = self._written.conditions.get(place, frozenset()) | more


def _column(source: Source, name: str) -> str:
    """A column of a record: key, value and headers are parts of it, the rest is what the broker adds to it."""
    return name if not source.kafka or name in ("key", "value", "headers") else f"_{name}"
