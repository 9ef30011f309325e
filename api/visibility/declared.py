"""`kind: Visibility` under `weir apply`: the search index follows what documents name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from api.joins.declared import GovernanceHandler
from api.visibility.knowledge import Knowledge
from catalog.apply.apply import Change
from catalog.declared.documents import Document
from catalog.errors import Unavailable
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.search.service import Search
from policies.decision.visibility import Rules
from policies.declared.kinds import parse
from policies.declared.state import GovernanceState
from policies.declared.visibility_specs import VisibilitySpec, rule

KIND = "Visibility"
_AT_ONCE = 500  # datasets that are written to the index before the answer


class VisibilityHandler(GovernanceHandler):
    """As other kinds of the policies room. The datasets that a document named before or names now are written to the
    index again: who knows them in part finds them by other documents there."""

    def __init__(self, state: GovernanceState, knowledge: Knowledge, store: CatalogStore, search: Search) -> None:
        super().__init__(KIND, state)
        self._knowledge, self._store, self._search = knowledge, store, search

    def put(self, document: Document, by: str | None) -> None:
        before = self.get(document.name)
        super().put(document, by)
        self._touch([*self._matched(before.spec if before is not None else None), *self._matched(document.spec)])

    def delete(self, key: str, by: str | None) -> None:
        before = self.get(key)
        super().delete(key, by)
        self._touch(self._matched(before.spec if before is not None else None))

    def settle(self, changes: Sequence[Change]) -> None:
        """The index follows at once, where it answers and they are few; else the worker brings it up to date.

        Documents of other kinds leave the index to who changes it: during a scan, thousands of datasets may wait for it.
        """
        if changes:
            with suppress(Unavailable):
                self._search.reindex_dirty(_AT_ONCE)

    def _matched(self, spec: Any) -> list[DatasetId]:
        if not spec:
            return []
        model = parse(KIND, "-", spec.get("spec", spec))
        assert isinstance(model, VisibilitySpec)
        return self._knowledge.matched_by(Rules.of([rule("-", model)]))

    def _touch(self, datasets: Sequence[DatasetId]) -> None:
        for dataset in dict.fromkeys(datasets):
            record = self._store.dataset(dataset)
            if record is not None:
                self._store.put_dataset(record)
