"""Whether a text names something that its reader may not know of: SQL, patterns of policies, messages of errors."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from api.joins.visible.knowledge import Parted
from policies.matching import dataset_matches

_WORD = re.compile(r"[\w./:*+-]+")
_EDGE = ".:/-"


def mentions(value: Any, parted: Parted) -> bool:
    """`value`: a text, or what JSON can hold. A pattern names what it matches, unless it is of a whole cluster or of all."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return any(_is_hidden(word, parted.names) for word in _words(text))


def _words(text: str) -> Iterator[str]:
    """Words, and the parts of each that may be a name: `prod.orders` is `orders` of prod, or a topic with a dot."""
    for word in dict.fromkeys(_WORD.findall(text.replace("`", ""))):
        yield word
        bare = word.strip(_EDGE)
        yield bare
        for sign in "/:.":
            for at in (each for each, letter in enumerate(bare) if letter == sign):
                yield bare[at + 1 :]
                yield bare[:at]


def _is_hidden(word: str, names: Collection[str]) -> bool:
    if not word:
        return False
    if "*" not in word:
        return word in names
    if not word.rpartition("/")[2].strip("*"):
        return False
    return any(dataset_matches(word, name) for name in names)
