"""What every text of a caller has to be: one that every store behind the API can keep, and, as a name, one that is seen."""

from __future__ import annotations

import re
from typing import Any

from catalog.unseen import has_unseen

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(given: Any) -> Any:
    """The value as it was given. Raises ValueError where a text in it holds NUL, which PostgreSQL does not keep, or half
    of a character, which is not UTF-8."""
    waiting = [given]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if _UNSTORABLE.search(each):
                raise ValueError("it has a NUL character or half of a character; take it out")
        elif isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
    return given


def seen(given: str) -> str:
    """A name that people read beside others. Raises ValueError for characters that cannot be seen, and for those that move
    the cursor or turn the direction of writing."""
    if has_unseen(given):
        raise ValueError("it has a character that cannot be seen; take it out")
    return given
