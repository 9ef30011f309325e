"""How a gated query follows its topics: Spark's output mode, the key of a row, and what is a stream and what a table.

Decided from the text alone, before anything starts. What Spark's streaming cannot do is refused with what to write
instead; what passes here and Spark still refuses is translated by `errors.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from policies.gate.gate import Gated
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from views.shape import keys, limits, names, replacing, rows, times
from views.shape.bad_values import with_null_for_bad_values
from views.shape.completed import sessions_with_a_group, without_idle_distinct
from views.shape.groups import without_brackets
from views.shape.in_order import keep_order
from views.shape.kept import with_kept
from views.shape.lists import compare_texts_alone
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
    tables      all others, which are read as tables: the newest record of each key
    watermarks  column of each followed topic that its watermark is over
    kept        BOOLEAN column that we added: where it is false the row with this key is gone
    single      the result is one row, which has no key
    starred     some columns come by a star: the caller, who knows them, checks that their names differ and that `key` is there
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


def shape(
    gated: Gated,
    *,
    key: Sequence[str] | None,
    watermark: bool,
    watermark_column: str | None,
    columns: Mapping[TableRef, Visible] | None = None,
    replaced: Collection[TableRef] = (),
    compacted: Collection[TableRef] = (),
) -> Shape:
    """The shape of a gated query.

    key        as declared; None for the query's own
    watermark  whether one is declared; `watermark_column` where it names its column
    columns    of each topic, where they are known: then stars are names too
    replaced   followed topics whose records replace those of the same key: views with a key, compacted topics
    compacted  those of them that are topics

    EMIT CHANGES at its end is left out: a view does that always. EMIT FINAL sends the rows of windows once. Raises
    SqlRefused with the place (`line`, `column`, `reasons`) for what cannot stream, InvalidInput for a key that is not in
    the result.
    """
    places = Places.of(gated)
    tree: Any = gated.tree.copy()
    without_brackets(tree)
    compare_texts_alone(tree)
    clocks = frozenset({TIME, fold(watermark_column)} if watermark_column else {TIME})
    reading = roles(tree, places, clocks)
    limits.check(tree, reading, places)
    without_idle_distinct(reading)
    result, starred = names.check(tree, places, columns)
    key_names = [names.of_result(name, result, starred) for name in key or ()]
    watermarks = times.watermarks(reading, watermark_column or TIME, own=watermark_column is None)
    kind = rows.kind(tree, reading, places, watermark, watermarks, gated.emit_final)
    replacing.check(reading, kind.folds, replaced, compacted, places)
    shaped = Shape(
        tree=tree,
        mode=kind.mode,
        key=tuple(key_names),
        follows=tuple(ref for ref in gated.tables if ref in reading.streams),
        tables=frozenset(ref for ref in gated.tables if ref not in reading.streams),
        watermarks=watermarks,
        starred=starred,
        folds=kind.folds,
        notes=tuple(dict.fromkeys([*kind.notes, *rows.notes(reading)])),
    )
    if not kind.groups:
        return _without_groups(shaped, reading, replaced, places)
    keys.check_names(reading, columns or {}, places)
    own, single = keys.of_groups(tree, key_names, result, starred, places)
    keys.check_conditions(tree, kind.mode, places)
    return _with_groups(replace(shaped, key=own, single=single), reading)


def _without_groups(shaped: Shape, reading: Roles, replaced: Collection[TableRef], places: Places) -> Shape:
    notes = replacing.joins_with_conditions(reading, replaced) if shaped.key else ()
    moved = bool(shaped.key) and replacing.with_kept(shaped.tree, reading, replaced, places)
    with_null_for_bad_values(shaped.tree, reading)
    if shaped.key:
        keep_order(reading)
    return replace(shaped, kept=KEPT if moved else None, notes=(*shaped.notes, *notes))


def _with_groups(shaped: Shape, reading: Roles) -> Shape:
    sessions_with_a_group(reading)
    kept = shaped.mode == "update" and with_kept(shaped.tree, {})
    with_null_for_bad_values(shaped.tree, reading)
    return replace(shaped, kept=KEPT if kept else None)


__all__ = ["KEPT", "TIME", "Shape", "shape"]
