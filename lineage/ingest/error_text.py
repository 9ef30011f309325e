"""What went wrong, without the data it went wrong on.

Messages of databases and engines quote the value that did not fit. What is quoted, in brackets after `=` or `(`, holds
digits or looks like an address goes; the sentence and the class of the error stay. Stack traces are not kept.
"""

from __future__ import annotations

import re
from typing import Any

MAX_MESSAGE = 500
LEFT_OUT = "[…]"

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|«[^»]*»|‘[^’]*’")
_BRACKETS = re.compile(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]…]*\]|<[^<>]*>")
_ASSIGNED = re.compile(r"(?<=[=:])\s*[^\s,;]*[\d@][^\s,;]*")
_TOKEN = re.compile(r"[^\s,;()\[\]{}]*[\d@][^\s,;()\[\]{}]*")
_AGAIN = re.compile(r"(?:\[…\][\s,.=:/-]*){2,}")


def without_data(message: Any) -> str | None:
    """The first line of a message, 500 characters at most, with everything that may be a value replaced."""
    if not isinstance(message, str) or not message.strip():
        return None
    line = message.strip().splitlines()[0][: 4 * MAX_MESSAGE]
    for pattern in (_QUOTED, _BRACKETS, _BRACKETS, _ASSIGNED, _TOKEN):
        line = pattern.sub(LEFT_OUT, line)
    # A quotation that is not closed holds everything behind it.
    line = re.sub(r"(?:(?<=\s)|^)['\"].*", LEFT_OUT, line)
    return _AGAIN.sub(LEFT_OUT + " ", line).strip()[:MAX_MESSAGE]
