"""How long the values of a query may get, estimated through its subqueries: texts joined to themselves again and again.

Spark bounds no value, so a doubling in thirty CTEs of which each looks harmless would fill the memory. An estimate, not
a bound: a stored value counts as _STORED characters, and what rows multiply to (joins, collect_list) is left to the
limits of time and memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

from sqlglot import exp

from policies.sql import inventory, sequences
from policies.sql.names import fold
from policies.sql.pattern_calls import matched
from policies.sql.patterns import degree
from policies.sql.words import words

LONGEST = 4_000_000
"""Characters or elements that a value may be estimated at."""

MOST_STEPS = 3_000_000_000
"""In which Java may match one text: about ten seconds (1.3 thousand million took four, on 2,000 characters)."""
_LONG = 1_000
"""Characters of a text from which on its patterns are judged by its length; nobody knows how long stored ones are."""

_STORED = 16
_OF_ITSELF = 100
"""Factor for what is put into itself at each of many places: a stored text may be far longer than _STORED."""
_COLLECTED = 4
"""Factor for what is collected of many rows."""

_SUMS = words(
    "concat concat_ws array_join map_concat array_union overlay array struct named_struct map arrays_zip array_append"
    " array_prepend array_insert map_from_arrays map_from_entries format_string printf"
)
_FACTORS = {"hex": 2, "base64": 2, "url_encode": 3, "to_json": 2, "to_csv": 2, "quote": 2, "encode": 4}
_COLLECTS = words("collect_list collect_set array_agg listagg string_agg")
_REPLACES = words("replace regexp_replace")
_EACH = words("transform transform_keys transform_values zip_with map_zip_with aggregate reduce")
_MATCHES = (exp.Anonymous, exp.RegexpLike, exp.Like, exp.ILike)
_OF_BOTH = (exp.Concat, exp.DPipe)
_GENERATORS = words("explode explode_outer posexplode posexplode_outer")
_GROUP = re.compile(r"\$(?:\d+|\{\w+\})|\\(.)", re.DOTALL)
_ANY = ""
"""Name of the columns that have none, or whose names are not worked out here."""

_Sizes = Mapping[str, int]
_Outputs = list[tuple[str, int]]


class _Beyond(Exception):
    def __init__(self, node: Any, sentence: str, reason: str) -> None:
        self.problem = (node, sentence, reason)


def beyond(root: exp.Expression) -> tuple[Any, str, str] | None:
    """The call that makes a value longer than LONGEST, or matches it with more than MOST_STEPS, by estimate.

    Gives the node, the sentence, the class of the reason.
    """
    try:
        _Query(root, {}, {}).outputs()
    except _Beyond as found:
        return found.problem
    return None


@dataclass(slots=True)
class _Query:
    """One query: what it reads from (`named`: the CTEs before it), and the names of queries around it."""

    node: Any
    named: dict[str, _Outputs]
    around: _Sizes

    def outputs(self) -> _Outputs:
        """Name and size of each column."""
        node, named = self.node, dict(self.named)
        for cte in (node.args.get("with_") or exp.With()).expressions:
            named[fold(cte.alias)] = _renamed(_Query(cte.this, named, self.around).outputs(), cte.args.get("alias"))
        if isinstance(node, exp.Subquery):
            inside = _renamed(_Query(node.this, named, self.around).outputs(), node.args.get("alias"))
            return _wide(inside) if node.args.get("pivots") else inside
        if isinstance(node, exp.SetOperation):
            one, other = (_Query(each, named, self.around).outputs() for each in (node.this, node.expression))
            most = max((size for _, size in other), default=0)
            return [
                (name, max(size, other[n][1] if n < len(other) else most)) for n, (name, size) in enumerate(one)
            ] or other
        if isinstance(node, exp.Select):
            return _Select(node, named, self.around).outputs()
        return [(_ANY, _Expressions({}, named).size(node))]


@dataclass(slots=True)
class _Select:
    node: Any
    named: dict[str, _Outputs]
    around: _Sizes

    def outputs(self) -> _Outputs:
        node = self.node
        visible = dict(self.around)
        own: dict[str, int] = {}
        sources = [node.args["from_"].this] if node.args.get("from_") else []
        sources += [join.this for join in node.args.get("joins") or ()]
        for source in [*sources, *(node.args.get("laterals") or ())]:
            for name, size in self._source(source, {**visible, **own}):
                own[name] = max(size, own.get(name, 0))
        visible.update(own)
        found: _Outputs = []
        inside = _Expressions(visible, self.named)
        for each in node.expressions:
            if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
                found += [*own.items(), (_ANY, own.get(_ANY, _STORED))]
                inside.size(each)
                continue
            size = inside.size(each)
            names = [each.alias] if isinstance(each, exp.Alias) else [i.name for i in _aliases(each)]
            for name in names or [each.name if isinstance(each, (exp.Column, exp.Dot)) else _ANY]:
                found.append((fold(name), size))
                if name:
                    visible[fold(name)] = max(size, visible.get(fold(name), 0))  # the next may use it
        for key, value in node.args.items():
            if key not in ("expressions", "from_", "with_", "laterals", "joins"):
                inside.all(value)
        for join in node.args.get("joins") or ():
            inside.all([join.args.get("on")])
        return found

    def _source(self, source: Any, visible: _Sizes) -> _Outputs:
        if isinstance(source, exp.Table):
            found = self.named.get(fold(source.name)) if not source.args.get("db") else None
            if isinstance(source.this, exp.Anonymous):
                found = [(_ANY, _Expressions(visible, self.named).size(source.this))]
            if found is not None:
                found = _renamed(found, source.args.get("alias"))
            more = [each for join in source.args.get("joins") or () for each in self._source(join.this, visible)] + [
                each for lateral in source.args.get("laterals") or () for each in self._source(lateral, visible)
            ]
            found = [*(found or ()), *more]
            return _wide(found) if source.args.get("pivots") else found
        if isinstance(source, exp.Lateral):
            inner = source.this
            if isinstance(inner, exp.Subquery):
                return _renamed(_Query(inner, self.named, visible).outputs(), source.args.get("alias"))
            made: _Outputs = [(_ANY, _Expressions(visible, self.named).size(inner))]
            return _renamed(made, source.args.get("alias"))
        return _Query(source, self.named, self.around).outputs()


@dataclass(slots=True)
class _Expressions:
    """Sizes of expressions where `visible` are the sizes of names; a name that is not there is stored."""

    visible: _Sizes
    named: dict[str, _Outputs]

    def all(self, nodes: Any) -> int:
        each = nodes if isinstance(nodes, list) else [nodes]
        return max((self.size(node) for node in each if isinstance(node, exp.Expression)), default=_STORED)

    def size(self, node: Any) -> int:
        """Without recursion for what hands a value on as it is: conditions may be long chains."""
        if isinstance(node, exp.Literal):
            return max(1, len(node.name))
        most, work = _STORED, [node]
        while work:
            each = work.pop()
            if isinstance(each, _MATCHES):
                self._match(each)
            if isinstance(each, exp.Query):
                most = max([most, *(size for _, size in _Query(each, self.named, self.visible).outputs())])
            elif isinstance(each, (exp.Column, exp.Identifier)):
                most = max(most, self._name(each))
            elif isinstance(each, exp.Literal):
                most = max(most, len(each.name))
            elif isinstance(each, (exp.Anonymous, *_OF_BOTH)):
                size = self._call(each)
                if size > LONGEST:
                    text = (
                        f"Texts or lists are joined to themselves until they are longer than {LONGEST:,}, by estimate."
                    )
                    if any(str(c.this).lower() == "sequence" for c in each.find_all(exp.Anonymous)):
                        text = (
                            f"A list made from a sequence would be longer than {LONGEST:,}, by estimate; make rows of the"
                            " sequence first: SELECT ... FROM (SELECT explode(sequence(...)) AS x)."
                        )
                    raise _Beyond(each, text, "size")
                most = max(most, size)
            elif isinstance(each, exp.Star):
                most = max(most, sum(self.visible.values()))
            else:
                work += each.iter_expressions()
        return most

    def _match(self, node: Any) -> None:
        """A pattern on a text that the query itself makes long: nothing stops Java within one record."""
        for text, pattern in matched(node):
            size, power = self.size(text), degree(pattern)
            if size >= _LONG and size**power // factorial(power) > MOST_STEPS:
                sentence = (
                    f"The pattern would look at a text of some {size:,} characters again and again; shorten the text,"
                    " or write what may not match, as [^,]* instead of .* before a comma."
                )
                raise _Beyond(node, sentence, "pattern")

    def _name(self, column: Any) -> int:
        parts = column.parts if isinstance(column, exp.Column) else [column]
        sizes = [self.visible[name] for part in parts if (name := fold(part.name)) in self.visible]
        return max(sizes, default=self.visible.get(_ANY, _STORED))

    def _call(self, call: Any) -> int:
        if isinstance(call, _OF_BOTH):
            return sum(map(self.size, call.flatten() if isinstance(call, exp.DPipe) else call.expressions))
        name, given = str(call.this).lower(), call.expressions
        if name in _REPLACES and len(given) > 2:
            return self._replaced(name, *given[:3])
        if any(isinstance(each, exp.Lambda) for each in given):
            return self._lambda(name, given)
        sizes = [self.size(each) for each in given] or [_STORED]
        if name in _GENERATORS and isinstance(given[0], exp.Anonymous) and str(given[0].this).lower() == "sequence":
            return _STORED  # its elements, one a row
        if name == "array_join" and len(sizes) > 1:
            return sizes[0] * max(1, sizes[1] // _STORED)
        if name in _SUMS:
            return sum(sizes)
        if inventory.grows(name):
            return self._sized(name, given, sizes)
        return max(sizes) * _FACTORS.get(name, _COLLECTED if name in _COLLECTS else 1)

    def _sized(self, name: str, given: Sequence[Any], sizes: Sequence[int]) -> int:
        if name == "sequence":
            return _STORED * sequences.length(exp.Anonymous(this=name, expressions=[each.copy() for each in given]))
        numbers = [int(e.name) for e in given if isinstance(e, exp.Literal) and e.is_int]
        count = max(numbers, default=1)
        return max(sizes[0], count) if name in ("lpad", "rpad", "space", "randstr") else max(sizes) * max(1, count)

    def _replaced(self, name: str, subject: Any, search: Any, put: Any) -> int:
        size = self.size(subject)
        self.size(search)
        if not isinstance(put, exp.Literal):
            per = len(search.name) if name == "replace" and isinstance(search, exp.Literal) else 1
            return size * self.size(put) * _itself(subject, put) // max(1, per)
        if name == "replace":
            per = len(search.name) if isinstance(search, exp.Literal) else 1
            return size * max(1, -(-len(put.name) // max(1, per)))
        groups = sum(1 for found in _GROUP.finditer(put.name) if found[1] is None)
        return size * max(1, groups + -(-len(_GROUP.sub("", put.name)) // 4))

    def _lambda(self, name: str, given: Sequence[Any]) -> int:
        over = [each for each in given if not isinstance(each, exp.Lambda)]
        size = max(map(self.size, over), default=_STORED)
        made = size
        for each in given:
            if isinstance(each, exp.Lambda):
                # Of a list a part is an element: its share is not known, so it counts as some stored values.
                own = {fold(name.name): min(size, 4 * _STORED) for name in each.expressions}
                body = _Expressions({**self.visible, **own}, self.named).size(each.this)
                factor = max((_itself(one, each.this) for one in over), default=1)
                made = max(made, max(4, size // _STORED) * body * factor)
        return made if name in _EACH else size


def _itself(one: Any, other: Any) -> int:
    """_OF_ITSELF when both name one column."""
    mine = {fold(column.parts[-1].name) for column in one.find_all(exp.Column)}
    shared = any(fold(column.parts[-1].name) in mine for column in other.find_all(exp.Column))
    return _OF_ITSELF if shared else 1


def _wide(found: _Outputs) -> _Outputs:
    """What a PIVOT or UNPIVOT makes of columns: others, of the same values."""
    return [*found, (_ANY, max((size for _, size in found), default=_STORED))]


def _renamed(found: _Outputs, alias: Any) -> _Outputs:
    names = alias.args.get("columns") or () if alias is not None else ()
    if not names:
        return found
    most = max((size for _, size in found), default=_STORED)
    even = len(found) == len(names) and all(name != _ANY for name, _ in found)
    return [(fold(name.name), found[n][1] if even else most) for n, name in enumerate(names)]


def _aliases(node: Any) -> Iterator[Any]:
    if isinstance(node, exp.Aliases):
        yield from node.expressions
