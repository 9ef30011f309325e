"""Words that are allowed and yet can keep the engine busy for ever, or fill its memory: what of them is refused.

Spark cannot bound the size of one value, and cannot stop a pattern of Java's once it is being matched. So this looks for
the forms that grow beyond measure, and lets their everyday relatives be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from policies.sql import inventory
from policies.sql.names import fold
from policies.sql.words import words

Problem = tuple[Any, str, str]
"""The node, the sentence, the class of the reason."""

_PATTERN_AT = {
    "rlike": 1, "regexp": 1, "regexp_like": 1, "regexp_replace": 1, "regexp_extract": 1, "regexp_extract_all": 1,
    "regexp_count": 1, "regexp_instr": 1, "regexp_substr": 1, "split": 1,
}  # fmt: skip
_JOINS = words("concat concat_ws format_string printf array_join map_concat array_union flatten replace overlay")
_LENGTHENS = words("hex url_encode base64 encode bin to_json sentences mask str_to_map to_csv quote conv soundex")
MOST_NESTED = 6
"""Calls such as hex in each other; each makes a text up to four times as long."""


def problems(root: exp.Expression) -> Iterator[Problem]:
    for node in root.walk():
        if isinstance(node, exp.Anonymous):
            name = str(node.this).lower()
            if name in ("aggregate", "reduce"):
                yield from _doubling(node)
            if name in _LENGTHENS and _depth(node) > MOST_NESTED:
                yield node, f"{name} and its like stand in each other more than {MOST_NESTED} times.", "size"
            if name in _PATTERN_AT and len(node.expressions) > _PATTERN_AT[name]:
                yield from _pattern(root, node, node.expressions[_PATTERN_AT[name]])
        elif isinstance(node, exp.RegexpLike):
            yield from _pattern(root, node, node.expression)


def _depth(node: Any) -> int:
    above, depth = node, 0
    while above is not None:
        depth += isinstance(above, exp.Anonymous) and str(above.this).lower() in _LENGTHENS
        above = above.parent
    return depth


def _doubling(node: Any) -> Iterator[Problem]:
    """A step of `aggregate` that makes of what was gathered something a multiple as long."""
    step = next((e for e in node.expressions[2:3] if isinstance(e, exp.Lambda)), None)
    if step is None or not step.expressions:
        return
    gathered = fold(step.expressions[0].name)

    def times(inside: Any) -> int:
        return sum(fold(each.name) == gathered for each in inside.find_all(exp.Identifier))

    for call in step.this.walk():
        name = str(call.this).lower() if isinstance(call, exp.Anonymous) else ""
        grows = name in _LENGTHENS or inventory.grows(name)
        joins = name in _JOINS or isinstance(call, (exp.Concat, exp.DPipe))
        replaced = call.expressions[2] if name in ("replace", "regexp_replace") and len(call.expressions) > 2 else None
        longer = replaced is not None and not (
            isinstance(replaced, exp.Literal) and len(replaced.name) <= (name == "replace")
        )
        if ((grows or longer) and times(call)) or (joins and times(call) > 1):
            text = f"A step of aggregate makes what was gathered ({gathered}) several times as long each time."
            yield call, text, "size"
            return


def _pattern(root: exp.Expression, node: Any, pattern: Any) -> Iterator[Problem]:
    if isinstance(pattern, exp.Literal):
        if endless(pattern.name):
            text = "The pattern repeats a repetition, which a text can keep busy for ever; write a+ instead of (a+)+."
            yield node, text, "pattern"
    elif any(each.is_string and "(" in each.name for each in root.find_all(exp.Literal)):
        # It may be put together of texts of the query, so none of them may open a group.
        yield node, "A pattern with groups is written out as one text.", "pattern"


def endless(pattern: str) -> bool:
    """Whether one text can keep Java's matcher busy for a time that doubles with each character.

    Told by the two usual forms: a repeated group whose parts are all a repetition or may be left out, as `(a+)+` and
    `(\\w+\\s?)*`; and a repeated choice of which one begins another, as `(a|aa)+`. Not a proof of the opposite.
    """
    stack: list[int] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
            continue
        if character == "[":
            at = _end_of_class(pattern, at)
            continue
        if character == "(":
            stack.append(at)
        elif character == ")" and stack:
            start = stack.pop()
            many, _, _ = _quantifier(pattern, at + 1)
            if many and not pattern.startswith("(?>", start) and _ambiguous(_inside(pattern[start + 1 : at])):
                return True
        at += 1
    return False


def _inside(body: str) -> str:
    return re.sub(r"\A\?(?::|<\w+>|[a-z]+:)", "", body)


def _ambiguous(body: str) -> bool:
    branches = _branches(body)
    if len(branches) > 1:
        plain = [b.strip("()") for b in branches]
        return any(_ambiguous(b) for b in branches) or any(
            i != j and b.startswith(a) for i, a in enumerate(plain) for j, b in enumerate(plain)
        )
    atoms = list(_atoms(body))
    if len(atoms) == 1 and atoms[0][0].startswith("(") and atoms[0][1:] == (1, False):
        return _ambiguous(_inside(atoms[0][0][1:-1]))
    repeated = [text for text, _, many in atoms if many]
    fixed = [text for text, least, many in atoms if least and not many]
    return any(all(other in (text, ".") or text == "." for other in fixed) for text in repeated)


def _branches(body: str) -> list[str]:
    found, depth, start, at = [], 0, 0, 0
    while at < len(body):
        if body[at] == "\\":
            at += 2
            continue
        if body[at] == "[":
            at = _end_of_class(body, at)
            continue
        depth += (body[at] == "(") - (body[at] == ")")
        if body[at] == "|" and depth == 0:
            found.append(body[start:at])
            start = at + 1
        at += 1
    return [*found, body[start:]]


def _atoms(body: str) -> Iterator[tuple[str, int, bool]]:
    """(text, least times, many times) of each part of a sequence."""
    at = 0
    while at < len(body):
        start = at
        if body[at] == "\\":
            at += 2
        elif body[at] == "[":
            at = _end_of_class(body, at)
        elif body[at] == "(":
            at = _end_of_group(body, at)
        else:
            at += 1
        many, least, end = _quantifier(body, at)
        yield body[start:at], least, many
        at = end


def _quantifier(text: str, at: int) -> tuple[bool, int, int]:
    """(unbounded and able to give back, least times, where it ends)."""
    found = re.compile(r"([*+?]|\{(\d+)(,?)(\d*)\})([+?]?)").match(text, at)
    if found is None:
        return False, 1, at
    sign, low, comma, high = found[1], found[2], found[3], found[4]
    least = int(low) if low else int(sign == "+")
    many = sign in "*+" or bool(comma and (not high or int(high) > 20)) or bool(low and not comma and int(low) > 20)
    return many and found[5] != "+", least, found.end()


def _end_of_class(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "[":
            depth += 1
        elif text[at] == "]":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


def _end_of_group(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "[":
            at = _end_of_class(text, at) - 1
        elif text[at] == "(":
            depth += 1
        elif text[at] == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at
