"""`kind: Contract` under `weir apply`: each dataset of it is checked by its last scan at once."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.apply.kept import KeptDocuments
from catalog.contracts.contradictions import never_decided
from catalog.contracts.declared import KIND
from catalog.contracts.reading import read_contract
from catalog.contracts.service import Contracts
from catalog.declared.documents import Document
from catalog.ports import CatalogStore, Clock


class ContractHandler(KeptDocuments):
    kind = KIND

    def __init__(self, store: CatalogStore, clock: Clock, contracts: Contracts) -> None:
        super().__init__(store, clock)
        self._contracts = contracts

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        self._contracts.require_once(read_contract(document.spec))

    def notes(self, document: Document) -> Sequence[str]:
        """Datasets that are not there yet, and rules that no scan can decide."""
        contract = read_contract(document.spec)
        waiting = [
            f"{promise.dataset} is not in the catalog yet; its rules wait for its first scan."
            for promise in contract.promises
            if not self._contracts.knows(promise.dataset)
        ]
        return [*waiting, *never_decided(contract)]

    def put(self, document: Document, by: str | None) -> None:
        super().put(document, by)
        self._contracts.applied(document.key)

    def delete(self, key: str, by: str | None) -> None:
        super().delete(key, by)
        self._contracts.deleted(key)
