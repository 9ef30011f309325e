"""Contracts under `weir apply`: whom their datasets let promise, besides those who manage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from api.joins.owned import Outlines, is_owner, refuse
from catalog.contracts.declared import KIND
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import Contract, Promise
from catalog.model import DatasetId
from catalog.ports import CatalogStore
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
        promises = [each for spec in specs for each in _read(spec).promises]
        if name not in {_name(self._reference(each)) for each in promises} or not all(self._mine(subject, promises)):
            refuse(subject, KIND, name, _ALONE, verb)
        if spec is not None and any(each.run_as is not None for each in promises):
            refuse(subject, KIND, name, _RUN_AS, verb)

    def _mine(self, subject: Subject, promises: Iterable[Promise]) -> Iterable[bool]:
        for each in promises:
            cluster, _, topic = each.dataset.rpartition("/")
            outline = self._outlines.outline(DatasetId(cluster, topic))
            yield is_owner(subject, outline.owners) or Power.EDIT in self._identity.powers(subject, outline.reference)

    def _reference(self, promise: Promise) -> str:
        cluster, _, topic = promise.dataset.rpartition("/")
        return self._outlines.outline(DatasetId(cluster, topic)).reference


def _read(spec: Mapping[str, Any]) -> Contract:
    return read_contract(dict(spec))


def _name(reference: str) -> str:
    return reference.replace("/", ".")
