"""From the parameters of a request to the rows that are asked for. Pure.

    key      one key. Of one column: its text or number. Of several: a JSON list, the values joined by commas, or
             the parameter once for each value
    keys     several. Of one column: joined by commas (one that holds a comma in double quotes), or a JSON list.
             Of several: a JSON list of lists
    prefix   a JSON list of the key's first values; or a text, with which the first column's text begins
    from, to bounds of the key's first column, both inclusive
    where    see `views.serving.where`
    limit, cursor

A text for a key of one column that is itself a JSON list of one value is read as that list.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from catalog.datatypes import Primitive, family
from catalog.errors import InvalidInput
from views.model import Column, identity
from views.row_ports import Comparison, Wanted
from views.serving.values import WrittenNumber, comparable, json_form
from views.serving.where.bounds import met_by
from views.serving.where.read import Condition, read_where
from views.serving.where.refusals import unfit

PARAMETERS = ("key", "keys", "prefix", "from", "to", "where", "limit", "cursor")
_RANGED = ("integer", "string", "boolean", "date", "timestamp")
"""Families whose values sort in the table as they compare; bounds of others are comparisons alone."""
_LONGEST = 200
"""Characters of a value that the table looks up because `where` names it."""


@dataclass(frozen=True, slots=True)
class RowQuestion:
    """`wanted.after` is not set: `cursor` is read by `views.serving.page`. Bounds are in `comparisons`, too, which are
    exact where the table's order of texts is not. `where`: the condition of the rows; None where there is none."""

    wanted: Wanted
    comparisons: tuple[Comparison, ...]
    limit: int
    cursor: str | None = None
    where: Condition | None = field(default=None, compare=False)

    @property
    def checks_rows(self) -> bool:
        return bool(self.comparisons) or self.where is not None

    def check(self, columns: Sequence[Column]) -> Callable[[Mapping[str, object]], bool]:
        """Whether a row, as the asker sees it, is asked for. `columns`: those that the parameters were read with."""
        bounds, where = met_by(self.comparisons, columns), self.where
        if where is None:
            return bounds
        if not self.comparisons:
            return where
        return lambda row: bounds(row) and where(row)


def read_wanted(
    parameters: Mapping[str, Sequence[str]],
    columns: Sequence[Column],
    key: Sequence[str],
    default_rows: int = 100,
    most_rows: int = 1_000,
) -> RowQuestion:
    """`columns`: those that the asker sees, with the types that they see; `key`: names of the key's columns, none for a
    view that keeps each row. Parameters that are not PARAMETERS are not looked at.

    Raises InvalidInput naming the parameter, and the column and its type.
    """
    values_of = {name: list(parameters[name]) for name in PARAMETERS if parameters.get(name)}
    for name, values in values_of.items():
        if len(values) > 1 and name != "key":
            raise _wrong(name, f"{name} is given {len(values)} times; give it once")
    by_key = [name for name in ("key", "keys", "prefix", "from", "to") if name in values_of]
    kinds = {each.name: each for each in columns}
    for name in by_key:
        if not key:
            raise _wrong(name, f"{name} needs a view with a key, and this one keeps each row; use where")
        hidden = next((each for each in (key[:1] if name in ("from", "to") else key) if each not in kinds), None)
        if hidden is not None:
            raise _wrong(name, f"{name} needs the key column {hidden}, which you may not see; use where")
    if "key" in values_of and "keys" in values_of:
        raise _wrong("keys", "key and keys are both given; give one of them")
    parts = [kinds[each] for each in key if each in kinds]
    keys = (
        _one_key(values_of["key"], parts)
        if "key" in values_of
        else _keys(values_of["keys"][0], parts)
        if "keys" in values_of
        else None
    )
    prefix, begins = _prefix(values_of["prefix"][0], parts) if "prefix" in values_of else ((), False)
    low, high, comparisons = (
        _bounds(values_of, parts[0]) if "from" in values_of or "to" in values_of else (None, None, [])
    )
    where = read_where(values_of["where"][0], columns) if "where" in values_of else None
    if where is not None and keys is None and not prefix and low is None and high is None:
        prefix = _key_in(where, key)
    texts = None if keys is None else tuple(dict.fromkeys(map(identity, keys)))
    limit = _limit(values_of["limit"][0], most_rows) if "limit" in values_of else min(default_rows, most_rows)
    cursor = values_of["cursor"][0] if "cursor" in values_of else None
    return RowQuestion(Wanted(texts, prefix, begins, low, high), tuple(comparisons), limit, cursor, where)


