"""How a gated query follows its topics: Spark's output mode, the key of a row, and what is a stream and what a table.

Decided from the text alone, before anything starts. What Spark's streaming cannot do is refused with what to write
instead; what passes here and Spark still refuses is translated by `errors.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.gate.gate import Gated
from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.shape import limits, names, rows, times
from views.shape.completed import sessions_with_a_group, without_idle_distinct
from views.shape.groups import Grouped, grouped
from views.shape.kept import conditions, with_kept
from views.shape.names import KEPT
from views.shape.places import Places
from views.shape.roles import Roles, roles

TIME = "_timestamp"


@dataclass(frozen=True, slots=True)
class Shape:
    """A query as it follows topics.

    tree        the gated tree, rewritten where needed; `Gated` of it renders as before
    mode        append | update, Spark's output modes
    key         result columns that identify a row, as written; (): each row is kept, unless `single`
    follows     topics that are followed
    tables      topics that are joined as tables: the newest record of each key
    watermarks  column of each followed topic that its watermark is over
    kept        BOOLEAN column that we added: where it is false the row with this key is gone
    single      the result is one row, which has no key
    starred     some columns come by a star: whoever knows them checks that their names differ and that `key` is there
    folds       followed topics whose records are counted or joined one by one: a record that replaces another of its
                key would count twice
    notes       sentences for the author of the view
    """

    tree: exp.Expression
    mode: str
    key: tuple[str, ...]
    follows: tuple[TableRef, ...]
    tables: frozenset[TableRef]
    watermarks: Mapping[TableRef, str]
    kept: str | None = None
    single: bool = False
    starred: bool = False
    folds: frozenset[TableRef] = frozenset()
    notes: tuple[str, ...] = ()


def shape(gated: Gated, *, key: Sequence[str] | None, watermark: bool, watermark_column: str | None) -> Shape:
    """The shape of a gated query. `key` as declared, None for the query's own; `watermark`: one is declared.

    EMIT CHANGES at its end is left out: a view does that always. Raises SqlRefused with the place (`line`, `column`,
    `reasons`) for what cannot stream, InvalidInput for a key that is not in the result.
    """
    places = Places.of(gated)
    tree: Any = gated.tree.copy()
    clocks = frozenset({TIME, fold(watermark_column)} if watermark_column else {TIME})
    reading = roles(tree, places, clocks)
    limits.check(tree, reading, places)
    without_idle_distinct(reading)
    columns, starred = names.check(tree, places)
    given = [names.of_result(name, columns, starred) for name in key or ()]
    watermarks = times.watermarks(reading, watermark_column or TIME, own=watermark_column is None)
    kind = rows.kind(tree, reading, places, watermark, watermarks)
    notes = [*kind.notes, *rows.notes(reading)]
    groups = grouped(tree, {}) if kind.groups else None
    if groups is None:
        return _shape(gated, tree, "append", tuple(given), reading, watermarks, starred, kind.folds, notes)
    single = not groups.groups and not groups.starred
    own = tuple(given) if single else _key(tree, groups, given, columns, places, key is not None)
    if single and given:
        raise places.refuse(
            names.first_select(tree), "Without GROUP BY the result is one row; leave out key.", "key-of-one-row"
        )
    tests = conditions(tree, {}) if kind.mode == "update" else []
    for test in tests:
        if test.find(exp.Exists) is not None or any(each.args.get("query") for each in test.find_all(exp.In)):
            raise places.refuse(
                test, "A condition on groups cannot ask another query; join the table before GROUP BY.", "having-query"
            )
    sessions_with_a_group(reading)
    kept = KEPT if kind.mode == "update" and with_kept(tree, {}) else None
    return _shape(
        gated, tree, kind.mode, own, reading, watermarks, starred, kind.folds, notes, kept=kept, single=single
    )


def _shape(
    gated: Gated, tree: Any, mode: str, key: tuple[str, ...], reading: Roles, watermarks: Mapping[TableRef, str],
    starred: bool, folds: frozenset[TableRef], notes: list[str], *, kept: str | None = None, single: bool = False,
) -> Shape:  # fmt: skip
    follows = tuple(ref for ref in gated.tables if ref in reading.streams)
    notes = list(dict.fromkeys(notes))
    return Shape(
        tree, mode, key, follows, frozenset(reading.tables), watermarks, kept, single, starred, folds, tuple(notes)
    )


def _key(
    tree: Any, groups: Grouped, given: list[str], columns: list[str], places: Places, declared: bool
) -> tuple[str, ...]:
    """The columns that tell one group from another. A declared key is completed by the bounds of windows."""
    select = names.first_select(tree)
    wanted = {fold(name) for name in given}
    added: list[str] = []
    for group in groups.groups:
        if any(fold(name) in wanted for name in group.columns):
            continue
        best = group.best
        shown = group.node.sql("spark", comments=False)[:60]
        if best is None:
            raise places.refuse(
                group.node if group.node.parent is not None else select,
                f"The result does not tell its groups apart: add {shown} to SELECT, by a name of its own.",
                "group-not-shown",
            )
        if declared and group.window is None:
            raise places.refuse(
                group.node if group.node.parent is not None else select,
                f"The key does not tell all groups apart, so that their rows would replace one another: add {best} to it.",
                "key-too-short",
            )
        added.append(best)
    constant = {fold(name) for name in groups.constant}
    for name in given:
        if fold(name) not in constant and not groups.starred:
            raise places.refuse(
                select,
                f"{name} changes while records come, so it cannot be a part of the key; name columns of GROUP BY.",
                "key-changes",
            )
    if declared:
        return tuple(dict.fromkeys([*given, *added]))
    order = {fold(name): n for n, name in enumerate(columns)}
    return tuple(sorted(dict.fromkeys(added), key=lambda name: order.get(fold(name), len(order))))


__all__ = ["KEPT", "TIME", "Shape", "shape"]
