"""Field paths: where a value sits inside a Kafka record.

Grammar (`parse` and `str` are inverse to each other):

    path   := root step*
    root   := "key" | "value" | "headers"
    step   := "." name          a field of a struct, or a header
            | "[]"              the elements of an array
            | "{}"              the values of a map
            | "{" name "}"      the value under one key of a map
            | "@keys"           the keys of a map, where they are data
    name   := any text without . [ ] { } @ `   or   "`" text "`", with a back-quote in the text doubled

Examples: `value.customer.email`, `key.id`, `headers.trace`, `value.items[].sku`, `value.attributes{}`,
`value.attributes{contact}`, `value.attributes@keys`, ``value.`a.b` ``.

Standard library only: this module is imported by Spark's Python workers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from catalog.errors import InvalidInput

ROOTS = ("key", "value", "headers")


class StepKind(StrEnum):
    FIELD = "field"
    ELEMENTS = "elements"
    VALUES = "values"
    MAP_KEY = "map_key"
    KEYS = "keys"


@dataclass(frozen=True, slots=True)
class Step:
    """One step down. `name` is set for FIELD and MAP_KEY only."""

    kind: StepKind
    name: str | None = None

    def __str__(self) -> str:
        match self.kind:
            case StepKind.FIELD:
                return "." + quote(self.name or "")
            case StepKind.ELEMENTS:
                return "[]"
            case StepKind.VALUES:
                return "{}"
            case StepKind.MAP_KEY:
                return "{" + quote(self.name or "") + "}"
            case StepKind.KEYS:
                return "@keys"


ELEMENTS = Step(StepKind.ELEMENTS)
VALUES = Step(StepKind.VALUES)
KEYS = Step(StepKind.KEYS)

_PLAIN = re.compile(r"[^.\[\]{}@`]+\Z")
_NAME = r"(?:`(?:[^`]|``)*`|[^.\[\]{}@`]+)"
_STEP = re.compile(
    rf"(?P<field>\.{_NAME})|(?P<elements>\[\])|(?P<values>\{{\}})|(?P<key>\{{{_NAME}\}})|(?P<keys>@keys)", re.S
)
_ROOT = re.compile(r"key|value|headers")


def quote(name: str) -> str:
    """A name as a path has it: bare where it can be, else back-quoted."""
    return name if _PLAIN.match(name) else "`" + name.replace("`", "``") + "`"


def _unquote(text: str) -> str:
    return text[1:-1].replace("``", "`") if text.startswith("`") else text


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A place in a record. Hashable, ordered by its text."""

    root: str
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if self.root not in ROOTS:
            raise InvalidInput(f"A field path starts with key, value or headers, not {self.root!r}.")

    @staticmethod
    def parse(text: str) -> FieldPath:
        """Read a path. Raises InvalidInput naming the text and the position that does not fit."""
        return _parse(text)

    def __str__(self) -> str:
        return self.root + "".join(map(str, self.steps))

    def __lt__(self, other: FieldPath) -> bool:
        return str(self) < str(other)

    def field(self, name: str) -> FieldPath:
        return self / Step(StepKind.FIELD, name)

    def elements(self) -> FieldPath:
        return self / ELEMENTS

    def values(self) -> FieldPath:
        return self / VALUES

    def keys(self) -> FieldPath:
        return self / KEYS

    def map_key(self, name: str) -> FieldPath:
        return self / Step(StepKind.MAP_KEY, name)

    def __truediv__(self, step: Step) -> FieldPath:
        return FieldPath(self.root, (*self.steps, step))

    @property
    def parent(self) -> FieldPath | None:
        return FieldPath(self.root, self.steps[:-1]) if self.steps else None

    @property
    def name(self) -> str:
        """The last name on the path: `email` for `value.customer.email`, `items` for `value.items[]`."""
        return next((s.name for s in reversed(self.steps) if s.name is not None), self.root)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name on the path after the root, in order."""
        return tuple(s.name for s in self.steps if s.name is not None)

    def contains(self, other: FieldPath) -> bool:
        """True when `other` is this place or one inside it; `{}` contains every `{key}` of its map."""
        if self.root != other.root or len(self.steps) > len(other.steps):
            return False
        return all(
            mine == theirs or (mine.kind is StepKind.VALUES and theirs.kind is StepKind.MAP_KEY)
            for mine, theirs in zip(self.steps, other.steps, strict=False)
        )

    def overlaps(self, other: FieldPath) -> bool:
        """True when one of both is at or inside the other; a `{key}` of a map may be any of its `{}`."""
        values = (StepKind.VALUES, StepKind.MAP_KEY)
        return self.root == other.root and all(
            mine == theirs or (mine.kind in values and theirs.kind in values and mine.kind != theirs.kind)
            for mine, theirs in zip(self.steps, other.steps, strict=False)
        )


KEY = FieldPath("key")
VALUE = FieldPath("value")
HEADERS = FieldPath("headers")


@lru_cache(maxsize=65536)
def _parse(text: str) -> FieldPath:
    root = _ROOT.match(text)
    if root is None:
        raise InvalidInput(
            f"Field path {text!r} must start with key, value or headers, as in value.customer.email.",
            details={"path": text, "position": 0},
        )
    steps: list[Step] = []
    at = root.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise InvalidInput(
                f"Field path {text!r} cannot be read at position {at + 1}: expected .name, [], {{}}, {{key}} or @keys;"
                " put a name with other characters in back-quotes.",
                details={"path": text, "position": at},
            )
        part = step.group()
        match step.lastgroup:
            case "field":
                steps.append(Step(StepKind.FIELD, _unquote(part[1:])))
            case "elements":
                steps.append(ELEMENTS)
            case "values":
                steps.append(VALUES)
            case "key":
                steps.append(Step(StepKind.MAP_KEY, _unquote(part[1:-1])))
            case _:
                steps.append(KEYS)
        at = step.end()
    return FieldPath(root.group(), tuple(steps))
