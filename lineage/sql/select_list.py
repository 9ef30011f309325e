"""The SELECT list -> the columns of a query's answer: expressions, stars and what a star leaves out or replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.aliases import EARLIER
from lineage.sql.expressions import elements
from lineage.sql.generators import generated
from lineage.sql.limits import MAX_COLUMNS
from lineage.sql.model import TooComplex
from lineage.sql.relations import Opaque, Output, QueryTable, Relation, Value, step
from lineage.sql.scope import WINDOWS, Scope

if TYPE_CHECKING:
    from lineage.sql.queries import Queries


class SelectList:
    """Names a query's columns. What they are made of is computed when it is asked for."""

    def __init__(self, queries: Queries) -> None:
        self._sql_lineage, self._expressions, self._budget = queries.sql_lineage, queries.expressions, queries.budget
        self._listed = queries.names.listed

    def outputs(self, node: exp.Select, scope: Scope) -> tuple[list[Output], list[Relation]]:
        outputs: list[Output] = []
        unknown: list[Relation] = []
        for at, each in enumerate(node.expressions):
            star = each if isinstance(each, exp.Star) else None
            if isinstance(each, exp.Column) and isinstance(each.this, exp.Star):
                star = each.this
                source = scope.source([p.name for p in each.parts[:-1]])
                relations = [source] if source is not None else []
                if not relations and not self._struct_star(each, scope, outputs):
                    self._sql_lineage.doubt("a star over something that is not known")
                    relations = [Opaque("")]
            elif star is not None:
                relations = list(scope.sources.values())
            else:
                columns = generated(each, partial(self._read, scope), elements, self._sql_lineage, self._budget)
                if columns is not None:
                    outputs += columns
                    continue
                name = each.alias_or_name or _window_name(each) or f"_c{at}"
                outputs.append(Output(name, self._computed(each, scope, len(outputs))))
                continue
            more, open_relations = self.star(relations, scope.joined, star)
            if star is each and scope.joined:
                more = _joined_first(more, scope)
            outputs += self._replaced(more, star, scope)
            unknown += open_relations
            if len(outputs) > MAX_COLUMNS:
                raise TooComplex("its stars give too many columns")
        return outputs, unknown

    def _read(self, scope: Scope, node: exp.Expression | None) -> Value:
        return self._expressions.value(node, scope)

    def _computed(self, node: exp.Expression, scope: Scope, before: int) -> Callable[[], Value]:
        visible = 0 if self._listed is None else before if self._listed == EARLIER else MAX_COLUMNS

        def compute() -> Value:
            visible_before, scope.visible = scope.visible, visible
            try:
                return self._expressions.value(node, scope)
            finally:
                scope.visible = visible_before

        return compute

    def _struct_star(self, node: exp.Column, scope: Scope, outputs: list[Output]) -> bool:
        value = scope._look([part.name for part in node.parts[:-1]], False)
        if value is None or (value.nested is None and value.fields is None):
            return False
        for name in value.nested if value.nested is not None else value.fields or ():
            part = step(value, name)
            outputs.append(Output(name, Value, part or Value()))
        return True

    def star(
        self, relations: Iterable[Relation], joined: Iterable[str], star: exp.Star | None = None
    ) -> tuple[list[Output], list[Relation]]:
        left_out = {
            each.name.lower() for key in ("except_", "except") for each in (star.args.get(key) if star else None) or ()
        }
        once: set[str] = set()
        shared = set(joined)
        outputs: list[Output] = []
        unknown: list[Relation] = []
        for relation in relations:
            names = relation.names()
            if names is None:
                unknown.append(relation)
                if isinstance(relation, QueryTable):
                    names = [output.name for output in relation.outputs]
            self._budget.spend(len(names or ()))
            for name in names or ():
                lowered = name.lower()
                if lowered in left_out or (lowered in shared and lowered in once):
                    continue
                once.add(lowered)
                outputs.append(Output(name, _found(relation, name)))
        return outputs, unknown

    def _replaced(self, outputs: list[Output], star: exp.Star | None, scope: Scope) -> list[Output]:
        """`* REPLACE (e AS c)` and `* RENAME (a AS b)`."""
        for key in ("replace", "rename"):
            for each in (star.args.get(key) if star else None) or ():
                for at, output in enumerate(outputs):
                    if key == "replace" and output.name.lower() == each.alias.lower():
                        outputs[at] = Output(output.name, self._computed(each, scope, 0))
                    elif key == "rename" and output.name.lower() == each.this.name.lower():
                        outputs[at] = Output(each.alias, output.get)
        return outputs


def _window_name(node: exp.Expression) -> str:
    """Spark calls what window(ts, '5 minutes') gives `window`."""
    called = str(node.this).lower() if isinstance(node, exp.Anonymous) else ""
    return called if called in WINDOWS else ""


def _joined_first(outputs: list[Output], scope: Scope) -> list[Output]:
    """What USING or NATURAL joins comes first, once, and is of either side."""
    shared = [output for output in outputs if output.name.lower() in scope.joined]
    rest = [output for output in outputs if output.name.lower() not in scope.joined]
    return [*(Output(output.name, _column(scope, output.name)) for output in shared), *rest]


def _column(scope: Scope, name: str) -> Callable[[], Value]:
    return lambda: scope.column([name])


def _found(relation: Relation, name: str) -> Callable[[], Value]:
    return lambda: relation.find(name) or Value()
