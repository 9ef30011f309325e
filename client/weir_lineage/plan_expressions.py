"""Expressions of a plan -> what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weir_lineage.plan_tree import Tree, id_of
from weir_lineage.plan_values import AGGREGATION, ELEMENTS, TRANSFORMATION, Value, united

_MASKS = {
    "Md5",
    "Sha1",
    "Sha2",
    "Crc32",
    "XxHash64",
    "Murmur3Hash",
    "HiveHash",
    "CollationAwareMurmur3Hash",
    "CollationAwareXxHash64",
    "Mask",
    "AesEncrypt",
}
_DECODES = {
    "Cast",
    "JsonToStructs",
    "StructsToJson",
    "AvroDataToCatalyst",
    "CatalystDataToAvro",
    "Encode",
    "Decode",
    "ProtobufDataToCatalyst",
    "CatalystDataToProtobuf",
    "StringDecode",
    "UpCast",
    "AnsiCast",
    "TryCast",
    "StructsToCsv",
    "CsvToStructs",
}
_UNFOLDS = {"Explode", "PosExplode", "Inline", "Collate"}
_SAME = {
    "Alias",
    "AggregateExpression",
    "SortOrder",
    "KnownNotNull",
    "KnownNullable",
    "OuterReference",
    "RuntimeReplaceable",
    "NormalizeNaNAndZero",
    "TempResolvedColumn",
    "WindowSpecDefinition",
}


class Expressions:
    """Reads expressions. `values` holds what is known by id; `plan` reads the plan of a subquery: (name, id) of its output."""

    def __init__(self, values: dict[str, Value], plan: Callable[[Any], list[tuple[str, str]]]) -> None:
        self._values, self._plan = values, plan

    def value(self, tree: Tree) -> Value:
        kind, node, children = tree.kind, tree.node, tree.children
        if kind in ("AttributeReference", "NamedLambdaVariable"):
            return self._values.get(id_of(node), Value(known=False))
        if kind == "Literal":
            return Value()
        if "plan" in node and not children:  # a scalar subquery
            return self._subquery(node["plan"])
        if kind == "WindowExpression":
            return united([self.value(children[0]).then(TRANSFORMATION), self.value(children[1]).indirect("WINDOW")])
        if kind == "CreateNamedStruct":
            return self._struct(children)
        if kind in ("CaseWhen", "If"):
            return self._conditional(children)
        if any(child.kind == "LambdaFunction" for child in children):
            return self._mapped(children)
        parts = [self.value(child) for child in children]
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
        output = self._plan(plan)
        return self._values.get(output[0][1], Value(known=False)).then(TRANSFORMATION) if output else Value()

    def _struct(self, children: list[Tree]) -> Value:
        pairs = zip(children[::2], children[1::2], strict=False)
        fields = {str(name.node.get("value", "")): self.value(part) for name, part in pairs}
        whole = united(fields.values())
        return Value(whole.ways, fields=fields, known=whole.known)

    def _conditional(self, children: list[Tree]) -> Value:
        """Conditions and results take turns; a result at the end is what holds otherwise."""
        values = []
        for at, child in enumerate(children):
            is_condition = at % 2 == 0 and at < len(children) - 1
            value = self.value(child)
            values.append(value.indirect("CONDITIONAL") if is_condition else value.then(TRANSFORMATION))
        return united(values)

    def _mapped(self, children: list[Tree]) -> Value:
        """A function over the elements of an array: its parameter is an element."""
        plain = [self.value(child) for child in children if child.kind != "LambdaFunction"]
        element = plain[0].inside(ELEMENTS) if plain else Value(known=False)
        values = []
        for child in children:
            if child.kind == "LambdaFunction":
                for parameter in child.children[1:]:
                    self._values[id_of(parameter.node)] = element
                values.append(self.value(child.children[0]))
        return united([*values, *plain[1:]]).then(TRANSFORMATION)


def _field_name(tree: Tree) -> str:
    """A struct field's name: as the plan has it, else by its place in the type below."""
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