def _key_in(where: Condition, key: Sequence[str]) -> tuple[object, ...]:
    """The key's first values, as far as the condition names them; a long text stays to the check of each row."""
    values = takewhile(lambda value: value is not None and len(str(value)) <= _LONGEST, map(where.equal.get, key))
    return tuple(values)


def _one_key(texts: list[str], parts: Sequence[Column]) -> list[list[object]]:
    if len(texts) > 1:
        return [_whole(texts, parts, "key")]
    listed = _json_list(texts[0])
    if listed is not None and len(listed) == len(parts):
        return [_whole(listed, parts, "key")]
    if len(parts) == 1:
        return [_whole(texts, parts, "key")]
    return [_whole(listed if listed is not None else _divided(texts[0], "key"), parts, "key")]


def _keys(text: str, parts: Sequence[Column]) -> list[list[object]]:
    listed = _json_list(text)
    if listed is None:
        if len(parts) > 1:
            names = ", ".join(each.name for each in parts)
            raise _wrong(
                "keys", f'keys of several columns ({names}) are a JSON list of lists, as in [["EU", 1], ["US", 2]]'
            )
        listed = list(_divided(text, "keys"))
    return [_whole(each if isinstance(each, list) else [each], parts, "keys") for each in listed]


def _whole(values: Sequence[object], parts: Sequence[Column], parameter: str) -> list[object]:
    if len(values) != len(parts):
        names = ", ".join(each.name for each in parts)
        raise _wrong(
            parameter,
            f"{parameter} has {len(values)} values, and the key has {len(parts)} columns ({names}); give one of each",
        )
    return [_converted(value, column, parameter) for value, column in zip(values, parts, strict=True)]


def _converted(value: object, column: Column, parameter: str) -> object:
    """In JSON form. A value of a struct, an array or a type without an order is taken as it is."""
    if not comparable(column.kind):
        if isinstance(value, str) and isinstance(column.kind, Primitive) is False:
            raise unfit(parameter, column)
        return value
    assert isinstance(column.kind, Primitive)
    try:
        return json_form(value, column.kind)
    except ValueError as error:
        raise unfit(parameter, column) from error


def _prefix(text: str, parts: Sequence[Column]) -> tuple[tuple[object, ...], bool]:
    listed = _json_list(text)
    if listed is None:
        first = parts[0]
        is_text = isinstance(first.kind, Primitive) and family(first.kind) == "string"
        return (_converted(text, first, "prefix"),), is_text
    if len(listed) > len(parts):
        raise _wrong("prefix", f"prefix has {len(listed)} values, and the key has {len(parts)} columns; give fewer")
    return tuple(_converted(v, c, "prefix") for v, c in zip(listed, parts, strict=False)), False


def _bounds(texts: Mapping[str, list[str]], first: Column) -> tuple[object, object, list[Comparison]]:
    """What the table can narrow by, and what is exact.

    The table sorts a time by its text, where 10:00:00Z is behind 10:00:00.5Z; so it is given the second, with a letter
    behind all that may follow at the end. A row whose year has more than four digits is in no range.
    """
    if not comparable(first.kind):
        raise _wrong(
            "from" if "from" in texts else "to", f"from and to need an order, and {first.name} is {first.type}"
        )
    assert isinstance(first.kind, Primitive)
    of = family(first.kind)
    ends: list[object] = [None, None]
    comparisons = []
    for n, (name, op) in enumerate((("from", ">="), ("to", "<="))):
        if name not in texts:
            continue
        value = _converted(texts[name][0], first, name)
        comparisons.append(Comparison(first.name, op, value))
        if of == "timestamp":
            ends[n] = str(value)[:19] + "~" * n
        elif of in _RANGED:
            ends[n] = value
    return ends[0], ends[1], comparisons


def _limit(text: str, most: int) -> int:
    number = int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 10 else 0
    if not 1 <= number <= most:
        raise _wrong("limit", f"limit is a whole number from 1 to {most}; ask for more rows by the cursor in `next`")
    return number


def _json_list(text: str) -> list[object] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        values = json.loads(text, parse_constant=str, parse_float=WrittenNumber)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, list) else None


def _divided(text: str, parameter: str) -> list[str]:
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text], strict=True))
    except (csv.Error, StopIteration) as error:
        raise _wrong(
            parameter, f"{parameter} has a double quote that is not closed; double it, or give a JSON list"
        ) from error


def _wrong(parameter: str, reason: str) -> InvalidInput:
    return InvalidInput(f"{reason}.", details={"field": parameter})
