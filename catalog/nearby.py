"""What an index holds that is near a question in meaning."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from catalog.errors import WeirError
from catalog.finding.labels import Labels
from catalog.ports import Meaning, SearchIndex
from catalog.search_model import IndexHit

_log = logging.getLogger(__name__)

_MOST = 60_000  # labels; 1,000 bytes each
_NEAR = 30
_LEAST = 0.35
_PAUSE_S = 10.0


class Nearby:
    """The labels of the index, read again in the background when it changed. Safe for threads."""

    def __init__(self, index: SearchIndex, meaning: Meaning) -> None:
        self._index, self._meaning = index, meaning
        self._labels = Labels(meaning)
        self.words: frozenset[str] = frozenset()
        """Words that occur in labels."""
        self._stamp = ""
        self._looked = float("-inf")
        self._reading = threading.Lock()
        self.vector = lru_cache(500)(self._vector)

    def labels(self, text: str) -> tuple[str, ...]:
        """Labels near to a text in meaning, nearest first."""
        self._follow()
        return self._labels.near(self.vector(text), _NEAR, _LEAST)

    def likeness(self, text: str, hits: Sequence[IndexHit]) -> list[float]:
        """-1..1 for each hit."""
        return self._labels.likeness(self.vector(text), [hit.label for hit in hits])

    def read(self) -> None:
        """Read the labels now, where the index changed. Raises Unavailable."""
        stamp = self._index.stamp()
        if stamp != self._stamp:
            listed = [label for label, _ in self._index.labels(_MOST)]
            if len(listed) == _MOST:
                _log.warning("Only the %d most frequent labels are found by meaning; all are found by words.", _MOST)
            self._labels = Labels(self._meaning, listed, self._labels)
            self.words = frozenset(word for label in listed for word in label.split())
            self._stamp = stamp

    def _vector(self, text: str) -> Any:
        return self._meaning.vectors([text])[0]

    def _follow(self) -> None:
        if time.monotonic() - self._looked < _PAUSE_S or not self._reading.acquire(blocking=False):
            return
        self._looked = time.monotonic()
        threading.Thread(target=self._read_once, name="weir-search-labels", daemon=True).start()

    def _read_once(self) -> None:
        try:
            self.read()
        except WeirError as error:
            _log.warning("Labels of the search index cannot be read: %s", error.message)
        except Exception as error:
            _log.error("Labels of the search index cannot be read: %s", type(error).__name__)
        finally:
            self._reading.release()
