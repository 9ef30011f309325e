"""What of SQL has no meaning over records that never end, and what to write instead. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from policies.sql.live import AGGREGATES
from policies.sql.windows import NEWEST
from policies.sql.words import words
from views.shape.places import Places
from views.shape.relations import is_call, own_nodes
from views.shape.roles import Followed, Roles

_CHANCE = words("rand randn random uuid uniform randstr shuffle")
CLOCK = words("now current_timestamp current_date curdate localtimestamp current_time unix_timestamp")
_CLOCK_NODES = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp)
_NEWEST = (
    "for the newest row of each key, give the view that key; for one value of a group, write max_by(value, _timestamp)"
)
_ENDS = {
    "order": ("ORDER BY", "rows of a view are read in the order of its key; leave it out"),
    "sort": ("SORT BY", "rows of a view are read in the order of its key; leave it out"),
    "cluster": ("CLUSTER BY", "rows of a view are read in the order of its key; leave it out"),
    "distribute": ("DISTRIBUTE BY", "a view's key decides on the partition; leave it out"),
    "limit": ("LIMIT", "choose the rows when you read the view, or by WHERE"),
    "offset": ("OFFSET", "choose the rows when you read the view, or by WHERE"),
    "qualify": ("QUALIFY", _NEWEST),
    "windows": ("WINDOW", _NEWEST),
}


def check(tree: Any, roles: Roles, places: Places) -> None:
    """Raises SqlRefused for the first thing that cannot stream."""
    _everywhere(tree, places)
    for node in (*roles.around, *roles.sets, *(each.select for each in roles.selects)):
        for part, (word, instead) in _ENDS.items():
            if node.args.get(part):
                raise places.refuse(
                    node.args[part] if not isinstance(node.args[part], list) else node.args[part][0],
                    f"{word} asks for an end that a stream does not have; {instead}.",
                    part,
                )
    for each in roles.sets:
        if isinstance(each, exp.Intersect | exp.Except):
            word, instead = (
                ("INTERSECT", "a LEFT SEMI JOIN") if isinstance(each, exp.Intersect) else ("EXCEPT", "a LEFT ANTI JOIN")
            )
            raise places.refuse(each.right, f"{word} cannot follow topics; write {instead} with a table.", "set")
    for each in roles.selects:
        _select(each, places)


def _everywhere(tree: Any, places: Places) -> None:
    for node in tree.walk():
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in _CHANCE:
            raise places.refuse(
                node,
                f"{node.this} gives another value each time, so a rebuilt view would differ; use a column of the record,"
                " or sha2 of one.",
                "chance",
            )
        if isinstance(node, exp.TableSample):
            raise places.refuse(
                node.parent, "TABLESAMPLE is left to chance; write WHERE pmod(xxhash64(_key), 100) < 10.", "sample"
            )
        ref = node.meta.get("weir") if isinstance(node, exp.Table) else None
        if ref is not None and ref.as_of != NEWEST:
            raise places.refuse(
                node, "A view reads on; leave out AS OF and name where it begins with startFrom.", "as-of"
            )


def _select(each: Followed, places: Places) -> None:
    select = each.select
    for node in own_nodes(select):
        if isinstance(node, exp.Window):
            raise places.refuse(
                node, f"A window function (OVER) asks for an order that a stream does not have; {_NEWEST}.", "over"
            )
        if isinstance(node, exp.Anonymous) and str(node.this).lower() in AGGREGATES:
            _aggregate(node, places)
    for part in ("where", "having", "group"):
        _clock(select.args.get(part), part, places)
    for relation in each.streams:
        pivot = next((p for p in relation.node.args.get("pivots") or () if not p.args.get("unpivot")), None)
        if pivot is not None:
            raise places.refuse(
                relation.node,
                "PIVOT cannot follow a topic; write GROUP BY and sum(amount) FILTER (WHERE kind = 'a') AS a for each value.",
                "pivot",
            )
    for join in select.find_all(exp.Join):
        if join.find_ancestor(exp.Select) is select:
            _clock(join.args.get("on"), "join", places)


def _aggregate(node: Any, places: Places) -> None:
    if not any(isinstance(argument, exp.Distinct) for argument in node.expressions):
        return
    name = str(node.this).lower()
    argument = next(g for g in node.expressions if isinstance(g, exp.Distinct))
    one = argument.expressions[0].sql("spark") if len(argument.expressions) == 1 else "struct(...)"
    instead = (
        f"write approx_count_distinct({one}), or size(collect_set({one})) for the exact number"
        if name == "count"
        else f"write collect_set({one}) and work on the list"
    )
    raise places.refuse(node, f"{name}(DISTINCT ...) cannot follow a topic; {instead}.", "distinct-aggregate")


def _clock(node: Any, part: str, places: Places) -> None:
    for call in _clocks(node):
        instead = (
            "use _timestamp, the record's time"
            if part in ("group", "join")
            else ("use _timestamp, the record's time, or let rows go after a time with ttl")
        )
        name = str(call.this) if isinstance(call, exp.Anonymous) else call.sql_name().lower()
        raise places.refuse(
            call,
            f"{name} is the time at which a record is read, so a rebuilt view would differ; {instead}.",
            "clock",
        )


def _clocks(node: Any) -> Iterator[Any]:
    for call in node.find_all(exp.Anonymous, *_CLOCK_NODES) if node is not None else ():
        arguments = is_call(call, "unix_timestamp") and call.expressions
        if isinstance(call, _CLOCK_NODES) or (is_call(call, *CLOCK) and not arguments):
            yield call


def clocks_shown(each: Followed) -> list[Any]:
    """Calls of the present time among a SELECT's columns."""
    return [call for item in each.select.expressions for call in _clocks(item)]
