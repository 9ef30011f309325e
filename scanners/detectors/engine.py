"""All detectors over one column of texts: a quick pass over everything, a close look at what it stops at.

Built once per worker. Counters go into the node; no text is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol
from urllib.parse import unquote

from scanners.detectors import registry
from scanners.detectors.core.base import CANDIDATES, DISTINCT, TEXTS, VALID, VALID_TEXTS, Pattern
from scanners.detectors.core.plain_texts import is_address
from scanners.detectors.core.quick_pass import QuickSet
from scanners.detectors.core.verdict_cache import MOST, Outcome, VerdictCache, places
from scanners.detectors.core.verify import ColumnCandidates
from scanners.detectors.kinds import categories, identifiers, national, papers, people, phones, secrets
from scanners.sketch.nodes import Node

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
        *(pattern for kind in registry.installed().kinds for pattern in kind.patterns),
        phones.phone(regions),
        secrets.API_KEY,
        secrets.COOKIE,
        papers.MRZ,
        papers.BRITISH,
        *national.patterns(),
    ]


_LOOKS = (people.look, identifiers.look, secrets.look, categories.look, national.look, papers.look)
"""Looks at whole texts that a field's name announces."""


class Detector:
    """Callable as the profiler's `detect`: adds counters of one column to its node.

    `remembered`: texts of repeating columns whose outcome is kept, by hash, for the batches to come.
    """

    def __init__(
        self,
        regions: tuple[str, ...] = ("US", "GB", "DE"),
        analyzer: TextAnalyzer | None = None,
        prose_limit: int = 150,
        patterns: Sequence[Pattern] | None = None,
        remembered: int = MOST,
    ) -> None:
        self._patterns = standard_patterns(regions) if patterns is None else list(patterns)
        self._quick = QuickSet([p.quick for p in self._patterns])
        self._analyzer = analyzer
        self._prose_limit = prose_limit
        self._verdicts = VerdictCache(remembered)
        self._turn = 0

    def __call__(self, node: Node, names: tuple[str, ...], counts: Mapping[str, int]) -> None:
        self._turn += 1
        if node.scanned > ENOUGH and self._turn % 10:
            return
        texts, weights = _bounded(counts)
        if not texts:
            return
        node.scanned += sum(weights.values())
        try:
            self._look(node, names, texts, weights)
        except Exception:
            # A detector that fails has not looked: the field is reported, never taken for clean.
            node.unscanned["detector_failed"] = node.unscanned.get("detector_failed", 0) + 1

    def _look(self, node: Node, names: tuple[str, ...], texts: list[str], weights: Mapping[str, int]) -> None:
        together = "\n".join((*texts, ""))
        self._match(node, texts, together, weights)
        # The name of a field announces what its texts are; those that are addresses of pages only lead there.
        whole = {t: n for t, n in weights.items() if not is_address(t)} if "/" in together else weights
        for looks in _LOOKS if whole else ():
            for key, counters in looks(names, whole).items():
                _merge(node, key, counters)
        prose = _prose(texts) if together.count(" ") >= _PROSE_BLANKS else []
        if prose:
            node.traits["prose"] = node.traits.get("prose", 0) + sum(weights[t] for t in prose)
        if self._analyzer is not None:
            self._ask(self._analyzer, node, names, texts, prose, weights)

    def _match(self, node: Node, texts: list[str], together: str, weights: Mapping[str, int]) -> None:
        """Our patterns."""
        decoded: list[str] = texts
        if "%40" in together:
            decoded = [_percent_decoded(t) for t in texts]
            together = "\n".join((*decoded, ""))
        outcomes = self._outcomes(decoded, together) if self._verdicts.should_cache(weights) else None
        stops = self._quick.find(decoded, together) if outcomes is None else places(outcomes)
        if not stops:
            return
        stopped = ColumnCandidates(decoded, [weights[t] for t in texts], outcomes)
        for number, where in stops.items():
            pattern = self._patterns[number]
            _merge(node, pattern.key, stopped.counters(number, pattern, where))

    def _outcomes(self, texts: list[str], together: str) -> list[Outcome]:
        """What is known of each text, after a quick pass over those that are new."""
        hashes = self._verdicts.hashes(texts)
        outcomes = self._verdicts.known(hashes)
        fresh = [place for place, outcome in enumerate(outcomes) if outcome is None]
        if len(fresh) == len(texts):
            return self._verdicts.add(hashes, self._quick.find(texts, together))
        if fresh:
            stops = self._quick.find([texts[place] for place in fresh])
            for place, outcome in zip(fresh, self._verdicts.add([hashes[p] for p in fresh], stops), strict=True):
                outcomes[place] = outcome
        return [outcome for outcome in outcomes if outcome is not None]

    def _ask(
        self,
        analyzer: TextAnalyzer,
        node: Node,
        names: tuple[str, ...],
        texts: list[str],
        prose: list[str],
        weights: Mapping[str, int],
    ) -> None:
        looks = [(analyzer.custom, texts)]
        left = self._prose_limit - node.traits.get("prose_read", 0)
        if len(prose) * 5 >= len(texts) and left > 0:
            chosen_prose = prose[:: max(1, len(prose) // left)][:left]
            node.traits["prose_read"] = node.traits.get("prose_read", 0) + len(chosen_prose)
            looks.append((analyzer.prose, chosen_prose))
        for look, chosen in looks:
            matches, failure = look(chosen, names)
            if failure:
                node.unscanned[failure] = node.unscanned.get(failure, 0) + 1
            if not matches:
                continue
            read = sum(weights[t] for t in chosen)
            for key, indexes in matches.items():
                counters = Counter({"read": read})
                for index in indexes:
                    count = weights[chosen[index]]
                    counters.update({TEXTS: count, VALID_TEXTS: count, CANDIDATES: count, VALID: count, DISTINCT: 1})
                _merge(node, key, counters)


def _bounded(counts: Mapping[str, int]) -> tuple[list[str], Mapping[str, int]]:
    """The texts that are looked at, as far as they are, and how often each is there."""
    if max(map(len, counts), default=0) <= MAX_LENGTH:
        if len(counts) <= MAX_TEXTS and "" not in counts:
            return list(counts), counts
        texts = list(islice(filter(None, counts), MAX_TEXTS))
        return texts, {t: counts[t] for t in texts}
    texts = [t if len(t) <= MAX_LENGTH else t[:MAX_LENGTH] for t in counts if t][:MAX_TEXTS]
    weights = {t[:MAX_LENGTH]: n for t, n in counts.items()}
    return texts, {t: weights[t] for t in texts}


_PROSE_BLANKS = 3


def _prose(texts: Sequence[str]) -> list[str]:
    # A document in a text has fields of its own, where it is read; it is not prose.
    return [t for t in texts if t.count(" ") >= _PROSE_BLANKS and t[0] not in "{[" and any(map(str.isalpha, t))]


def _percent_decoded(text: str) -> str:
    """Addresses in URLs are often written with %40."""
    return unquote(text) if "%" in text and "%40" in text else text


def _merge(node: Node, key: str, counters: Mapping[str, int]) -> None:
    if not counters:
        return
    totals = node.hits.setdefault(key, {})
    for name, count in counters.items():
        totals[name] = totals.get(name, 0) + count
