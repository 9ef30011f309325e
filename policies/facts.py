"""The catalog's facts of a dataset in the words of this room.

Decisions are quick for facts they have seen (see `policies.decision.policy_index`), and recognise them by identity; so
the same object is returned until the catalog changes.
"""

from __future__ import annotations

import threading

from cachetools import LRUCache

from catalog.datasets import facts as catalog_facts
from policies.model import DatasetFacts, FieldFacts, SubjectMatch

MAX_DATASETS = 2000


class FactsMemory:
    """Converts the catalog's facts, and gives the same object for equal ones."""

    def __init__(self) -> None:
        self._known: LRUCache[str, tuple[catalog_facts.DatasetFacts, DatasetFacts]] = LRUCache(MAX_DATASETS)
        self._lock = threading.Lock()

    def convert(self, given: catalog_facts.DatasetFacts) -> DatasetFacts:
        with self._lock:
            cached = self._known.get(given.reference)
            if cached is not None and cached[0] == given:
                return cached[1]
        facts = from_catalog(given)
        with self._lock:
            self._known[given.reference] = (given, facts)
        return facts


def from_catalog(given: catalog_facts.DatasetFacts) -> DatasetFacts:
    """Owners become a subject match; everything else stays."""
    return DatasetFacts(
        given.id,
        given.reference,
        tuple(FieldFacts(f.path, f.tags, f.classified) for f in given.fields),
        given.tags,
        SubjectMatch(
            users=frozenset(o.name for o in given.owners if o.kind == "user"),
            groups=frozenset(o.name for o in given.owners if o.kind == "group"),
        ),
    )
