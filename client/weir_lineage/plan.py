"""Spark's analysed plan, as its own JSON, -> which columns a written column is made of. Pure: no Spark needed.

Spark gives every attribute an id that is unique in the application, so a plan is read bottom up into one table from id
to value, and the rows that `foreachBatch` hands to a function are found again in the plan of their stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Node = Mapping[str, Any]
ELEMENTS = "[]"
DIRECT, INDIRECT = "DIRECT", "INDIRECT"
IDENTITY, TRANSFORMATION, AGGREGATION = "IDENTITY", "TRANSFORMATION", "AGGREGATION"

_MASKS = {"Md5", "Sha1", "Sha2", "Crc32", "XxHash64", "Murmur3Hash", "HiveHash", "CollationAwareMurmur3Hash",
          "CollationAwareXxHash64", "Mask", "AesEncrypt"}  # fmt: skip
_DECODES = {"Cast", "JsonToStructs", "StructsToJson", "AvroDataToCatalyst", "CatalystDataToAvro", "Encode", "Decode",
            "ProtobufDataToCatalyst", "CatalystDataToProtobuf", "StringDecode", "UpCast", "AnsiCast", "TryCast", "StructsToCsv",
            "CsvToStructs"}  # fmt: skip
_UNFOLDS = {"Explode", "PosExplode", "Inline", "Collate"}
_SAME = {"Alias", "AggregateExpression", "SortOrder", "KnownNotNull", "KnownNullable", "OuterReference", "RuntimeReplaceable",
         "NormalizeNaNAndZero", "TempResolvedColumn", "WindowSpecDefinition"}  # fmt: skip
_OPAQUE = ("MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas", "FlatMapCoGroupsInPandas", "MapPartitions",
           "FlatMapGroupsInPandasWithState", "FlatMapGroupsWithState", "MapElements", "DeserializeToObject", "TypedFilter",
           "FlatMapGroupsInArrow", "FlatMapCoGroupsInArrow", "TransformWithState", "TransformWithStateInPandas",
           "SerializeFromObject", "MapGroups", "CoGroup", "ScriptTransformation", "AppendColumns",
           "TransformWithStateInPySpark")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset that is read. `kafka`: its columns are a record's key, value and metadata."""

    namespace: str
    name: str
    kafka: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Way:
    type: str = DIRECT
    subtype: str = IDENTITY
    masking: bool = False

    def then(self, subtype: str, masking: bool = False) -> Way:
        if self.type == INDIRECT:
            return self
        order = (IDENTITY, TRANSFORMATION, AGGREGATION)
        return Way(DIRECT, max(self.subtype, subtype, key=order.index), self.masking or masking)


