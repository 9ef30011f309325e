"""How many records a row of the result is made of, and by that Spark's output mode. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from policies.sql.names import fold
from policies.sql.tables import TableRef
from views.shape.groups import Group, aggregates, grouped, grouping, has_aggregate
from views.shape.limits import clocks_shown
from views.shape.places import Places
from views.shape.relations import (
    NamedQuery,
    TimeWindow,
    is_call,
    origins,
    own_nodes,
    relations,
    steps,
    time_window,
    with_names,
)
from views.shape.roles import Followed, Roles

_ORDER = ("first", "first_value", "last", "last_value", "any_value")
_WATERMARK = "add a watermark to the view, as in watermark: 10 minutes"


_STACKED = (
    "group both by window(...), or declare the inner query, where it has no aggregate, as a view with an output topic (cleanup:"
    " delete) and follow that topic"
)
_JOINED = (
    "group by window(_timestamp, ...) too, or declare the join as a view with an output topic and aggregate that topic"
)
_FINAL, _WINDOW = "EMIT FINAL", "group by window(_timestamp, '5 minutes'), or leave EMIT FINAL out"
_DISTINCT = "write one aggregate, as in size(collect_set(struct(a, b))), or group both by window(...)"


@dataclass(frozen=True, slots=True)
class Kind:
    mode: str
    groups: bool
    folds: frozenset[TableRef]
    notes: tuple[str, ...] = ()


def kind(
    tree: Any, reading: Roles, places: Places, watermark: bool, watermarks: Mapping[TableRef, str], final: bool = False
) -> Kind:
    """`final`: each row comes once. Raises SqlRefused for aggregates that Spark does not stack or send."""
    notes: list[str] = []
    joined = [each for each in reading.selects if each.tied]
    for each in joined:
        notes += _joins(each, places, watermark)
    _table_joins(reading, places)
    unions = [each for each in reading.sets if isinstance(each, exp.Union) and each.args.get("distinct")]
    levels = [each for each in reading.selects if aggregates(each.select)]
    folds = frozenset(
        _below(reading, levels, unions) | {r.table for e in joined for r in e.streams if r.table is not None}
    )
    if not levels and not unions:
        if final:
            raise places.refuse(
                tree, "EMIT FINAL sends the rows of groups once, and there is no GROUP BY; leave it out.", "final"
            )
        return Kind("append", False, folds, tuple(notes))
    sessions = [window.call for each in levels for window in _windows(each) if window.session]
    stacked = _height(tree, {}) > 1
    _passed_on(reading, levels, unions, places)
    for each in levels:
        _groups(each, places)
    if not (sessions or stacked or joined or final):
        if not watermark and any(_windows(each) for each in levels):
            notes.append("Without a watermark the state keeps every window; add watermark to the view to end them.")
        if not watermark and (unions or any(e.select.args.get("distinct") for e in levels)):
            notes.append("Without a watermark over one of its columns, DISTINCT keeps every row in the state.")
        return Kind("update", True, folds, tuple(notes))
    what = f"An aggregate over {'an aggregate' if stacked else 'a join of streams'}"
    if sessions or not (stacked or joined):
        what = "A session window" if sessions else _FINAL
    _ends(levels, unions, what, stacked, places, watermarks)
    if not watermark:
        first = (sessions or [levels[0].select])[0]
        raise places.refuse(
            first, f"{what} gives its rows once their time is over, which needs a watermark: {_WATERMARK}.", "watermark"
        )
    notes.append("A row comes once its window is closed: when a record arrives that is later by the watermark's delay.")
    return Kind("append", True, folds, tuple(notes))


def _ends(
    levels: list[Followed],
    unions: list[Any],
    what: str,
    stacked: bool,
    places: Places,
    watermarks: Mapping[TableRef, str],
) -> None:
    """Raises SqlRefused where an aggregate has no time after which its rows are sent."""
    instead = _STACKED if stacked else _WINDOW if what == _FINAL else _JOINED
    if stacked and (unions or any(level.select.args.get("distinct") for level in levels)):
        instead = _DISTINCT
    for each in levels:
        windows = _windows(each)
        if not windows and not _shows_time(each, watermarks):
            raise places.refuse(each.select, f"{what} needs an end in time; {instead}.", "stacked")
        for window in windows:
            if not _over_time(window, watermarks):
                raise places.refuse(window.call, _other_time(window, watermarks), "computed-time")
    for union in unions:
        raise places.refuse(union.right, f"{what} needs an end in time; {instead}.", "stacked")


def _other_time(window: TimeWindow, watermarks: Mapping[TableRef, str]) -> str:
    columns = origins(window.time, window.around)
    for ref, name in columns:
        if fold(watermarks.get(ref, "")) != fold(name):
            return f"The window is over {name}, and the watermark over {watermarks.get(ref)}; name one column for both."
    return (
        "The window is over a computed time, which a watermark cannot follow; use a column of the topic as it is, such as"
        " _timestamp, or declare a view that computes the time, with an output topic, and follow that topic."
    )


def notes(reading: Roles) -> list[str]:
    """What the author should know of functions whose value depends on when and in which order records are read."""
    notes_ = []
    for each in reading.selects:
        if clocks_shown(each):
            notes_.append("The present time is the time of each batch; a rebuilt view has other values.")
        if any(is_call(node, *_ORDER) for node in own_nodes(each.select)):
            notes_.append(
                "first, last and any_value depend on the order in which partitions are read; min_by(value, _timestamp) and"
                " max_by(value, _timestamp) do not."
            )
    return notes_


def _joins(each: Followed, places: Places, watermark: bool) -> list[str]:
    notes_ = []
    for relation, bounds in each.tied:
        join = relation.join
        if str(join.args.get("kind") or "").upper() == "ANTI":
            raise places.refuse(
                join,
                "An ANTI JOIN of two streams cannot be followed; write LEFT JOIN and keep rows where b.x IS NULL.",
                "stream-anti",
            )
        outer = join.side in ("LEFT", "RIGHT", "FULL") and str(join.args.get("kind") or "").upper() != "SEMI"
        if outer and not watermark:
            raise places.refuse(
                join,
                f"A {join.side} JOIN of two streams waits for late partners, which needs a watermark: {_WATERMARK}.",
                "watermark",
            )
        if outer and not bounds.closed:
            raise places.refuse(
                join,
                f"A {join.side} JOIN of two streams needs both bounds of time, as in b._timestamp BETWEEN"
                " a._timestamp AND a._timestamp + INTERVAL 5 MINUTES.",
                "open-bounds",
            )
        if not (bounds.closed and watermark):
            notes_.append("Without both bounds of time and a watermark, the join keeps every record in the state.")
    return notes_


def _table_joins(reading: Roles, places: Places) -> None:
    for each in reading.selects:
        for relation in each.relations[1:]:
            join = relation.join
            if join is None or any(relation is stream for stream in each.streams):
                continue
            if join.side in ("RIGHT", "FULL"):
                raise places.refuse(
                    join,
                    f"A {join.side} JOIN would keep rows of a table that no record asks for; put the stream behind"
                    " FROM and write LEFT JOIN, or bind the times of two streams. To have all rows of two tables, declare"
                    f" a view of the newest rows of each, and write the {join.side} JOIN of both views when you read.",
                    "table-outer",
                )


def _passed_on(reading: Roles, levels: list[Followed], unions: list[Any], places: Places) -> None:
    """Above an aggregate only columns and conditions may come, since each group is one row."""
    counted = {id(each.select) for each in levels}
    for each in reading.selects:
        over = [
            r
            for r in each.relations
            if r.query is not None
            and grouped(r.query, r.names) is not None
            and any(r is stream for stream in each.streams)
        ]
        if not over or id(each.select) in counted:
            continue
        if len(each.relations) > 1:
            raise places.refuse(
                each.relations[1].node,
                "A group cannot be joined after it is counted; join before GROUP BY, or when the view is read.",
                "join-after-group",
            )
        exploded = each.select.args.get("laterals") or any(
            is_call(n, "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack")
            for n in own_nodes(each.select)
        )
        if exploded:
            raise places.refuse(
                each.select,
                "A group cannot be exploded, since its rows could not be taken back; explode before GROUP BY.",
                "explode-after-group",
            )
    for union in reading.sets:
        for branch in (union.left, union.right):
            if (
                isinstance(union, exp.Union)
                and grouped(branch, {}) is not None
                and not isinstance(branch, exp.SetOperation)
            ):
                raise places.refuse(
                    branch,
                    "UNION of aggregates would mix their groups; declare each as a view, or aggregate the UNION.",
                    "union-of-groups",
                )


def _groups(each: Followed, places: Places) -> None:
    clause = each.select.args.get("group")
    parts = (
        []
        if clause is None
        else [
            *clause.find_all(exp.Cube, exp.Rollup, exp.GroupingSets),
            *(
                v
                for k in ("cube", "rollup", "grouping_sets", "totals")
                for v in (clause.args.get(k) if isinstance(clause.args.get(k), list) else ())
            ),
        ]
    )
    if parts:
        raise places.refuse(
            each.select,
            "CUBE, ROLLUP and GROUPING SETS put a record into several groups; declare a view for each.",
            "grouping-sets",
        )
    if clause is not None and clause.args.get("all") and any(item.is_star for item in each.select.expressions):
        raise places.refuse(each.select, "GROUP BY ALL with a star names no column; name them.", "group-all")
    windows = _windows(each)
    if len(windows) > 1:
        raise places.refuse(
            windows[1].call, "One query groups by one window of time; declare a view for each.", "two-windows"
        )


def _windows(each: Followed) -> list[TimeWindow]:
    """The windows of time that a SELECT groups by."""
    nodes = grouping(each.select)
    if not nodes and each.select.args.get("distinct"):
        nodes = list(each.select.expressions)
    windows = [time_window(node.unalias(), each.relations) for node in nodes]
    return list({id(window.call): window for window in windows if window is not None}.values())


def _shows_time(each: Followed, watermarks: Mapping[TableRef, str]) -> bool:
    """DISTINCT or GROUP BY with a topic's time itself among the columns."""
    nodes = grouping(each.select) or (each.select.expressions if each.select.args.get("distinct") else [])
    return any(_is_time(node.unalias(), each, watermarks) for node in nodes)


