r"""Java's regular expressions, read into a tree once: groups, classes, quotes, flags, references back.

After the documentation of `java.util.regex.Pattern` (JDK 17). What is read is which characters a part may meet and in
how many ways parts follow each other, not what a pattern means: where one asserts something (`^`, `\b`), it is empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from policies.gate.cost.java_characters import Alphabet

DEEPEST = 40
"""Groups in each other; people do not write more."""


class Unreadable(Exception):
    """A pattern that Java refuses, or that is not understood here."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set, bits of the pattern's alphabet."""

    mask: int


@dataclass(frozen=True, slots=True)
class Seq:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Rep:
    """`most` None: without end."""

    part: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Once:
    """What is met in one way only and never looked at again: `(?>...)`, `a++`, a reference back."""

    part: Node


Node = Chars | Seq | Alt | Rep | Once
EMPTY = Seq(())


@dataclass(slots=True)
class ParsedPattern:
    """A pattern's tree, and apart from it what is matched on its own: inside look-around and what never gives back."""

    tree: Node
    apart: list[Node]


_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d{1,9})(?:(,)(\d{0,9}))?\})([+?]?)")
_OPENING = re.compile(r"\?(?:(?P<look><?[=!])|(?P<once>>)|<(?P<name>[A-Za-z]\w*)>|(?P<flags>[idmsuxU-]*)(?P<end>[:)]))")
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)|(\\.)", re.DOTALL)


def read(pattern: str) -> ParsedPattern:
    """Raises Unreadable."""
    text = _QUOTED.sub(lambda m: m[2] or "".join(f"\\x{{{ord(c):x}}}" for c in m[1]), pattern)
    reader = _Reader(text, Alphabet(text))
    tree = reader.alternatives(0)
    if reader.at < len(text):
        raise Unreadable
    return ParsedPattern(tree, reader.apart)


@dataclass(slots=True)
class _Reader:
    text: str
    alphabet: Alphabet
    at: int = 0
    flags: frozenset[str] = frozenset()
    opened: int = 0
    groups: dict[str, Node] = field(default_factory=dict)
    apart: list[Node] = field(default_factory=list)

    def alternatives(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise Unreadable
        branches = [self._sequence(depth)]
        while self._next("|"):
            branches.append(self._sequence(depth))
        return branches[0] if len(branches) == 1 else Alt(tuple(branches))

    def _sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while True:
            self._skip()
            if self.at >= len(self.text) or self.text[self.at] in "|)":
                return parts[0] if len(parts) == 1 else Seq(tuple(parts))
            part = self._quantified(self._part(depth))
            if part != EMPTY:
                parts.append(part)

    def _quantified(self, part: Node) -> Node:
        while True:
            self._skip()
            match = _QUANTIFIER.match(self.text, self.at)
            if match is None:
                return part
            self.at = match.end()
            sign, low, comma, high, manner = match.groups()
            least = int(low) if low else int(sign == "+")
            most: int | None = 1 if sign == "?" else None
            if low:
                most = int(high) if high else None if comma else least
            if part != EMPTY:
                part = Rep(part, least, most)
                if manner == "+":
                    self.apart.append(part)
                    part = Once(part)

    def _part(self, depth: int) -> Node:
        character = self.text[self.at]
        if character == "(":
            return self._group(depth)
        if character == "[":
            self.at += 1
            return Chars(self._set())
        if character == "\\":
            return self._escaped()
        self.at += 1
        if character in "*+?{":
            raise Unreadable
        if character in "^$":
            return EMPTY
        if character == ".":
            return Chars(self.alphabet.dot(self.flags))
        return Chars(self._cased(self.alphabet.one(character)))

    def _group(self, depth: int) -> Node:
        self.at += 1
        flags, name, once, look = self.flags, None, False, False
        if self.text.startswith("?", self.at):
            match = _OPENING.match(self.text, self.at)
            if match is None:
                raise Unreadable
            self.at = match.end()
            name, once, look = match["name"], bool(match["once"]), bool(match["look"])
            on, _, off = (match["flags"] or "").partition("-")
            changed = (self.flags | set(on)) - set(off)
            if match["end"] == ")":
                self.flags = changed
                return EMPTY
            self.flags = changed
        else:
            name = ""
        numbers = []
        if name is not None:
            self.opened += 1
            numbers = [str(self.opened), name]
        inside = self.alternatives(depth + 1)
        if not self._next(")"):
            raise Unreadable
        self.flags = flags
        for key in filter(None, numbers):
            self.groups[key] = inside
        if look or once:
            self.apart.append(inside)
        return EMPTY if look else Once(inside) if once else inside

    def _escaped(self) -> Node:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter and letter in "bBAzZG":
            self.at += 2 + (3 if self.text.startswith("{g}", self.at + 2) else 0)
            return EMPTY
        if letter and letter in "RX":
            self.at += 2
            mask = self.alphabet.escape("v" if letter == "R" else "X", self.flags)
            return Once(Rep(Chars(mask), 1, None))
        if letter == "k" or letter in tuple("123456789"):
            return self._reference(letter)
        return Chars(self._cased(self._character()))

    def _reference(self, letter: str) -> Node:
        if letter == "k":
            match = re.compile(r"\\k<(\w+)>").match(self.text, self.at)
            if match is None:
                raise Unreadable
            self.at = match.end()
            return Once(self.groups.get(match[1], EMPTY))
        digits = re.compile(r"\d+").match(self.text, self.at + 1)
        number = digits[0] if digits else ""
        while len(number) > 1 and int(number) > self.opened:
            number = number[:-1]  # of \11 with one group, the second digit is a character
        self.at += 1 + len(number)
        return Once(self.groups.get(number, EMPTY))

    def _set(self) -> int:
        """What is between brackets, `at` behind the first: unions, intersections, sets in sets."""
        negated = self._next("^")
        operands, mask, begun = [], 0, False
        while True:
            self._skip()
            if self.at >= len(self.text):
                raise Unreadable
            if self.text.startswith("&&", self.at):
                self.at += 2
                operands.append(mask)
                mask = 0
            elif self.text[self.at] == "[":
                self.at += 1
                mask |= self._set()
            elif self.text[self.at] == "]" and begun:
                self.at += 1
                break
            else:
                mask |= self._span()
            begun = True
        for operand in operands:
            mask &= operand
        mask = self._cased(mask)
        return self.alphabet.everything & ~mask if negated else mask

    def _span(self) -> int:
        low = self._character()
        behind = self.text[self.at + 1 : self.at + 2]
        if not self.text.startswith("-", self.at) or behind in ("", "]", "["):
            return low
        self.at += 1
        return self.alphabet.between(low, self._character())

    def _character(self) -> int:
        if self.text[self.at] != "\\":
            self.at += 1
            return self.alphabet.one(self.text[self.at - 1])
        match = self.alphabet.ESCAPE.match(self.text, self.at)
        if match is None:
            raise Unreadable
        self.at = match.end()
        return self.alphabet.escape(match[0][1:], self.flags)

    def _cased(self, mask: int) -> int:
        return self.alphabet.any_case(mask) if "i" in self.flags else mask

    def _next(self, wanted: str) -> bool:
        self._skip()
        is_next = self.text.startswith(wanted, self.at)
        self.at += is_next
        return is_next

    def _skip(self) -> None:
        """Blanks and comments, where the flag x lets them be written."""
        if "x" in self.flags and (match := re.compile(r"(?:\s|#[^\n]*)+").match(self.text, self.at)):
            self.at = match.end()
