"""A filter that is being typed at the end of a query: `card owner:ot`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from catalog.search_model import FACETS, FILTERS

CHOICES = {
    "has": ("description", "owner", "tag", "term"),
    "is": ("broken", "certified", "deprecated", "personal", "scanned"),
    "type": (
        "array",
        "binary",
        "boolean",
        "date",
        "decimal",
        "double",
        "int32",
        "int64",
        "integer",
        "map",
        "object",
        "string",
        "timestamp",
        "uuid",
    ),
}
"""Values of filters that no facet counts."""

_LAST = re.compile(r'(?:^|.*\s)([A-Za-z]+):("?[^\s"]*)$', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Begun:
    """rest: the query before it; begun: the letters of its value, none where only `owner:` was typed."""

    rest: str
    name: str
    begun: str


def begun_filter(text: str) -> Begun | None:
    """The filter that the text ends with; None where it ends with a word, or with a space."""
    match = _LAST.match(text)
    name = match[1].lower() if match else ""
    if match is None or name not in FILTERS or (name not in FACETS and name not in CHOICES):
        return None
    return Begun(text[: match.start(1)], name, match[2].removeprefix('"'))


def fitting(values: Iterable[str], begun: str, most: int) -> list[str]:
    """The values that begin so, then those that hold it, each once; a group without `group:`, as it may be typed."""
    sought = begun.removeprefix("group:").casefold()
    plain = list(dict.fromkeys(value.removeprefix("group:") for value in values))
    first = [value for value in plain if value.casefold().startswith(sought)]
    inside = [value for value in plain if sought in value.casefold() and value not in first]
    return [*first, *inside][:most]
