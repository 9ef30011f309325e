"""For whom an inbox is made: what they may do, and the datasets that they may know of, read once for all parts."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import cached_property

from api.features.inbox.whole_catalog import WholeCatalog, live_datasets
from api.visibility.readers import Reader
from api.visibility.sight import Sights, owns
from catalog.model import DatasetId
from catalog.records import DatasetRecord, FieldTag
from policies.access.identity import Identity
from policies.decision.domains import Power, Reach
from policies.model import Subject


class Person:
    """One caller, at one moment. Safe for threads: parts of the inbox ask side by side."""

    def __init__(
        self,
        subject: Subject,
        reader: Reader,
        sights: Sights,
        identity: Identity,
        now: datetime,
        whole: WholeCatalog,
    ) -> None:
        """`whole`: the catalog of those from whom nothing is hidden."""
        self.subject, self.reader, self.sights, self.now = subject, reader, sights, now
        self._identity, self._whole = identity, whole
        self._lock = threading.RLock()
        self.permissions = identity.permissions(subject)

    def may(self, permission: str) -> bool:
        """Whether they may do something with everything."""
        return permission in self.permissions

    def has(self, power: Power, record: DatasetRecord) -> bool:
        """Whether they may do something with one dataset, by a permission or by its domain."""
        return power in self.permissions or self._reach(power).has(record.reference)

    def owns(self, record: DatasetRecord) -> bool:
        """Whether they, or a group of theirs, answer for a dataset."""
        return owns(self.subject, record)

    @property
    def datasets(self) -> dict[DatasetId, DatasetRecord]:
        """Those that are there and that they may know of."""
        with self._lock:
            return self._datasets

    @property
    def tags(self) -> list[FieldTag]:
        """Kinds of personal data in these datasets, as far as they may know of them."""
        with self._lock:
            return self._tags

    def _reach(self, power: Power) -> Reach:
        with self._lock:
            if power not in self._reaches:
                self._reaches[power] = self._identity.reach(self.subject, power)
            return self._reaches[power]

    @cached_property
    def _reaches(self) -> dict[Power, Reach]:
        return {}

    @cached_property
    def _datasets(self) -> dict[DatasetId, DatasetRecord]:
        return self._whole.datasets() if self.reader.horizon is None else live_datasets(self.reader.store)

    @cached_property
    def _tags(self) -> list[FieldTag]:
        known = self.datasets
        tags = self._whole.tags() if self.reader.horizon is None else self.reader.store.field_tags()
        return [each for each in tags if each.dataset in known]
