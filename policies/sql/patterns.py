"""Which patterns of Java can keep its matcher busy for a time that doubles with each character: it cannot be stopped."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 5_000
_DEEPEST = 40
_MOST_BRANCHES = 200
"""Beyond these a pattern is not looked into; people do not write such."""

_MOST_WAYS = 1_000_000
_WAYS_OF_UNBOUNDED = 20
"""Ways in which a{1,20} or a* may be met, for a group that is repeated a bounded number of times."""

_UNBOUNDED = 1 << 30
_UNBOUNDED_FROM = 1_000
"""Times of repetition from which on any choice in a group is too much."""
_CLASS = re.compile(r"\[|\.\Z|\\[wWdDsShHvVpP]")
_PROPERTIES = {"L": "a-zA-ZÀ-ɏ", "A": "a-zA-ZÀ-ɏ", "I": "a-zA-ZÀ-ɏ", "N": "0-9", "D": "0-9", "P": "!-/:-@\\[-`{-~"}
r"""First letter of a \p{...} -> about what it holds of the sampled characters."""
_SAMPLE = "".join(map(chr, range(1, 0x250)))


@dataclass(frozen=True, slots=True)
class _Atom:
    """A part of a sequence, and how often it stands there; `fixed` where the matcher has no choice in that."""

    text: str
    least: int
    most: int
    gives_back: bool

    @property
    def fixed(self) -> bool:
        return self.least == self.most or not self.gives_back


def endless(pattern: str) -> bool:
    r"""Whether one text can keep Java's matcher busy for a time that doubles with each character.

    Told by the two usual forms: a repeated group whose parts are all a repetition or may be left out, as `(a+)+` and
    `(\w+\s?)*`; and a repeated choice that one character can be met by in two ways, as `(a|aa)+` and `(\w|\d)+`. Groups
    that are repeated a bounded number of times count where the ways multiply to many. Not a proof of the opposite.
    """
    if len(pattern) > _LONGEST:
        return "(" in pattern
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
            if len(stack) > _DEEPEST:
                return True
        elif character == ")" and stack:
            start = stack.pop()
            _, most, gives_back, _ = _quantifier(pattern, at + 1)
            body = _inside(pattern[start + 1 : at])
            if most > 1 and gives_back and not pattern.startswith("(?>", start) and _many(body, most):
                return True
        at += 1
    return False


def _inside(body: str) -> str:
    return re.sub(r"\A\?(?::|<\w+>|[a-z]+:)", "", body)


def _many(body: str, most: int) -> bool:
    """Whether a group that is repeated up to `most` times may be met in too many ways."""
    return _ambiguous(body) and (most > _UNBOUNDED_FROM or _ways(body) ** most > _MOST_WAYS)


def _ways(body: str) -> int:
    """In how many ways one round of a group may be met, about."""
    found = len(_branches(body))
    for branch in _branches(body):
        for atom in _atoms(branch):
            if not atom.fixed:
                found = max(found, min(atom.most - atom.least + 1, _WAYS_OF_UNBOUNDED))
            if atom.text.startswith("("):
                found = max(found, _ways(_inside(atom.text[1:-1])))
    return found


def _ambiguous(body: str) -> bool:
    branches = _branches(body)
    if len(branches) > _MOST_BRANCHES:
        return True
    if len(branches) > 1:
        plain = [b.strip("()") for b in branches]
        atoms = [list(_atoms(b)) for b in branches]
        return any(_ambiguous(b) for b in branches) or any(
            i != j and (b.startswith(a) or (i < j and _begin_alike(atoms[i], atoms[j])))
            for i, a in enumerate(plain)
            for j, b in enumerate(plain)
        )
    parts = list(_atoms(body))
    if len(parts) == 1 and parts[0].text.startswith("(") and parts[0].least == parts[0].most == 1:
        return _ambiguous(_inside(parts[0].text[1:-1]))
    repeated = [atom.text for atom in parts if not atom.fixed]
    fixed = [atom.text for atom in parts if atom.fixed and atom.least]
    return any(
        all(other in (text, ".") or text == "." or _overlap(other, text) for other in fixed) for text in repeated
    )


def _begin_alike(one: list[_Atom], other: list[_Atom]) -> bool:
    """Whether two branches may be met by the same text, told by classes: `foo|far` is none of them."""
    mine, theirs = _firsts(one), _firsts(other)
    if not any(_CLASS.match(text) for text in (*mine, *theirs)):
        return False
    if not any(_overlap(a, b) for a in mine for b in theirs):
        return False
    for a, b in zip(one, other, strict=False):
        if not (a.least == a.most == b.least == b.most == 1):
            break
        if not _overlap(a.text, b.text):
            return False
    return True


def _firsts(atoms: list[_Atom]) -> list[str]:
    """The parts a sequence may begin with."""
    found = []
    for atom in atoms:
        found.append(atom.text)
        if atom.least:
            break
    return found


def _overlap(one: str, other: str) -> bool:
    """Whether one character can be met by both; parts that cannot be read here overlap with every class."""
    mine, theirs = _characters(one), _characters(other)
    if mine is None or theirs is None:
        return True
    return not mine.isdisjoint(theirs)


@lru_cache(maxsize=512)
def _characters(atom: str) -> frozenset[str] | None:
    """Which of the sampled characters a part meets; None when Python cannot read it."""
    if atom.startswith("(") or atom in ("^", "$", r"\b", r"\B"):
        return frozenset()
    try:
        text = re.sub(r"\\p\{(?:Is)?(\w)\w*\}", lambda found: _PROPERTIES[found[1].upper()], atom)
        if atom.startswith("\\p"):
            text = f"[{text}]"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of [a&&b], which means something else to Java
            matcher = re.compile(text)
    except (re.error, KeyError, OverflowError):
        return None
    return frozenset(character for character in _SAMPLE if matcher.fullmatch(character))


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


def _atoms(body: str) -> Iterator[_Atom]:
    at = 0
    while at < len(body):
        start = at
        if body[at] == "\\":
            property_ = re.compile(r"\\[pP]\{[^}]*\}").match(body, at)
            at = property_.end() if property_ else at + 2
        elif body[at] == "[":
            at = _end_of_class(body, at)
        elif body[at] == "(":
            at = _end_of_group(body, at)
        else:
            at += 1
        least, most, gives_back, end = _quantifier(body, at)
        yield _Atom(body[start:at], least, most, gives_back)
        at = end


_QUANTIFIER = re.compile(r"([*+?]|\{(\d{1,9})(,?)(\d{0,9})\})([+?]?)")


def _quantifier(text: str, at: int) -> tuple[int, int, bool, int]:
    """(least times, most times, able to give back, where it ends)."""
    found = _QUANTIFIER.match(text, at)
    if found is None:
        return 1, 1, True, at
    sign, low, comma, high = found[1], found[2], found[3], found[4]
    least = int(low) if low else int(sign == "+")
    most = 1 if sign == "?" else _UNBOUNDED
    if low:
        most = int(high) if high else _UNBOUNDED if comma else least
    return least, most, found[5] != "+", found.end()


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
