"""Which patterns of Java can keep its matcher busy beyond measure: it looks at one way after the other, and cannot be
stopped meanwhile.

A pattern becomes an automaton whose states are its characters (Glushkov's, with the number of ways from one to the
next). It is endless when a text leads round from a state to itself in two ways, so that each round doubles the ways
(Weber and Seidl, "On the degree of ambiguity of finite automata", 1991); or when a short text is already met in as
many ways as eight times `.*` in a row would meet it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from policies.gate.cost.java_patterns import Alt, Chars, Node, Once, Rep, Seq, Unreadable, read

LONGEST = 5_000
"""Beyond it a pattern is not looked into; people do not write such."""

_MOST_COPIES = 32
"""Of what is repeated a number of times; more copies do not change the result."""
_MOST_STATES = 5_000
_MOST_EDGES = 20_000
_MOST_PAIRS = 50_000
_MOST_LOOPS = 7
_TEXT = 64
_MOST_WAYS = 5_000_000_000
"""In which a text of _TEXT characters may be met: seven times .* in a row have 1.2 thousand million, eight ten."""


@lru_cache(maxsize=1024)
def endless(pattern: str) -> bool:
    """Whether one text can keep Java's matcher busy for ever. What cannot be read is, where it has groups."""
    if len(pattern) > LONGEST:
        return any(sign in pattern for sign in "(*+?{")
    try:
        parsed = read(pattern)
        return any(_endless(each) for each in (parsed.tree, *parsed.apart))
    except (Unreadable, _TooLarge):
        return "(" in pattern


def is_readable(pattern: str) -> bool:
    """Whether a pattern was understood; for one that was not, `endless` gives the worst case."""
    try:
        read(pattern)
    except Unreadable:
        return False
    return True


def like_is_endless(pattern: str, escape: str = "\\") -> bool:
    """The same of a pattern of LIKE, which Spark hands to Java with .* for each %."""
    parts, quoted = [], False
    for character in pattern:
        if character == escape and not quoted:
            quoted = True
            continue
        wild = {"%": ".*", "_": "."}.get(character) if not quoted else None
        parts.append(wild or f"\\x{{{ord(character):x}}}")
        quoted = False
    if parts.count(".*") <= _MOST_LOOPS:
        return False
    return endless("(?s)" + "".join(parts)) if len(parts) * 6 < LONGEST else True


class _TooLarge(Exception):
    """More states or edges than are looked into."""


@dataclass(slots=True)
class _Part:
    """A part of an automaton: where it begins and ends, each with its number of ways, and ways through it by nothing."""

    first: Counter[int]
    last: Counter[int]
    empty: int


