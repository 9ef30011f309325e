"""A handler of documents that are kept in the store as they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from catalog.apply.apply import Change
from catalog.declared.documents import Document
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument


class KeptDocuments:
    """Documents kept in the store as they were written, so that they come back the same."""

    kind: str

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def check(self, document: Document, all_documents: Sequence[Document]) -> None: ...

    def notes(self, document: Document) -> Sequence[str]:
        return ()

    def get(self, key: str) -> DeclaredDocument | None:
        return self._store.document(self.kind, key)

    def actual(self, key: str) -> DeclaredDocument | None:
        return self.get(key)

    def put(self, document: Document, by: str | None) -> None:
        self._store.put_document(
            DeclaredDocument(
                kind=document.kind,
                key=document.key,
                metadata=document.metadata,
                spec=document.spec,
                applied_at=self._clock(),
                applied_by=by,
            )
        )

    def delete(self, key: str, by: str | None) -> None:
        self._store.delete_document(self.kind, key)

    def list(self) -> Sequence[DeclaredDocument]:
        return self._store.documents(self.kind)

    def settle(self, changes: Sequence[Change]) -> Mapping[str, str] | None: ...
