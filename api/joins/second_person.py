"""Secrets that go to an address not declared before, where the settings ask for a second person.

The first person's apply is refused and kept as a proposal; the same applied by another who may manage goes through.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from api.joins.connectors.places import Places
from catalog.declared.documents import Document
from catalog.declared.secrets import destinations
from catalog.errors import Conflict
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument, rfc3339
from catalog.settings import SecretSettings
from policies.model import Subject
from policies.ports import Document as GovernanceDocument

_KIND = "SecretProposal"
"""Kept beside declared documents; no kind that `weir apply` takes, so no document can write one."""
_VALID = timedelta(hours=24)


class SecondPerson:
    """Raises Conflict for what still needs a second person. Does nothing unless `second_person` is set."""

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        settings: SecretSettings,
        places: Places,
        governance: Callable[[str, str], GovernanceDocument | None] = lambda kind, name: None,
    ) -> None:
        """`places`: the workers of connectors. `governance` gives the declared documents of the store of policies."""
        self._store, self._clock, self._settings = store, clock, settings
        self._places, self._governance = places, governance
        self._local = threading.local()

    @property
    def active(self) -> bool:
        return self._settings.second_person

    def check(self, documents: Sequence[Document], subject: Subject) -> list[str]:
        """The proposals of others that this apply carries out, to be `done` once it went through. Raises Conflict."""
        if not self.active:
            return []
        carried, waiting = [], []
        for document in documents:
            new = self._new(document, documents)
            if not new:
                continue
            key = _fingerprint(document, new)
            proposed = self._store.document(_KIND, key)
            now = self._clock()
            if proposed is None or proposed.applied_at is None or now - proposed.applied_at > _VALID:
                spec = {"kind": document.kind, "name": document.key, "fields": sorted(new)}
                self._store.put_document(
                    DeclaredDocument(
                        kind=_KIND, key=key, metadata={"name": key}, spec=spec, applied_at=now, applied_by=subject.user
                    )
                )
                waiting.append((document, new, now + _VALID))
            elif proposed.applied_by == subject.user:
                waiting.append((document, new, proposed.applied_at + _VALID))
            else:
                carried.append(key)
        if waiting:
            document, new, until = waiting[0]
            raise Conflict(
                f"{document.kind} {document.key} would send {', '.join(sorted(new))} to an address that was not declared"
                f" with it before; another person who may manage has to apply the same before {rfc3339(until)}.",
                details={"kind": document.kind, "name": document.key, "fields": sorted(new), "until": rfc3339(until)},
            )
        return carried

    @contextmanager
    def carrying(self, carried: Sequence[str]) -> Iterator[None]:
        """Inside, this thread may send what these proposals name."""
        self._local.carried = frozenset(carried)
        try:
            yield
        finally:
            self._local.carried = None

    def waits(self, document: Document, documents: Sequence[Document]) -> list[str]:
        """The secrets that may not be sent yet while a connector is checked: its own, and those for its worker. Raises
        Conflict where the document was carried, and its worker became another meanwhile."""
        if not self.active:
            return []
        carried: frozenset[str] | None = getattr(self._local, "carried", None)
        cluster = document.spec.get("cluster")
        waiting = []
        for each in documents:
            if each is not document and (each.kind != "Cluster" or each.name != cluster):
                continue
            new = self._new(each, documents)
            if new and _fingerprint(each, new) not in (carried or ()):
                waiting += [f"{each.kind} {each.key}: {field}" for field in sorted(new)]
        if waiting and carried is not None:
            raise Conflict("The worker of the connector was changed meanwhile; apply the document again.")
        return waiting

    def unseconded(self, document: Document) -> list[str]:
        """The secrets of a document that a second person would have to agree to, and that may not be sent before."""
        return sorted(self._new(document, [document])) if self.active else []

    def done(self, carried: Sequence[str]) -> None:
        for key in carried:
            self._store.delete_document(_KIND, key)

    def _new(self, document: Document, documents: Sequence[Document]) -> dict[str, str]:
        before = self._store.document(document.kind, document.key) or self._governance(document.kind, document.key)
        old = before.spec or {} if before is not None else {}
        if document.kind == "Connector":
            there = self._places.place(document.key, old) if before is not None else None
            known = destinations("Connector", old, there)
            addresses = destinations("Connector", document.spec, self._places.found(document.spec, documents))
        else:
            known = destinations(document.kind, old)
            addresses = destinations(document.kind, document.spec)
        if document.kind == "Cluster":
            known |= self._of_connectors(document.name, old)
            addresses |= self._of_connectors(document.name, document.spec)
        return {field: where for field, where in addresses.items() if known.get(field) != where}

    def _of_connectors(self, cluster: str, spec: Mapping[str, Any]) -> dict[str, str]:
        """The secrets of a cluster's connectors go to its worker."""
        server = spec.get("connect")
        if not server:
            return {}
        return {
            f"the secrets of Connector {each.key}": repr((server.get("url"), server.get("ca")))
            for each in self._places.of_cluster(cluster)
            if not each.spec.get("connect") and destinations("Connector", each.spec)
        }


def _fingerprint(document: Document, new: dict[str, str]) -> str:
    text = json.dumps([document.kind, document.key, sorted(new.items())])
    return hashlib.sha256(text.encode()).hexdigest()[:40]