def _is_time(node: Any, each: Followed, watermarks: Mapping[TableRef, str]) -> bool:
    reading = origins(node, each.relations)
    return bool(reading) and all(fold(watermarks.get(ref, "")) == fold(name) for ref, name in reading)


def _over_time(window: TimeWindow, watermarks: Mapping[TableRef, str]) -> bool:
    """Whether a window is over a watermark: a topic's column, or the window of a query below."""
    return _reaches(window.time, window.around, watermarks)


def _reaches(node: Any, around: Any, watermarks: Mapping[TableRef, str]) -> bool:
    if is_call(node, "window", "session_window", "window_time") and node.expressions:
        return _reaches(node.expressions[0], around, watermarks)
    if not isinstance(node, exp.Column):
        return False
    reading = list(steps(node, around))
    return bool(reading) and all(
        fold(watermarks.get(ref, "")) == fold(value.name) if ref is not None else _reaches(value, inner, watermarks)
        for value, inner, ref in reading
    )


def _height(query: Any, names: Mapping[str, NamedQuery]) -> int:
    """How many aggregates are stacked in a query; a DISTINCT over the columns of a key is not one."""
    names = with_names(query, names)
    if isinstance(query, exp.Subquery):
        return _height(query.this, names)
    if isinstance(query, exp.SetOperation):
        return max(_height(query.left, names), _height(query.right, names)) + bool(query.args.get("distinct"))
    if not isinstance(query, exp.Select):
        return 0
    around = relations(query, names)
    own = int(bool(query.args.get("group") or query.args.get("having")) or has_aggregate(query))
    own += bool(query.args.get("distinct"))
    inner = [_height(each.query, each.names) for each in around if each.query is not None and each.join is None]
    return own + max(inner, default=0)


def _below(reading: Roles, levels: list[Followed], unions: list[Any]) -> set[TableRef]:
    """The followed topics under an aggregate."""
    return set(reading.streams) if levels or unions else set()


__all__ = ["Group", "Kind", "kind", "notes"]
