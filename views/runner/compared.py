"""What two generations of a view have in common and what not. Pure, but for reading rows."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from views.model import Row
from views.row_ports import ServingTable, Wanted
from views.runner.state import Generation
from views.serving.key_order import key_bytes

MOST_ROWS = 200_000
"""Rows of each side that are compared."""
_AT_ONCE = 2_000


def sql_diff(before: str, after: str) -> str:
    """As `diff -u` writes it; empty for equal texts."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "running", "next", lineterm="")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class ColumnDiff:
    """A column in two generations. `change`: same, added, removed, type, values or tags; before and after are types, shows are
    the fields whose values may be in it."""

    name: str
    change: str
    before: str | None
    after: str | None
    tags_before: list[str]
    tags_after: list[str]
    shows_before: list[str]
    shows_after: list[str]


class RowsDiff(TypedDict):
    """How many rows of two generations are the same, differ, or are in one alone. `columns`: column -> in how many rows it
    differs; partial: only the first rows of each were compared."""

    same: int
    differ: int
    onlyBefore: int
    onlyAfter: int
    columns: dict[str, int]
    partial: bool


def columns_diff(before: Generation | None, after: Generation) -> list[ColumnDiff]:
    old: dict[str, str] = {each[0]: each[1] for each in before.columns} if before is not None else {}
    new: dict[str, str] = {each[0]: each[1] for each in after.columns}
    differences = []
    for name in dict.fromkeys([*new, *old]):
        tags = [_tags(each, name) for each in (before, after)]
        shows = [shown(each, name) for each in (before, after)]
        change = (
            "added"
            if name not in old
            else "removed"
            if name not in new
            else "type"
            if old[name] != new[name]
            else "values"
            if shows[0] != shows[1]
            else "tags"
            if tags[0] != tags[1]
            else "same"
        )
        differences.append(
            ColumnDiff(
                name=name,
                change=change,
                before=old.get(name),
                after=new.get(name),
                tags_before=tags[0],
                tags_after=tags[1],
                shows_before=shows[0],
                shows_after=shows[1],
            )
        )
    return differences


def shown(generation: Generation | None, column: str) -> list[str]:
    """`CLUSTER/TOPIC path` of each field whose values may be in a column; one that the view's subject sees masked is not
    among them."""
    if generation is None:
        return []
    return sorted(f"{source} {path}" for source, path in generation.origins.get(column, ()))


def _tags(generation: Generation | None, column: str) -> list[str]:
    if generation is None:
        return []
    at = f"value.{column}"
    paths = (path for path in generation.tags if path == at or path.startswith((f"{at}.", f"{at}[")))
    return sorted({tag for path in paths for tag in generation.tags[path]})


def breaks(before: Generation | None, after: Generation) -> list[str]:
    """What consumers of the view would stumble over, a sentence each; none: the next is compatible."""
    if before is None:
        return []
    differences = []
    for column in columns_diff(before, after):
        if column.change == "removed":
            differences.append(f"The column {column.name} is gone.")
        elif column.change == "type":
            differences.append(f"The column {column.name} is {column.after}, and was {column.before}.")
    if before.keys != after.keys:
        differences.append(f"A row is identified by {_names(after)}, and was by {_names(before)}.")
    if (before.cluster, before.topic) != (after.cluster, after.topic) and not (before.private and after.private):
        differences.append(f"It writes {_topic(after)}, and wrote {_topic(before)}.")
    return differences


def _names(generation: Generation) -> str:
    return ", ".join(generation.keys) or (
        "nothing: there is one row" if generation.single else "nothing: each record is a row"
    )


def _topic(generation: Generation) -> str:
    return "a private topic" if generation.private else f"{generation.cluster}/{generation.topic}"


def rows_diff(
    table: ServingTable, view: str, before: str, after: str, columns: Sequence[str], most: int = MOST_ROWS
) -> RowsDiff:
    """The rows of two generations by their keys, the first `most` of each. Raises Unavailable."""
    counts: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    sides = _Side(table, view, before), _Side(table, view, after)
    old, new = (side.next() for side in sides)
    while (old is not None or new is not None) and max(side.read for side in sides) <= most:
        left, right = (key_bytes(row.key) if row is not None else None for row in (old, new))
        if right is None or (left is not None and left < right):
            counts["onlyBefore"] += 1
            old = sides[0].next()
        elif left is None or right < left:
            counts["onlyAfter"] += 1
            new = sides[1].next()
        else:
            assert old is not None and new is not None
            other = [name for name in columns if not _equal(old.values.get(name), new.values.get(name))]
            counts["differ" if other else "same"] += 1
            differing.update(other)
            old, new = (side.next() for side in sides)
    return {
        "same": counts["same"],
        "differ": counts["differ"],
        "onlyBefore": counts["onlyBefore"],
        "onlyAfter": counts["onlyAfter"],
        "columns": dict(differing),
        "partial": old is not None or new is not None,
    }


def _equal(left: object, right: object) -> bool:
    return left == right or json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


class _Side:
    """The rows of one generation in the order of their keys."""

    def __init__(self, table: ServingTable, view: str, generation: str) -> None:
        self._rows = self._all(table, view, generation)
        self.read = 0

    def next(self) -> Row | None:
        row = next(self._rows, None)
        self.read += row is not None
        return row

    @staticmethod
    def _all(table: ServingTable, view: str, generation: str) -> Iterator[Row]:
        wanted = Wanted()
        while rows := table.read(view, generation, wanted, _AT_ONCE):
            yield from rows
            wanted = replace(wanted, after=rows[-1].key)