@dataclass(slots=True)
class _Automaton:
    masks: list[int] = field(default_factory=list)
    edges: list[Counter[int]] = field(default_factory=list)
    size: int = 0

    def build(self, node: Node) -> _Part:
        match node:
            case Chars():
                if len(self.masks) >= _MOST_STATES:
                    raise _TooLarge
                self.masks.append(node.mask)
                self.edges.append(Counter())
                state = len(self.masks) - 1
                return _Part(Counter({state: 1}), Counter({state: 1}), 0)
            case Seq():
                part = _Part(Counter(), Counter(), 1)
                for each in node.parts:
                    part = self._joined(part, self.build(each))
                return part
            case Alt():
                parts = [self.build(each) for each in node.branches]
                first, last = Counter[int](), Counter[int]()
                for branch in parts:
                    first.update(branch.first)
                    last.update(branch.last)
                return _Part(first, last, min(2, sum(branch.empty for branch in parts)))
            case Rep():
                return self._repeated(node)
            case Once():
                inner = _Automaton()
                part = inner.build(node.part)
                mask = 0
                for state in part.first:
                    mask |= inner.masks[state]
                one = self.build(Chars(mask)) if mask else _Part(Counter(), Counter(), 1)
                return _Part(one.first, one.last, min(1, part.empty))

    def _joined(self, one: _Part, other: _Part) -> _Part:
        self._connect(one.last, other.first)
        first = Counter(one.first)
        if one.empty:
            first.update({state: ways * one.empty for state, ways in other.first.items()})
        last = Counter(other.last)
        if other.empty:
            last.update({state: ways * other.empty for state, ways in one.last.items()})
        return _Part(first, last, min(2, one.empty * other.empty))

    def _repeated(self, node: Rep) -> _Part:
        states = len(self.masks)
        whole = _Part(Counter(), Counter(), 1)
        if node.most == 0:
            return whole
        single = self.build(node.part)
        most = max(2, min(_MOST_COPIES, 200 // max(1, len(self.masks) - states)))
        least = min(node.least, most)
        optional = None if node.most is None or node.most - node.least > most else node.most - node.least
        copies = [single, *(self.build(node.part) for _ in range(least + (optional or 0) - 1))]
        for each in copies[:least]:
            whole = self._joined(whole, each)
        if optional is None:
            self._connect(copies[-1].last, copies[-1].first)
            if least:
                return whole
            return _Part(single.first, single.last, min(2, single.empty + 1))
        rest: _Part | None = None
        for each in reversed(copies[least:]):
            both = self._joined(each, rest) if rest is not None else each
            rest = _Part(both.first, both.last, min(2, both.empty + 1))
        return self._joined(whole, rest) if rest is not None else whole

    def _connect(self, last: Counter[int], first: Counter[int]) -> None:
        self.size += len(last) * len(first)
        if self.size > _MOST_EDGES:
            raise _TooLarge
        for state, ways in last.items():
            for after, more in first.items():
                self.edges[state][after] += ways * more


def _endless(tree: Node) -> bool:
    automaton = _Automaton()
    start = automaton.build(tree)
    masks, edges = automaton.masks, automaton.edges
    unsure = [each for each in edges if not _one_way(each, masks)]
    if not unsure and _one_way(start.first, masks):
        return False
    loops = _loops(edges)
    if any(_doubles(loop, masks, edges) for loop in loops):
        return True
    if len(loops) <= _MOST_LOOPS and len(unsure) <= 20:
        return False
    return _many(start.first, masks, edges)


def _one_way(after: Counter[int], masks: list[int]) -> bool:
    """Whether every character leads on in one way at most."""
    met = 0
    for state, ways in after.items():
        if ways > 1 or met & masks[state]:
            return False
        met |= masks[state]
    return True


def _loops(edges: list[Counter[int]]) -> list[frozenset[int]]:
    """The sets of states that lead to each other (Tarjan's components, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    loops = []
    for root in range(len(edges)):
        if root in number:
            continue
        work = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        waiting.add(root)
        while work:
            state, after = work[-1]
            for each in after:
                if each not in number:
                    number[each] = low[each] = len(number)
                    stack.append(each)
                    waiting.add(each)
                    work.append((each, iter(edges[each])))
                    break
                if each in waiting:
                    low[state] = min(low[state], number[each])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[state])
                if low[state] == number[state]:
                    at = stack.index(state)
                    loop = frozenset(stack[at:])
                    del stack[at:]
                    waiting -= loop
                    if len(loop) > 1 or state in edges[state]:
                        loops.append(loop)
    return loops


def _doubles(loop: frozenset[int], masks: list[int], edges: list[Counter[int]]) -> bool:
    """Whether a text leads round in two ways: apart from one state, and together again in one."""
    seen: set[tuple[int, int]] = set()
    work: list[tuple[int, int]] = []
    inside = {state: [each for each in edges[state] if each in loop] for state in loop}
    for state in loop:
        after = inside[state]
        if any(edges[state][each] > 1 for each in after):
            return True
        work += [(a, b) for a in after for b in after if a < b and masks[a] & masks[b]]
    while work:
        pair = work.pop()
        if pair in seen:
            continue
        seen.add(pair)
        if len(seen) > _MOST_PAIRS:
            return True
        for a in inside[pair[0]]:
            for b in inside[pair[1]]:
                if masks[a] & masks[b]:
                    if a == b:
                        return True
                    work.append((min(a, b), max(a, b)))
    return False


def _many(first: Counter[int], masks: list[int], edges: list[Counter[int]]) -> bool:
    """Whether a short text is met in too many ways; it is looked for by taking the worst character each time."""
    kinds = {tuple(bool(mask >> bit & 1) for mask in set(masks)): bit for bit in range(max(masks).bit_length())}
    bits = list(kinds.values())
    ways = [{state: n for state, n in first.items() if masks[state] >> bit & 1} for bit in bits]
    best = sorted(ways, key=lambda each: sum(each.values()))[-2:]
    total = 0
    for _ in range(_TEXT):
        onward: list[dict[int, int]] = []
        for each in best:
            reached: Counter[int] = Counter()
            for state, n in each.items():
                for after, more in edges[state].items():
                    reached[after] += n * more
            onward += [{s: n for s, n in reached.items() if masks[s] >> bit & 1} for bit in bits]
        best = sorted(onward, key=lambda each: sum(each.values()))[-2:]
        total += sum(best[-1].values())
        if total > _MOST_WAYS:
            return True
    return False
