"""`kind: Connector` under `weir apply`: checked by the worker, recorded, and brought there after the transaction.

What has to be done at a worker is recorded in the same transaction as the document, so a crash or a worker that goes
away leaves work that is still known; the background worker does it later.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.joins.connectors.places import Places, Server
from catalog.apply.apply import Change
from catalog.apply.handlers import Kept
from catalog.declared.documents import Document
from catalog.errors import Conflict, InvalidInput, SettingsError, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument
from connectors.check import check_dead_letters, check_errors, check_secrets
from connectors.config import Difference, as_found, differences
from connectors.declared import ConnectorSpec
from connectors.model import Live

KIND, PENDING = "Connector", "ConnectorPending"
"""The second is kept beside declared documents; not a kind that `weir apply` takes."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")


@dataclass(frozen=True, slots=True)
class _Seen:
    """The connector at its worker while its document is applied, and where it differs from the document before."""

    live: Live | None
    differences: list[Difference]


class ConnectorHandler(Kept):
    """The worker is asked in `check`, outside the transaction, and changed in `settle`, after it."""

    kind = KIND

    def __init__(self, store: CatalogStore, clock: Clock, places: Places, bring: Callable[[str], str | None]) -> None:
        """`bring`: makes the worker hold what is declared; a sentence when that could not be done yet."""
        super().__init__(store, clock)
        self._places, self._bring = places, bring
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
        try:
            self._places.check_secrets(spec)
            server = self._places.server(document.spec, all_documents)
            asked = self._places.asked(spec, server)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None
        check_dead_letters(spec, asked.plugin.kind)
        fields = asked.worker.validate(document.name, asked.wanted.config)
        check_secrets(asked.wanted, fields)
        check_errors(asked.wanted, fields)
        live = asked.worker.get(document.name)
        stored = self.get(document.key)
        ours = stored is not None and self._place(stored.spec) == server
        if live is not None and not ours and not spec.adopt and self._store.document(PENDING, document.key) is None:
            raise Conflict(
                f"Kafka Connect at {server['url']} has a connector {document.name} already that is not declared here; write"
                " adopt: true to take it over, or choose another name.",
                details={"field": "metadata.name", "server": server["url"]},
            )
        changes = (
            self._differences(stored.spec, server, live) if stored is not None and ours and live is not None else []
        )
        if ours:
            self._kept()[document.key] = _Seen(live, changes)

    def actual(self, key: str) -> DeclaredDocument | None:
        """What was declared with what somebody changed at the worker; None where it is not there any more."""
        stored, seen = self.get(key), self._kept().pop(key, None)
        if stored is None or seen is None:
            return stored
        if seen.live is None:
            return None if self._store.document(PENDING, key) is None else stored
        return replace(stored, spec=as_found(stored.spec, seen.differences)) if seen.differences else stored

    def put(self, document: Document, by: str | None) -> None:
        old = self.get(document.key)
        super().put(document, by)
        before = self._place(old.spec) if old is not None else None
        moved = before is not None and before != self._place(document.spec)
        self._leave(document.key, [before] if moved else [], by)

    def delete(self, key: str, by: str | None) -> None:
        old = self.get(key)
        super().delete(key, by)
        if old is not None:
            self._leave(key, [self._place(old.spec)], by)

    def settle(self, changes: Sequence[Change]) -> Mapping[str, str]:
        """What could not be done at a worker yet, by name."""
        problems: dict[str, str] = {}
        for change in changes:
            if problem := self._bring(change.name):
                problems[change.name] = problem
        return problems

    def _kept(self) -> dict[str, _Seen]:
        """What `check` saw in this thread; `actual` uses it up."""
        if not hasattr(self._local, "seen"):
            self._local.seen = {}
        kept: dict[str, _Seen] = self._local.seen
        return kept

    def _place(self, spec: Mapping[str, Any]) -> Server | None:
        """None where its cluster is not declared any more."""
        try:
            return self._places.server(spec)
        except InvalidInput:
            return None

    def _differences(self, spec: Mapping[str, Any], server: Server, live: Live) -> list[Difference]:
        try:
            before = ConnectorSpec.model_validate(spec)
            asked = self._places.asked(before, server)
        except WeirError:  # a plugin or a secret that is gone: the new document has others
            return []
        return differences(asked.wanted, before.state, live)

    def _leave(self, key: str, servers: Sequence[Server | None], by: str | None) -> None:
        waiting = self._store.document(PENDING, key)
        left = [*(waiting.spec.get("leave", []) if waiting is not None else []), *servers]
        spec = {"leave": [dict(each) if each is not None else None for each in left]}
        self._store.put_document(DeclaredDocument(PENDING, key, {"name": key}, spec, self._clock(), by))
