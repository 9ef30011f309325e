"""Which topics a scan means: names and patterns against what the brokers list. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence

from catalog.errors import InvalidInput, NotFound
from catalog.near_names import did_you_mean

_PATTERN = re.compile(r"[*?\[\]()|^$+\\]")


def resolved(patterns: Sequence[str], topics: Collection[str], hidden: str, cluster: str) -> list[str]:
    """The topics that names and patterns (`shop.*`) mean, sorted; no names at all means every topic that `hidden`, a
    regular expression, does not match.

    Raises NotFound for a topic that is not there, InvalidInput for a pattern that cannot be read.
    """
    unasked = re.compile(hidden)
    if not patterns:
        return sorted(topic for topic in topics if not unasked.match(topic))
    names: set[str] = set()
    for text in patterns:
        if text in topics:
            names.add(text)
        elif _PATTERN.search(text):
            matching = _matches(text, topics)
            if not matching:
                raise NotFound(f"No topic of cluster {cluster} matches {text!r}.", details={"topic": text})
            names.update(topic for topic in matching if not unasked.match(topic) or text.startswith("_"))
        else:
            near = [repr(name) for name in difflib.get_close_matches(text, topics, 1)]
            hint = did_you_mean(near, " See the cluster's topics with `weir dataset list`.", " ")
            raise NotFound(f"Cluster {cluster} has no topic {text!r}.{hint}", details={"topic": text})
    return sorted(names)


def _matches(text: str, topics: Collection[str]) -> list[str]:
    """Topics that a pattern means: a regular expression over the whole name; a lone `*` matches anything."""
    pattern = re.sub(r"(?<![.\])\\])\*", ".*", text)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InvalidInput(
            f"The topic pattern {text!r} cannot be read; write it like shop.* or orders|payments."
        ) from error
    return [topic for topic in topics if compiled.fullmatch(topic)]
