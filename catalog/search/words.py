"""What words mean in a catalog: the built-in vocabulary with the synonyms of its glossary."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from catalog.ports import CatalogStore
from catalog.search.language.vocabulary import Vocabulary, builtin, with_terms

_KEPT_S = 5.0


class Words:
    """The vocabulary, some seconds old at most."""

    def __init__(self, store: CatalogStore, hides: Callable[[Any], bool] | None = None) -> None:
        """`hides`: whether a term names what the reader may not know of; its synonyms are then none of theirs, as answers
        would show them."""
        self._store, self._hides = store, hides
        self._kept: tuple[float, Vocabulary] = (float("-inf"), builtin())

    def __call__(self) -> Vocabulary:
        read, vocabulary = self._kept
        if time.monotonic() - read > _KEPT_S:
            listed = [
                (each.key, each.spec.get("synonyms", ()))
                for each in self._store.documents("GlossaryTerm")
                if self._hides is None or not self._hides({each.key: each.spec})
            ]
            vocabulary = with_terms(builtin(), listed) if listed else builtin()
            self._kept = (time.monotonic(), vocabulary)
        return vocabulary
