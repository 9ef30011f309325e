"""Contracts under `weir apply`: whom their datasets let promise, besides those who manage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.joins.owned import Outlines, is_owner, refuse
from catalog.contracts.declared import KIND
from catalog.contracts.reading import read_contract
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetOutline
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.model import Subject

_ALONE = (
    "owners promise of their own datasets alone, under the name CLUSTER.TOPIC of one of them, and admins and stewards of a"
    " domain of its datasets."
)
_RUN_AS = "a contract whose rules run queries as a service account (`runAs`) is declared by those who manage; leave `runAs` out."


class ContractRights:
    """Who may promise: for each dataset of the document, and of the one in its place, an owner, or an admin or steward of
    its domain. No contract of theirs runs a query as somebody else."""

    def __init__(self, store: CatalogStore, identity: Identity, outlines: Outlines) -> None:
        self._store, self._identity, self._outlines = store, identity, outlines

    def require(self, subject: Subject, name: str, spec: Mapping[str, Any] | None, verb: str = "declare") -> None:
        """`spec`: None where the contract is taken away. Raises NotAllowed, with one sentence for all that is of others."""
        present = self._store.document(KIND, name)
        specs = [each for each in (spec, present.spec if present is not None else None) if each is not None]
        promises = [promise for each in specs for promise in read_contract(dict(each)).promises]
        outlines = [self._outline(each.dataset) for each in promises]
        names = {each.reference.replace("/", ".") for each in outlines}
        if name not in names or not all(self._is_of(subject, each) for each in outlines):
            refuse(subject, KIND, name, _ALONE, verb)
        if spec is not None and any(each.run_as is not None for each in promises):
            refuse(subject, KIND, name, _RUN_AS, verb)

    def _outline(self, dataset: str) -> DatasetOutline:
        cluster, _, topic = dataset.rpartition("/")
        return self._outlines.outline(DatasetId(cluster, topic))

    def _is_of(self, subject: Subject, outline: DatasetOutline) -> bool:
        return is_owner(subject, outline.owners) or Power.EDIT in self._identity.powers(subject, outline.reference)
