"""Keeps which declared documents came from a git checkout, and which were changed otherwise since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from catalog.apply.apply import Action, Change
from catalog.document_origins import Checkout, DocumentOrigin, digest_of, key_of
from catalog.ports import CatalogStore, Clock

DocumentsOf = Callable[[str], Iterable[Mapping[str, Any]]]
"""Every document of a kind as it is kept."""


@dataclass(frozen=True, slots=True)
class ShownOrigin:
    """`changed`: whether the document differs from what was applied from the checkout."""

    origin: DocumentOrigin
    changed: bool


class DocumentOrigins:
    """Called after an apply was written: where this fails, a document only counts as changed since."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    def applied(self, changes: Sequence[Change], by: str, checkout: Checkout | None, documents: DocumentsOf) -> None:
        """Note the origin of what was applied from a checkout; of what was changed otherwise, who changed it and when."""
        for kind in sorted({each.kind for each in changes}):
            of_kind = [each for each in changes if each.kind == kind]
            gone = [each.name for each in of_kind if each.action is Action.DELETE]
            with self._store.transaction():
                if gone:
                    self._store.delete_origins(kind, gone)
                if checkout is not None:
                    names = {each.name for each in of_kind if each.action is not Action.DELETE}
                    self._store.put_origins(self._of_checkout(kind, names, by, checkout, documents))
                else:
                    names = {each.name for each in of_kind if each.action in (Action.CREATE, Action.UPDATE)}
                    self._store.put_origins(self._changed(kind, names, by))

    def removed(self, kind: str, name: str) -> None:
        """Forget a document that was deleted."""
        self._store.delete_origins(kind, [name])

    def of_kind(self, kind: str, documents: Iterable[Mapping[str, Any]]) -> dict[str, ShownOrigin]:
        """By name, of those documents of a kind that came from a checkout."""
        origins = self._store.origins(kind)
        by_name = {key_of(each): each for each in documents}
        return {
            name: ShownOrigin(origin, digest_of(by_name[name]) != origin.digest)
            for name, origin in sorted(origins.items())
            if name in by_name
        }

    def _of_checkout(
        self, kind: str, names: set[str], by: str, checkout: Checkout, documents: DocumentsOf
    ) -> list[DocumentOrigin]:
        at = self._clock()
        return [
            DocumentOrigin(kind, key_of(each), checkout, digest_of(each), at, by)
            for each in documents(kind)
            if key_of(each) in names
        ]

    def _changed(self, kind: str, names: set[str], by: str) -> list[DocumentOrigin]:
        known = self._store.origins(kind) if names else {}
        at = self._clock()
        return [
            replace(origin, changed_at=at, changed_by=by)
            for name, origin in known.items()
            if name in names and origin.changed_at is None
        ]
