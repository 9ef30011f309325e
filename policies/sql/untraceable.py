"""Queries whose columns cannot be followed by their names: where one is here, each column counts as made of all the query reads.

Spark gives places and names in ways that the text does not show: PIVOT, a star of a struct, columns merged by USING. The trace
would name other fields than Spark takes, so it does not try.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from policies.sql.expression_sources import Output
from policies.sql.names import fold
from policies.sql.stars import counts_rows
from policies.sql.tables import TableRef
from policies.sql.trace import Visible, outputs, places

GENERATORS = frozenset(
    {"explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack", "json_tuple"}
)
"""Functions that may give several columns, whose names are not in the text."""


def followed_outputs(tree: exp.Expression, columns: Mapping[TableRef, Visible]) -> list[Output]:
    """The columns of a gated query's result where all of them can be followed; none where something cannot."""
    return [] if untraceable(tree) else outputs(tree, columns)


def untraceable(tree: exp.Expression) -> bool:
    """Whether something in a gated query gives columns that its text does not name."""
    if tree.find(exp.Pivot) is not None or any(_folds_apart(each.name) for each in tree.find_all(exp.Identifier)):
        return True
    stars = [each for each in tree.find_all(exp.Star) if not counts_rows(each.parent)]
    if any(_is_of_a_struct(star) or _leaves_out_by_path(star) for star in stars):
        return True
    if stars and any(join.args.get("using") or join.args.get("method") for join in tree.find_all(exp.Join)):
        return True
    return any(_is_unnamed(select) for select in tree.find_all(exp.Select))


def _folds_apart(name: str) -> bool:
    """Whether a name is another one's equal where Spark compares columns, and not where it looks up aliases and arguments."""
    return fold(name) != name.lower()


def _is_of_a_struct(star: exp.Star) -> bool:
    """`who.*` and `o.who.*`: a star of anything but one table of the FROM by its name."""
    column = star.parent
    if not isinstance(column, exp.Column):
        return False
    parts = [part.name for part in column.parts if not isinstance(part, exp.Star)]
    select = star.find_ancestor(exp.Select)
    names = {fold(place.alias_or_name) for place in places(select)} if select is not None else set()
    return len(parts) != 1 or fold(parts[0]) not in names


def _leaves_out_by_path(star: exp.Star) -> bool:
    """`* EXCEPT (a.email)`, `* EXCEPT (who.mail)`."""
    left_out = star.args.get("except_") or star.args.get("except") or ()
    return any(isinstance(each, exp.Dot) or (isinstance(each, exp.Column) and len(each.parts) > 1) for each in left_out)


def _is_unnamed(select: exp.Select) -> bool:
    """Whether a select has a generator without a name, so that it gives one column or two."""
    return any(isinstance(item, exp.Anonymous) and fold(item.name) in GENERATORS for item in select.expressions)
