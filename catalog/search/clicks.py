"""Answers that were opened for a query: counted without the person and without the words, and a tie-break of the ranking."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from catalog.model import DatasetId
from catalog.ports import Clock
from catalog.search.language.ranking import Ranked
from catalog.signals import SignalStore

_MOST = 0.03
"""By so much of its score clicks may raise a hit: less than any word makes."""
_HALF_AT = 3.0
"""So many clicks give half of that."""


class Clicks:
    """Counts opened answers. What is kept of a query is a keyed hash: a query may hold personal data."""

    def __init__(self, store: SignalStore, secret: bytes, clock: Clock) -> None:
        """`secret`: the key of the hash. With another one, what was counted before is never found again."""
        self._store = store
        self._secret = secret
        self._clock = clock

    def opened(self, query: str, dataset: DatasetId) -> bool:
        """Count that an answer was opened. False for a query without words, which is not counted."""
        key = self._key(query)
        if key is not None:
            self._store.add_click(key, dataset, self._clock())
        return key is not None

    def of(self, query: str) -> dict[DatasetId, float]:
        """How often each dataset was opened for a query; older clicks count less."""
        key = self._key(query)
        return {} if key is None else self._store.clicks(key, self._clock())

    def _key(self, query: str) -> str | None:
        """The same for the same words, whatever their case and spaces."""
        words = " ".join(unicodedata.normalize("NFKC", query).casefold().split())
        if not words:
            return None
        return hmac.new(self._secret, words.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


def tie_broken(ranked: Sequence[Ranked], opened: Mapping[DatasetId, float]) -> list[Ranked]:
    """The hits with those of opened datasets raised a little; `clicks` among the reasons is the factor. Pure."""
    if not opened:
        return list(ranked)
    return sorted((_raised(each, opened) for each in ranked), key=lambda each: -each.score)


def _raised(ranked: Ranked, opened: Mapping[DatasetId, float]) -> Ranked:
    source = ranked.hit.source
    count = opened.get(DatasetId(source["namespace"], source["name"]), 0.0)
    if count <= 0:
        return ranked
    factor = 1 + _MOST * count / (count + _HALF_AT)
    return replace(ranked, score=ranked.score * factor, reasons={**ranked.reasons, "clicks": factor})
