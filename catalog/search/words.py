"""What words mean in a catalog: the built-in vocabulary with the synonyms of its glossary."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from catalog.search.language.vocabulary import Vocabulary, builtin, with_terms

_KEPT_S = 5.0
_READERS = 16  # sets of terms that readers see, whose vocabularies are kept; all but one for most


class Words:
    """The vocabulary; its terms are some seconds old at most. Safe for threads."""

    def __init__(self, store: CatalogStore) -> None:
        self._store, self._base = store, builtin()
        self._kept: tuple[float, list[DeclaredDocument]] = (float("-inf"), [])
        self._with = lru_cache(_READERS)(self._with_terms)

    def __call__(self, hides: Callable[[Any], bool] | None = None) -> Vocabulary:
        """`hides`: whether a term names what the reader may not know of; its synonyms are then none of theirs, as answers
        would show them."""
        seen = (each for each in self._terms() if hides is None or not hides({each.key: each.spec}))
        return self._with(tuple((each.key, tuple(each.spec.get("synonyms", ()))) for each in seen))

    def _terms(self) -> list[DeclaredDocument]:
        read, terms = self._kept
        if time.monotonic() - read > _KEPT_S:
            terms = self._store.documents("GlossaryTerm")
            self._kept = (time.monotonic(), terms)
        return terms

    def _with_terms(self, terms: tuple[tuple[str, tuple[str, ...]], ...]) -> Vocabulary:
        return with_terms(self._base, terms) if terms else self._base
