"""Objects whose keys follow from the type of the event: structs, however many of their keys a record lacks. Pure.

A map's keys are data and vary from record to record. Where a field such as `type` or `event` gives the keys of an object,
somebody wrote them down for each type of event, and they are names of fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from scanners.sketch.shapes import SUBJECT, Path
from scanners.sketch.topic import Sketch

_TYPE_NAME = re.compile(r"(?:^|[_.-])(?:type|kind|event|event_?name|action|op|operation|schema)\Z", re.I)
_SETTLED = 0.8
"""Mean presence of a key among the events of a type that has it; in a map a type does not raise it."""
_LEAST = 5
"""Records of a type, below which its keys are always the same by chance."""


class EventTypes:
    """The types of a topic's events, and the keys that come with them, as far as shapes and discriminators show them."""

    def __init__(self, sketch: Sketch) -> None:
        self._paths = {code: [tuple(p) for p in paths] for code, (_, paths) in sketch.shapes.items()}
        self._tables = {
            path: table
            for path, table in sketch.telling.tables.items()
            if table and len(table) > 1 and (path == SUBJECT or _TYPE_NAME.search(path.rpartition(".")[2]))
        }

    def settle(self, at: Path) -> bool:
        """Whether the type of the event gives the keys of the object at a path of the value."""
        if "[]" in at or not self._tables:
            return False
        keys = {code: self._below(at, paths) for code, paths in self._paths.items() if not at or at in paths}
        return any(_settled(table, keys) for table in self._tables.values())

    @staticmethod
    def _below(at: Path, paths: list[Path]) -> set[str]:
        return {path[-1] for path in paths if len(path) == len(at) + 1 and path[: len(at)] == at}


def _settled(table: dict[str, dict[int, int]], keys: dict[int, set[str]]) -> bool:
    if set(table) & set().union(*keys.values()):
        # A key that is also a type is data of the record: {"metric": "cpu", "values": {"cpu": 1}}.
        return False
    expected = counted = 0.0
    records = types = 0
    for total, counts in _by_type(table, keys):
        if total >= _LEAST:
            types += 1
            records += total
            counted += sum(counts.values())
            expected += sum(count * count / total for count in counts.values())
    every = sum(n for codes in table.values() for code, n in codes.items() if code in keys)
    return types > 1 and records >= 0.8 * every and expected >= _SETTLED * counted > 0


def _by_type(table: dict[str, dict[int, int]], keys: dict[int, set[str]]) -> Iterator[tuple[int, Counter[str]]]:
    """Of each type: records that have the object, and how many of them have each key."""
    for codes in table.values():
        counts: Counter[str] = Counter()
        total = 0
        for code, count in codes.items():
            if code in keys:
                total += count
                counts.update(dict.fromkeys(keys[code], count))
        yield total, counts
