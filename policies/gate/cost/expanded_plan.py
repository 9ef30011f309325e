"""How large a query's plan gets once the engine has written it out: it puts a named query (WITH) in the place of each
mention, and may put the words of a column in the place of each use of its name.

Thirty named queries that each join the one before to itself are 2 kB of text and a thousand million relations; the
engine plans them without an end, and takes no cancel meanwhile. The counts are worked out in one pass over the text:
each named query is counted once, and its count is added at each mention.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from sqlglot import exp

from policies.sql.names import fold

TABLE_COLUMNS = 32
"""Columns that the star of a topic is counted for, since those of the topic are not known here."""


@dataclass(frozen=True, slots=True)
class Size:
    """A plan written out.

    relations    topics, lists of values, generators and queries without FROM, at each of their mentions
    expressions  names, values and calls, each name of a query's own column counted as its expression
    """

    relations: int
    expressions: int


@dataclass(frozen=True, slots=True)
class Most:
    """The largest plan that is run. Spark plans 256 relations in 3 s and a condition of 50,000 expressions in 4 s."""

    relations: int = 256
    expressions: int = 50_000

    def problem(self, size: Size) -> tuple[str, str, int, int] | None:
        """(the sentence, the limit's name, the count, the limit) of a plan that is too large; None for any other."""
        if size.relations > self.relations:
            count = min(size.relations, _COUNTED)
            sentence = (
                f"Written out, with each named query (WITH) in the place of each of its mentions, the query reads"
                f" {_shown(size.relations)} relations; at most {self.relations:,} are planned. Mention fewer of them,"
                " or join once instead of again and again."
            )
            return sentence, "plan_relations", count, self.relations
        if size.expressions > self.expressions:
            count = min(size.expressions, _COUNTED)
            sentence = (
                f"Written out, with each column's words in the place of each use of its name, the query has"
                f" {_shown(size.expressions)} expressions; at most {self.expressions:,} are planned. Build each column"
                " on fewer others, or group by fewer combinations."
            )
            return sentence, "plan_expressions", count, self.expressions
        return None


_COUNTED = 10**15


def _shown(count: int) -> str:
    return f"{count:,}" if count <= _COUNTED else f"more than {_COUNTED:,}"


@dataclass(slots=True)
class _Made:
    """What a query gives: `columns` name -> size of the expression behind it; `width` what a star of it comes to."""

    size: Size
    columns: dict[str, int] = field(default_factory=dict)
    width: int = TABLE_COLUMNS


def size(root: Any) -> Size:
    """The size of a parsed query's plan. Linear in the text but for the copies of the names in scope."""
    return _query(root, {}, {}).size


def _query(node: Any, named: Mapping[str, _Made], around: Mapping[str, int]) -> _Made:
    clause = node.args.get("with_")
    if clause is not None:
        named = dict(named)
        for cte in clause.expressions:
            result = _query(cte.this, named, around)
            named[fold(cte.alias)] = _renamed(result, cte.args.get("alias"))
    if isinstance(node, exp.SetOperation):
        return _set_operation(node, named, around)
    if isinstance(node, (exp.Subquery, exp.Paren)):
        result = _query(node.this, named, around)
        rest = _Scope(named, around)
        rest.add("", result)
        for key in ("joins", "laterals"):
            for place in node.args.get(key) or ():
                rest.place(place)
        rest.pivots(node)
        for key in ("order", "limit", "offset"):
            rest.expression(node.args.get(key), result.columns)
        return _renamed(_Made(rest.size, {**rest.columns, **result.columns}, rest.width), node.args.get("alias"))
    if isinstance(node, exp.Select):
        return _select(node, named, around)
    if isinstance(node, exp.Table):  # within brackets, with what it is joined to
        tables = _Scope(named, around)
        tables.place(node)
        return _Made(tables.size, tables.columns, tables.width)
    scope = _Scope(named, around, relations=1)  # VALUES
    for child in node.iter_expressions():
        scope.expression(child, {})
    names = [fold(each.name) for each in _column_names(node.args.get("alias"))]
    return _Made(scope.size, dict.fromkeys(names, 1), max(1, len(names)))


def _set_operation(node: Any, named: Mapping[str, _Made], around: Mapping[str, int]) -> _Made:
    """Without recursion along the left: a UNION of a hundred parts is nested a hundred deep there."""
    sides: list[Any] = []
    rest = _Scope(named, around)
    while isinstance(node, exp.SetOperation) and (not sides or node.args.get("with_") is None):
        for key in ("order", "limit", "offset"):
            rest.expression(node.args.get(key), {})
        sides.append(node.expression)
        node = node.this
    results = [_query(each, named, around) for each in [node, *reversed(sides)]]
    for each in results:
        rest.relations += each.size.relations
        rest.expressions += each.size.expressions
    first = results[0]
    most = max((n for each in results for n in each.columns.values()), default=1)
    return _Made(rest.size, dict.fromkeys(first.columns, most), max(each.width for each in results))


def _select(node: Any, named: Mapping[str, _Made], around: Mapping[str, int]) -> _Made:
    scope = _Scope(named, around)
    if node.args.get("from_") is not None:
        scope.place(node.args["from_"].this)
    else:
        scope.relations += 1
    for key in ("joins", "laterals"):
        for place in node.args.get(key) or ():
            scope.place(place)
    scope.pivots(node)
    columns: dict[str, int] = {}
    width = 0
    for each in node.expressions:
        if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
            columns = {**scope.columns, **columns}
            width += scope.width
            scope.expressions += scope.width
            scope.expression(each.args.get("replace"), columns)
            continue
        size = scope.expression(each, columns)
        width += size
        for name in _names(each):
            columns[name] = max(size, columns.get(name, 0))
    for key, value in node.args.items():
        if key not in ("with_", "from_", "joins", "laterals", "pivots", "expressions", "group"):
            for part in value if isinstance(value, list) else [value]:
                scope.expression(part, columns)
    group = node.args.get("group")
    scope.expressions += _grouping_sets(group) * (width + scope.expression(group, columns))
    return _Made(scope.size, columns, width)


@dataclass(slots=True)
class _Scope:
    """What the parts of one query come to together, and what its names mean."""

    named: Mapping[str, _Made]
    around: Mapping[str, int]
    relations: int = 0
    expressions: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    width: int = 0

    @property
    def size(self) -> Size:
        return Size(self.relations, self.expressions)

    def add(self, alias: str, relation: _Made) -> None:
        self.relations += relation.size.relations
        self.expressions += relation.size.expressions
        self.width += relation.width
        for name, size in relation.columns.items():
            self.columns[name] = max(size, self.columns.get(name, 0))

    def place(self, node: Any) -> None:
        """One entry of FROM, JOIN or LATERAL."""
        if isinstance(node, exp.Join):
            self.place(node.this)
            self.expression(node.args.get("on"), {})
            for name in node.args.get("using") or ():
                self.expressions += self.columns.get(fold(name.name), 1)
            return
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            own = None if node.args.get("db") else self.named.get(fold(node.name))
            if own is None or node.args.get("version"):
                self.add("", _renamed(_Made(Size(1, 1)), node.args.get("alias")))
            else:
                self.add("", _renamed(own, node.args.get("alias")))
            self._behind(node)
        elif isinstance(node, exp.Query):
            self.add("", _query(node, self.named, {**self.around, **self.columns}))
        else:  # a table function, LATERAL of one or of a query, VALUES
            inner = node.this if isinstance(node, exp.Lateral) else node
            if isinstance(inner, exp.Query) and not isinstance(inner, exp.Values):
                self.add("", _query(inner, self.named, {**self.around, **self.columns}))
            else:
                self.relations += 1
                size = self.expression(inner if isinstance(node, exp.Lateral) else node.this, {})
                names = [fold(each.name) for each in _column_names(node.args.get("alias"))]
                self.columns.update({name: max(size, self.columns.get(name, 0)) for name in names})
                self.width += max(1, len(names))
            self._behind(node)

    def _behind(self, node: Any) -> None:
        for key in ("joins", "laterals"):
            for place in node.args.get(key) or ():
                self.place(place)
        self.pivots(node)

    def pivots(self, node: Any) -> None:
        """PIVOT computes each aggregate for each value; UNPIVOT makes a row of each column it names."""
        for pivot in node.args.get("pivots") or ():
            values = max(1, sum(len(each.expressions) for each in pivot.args.get("fields") or ()))
            before = self.expressions
            for child in pivot.iter_expressions():
                if child.arg_key != "columns":
                    self.expression(child, {})
            self.expressions += values * max(1, self.expressions - before)
            if pivot.args.get("unpivot"):
                self.expressions += values * self.width
            self.relations += 1

    def expression(self, node: Any, own: Mapping[str, int]) -> int:
        """The size of an expression, counted too. `own` are the query's own columns, for what may name them."""
        if not isinstance(node, exp.Expression):
            return 0
        count, work = 0, [node]
        while work:
            each = work.pop()
            if isinstance(each, exp.Query):
                subquery = _query(each, self.named, {**self.around, **self.columns, **own})
                self.relations += subquery.size.relations
                count += subquery.size.expressions
                continue
            count += 1
            if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
                counted = isinstance(each.parent, exp.Anonymous) and str(each.parent.this).lower() == "count"
                count += 0 if counted else self.width
            elif isinstance(each, exp.Column):
                count += max(self._name(part, own) for part in each.parts) - 1
            else:
                work += each.iter_expressions()
        self.expressions += count
        return count

    def _name(self, part: Any, own: Mapping[str, int]) -> int:
        name = fold(part.name)
        for known in (self.columns, own, self.around):
            if name in known:
                return known[name]
        return 1


def _grouping_sets(group: Any) -> int:
    """In how many ways the rows are grouped, beyond one: CUBE of n columns in 2^n."""
    if group is None:
        return 0
    ways = [_ways(each) for each in group.expressions]
    plain = len([each for each in group.expressions if not isinstance(each, (exp.Cube, exp.Rollup, exp.GroupingSets))])
    for key in ("cube", "rollup", "grouping_sets"):
        for each in group.args.get(key) or ():
            ways.append(_ways(each, plain) if isinstance(each, exp.Expression) else 1)
    return prod(ways) - 1


def _ways(node: Any, plain: int = 0) -> int:
    parts = node.expressions or [None] * plain
    if isinstance(node, exp.Cube):
        return int(2 ** len(parts))
    if isinstance(node, exp.Rollup):
        return len(parts) + 1
    if isinstance(node, exp.GroupingSets):
        return sum(_ways(each) for each in node.expressions) or 1
    return 1


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, exp.Aliases):
        yield from (fold(each.name) for each in node.expressions)
    elif isinstance(node, exp.Alias):
        yield fold(node.alias)
    elif isinstance(node, (exp.Column, exp.Dot)):
        yield fold(node.name)


def _column_names(alias: Any) -> list[Any]:
    return list(alias.args.get("columns") or ()) if alias is not None else []


def _renamed(relation: _Made, alias: Any) -> _Made:
    names = _column_names(alias)
    if not names:
        return relation
    sizes = list(relation.columns.values())
    most = max(sizes, default=1)
    even = len(sizes) == len(names)
    columns = {fold(name.name): sizes[n] if even else most for n, name in enumerate(names)}
    return _Made(relation.size, columns, relation.width)
