"""What an index holds that is near a question in meaning."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from catalog.errors import WeirError
from catalog.ports import Meaning, SearchIndex
from catalog.search.language.alike import Alike
from catalog.search.language.labels import Labels
from catalog.search.language.query import Question
from catalog.search.language.ranking import Likeness
from catalog.search.language.vocabulary import builtin
from catalog.search_model import IndexHit, Unseen
from catalog.tokens import text_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)

_MOST = 60_000  # labels; 1,000 bytes each
_NEAR = 60
_LEAST = 0.25
_PAUSE_S = 10.0
_AROUNDS = 20_000  # vectors kept of documents that were ranked; 1,000 bytes each
_READERS = 64  # of whom the labels are kept that they may find
_DESCRIBED = 300  # letters of a description


class Nearby:
    """The labels of the index, read again in the background when it changed. Safe for threads."""

    def __init__(self, index: SearchIndex, meaning: Meaning) -> None:
        self._index, self._meaning = index, meaning
        self._labels = Labels(meaning)
        self._alike = Alike(meaning, builtin())
        self.words: frozenset[str] = frozenset()
        """Words that occur in labels."""
        self._arounds: dict[str, NDArray[np.float32]] = {}
        self._stamp = ""
        self._looked = float("-inf")
        self._reading = threading.Lock()
        self._readers = threading.Lock()
        self.vector = lru_cache(500)(self._vector)
        self._seen: LRUCache[Unseen, tuple[str, frozenset[str]]] = LRUCache(_READERS)

    def widened(self, question: Question) -> Question:
        """The question whose words that are in no list may also mean what is nearest to them."""
        return self._alike.widened(question)

    def labels(self, text: str, unseen: Unseen | None = None) -> tuple[str, ...]:
        """Labels near to a text in meaning, nearest first: as if there were only those that a reader may find."""
        self._follow()
        if unseen is None:
            return self._labels.near(self.vector(text), _NEAR, _LEAST)
        seen = self._seen_labels(unseen)
        return tuple(each for each in self._labels.near(self.vector(text), _MOST, _LEAST) if each in seen)[:_NEAR]

    def words_of(self, unseen: Unseen | None) -> frozenset[str]:
        """Words that occur in labels that a reader may find."""
        if unseen is None:
            return self.words
        return frozenset(word for label in self._seen_labels(unseen) for word in label.split())

    def _seen_labels(self, unseen: Unseen) -> frozenset[str]:
        stamp = self._stamp
        with self._readers:
            kept = self._seen.get(unseen)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        listed = frozenset(label for label, _ in self._index.labels(_MOST, unseen))
        with self._readers:
            self._seen[unseen] = (stamp, listed)
        return listed

    def likeness(self, text: str, hits: Sequence[IndexHit]) -> list[Likeness]:
        """For each hit: the likeness of its label alone, or with its description and dataset where that is more; for a field
        that of its dataset's name, too."""
        vector = self.vector(text)
        alone = self._labels.likeness(vector, [hit.label for hit in hits])
        around = [_around(hit) for hit in hits]
        datasets = [_name(hit) for hit in hits]
        if missing := [each for each in dict.fromkeys((*around, *datasets)) if each not in self._arounds]:
            if len(self._arounds) > _AROUNDS:
                self._arounds = {}
            self._arounds |= dict(zip(missing, self._meaning.vectors(missing), strict=True))
        known = self._arounds

        def near(each: str) -> float:
            # Another thread may have emptied what is known.
            return float(known[each] @ vector) if each in known else -1.0

        return [
            Likeness(max(one, near(each)), near(dataset) if dataset else 0.0)
            for one, each, dataset in zip(alone, around, datasets, strict=True)
        ]

    def read(self) -> None:
        """Read the labels now, where the index changed. Raises Unavailable."""
        self._alike.read()
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


def _around(hit: IndexHit) -> str:
    """A document's label with its description, and for a field with its dataset's name."""
    return " ".join((hit.label, str(hit.source.get("description") or "")[:_DESCRIBED], _name(hit))).strip()


def _name(hit: IndexHit) -> str:
    """The words of a field's dataset's name; none for a dataset."""
    return _words(hit.source["name"]) if hit.source["kind"] == "field" else ""


_words = lru_cache(20_000)(text_words)
