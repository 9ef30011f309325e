"""All detectors over one column of texts: a quick pass over everything, a close look at what it stops at.

Built once per worker. Counters go into the node; no text is kept.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol
from urllib.parse import unquote

from scanners.detectors import contact, money, national, people, secrets
from scanners.detectors.base import CANDIDATES, DISTINCT, TEXTS, VALID, VALID_TEXTS, WHOLE, Pattern
from scanners.nodes import Node

MAX_TEXTS = 4000
"""Different texts of one column and batch that are looked at; a column is known long before."""
ENOUGH = 20_000
"""Texts of one path after which only every tenth batch is looked at: rates do not get better."""
MAX_LENGTH = 20_000
"""Characters of one text that are looked at."""


class TextAnalyzer(Protocol):
    """Reads free text, and applies the user's recognizers (presidio, in a real scan)."""

    def prose(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        """ENTITY|recognizer -> numbers of the texts that hold it; and why the look was not finished, or None."""
        ...

    def custom(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        """The same for the user's own recognizers."""
        ...


def standard_patterns(regions: tuple[str, ...]) -> list[Pattern]:
    return [
        contact.EMAIL, contact.phone(regions), contact.IPV4, contact.IPV6, contact.MAC, money.CARD, money.IBAN, money.WALLET,
        secrets.API_KEY, *national.patterns(),
    ]  # fmt: skip


class Detector:
    """Callable as the profiler's `detect`: adds counters of one column to its node."""

    def __init__(
        self,
        regions: tuple[str, ...] = ("US", "GB", "DE"),
        analyzer: TextAnalyzer | None = None,
        prose_limit: int = 150,
    ) -> None:
        self._patterns = standard_patterns(regions)
        self._quick = QuickSet([p.quick for p in self._patterns])
        self._analyzer = analyzer
        self._prose_limit = prose_limit
        self._turn = 0

    def __call__(self, node: Node, names: tuple[str, ...], counts: Mapping[str, int]) -> None:
        self._turn += 1
        if node.scanned > ENOUGH and self._turn % 10:
            return
        texts = [t if len(t) <= MAX_LENGTH else t[:MAX_LENGTH] for t in counts if t][:MAX_TEXTS]
        if not texts:
            return
        weights = {t[:MAX_LENGTH]: n for t, n in counts.items()}
        weights = {t: weights[t] for t in texts}
        node.scanned += sum(weights.values())
        try:
            self._look(node, names, texts, weights)
        except Exception:
            # A detector that fails has not looked: the field is reported, never taken for clean.
            node.unscanned["detector_failed"] = node.unscanned.get("detector_failed", 0) + 1

    def _look(self, node: Node, names: tuple[str, ...], texts: list[str], weights: Mapping[str, int]) -> None:
        shown = [_percent_decoded(t) for t in texts]
        for number, where in self._quick.find(shown).items():
            pattern = self._patterns[number]
            made: Counter[str] = Counter()
            for index in where:
                _count(pattern, shown[index], weights[texts[index]], made)
            _merge(node, pattern.key, made)
        for key, made in people.look(names, weights).items():
            _merge(node, key, made)
        prose = [t for t in texts if t.count(" ") >= 3 and any(map(str.isalpha, t))]
        if prose:
            node.traits["prose"] = node.traits.get("prose", 0) + sum(weights[t] for t in prose)
        if self._analyzer is None:
            return
        looks = [(self._analyzer.custom, texts)]
        if len(prose) * 5 >= len(texts):
            looks.append((self._analyzer.prose, prose[: self._prose_limit]))
        for look, chosen in looks:
            found, failure = look(chosen, names)
            if failure:
                node.unscanned[failure] = node.unscanned.get(failure, 0) + 1
            read = sum(weights[t] for t in chosen)
            for key, indexes in found.items():
                made = Counter({"read": read})
                for index in indexes:
                    count = weights[chosen[index]]
                    made.update({TEXTS: count, VALID_TEXTS: count, CANDIDATES: count, VALID: count, DISTINCT: 1})
                _merge(node, key, made)


def _percent_decoded(text: str) -> str:
    """Addresses in URLs are often written with %40."""
    return unquote(text) if "%" in text and "%40" in text else text


def _count(pattern: Pattern, text: str, weight: int, made: Counter[str]) -> None:
    candidates = valid = 0
    whole = False
    marks: set[str] = set()
    for match in pattern.find.finditer(text):
        candidate = match["v"]
        verdict = pattern.check(candidate, text)
        if verdict is None:
            continue
        candidates += 1
        good, extra = verdict
        marks.update(extra)
        if good:
            valid += 1
            whole = whole or len(candidate) >= len(text.strip()) - 2
    if not candidates:
        return
    made.update({TEXTS: weight, CANDIDATES: candidates * weight, VALID: valid * weight})
    if valid:
        made.update({VALID_TEXTS: weight, DISTINCT: 1})
        if whole:
            made[WHOLE] += weight
    for mark in marks:
        made[mark] += weight


def _merge(node: Node, key: str, made: Mapping[str, int]) -> None:
    if not made:
        return
    known = node.hits.setdefault(key, {})
    for name, count in made.items():
        known[name] = known.get(name, 0) + count


class QuickSet:
    """Which of many patterns may occur in which texts, in one pass over all of them.

    hyperscan when it is installed (x86 and arm64 have wheels), else `re` per pattern and text.
    """

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._patterns = list(patterns)
        self._plain = [re.compile(p.replace(rb"\b", rb"")) for p in self._patterns]
        self._database = _compile(self._patterns)

    def find(self, texts: Sequence[str]) -> dict[int, list[int]]:
        """Pattern number -> numbers of the texts, ascending."""
        bodies = [t.encode("utf-8", "replace") for t in texts]
        if self._database is None:
            return {
                number: where
                for number, pattern in enumerate(self._plain)
                if (where := [i for i, body in enumerate(bodies) if pattern.search(body)])
            }
        ends = list(accumulate(len(b) + 1 for b in bodies))
        found: dict[int, set[int]] = {}

        def hit(number: int, _start: int, end: int, _flags: int, _context: Any) -> None:
            found.setdefault(number, set()).add(end)

        self._database.scan(b"\n".join(bodies), match_event_handler=hit)
        last = len(bodies) - 1
        return {
            n: sorted({min(last, bisect_right(ends, end - 1)) for end in places}) for n, places in sorted(found.items())
        }


def _compile(patterns: list[bytes]) -> Any:
    try:
        import hyperscan

        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(
            expressions=patterns, ids=list(range(len(patterns))), elements=len(patterns), flags=[0] * len(patterns)
        )
    except Exception:
        logging.getLogger(__name__).info("hyperscan cannot be used; patterns run one by one")
        return None
    return database
