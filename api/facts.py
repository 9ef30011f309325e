"""What the policies room asks of the catalog: a dataset's facts, and how its topic is read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime

from catalog.datasets import Datasets
from catalog.model import DatasetId
from policies.model import DatasetFacts, FieldFacts, SubjectMatch

_KEPT = 1000


class Facts:
    """The catalog's facts in the policies' words; the very same object while a dataset has not changed."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets
        self._made: OrderedDict[DatasetId, tuple[tuple[int, str], DatasetFacts]] = OrderedDict()
        self._lock = threading.Lock()

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`, as known now or at a past moment. Raises DatasetNotFound naming the nearest."""
        return self.of(self._datasets.find(reference))

    def of(self, dataset: DatasetId) -> DatasetFacts:
        """By id. Raises DatasetNotFound."""
        record = self._datasets.get(dataset)
        # Glossary terms give tags too, and a change of one does not touch the dataset's own revision.
        key = (record.revision, repr(sorted(self._datasets.term_tags().items())))
        with self._lock:
            known = self._made.get(record.id)
            if known is not None and known[0] == key:
                self._made.move_to_end(record.id)
                return known[1]
        found = self._datasets.facts(record.id)
        facts = DatasetFacts(
            id=found.id,
            reference=found.reference,
            fields=tuple(FieldFacts(f.path, f.tags, f.classified) for f in found.fields),
            tags=found.tags,
            owners=SubjectMatch(
                users=frozenset(o.name for o in found.owners if o.kind == "user"),
                groups=frozenset(o.name for o in found.owners if o.kind == "group"),
            ),
        )
        with self._lock:
            self._made[record.id] = (key, facts)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return facts
