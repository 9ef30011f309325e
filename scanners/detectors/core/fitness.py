"""Whether a checked kind of personal data can be used: tried when it is loaded, before any record meets it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from catalog import plugs
from scanners.detectors.core.base import Pattern
from scanners.detectors.core.checked_kind import CheckedKind

_ENTITY = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z")
_RECOGNIZER = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
_WORDS = re.compile(r"[^\W_A-Z]+(_[^\W_A-Z]+)*\Z")


def obstacle(value: Any, others: Iterable[CheckedKind], taken: Collection[str] = ()) -> str | None:
    """Why it cannot be used, as the end of a sentence; None where it can.

    `others`: the kinds that are there already; `taken`: entities that are detected in another way.
    """
    if not isinstance(value, CheckedKind):
        return "it is not a scanners.detectors.core.checked_kind.CheckedKind"
    try:
        return _named(value, others, taken) or _patterns(value) or _examples(value)
    except Exception as error:  # the code of another package may raise anything
        return f"it raised {plugs.failure(error)}"


def _named(kind: CheckedKind, others: Iterable[CheckedKind], taken: Collection[str]) -> str | None:
    if not _ENTITY.match(kind.entity):
        return f"its entity is {kind.entity!r}; write upper case, digits and _ as in ACME_CUSTOMER_NUMBER"
    if kind.entity in taken:
        return f"Weir detects {kind.entity} itself; choose another entity"
    for other in others:
        if other.entity == kind.entity:
            return f"there is another detector of {kind.entity}; choose another entity"
        same = {each.recognizer for each in other.patterns} & {each.recognizer for each in kind.patterns}
        if same:
            return f"there is another recognizer called {min(same)}; choose another name"
    for word in sorted(kind.names | kind.other_names):
        if not _WORDS.match(word):
            return f"its word {word!r} of field names is not in lower case; join the words of a phrase by _"
    return None


def _patterns(kind: CheckedKind) -> str | None:
    if not kind.patterns:
        return "it has no pattern"
    patterns: tuple[Any, ...] = kind.patterns
    for each in patterns:
        if not isinstance(each, Pattern):
            return "one of its patterns is not a scanners.detectors.core.base.Pattern"
        if each.entity != kind.entity:
            return f"its pattern {each.recognizer} is of {each.entity}, not of {kind.entity}"
        if not _RECOGNIZER.match(each.recognizer):
            return f"its recognizer is {each.recognizer!r}; write lower case, digits and _"
        if "v" not in each.find.groupindex:
            return f"its pattern {each.recognizer} has no group v; put the value into (?P<v>...)"
        if re.search(rb"\(\?[=!<]", each.quick):
            return f"the quick form of its pattern {each.recognizer} looks around; leave that to the exact form"
        re.compile(each.quick)
    return None


def _examples(kind: CheckedKind) -> str | None:
    if not kind.examples:
        return "it has no examples; write texts that hold a valid value"
    for number, text in enumerate(kind.examples, 1):
        if not any(_valid(pattern, text) for pattern in kind.patterns):
            return f"its example {number} holds no valid value"
    for pattern in kind.patterns:
        if not any(_valid(pattern, text) for text in kind.examples):
            return f"no example is for its pattern {pattern.recognizer}"
    return None


def _valid(pattern: Pattern, text: str) -> bool:
    quick = re.compile(pattern.quick).search(text.encode() + b"\n")
    if quick is None:
        return False
    verdicts = [pattern.check(match["v"], text) for match in pattern.find.finditer(text)]
    return any(verdict is not None and verdict[0] for verdict in verdicts)
