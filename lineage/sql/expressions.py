"""Expressions -> values: what each is made of, directly and as a condition."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.model import AGGREGATION, CONDITIONAL, TRANSFORMATION, WINDOW, Ways
from lineage.sql.relations import ELEMENT, Value, step, union
from lineage.sql.scope import Scope

if TYPE_CHECKING:
    from lineage.sql.queries import Queries

_MASKS = re.compile(
    # What undoes a mask is none, whatever stands before it.
    r"(?!(\w*_)?(de|un)_?(tokeni|mask|anonymi|pseudonymi|hash|crypt|redact)"
    r"|\w*(detokeni|unmask|deanonymi|depseudonymi|unredact))"
    r"(md5|sha|sha_?\d+|crc32|xxhash\d*|murmur\w*|farm_?fingerprint|cityhash\w*|siphash\w*|hmac\w*|bcrypt\w*|crypt"
    r"|\w*hash(ed|ing|_\w+|\d+\w*)?|\w*mask(ed|ing|_\w+)?|aes_encrypt|\w*encrypt(ed)?|\w*tokeni[sz]e\w*|\w*redact\w*"
    r"|\w*anonymi[sz]e\w*|\w*pseudonymi[sz]e\w*|fingerprint|md5_?\w*|sha\d*_?(hex|binary|digest)|sha2digest|sha1digest)\Z",
    re.IGNORECASE,
)
_COUNTS = (exp.Count, exp.CountIf, exp.ApproxDistinct)
_DECODES = {
    "from_json",
    "to_json",
    "parse_json",
    "json_parse",
    "from_avro",
    "to_avro",
    "from_protobuf",
    "to_protobuf",
    "decode",
    "encode",
    "to_json_string",
    "jsonformat",
    "parsejson",
    "json_format",
    "tojsonstring",
    "as_value",
    "from_csv",
    "try_parse_json",
    "safe_convert_bytes_to_string",
    "decodebytes",
}
_UNFOLDS = (exp.Explode, exp.ExplodeOuter, exp.Posexplode, exp.PosexplodeOuter, exp.Unnest, exp.Inline)
_AGGREGATES = {
    "collect",
    "collect_list",
    "collect_set",
    "latest_by_offset",
    "earliest_by_offset",
    "topk",
    "topkdistinct",
    "count_distinct",
    "histogram",
    "string_agg",
    "listagg",
    "json_object_agg",
    "jsonb_agg",
}


def function_name(node: exp.Expression) -> str:
    return str(node.this) if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc) else type(node).__name__


def masks(node: exp.Expression) -> bool:
    """Whether a function hides its argument: hashes, tokens, ciphers, and whatever calls itself a mask."""
    return isinstance(node, exp.Func) and _MASKS.match(function_name(node)) is not None


class Expressions:
    """Reads expressions in a scope. Subqueries are read by `queries`."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._by_type: dict[type, Callable[[exp.Expression, Scope], Value]] = {
            exp.Column: self._column,
            exp.Dot: self._dot,
            exp.Bracket: self._bracket,
            exp.Case: self._case,
            exp.If: self._case,
            exp.Window: self._window,
            exp.Struct: self._struct,
            exp.Subquery: self._query,
            exp.Select: self._query,
            exp.Union: self._query,
            exp.Exists: self._exists,
            exp.In: self._in,
            exp.JSONExtract: self._json,
            exp.JSONExtractScalar: self._json,
            exp.Filter: self._filter,
            exp.Literal: _nothing,
            exp.Star: _nothing,
            exp.DataType: _nothing,
            exp.Var: _nothing,
            exp.Null: _nothing,
            exp.Alias: self._same,
            exp.Paren: self._same,
            exp.Where: self._same,
            exp.Having: self._same,
            exp.StructExtract: self._extract,
            exp.Nullif: self._nullif,
            exp.Identifier: self._identifier,
        }

    def value(self, node: exp.Expression | None, scope: Scope) -> Value:
        """What a node is made of."""
        if node is None:
            return Value()
        scope.budget.spend()
        handler = self._by_type.get(type(node))
        if handler is not None:
            return handler(node, scope)
        if isinstance(node, exp.Binary) and not isinstance(node, exp.Func):
            return union([self.value(part, scope) for part in self._operands(node)], scope.budget).then(TRANSFORMATION)
        if isinstance(node, exp.Cast):
            return self.value(node.this, scope).decoded()
        if isinstance(node, exp.Query):
            return self._query(node, scope)
        if isinstance(node, _UNFOLDS):
            argument = node.expressions[0] if isinstance(node, exp.Unnest) and node.expressions else node.this
            return elements(self.value(argument, scope))
        name = function_name(node).lower()
        if name in _DECODES:
            argument = node.this if not isinstance(node, exp.Anonymous) else next(iter(node.expressions), None)
            return self.value(argument, scope).decoded()
        if name == "named_struct" and isinstance(node, exp.Anonymous):
            return self._named_struct(node, scope)
        parts = self._arguments(node, scope)
        if isinstance(node, _COUNTS) or name == "count_distinct":
            return parts.then(AGGREGATION, masking=True)
        if isinstance(node, exp.AggFunc | exp.WithinGroup) or name in _AGGREGATES:
            return parts.then(AGGREGATION, masking=masks(node))
        return parts.then(TRANSFORMATION, masking=masks(node))

    def _operands(self, node: exp.Expression) -> list[exp.Expression]:
        """What a chain of operators joins: `a + b + c` is as deep as `a`."""
        todo, operands = [node], []
        while todo:
            each = todo.pop()
            if isinstance(each, exp.Binary) and type(each) not in self._by_type and not isinstance(each, exp.Func):
                todo += [part for part in (each.this, each.args.get("expression")) if isinstance(part, exp.Expression)]
            elif isinstance(each, exp.Paren | exp.Not):
                todo.append(each.this)
            else:
                operands.append(each)
        return operands

    def conditions(self, node: exp.Expression | None, scope: Scope, subtype: str) -> Ways:
        """Every column under a node, as a condition."""
        return self.value(node, scope).indirect(subtype).ways

    def _arguments(self, node: exp.Expression, scope: Scope) -> Value:
        children = list(node.iter_expressions())
        lambdas = [child for child in children if isinstance(child, exp.Lambda)]
        if not lambdas:
            return union([self.value(child, scope) for child in children], scope.budget)
        values = [self.value(child, scope) for child in children if not isinstance(child, exp.Lambda)]
        element = elements(values[0]) if values else Value()
        outer = scope.bound
        for each in lambdas:
            scope.bound = outer | {parameter.name.lower(): element for parameter in each.expressions}
            values.append(self.value(each.this, scope))
        scope.bound = outer
        # A list that is mapped over gives what the mapping takes of it, not the whole of it.
        return union(values[1:] if len(values) > 1 and values[-1].ways else values, scope.budget)

    def _same(self, node: exp.Expression, scope: Scope) -> Value:
        return self.value(node.this, scope)

    def _column(self, node: exp.Expression, scope: Scope) -> Value:
        if isinstance(node.this, exp.Star):
            return Value()
        return scope.column([part.name for part in node.parts])

    def _identifier(self, node: exp.Expression, scope: Scope) -> Value:
        return scope.bound.get(node.name.lower(), Value())

    def _dot(self, node: exp.Expression, scope: Scope) -> Value:
        names: list[str] = []
        inner = node
        while isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Identifier | exp.Var):
            names.insert(0, inner.expression.name)
            inner = inner.this
        if isinstance(inner, exp.Dot):  # a function with a qualified name: db.f(x)
            return self.value(inner.expression, scope).then(TRANSFORMATION)
        if isinstance(inner, exp.Column):
            return scope.column([*(part.name for part in inner.parts), *names])
        if isinstance(inner, exp.Identifier):
            return scope.column([inner.name, *names])
        return self._inside(self.value(inner, scope), names, scope)

    def _inside(self, value: Value, names: list[str], scope: Scope) -> Value:
        for name in names:
            part = step(value, name)
            if part is None:
                scope.sql_lineage.doubt(f"there is no field {name} where the statement looks for it")
                return Value()
            value = part
        return value

    def _bracket(self, node: exp.Expression, scope: Scope) -> Value:
        value = self.value(node.this, scope)
        key = node.expressions[0] if node.expressions else None
        if isinstance(key, exp.Literal) and key.is_string:
            has_fields = value.fields is not None or value.nested is not None
            return self._inside(value, [key.name], scope) if has_fields else value.then(TRANSFORMATION)
        element = elements(value)
        others = [self.value(each, scope).indirect(CONDITIONAL) for each in node.expressions]
        return Value(union([element, *others], scope.budget).ways, element.ref, element.nested, element.fields)

    def _extract(self, node: exp.Expression, scope: Scope) -> Value:
        return self._inside(self.value(node.this, scope), [node.expression.name], scope)

    def _json(self, node: exp.Expression, scope: Scope) -> Value:
        value = self.value(node.this, scope)
        path = node.args.get("expression")
        if value.ref is None or not isinstance(path, exp.JSONPath | exp.Literal):
            return value.then(TRANSFORMATION)
        for part in path.expressions if isinstance(path, exp.JSONPath) else ():
            if isinstance(part, exp.JSONPathKey) and isinstance(part.this, str):
                inner = step(value, part.this)
            elif isinstance(part, exp.JSONPathSubscript):
                inner = elements(value)
            elif isinstance(part, exp.JSONPathRoot):
                continue
            else:
                break
            if inner is None:
                return value.then(TRANSFORMATION)
            value = inner
        return value.decoded()

    def _struct(self, node: exp.Expression, scope: Scope) -> Value:
        fields: dict[str, Value] = {}
        for at, each in enumerate(node.expressions):
            if isinstance(each, exp.PropertyEQ | exp.Slice):
                name, part = each.this.name, each.expression
            else:
                name, part = each.alias_or_name or f"col{at + 1}", each
            fields[name] = self.value(part, scope)
        return Value(union(fields.values(), scope.budget).ways, fields=fields)

    def _named_struct(self, node: exp.Expression, scope: Scope) -> Value:
        pairs = zip(node.expressions[::2], node.expressions[1::2], strict=False)
        fields = {name.name: self.value(part, scope) for name, part in pairs}
        return Value(union(fields.values(), scope.budget).ways, fields=fields)

    def _case(self, node: exp.Expression, scope: Scope) -> Value:
        conditions = [node.this] if node.this is not None else []
        results: list[exp.Expression | None] = []
        if isinstance(node, exp.Case):
            for branch in node.args.get("ifs") or ():
                conditions.append(branch.this)
                results.append(branch.args.get("true"))
            results.append(node.args.get("default"))
        else:
            results = [node.args.get("true"), node.args.get("false")]
        values = [self.value(result, scope).then(TRANSFORMATION) for result in results]
        values += [Value(self.conditions(condition, scope, CONDITIONAL)) for condition in conditions]
        return union(values, scope.budget)

    def _nullif(self, node: exp.Expression, scope: Scope) -> Value:
        rest = Value(self.conditions(node.expression, scope, CONDITIONAL))
        return union([self.value(node.this, scope).then(TRANSFORMATION), rest], scope.budget)

    def _filter(self, node: exp.Expression, scope: Scope) -> Value:
        condition = Value(self.conditions(node.expression, scope, CONDITIONAL))
        return union([self.value(node.this, scope), condition], scope.budget)

    def _window(self, node: exp.Expression, scope: Scope) -> Value:
        over: list[exp.Expression] = list(node.args.get("partition_by") or ())
        over += [node.args["order"]] if node.args.get("order") is not None else []
        for name in (node.args.get("alias"), node.args.get("first")):
            window = scope.windows.get(name.name.lower()) if isinstance(name, exp.Expression) else None
            if window is not None:
                over += window.args.get("partition_by") or ()
                over += [window.args["order"]] if window.args.get("order") is not None else []
        parts = [Value(self.conditions(each, scope, WINDOW)) for each in over]
        return union([self.value(node.this, scope).then(TRANSFORMATION), *parts], scope.budget)

    def _query(self, node: exp.Expression, scope: Scope) -> Value:
        table = self._queries.table(node, "", scope)
        return table.outputs[0].get().then(TRANSFORMATION) if table.outputs else Value()

    def _exists(self, node: exp.Expression, scope: Scope) -> Value:
        self._queries.table(node.this, "", scope)
        return Value()

    def _in(self, node: exp.Expression, scope: Scope) -> Value:
        values = [self.value(node.this, scope)]
        values += [self.value(each, scope) for each in node.expressions if not isinstance(each, exp.Literal)]
        for key in ("query", "unnest", "field"):
            values.append(self.value(node.args.get(key), scope))
        return union(values, scope.budget).then(TRANSFORMATION)


def _nothing(node: exp.Expression, scope: Scope) -> Value:
    return Value()


def elements(value: Value) -> Value:
    """The elements of an array, or the values of a map; of what is not known to be either, a part of it."""
    if value.fields is not None:
        return Value(value.ways)
    if value.nested is not None and ELEMENT not in value.nested:
        return Value(value.ways)
    element = step(value, ELEMENT)
    return element if element is not None else Value(value.ways)