Place = tuple[Source, tuple[str, ...]]
Ways = dict[Place, frozenset[Way]]


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression is made of; `places` it is the content of (one for each topic); `fields` it was built from."""

    ways: Ways = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    fields: dict[str, Value] | None = None
    known: bool = True

    def then(self, subtype: str, masking: bool = False) -> Value:
        ways = {place: frozenset(w.then(subtype, masking) for w in found) for place, found in self.ways.items()}
        return Value(ways, known=self.known)

    def decoded(self) -> Value:
        fields = None if self.fields is None else {name: part.decoded() for name, part in self.fields.items()}
        return Value(self.then(TRANSFORMATION).ways, self.places, fields, self.known)

    def indirect(self, subtype: str) -> Value:
        return Value({place: frozenset({Way(INDIRECT, subtype)}) for place in self.ways}, known=self.known)

    def inside(self, step: str) -> Value:
        if self.fields is not None:
            return self.fields.get(step, Value(self.ways, known=self.known))
        if not self.places:
            return self.then(TRANSFORMATION)
        places = tuple((source, (*path, step)) for source, path in self.places)
        # Taking a field out of what was parsed is no change of that field.
        return Value(dict.fromkeys(places, frozenset({Way()})), places, known=self.known)


def united(values: Iterable[Value]) -> Value:
    ways: Ways = {}
    known = True
    for value in values:
        known = known and value.known
        for place, found in value.ways.items():
            ways[place] = ways.get(place, frozenset()) | found
    return Value(ways, known=known)


@dataclass(slots=True)
class Tree:
    """A node of a plan or an expression with its children."""

    node: Node
    children: list[Tree]

    @property
    def kind(self) -> str:
        return str(self.node.get("class", "")).rsplit(".", 1)[-1].rstrip("$")


def tree_of(nodes: Sequence[Node]) -> Tree:
    """Spark writes a tree as its nodes in order, each with the number of its children."""
    rest = iter(nodes)

    def build() -> Tree:
        node = next(rest)
        return Tree(node, [build() for _ in range(int(node.get("num-children", 0)))])

    return build()


@dataclass(slots=True)
class Written:
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
        self._conditions: dict[str, Ways] = {}
        self._leaves: Iterator[Sequence[Source]] = iter(())
        self._ctes: dict[Any, list[tuple[str, str]]] = {}
        self._written = Written()

    def read(self, nodes: Sequence[Node], leaves: Sequence[Sequence[Source]]) -> Written:
        """One plan. `leaves`: the datasets each of its leaves reads, in order; none for what is none."""
        if len(self._values) > 200_000:  # a stream makes new ids with each batch
            self._values.clear()
            self._conditions.clear()
        self._written, self._leaves = Written(), iter(leaves)
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
            output = _attributes(node.get("output") or node.get("serializer") or node.get("outputObjAttr"))
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
        output = _attributes(node.get("output"))
        if tree.kind == "CTERelationRef":
            for (_, key), (_, made) in zip(output, self._ctes.get(node.get("cteId"), ()), strict=False):
                self._values[key] = self._values.get(made, Value(known=False))
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
        value = self._value(tree_of(generator)) if generator else Value(known=False)
        output = _attributes(tree.node.get("generatorOutput"))
        for _, key in output:
            self._values[key] = value
        return below + output

    def _expand(self, node: Node) -> list[tuple[str, str]]:
        output = _attributes(node.get("output"))
        rows = node.get("projections") or []
        for at, (_, key) in enumerate(output):
            self._values[key] = united(self._value(tree_of(row[at])) for row in rows if at < len(row))
        return output

    def _named(self, expressions: Any) -> list[tuple[str, str]]:
        output = []
        for each in expressions or ():
            tree = tree_of(each)
            name, key = str(tree.node.get("name", "")), _id(tree.node)
            value = self._value(tree)
            if tree.kind != "AttributeReference":
                self._values[key] = value
            output.append((name, key))
        return output

    def _condition(self, expressions: Any, subtype: str) -> None:
        for each in _several(expressions):
            self._add(self._value(tree_of(each)).indirect(subtype).ways)

    def _add(self, ways: Ways) -> None:
        for place, found in ways.items():
            self._written.conditions[place] = self._written.conditions.get(place, frozenset()) | found

    # -- expressions --------------------------------------------------------------------------------------------------

    def _value(self, tree: Tree) -> Value:
        kind, node, children = tree.kind, tree.node, tree.children
        if kind in ("AttributeReference", "NamedLambdaVariable"):
            return self._values.get(_id(node), Value(known=False))
        if kind == "Literal":
            return Value()
        if "plan" in node and not children:  # a scalar subquery
            return self._subquery(node["plan"])
        if kind == "WindowExpression":
            return united([self._value(children[0]).then(TRANSFORMATION), self._value(children[1]).indirect("WINDOW")])
        if kind == "CreateNamedStruct":
            return self._struct(children)
        if kind in ("CaseWhen", "If"):
            return self._conditional(children)
        if any(child.kind == "LambdaFunction" for child in children):
            return self._mapped(children)
        parts = [self._value(child) for child in children]
        first = parts[0] if parts else Value()
        steps: dict[str, Callable[[], Value]] = {
            "GetStructField": lambda: first.inside(_field_name(tree)),
            "GetArrayStructFields": lambda: first.inside(ELEMENTS).inside(str((node.get("field") or {}).get("name"))),
            "GetArrayItem": lambda: first.inside(ELEMENTS),
            "GetJsonObject": lambda: _json_path(first, children),
        }
        if kind in steps:
            return steps[kind]()
        if kind in _UNFOLDS:
            return first.inside(ELEMENTS)
        if kind in _DECODES:
            return first.decoded()
        if kind in _SAME and len(parts) == 1:
            return first
        if kind in _SAME:
            return united(parts)
        if ".aggregate." in str(node.get("class")):
            return united(parts).then(AGGREGATION, masking=kind in ("Count", "HyperLogLogPlusPlus", "CountIf"))
        return united(parts).then(TRANSFORMATION, masking=kind in _MASKS)

    def _subquery(self, plan: Any) -> Value:
        if not isinstance(plan, list) or not plan:
            return Value(known=False)
        output = self._plan(tree_of(plan))
        return self._values.get(output[0][1], Value(known=False)).then(TRANSFORMATION) if output else Value()

    def _struct(self, children: list[Tree]) -> Value:
        pairs = zip(children[::2], children[1::2], strict=False)
        fields = {str(name.node.get("value", "")): self._value(part) for name, part in pairs}
        whole = united(fields.values())
        return Value(whole.ways, fields=fields, known=whole.known)

    def _conditional(self, children: list[Tree]) -> Value:
        """Conditions and results take turns; a result at the end is what holds otherwise."""
        found = []
        for at, child in enumerate(children):
            is_condition = at % 2 == 0 and at < len(children) - 1
            value = self._value(child)
            found.append(value.indirect("CONDITIONAL") if is_condition else value.then(TRANSFORMATION))
        return united(found)

    def _mapped(self, children: list[Tree]) -> Value:
        """A function over the elements of an array: its parameter is an element."""
        plain = [self._value(child) for child in children if child.kind != "LambdaFunction"]
        element = plain[0].inside(ELEMENTS) if plain else Value(known=False)
        found = []
        for child in children:
            if child.kind == "LambdaFunction":
                for parameter in child.children[1:]:
                    self._values[_id(parameter.node)] = element
                found.append(self._value(child.children[0]))
        return united([*found, *plain[1:]]).then(TRANSFORMATION)


def _column(source: Source, name: str) -> str:
    """A column of a record: key, value and headers are parts of it, the rest is what the broker says of it."""
    return name if not source.kafka or name in ("key", "value", "headers") else f"_{name}"


def _field_name(tree: Tree) -> str:
    """A struct field's name: as the plan says it, else by its place in the type below."""
    name = tree.node.get("name")
    if isinstance(name, str):
        return name
    below = tree.children[0].node
    kind = below.get("dataType") or below.get("schema")
    fields = kind.get("fields", []) if isinstance(kind, Mapping) else []
    at = tree.node.get("ordinal")
    return str(fields[at]["name"]) if isinstance(at, int) and at < len(fields) else f"_{at}"


def _json_path(value: Value, children: list[Tree]) -> Value:
    path = str(children[1].node.get("value", "")) if len(children) > 1 and children[1].kind == "Literal" else ""
    if not path.startswith("$.") or any(mark in path for mark in "*'\""):
        return value.then(TRANSFORMATION)
    for part in path[2:].split("."):
        name, bracket, _ = part.partition("[")
        value = value.inside(name) if name else value
        value = value.inside(ELEMENTS) if bracket else value
    return value.decoded()


def _id(node: Node) -> str:
    found = node.get("exprId") or {}
    return f"{found.get('jvmId')}:{found.get('id')}"


def _several(expressions: Any) -> list[Any]:
    """One expression is a list of nodes, several are a list of those."""
    if not isinstance(expressions, list) or not expressions:
        return []
    return [expressions] if isinstance(expressions[0], Mapping) else expressions


def _attributes(expressions: Any) -> list[tuple[str, str]]:
    trees = [each[0] for each in _several(expressions) if each and isinstance(each[0], Mapping)]
    return [(str(node.get("name", "")), _id(node)) for node in trees]
