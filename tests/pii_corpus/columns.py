"""Labelled columns and the records that hold them. What each corpus puts into columns is its own affair."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.paths import quote

Make = Callable[[random.Random], Any]
"""Draws one value."""


@dataclass(frozen=True)
class Column:
    """One column of a topic of its own.

    entity   what it holds; None for a clean one
    kind     full, neutral name, sparse, free text, key, header, map value, map key, list, objects in a list, JSON in text,
             base64, number...
    names    the names on the way to it
    beside   other fields of the same object, each with what is drawn for it
    also     entities that may be found as well without being wrong
    """

    entity: str | None
    kind: str
    names: tuple[str, ...]
    values: Sequence[Any]
    what: str = ""
    beside: dict[str, Sequence[Any]] = field(default_factory=dict)
    also: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        names = [quote(name) for name in self.names]
        where = ".".join(("value", *names))
        return {
            "key": "key",
            "header": f"headers.{names[-1]}",
            "map value": where + "{}",
            "map key": where + "@keys",
            "list": where + "[]",
            "objects in a list": ".".join(("value", *names[:-1])) + f"[].{names[-1]}",
        }.get(self.kind, where)

    def records(self) -> list[tuple[bytes | None, bytes, list[tuple[str, bytes]]]]:
        """(key, value, headers) of each record."""
        return [self._record(i, value) for i, value in enumerate(self.values)]

    def _record(self, i: int, value: Any) -> tuple[bytes | None, bytes, list[tuple[str, bytes]]]:
        body: Any = value
        if self.kind == "key":
            return str(value).encode(), b'{"n":1}', []
        if self.kind == "header":
            return None, b'{"n":1}', [(self.names[-1], str(value).encode())]
        match self.kind:
            case "map value":
                body = {f"{self.what or 'k'}-{i % 97:05d}": value}
            case "map key":
                body = {str(value): i % 7}
            case "list":
                body = [value]
            case "JSON in text":
                body = json.dumps({"seen": i % 5, "held": value}, ensure_ascii=False)
            case "base64":
                body = base64.b64encode(json.dumps({"held": value}).encode()).decode()
        record: Any = {self.names[-1]: body, **{name: values[i] for name, values in self.beside.items()}}
        if self.kind == "objects in a list":
            record = [record]
        for name in reversed(self.names[:-1]):
            record = {name: record, "n": i % 3}
        return None, json.dumps(record, ensure_ascii=False).encode(), []


def hidden(columns: Iterable[Column]) -> list[Column]:
    """The same columns under names that mean nothing, with nothing beside them."""
    return [
        replace(column, names=tuple(f"f{number}_{depth}" for depth, _ in enumerate(column.names)), beside={})
        for number, column in enumerate(columns)
    ]


def draw(make: Make, count: int, rng: random.Random) -> list[Any]:
    return [make(rng) for _ in range(count)]


def sparse(make: Make, other: Make, count: int, share: float, rng: random.Random) -> list[Any]:
    """`share` of the values are drawn by `make`, at least three; the rest by `other`."""
    most = max(3, round(count * share))
    values = draw(make, most, rng) + draw(other, count - most, rng)
    rng.shuffle(values)
    return values


def within(
    make: Make, sentences: Sequence[str], count: int, share: float, rng: random.Random, plain: Make
) -> list[str]:
    """Free text of which `share` mentions a drawn value where a sentence has {}."""

    def mention(rng: random.Random) -> str:
        return rng.choice(sentences).replace("{}", str(make(rng)))

    return [str(v) for v in sparse(mention, plain, count, share, rng)]
