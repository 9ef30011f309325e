"""`kind: Connector` under `weir apply`: checked by the worker, recorded, and brought there after the transaction.

What has to be done at a worker is recorded in the same transaction as the document, so a crash or a worker that goes
away leaves work that is still known; the background worker does it later.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from api.joins.connectors.places import KIND, PENDING, Places, Server, same_way, same_worker, spec_of, way
from catalog.apply.apply import Change
from catalog.apply.kept import KeptDocuments
from catalog.declared.documents import Document
from catalog.errors import Conflict, InvalidInput, SettingsError, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument
from connectors.check import check_dead_letters, check_errors, check_secrets, passwords
from connectors.config import Difference, as_found, differences
from connectors.declared import ConnectorSpec
from connectors.model import Live

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")
Waits = Callable[[Document, Sequence[Document]], Sequence[str]]
"""A document, all that are applied with it -> the secrets that may not be sent before a second person applied the same."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What `check` found. `place`: where Weir made the connector; None where it did not. `missing`: the worker does not
    have it. `differences`: of what the worker has from the document before."""

    server: Server
    place: Server | None
    waits: Sequence[str] = ()
    missing: bool = False
    differences: list[Difference] = field(default_factory=list)


class ConnectorHandler(KeptDocuments):
    """The worker is asked in `check`, outside the transaction, and changed in `settle`, after it."""

    kind = KIND

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        places: Places,
        bring: Callable[[str], str | None],
        waits: Waits = lambda document, documents: (),
    ) -> None:
        """`bring`: makes the worker hold what is declared; a sentence when that could not be done yet. While a document
        `waits` for a second person its worker is not asked, since asking sends the secrets."""
        super().__init__(store, clock)
        self._places, self._bring, self._waits = places, bring, waits
        self._local = threading.local()

    def check(self, document: Document, all_documents: Sequence[Document]) -> None:
        """Raises InvalidInput with a sentence for each field that the plugin refuses, Conflict for a connector that
        others made, Unavailable while the worker does not answer."""
        spec = document.model
        assert isinstance(spec, ConnectorSpec)
        self._kept().pop(document.key, None)
        if not _NAME.match(document.name):
            raise InvalidInput(
                "A connector's name begins with a letter or digit and has letters, digits, dots, dashes and underscores,"
                " 200 at most.",
                details={"field": "metadata.name"},
            )
        stored = self.get(document.key)
        try:
            server = self._places.server(document.spec, all_documents)
            self._places.check_secrets(spec, server)
            place = self._places.place(document.key, stored.spec) if stored is not None else None
            if waits := self._waits(document, all_documents):
                self._kept()[document.key] = _Seen(server, place, waits)
                return
            self._kept()[document.key] = self._ask(document, spec, server, stored, place)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None

    def _ask(
        self,
        document: Document,
        spec: ConnectorSpec,
        server: Server,
        stored: DeclaredDocument | None,
        place: Server | None,
    ) -> _Seen:
        target = self._places.asked(spec, server)
        check_dead_letters(spec, target.plugin.kind)
        fields = target.worker.validate(document.name, target.wanted.config)
        check_secrets(target.wanted, fields)
        check_errors(target.wanted, fields)
        live = target.worker.get(document.name)
        if not same_worker(place, server):
            if live is not None and not spec.adopt and not self._leaves(document.key, server):
                raise Conflict(
                    f"Kafka Connect at {server['url']} has a connector {document.name} already that is not declared here;"
                    " write adopt: true to take it over, or choose another name.",
                    details={"field": "metadata.name", "server": server["url"]},
                )
            return _Seen(server, place)
        changes = (
            self._differences(stored, server, live, passwords(fields))
            if stored is not None and live is not None
            else []
        )
        return _Seen(server, place, missing=live is None, differences=changes)

    def notes(self, document: Document) -> Sequence[str]:
        seen = self._kept().get(document.key)
        if seen is None or not seen.waits:
            return ()
        return (
            f"The worker was not asked, since that would send secrets to an address that was not declared with them before"
            f" ({', '.join(seen.waits)}); it is asked when another person who may manage applies the same.",
        )

    def actual(self, key: str) -> DeclaredDocument | None:
        """What was declared with what somebody changed at the worker; None where it is not there any more."""
        stored, seen = self.get(key), self._kept().get(key)
        if stored is None or seen is None:
            return stored
        if seen.place is not None and not same_way(seen.place, seen.server) and not stored.spec.get("connect"):
            return replace(stored, spec={**stored.spec, "connect": way(seen.place)})
        if seen.missing:
            return None if self._store.document(PENDING, key) is None else stored
        return replace(stored, spec=as_found(stored.spec, seen.differences)) if seen.differences else stored

    def put(self, document: Document, by: str | None) -> None:
        server, seen = self._places.server(document.spec), self._kept().get(document.key)
        if seen is not None and not same_way(seen.server, server):
            raise Conflict(
                f"The worker of the connector {document.key} was changed meanwhile; apply the document again."
            )
        old = self.get(document.key)
        before = self._places.place(document.key, old.spec) if old is not None else None
        super().put(document, by)
        self._places.keep(document.key, server)
        moved = old is not None and not same_worker(before, server)
        self._leave(document.key, [before] if moved else [], by)

    def delete(self, key: str, by: str | None) -> None:
        old = self.get(key)
        if old is not None:
            self._leave(key, [self._places.place(key, old.spec)], by)
        super().delete(key, by)
        self._places.forget(key)

    def settle(self, changes: Sequence[Change]) -> Mapping[str, str]:
        """What could not be done at a worker yet, by name."""
        problems: dict[str, str] = {}
        for change in changes:
            if problem := self._bring(change.name):
                problems[change.name] = problem
        return problems

    def _kept(self) -> dict[str, _Seen]:
        """What `check` saw last in this thread."""
        if not hasattr(self._local, "seen"):
            self._local.seen = {}
        kept: dict[str, _Seen] = self._local.seen
        return kept

    def _leaves(self, key: str, server: Server) -> bool:
        """Whether the connector of that worker is Weir's own, and still to be deleted there."""
        waiting = self._store.document(PENDING, key)
        return waiting is not None and any(same_worker(each, server) for each in waiting.spec.get("leave", []))

    def _differences(
        self, stored: DeclaredDocument, server: Server, live: Live, hidden: Collection[str]
    ) -> list[Difference]:
        try:
            before = spec_of(stored)
            target = self._places.asked(before, server)
        except WeirError:  # a plugin or a secret that is gone: the new document has others
            return []
        return differences(target.wanted, before.state, live, hidden)

    def _leave(self, key: str, servers: Sequence[Server | None], by: str | None) -> None:
        waiting = self._store.document(PENDING, key)
        left = [*(waiting.spec.get("leave", []) if waiting is not None else []), *servers]
        spec = {"leave": [dict(each) if each is not None else None for each in left]}
        self._store.put_document(
            DeclaredDocument(
                kind=PENDING, key=key, metadata={"name": key}, spec=spec, applied_at=self._clock(), applied_by=by
            )
        )
