"""Bringing a worker up to date with what is declared of a connector.

Several processes of Weir may try at once, and a document may be applied while a worker is changed. So one process at a
time brings a connector (a lease in the record store), and after each change it looks whether what it brought is still
what is declared; if not, it begins again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from api.joins.connectors.places import KIND, PENDING, Places, Server, same_worker, spec_of
from catalog.errors import Conflict, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.records import DeclaredDocument
from connectors.config import differences

log = structlog.get_logger("weir.connectors")

LEASE = "ConnectorLease"
"""Kept beside declared documents; not a kind that `weir apply` takes."""
_LEASED = timedelta(minutes=5)
"""Longer than all calls for one worker; renewed before each worker. A process that was killed holds it for so long."""
_WAIT_S, _AGAIN_S = 5.0, 0.1
"""How long an apply waits for another process that brings the same connector."""
_ROUNDS = 10


class ConnectorSync:
    """Makes workers hold what is declared of connectors. Safe for threads and processes."""

    def __init__(self, store: CatalogStore, clock: Clock, places: Places) -> None:
        self._store, self._clock, self._places = store, clock, places
        self._wait_s = _WAIT_S

    def step(self) -> bool:
        """Do what could not be done at a worker before. Returns False: there is never more to do at once."""
        for each in self._store.documents(PENDING):
            self.bring(each.key)
        return False

    def bring(self, name: str) -> str | None:
        """Make the worker hold what is declared of one connector. Returns a sentence when something is left to do."""
        holder = uuid.uuid4().hex
        until = time.monotonic() + self._wait_s
        while self._store.document(PENDING, name) is not None:
            if self._lease(name, holder):
                try:
                    return self._rounds(name, holder)
                finally:
                    self._release(name, holder)
            if time.monotonic() >= until:
                return f"Another process of Weir changes {name} at its worker now. Weir tries again by itself."
            time.sleep(_AGAIN_S)
        return None

    def _rounds(self, name: str, holder: str) -> str | None:
        for _ in range(_ROUNDS):
            pending, document = self._store.document(PENDING, name), self._store.document(KIND, name)
            if pending is None:
                return None
            left, problems = self._leave(name, holder, pending, document)
            if document is not None:
                try:
                    self._renew(name, holder)
                    self._apply(name, document)
                except WeirError as error:
                    problems.append((error.message, True))
            if self._settled(name, holder, pending, document, left, problems):
                again = any(open_ for _, open_ in problems)
                text = " ".join(dict.fromkeys(message for message, _ in problems))
                return (f"{text} Weir tries again by itself." if again else text) or None
        return f"{name} is applied again and again; Weir brings the last one by itself."

    def _leave(
        self, name: str, holder: str, pending: DeclaredDocument, document: DeclaredDocument | None
    ) -> tuple[list[Server | None], list[tuple[str, bool]]]:
        """The workers that still have it, and (why, whether it is tried again)."""
        left: list[Server | None] = []
        problems: list[tuple[str, bool]] = []
        stays = self._places.place(name, document.spec) if document is not None else None
        for server in pending.spec.get("leave", []):
            if server is None:
                text = f"The cluster of {name} is not declared any more, so the connector was left as it is."
                problems.append((text, False))
            elif not same_worker(server, stays):  # it came back: deleting it would take away what is declared
                try:
                    self._renew(name, holder)
                    self._places.worker(server).delete(name)
                except WeirError as error:
                    left.append(server)
                    problems.append((error.message, True))
        return left, problems

    def _apply(self, name: str, document: DeclaredDocument) -> None:
        spec = spec_of(document)
        target = self._places.asked(spec, self._places.made_at(name, document.spec))
        live = target.worker.get(name)
        if live is None:
            try:
                target.worker.create(name, target.wanted.config, spec.state or "running")
                return
            except Conflict:  # an answer that was lost, and came true
                live = target.worker.get(name)
                if live is None:
                    raise
        changed = differences(target.wanted, spec.state, live)
        if any(each.field != "state" for each in changed):
            target.worker.configure(name, target.wanted.config)
        if spec.state is not None and any(each.field == "state" for each in changed):
            target.worker.set_state(name, spec.state)

    def _settled(
        self,
        name: str,
        holder: str,
        pending: DeclaredDocument,
        document: DeclaredDocument | None,
        left: Sequence[Server | None],
        problems: Sequence[tuple[str, bool]],
    ) -> bool:
        """Write what is left to do; False where something else was declared meanwhile."""
        with self._store.transaction():
            if not self._holds(name, holder):
                return True  # another process brings it now
            if self._store.document(PENDING, name) != pending or self._store.document(KIND, name) != document:
                return False
            reasons = list(dict.fromkeys(message for message, again in problems if again))
            if not reasons:
                self._store.delete_document(PENDING, name)
                return True
            spec = {"leave": [dict(each) for each in left if each is not None], "reason": " ".join(reasons)}
            if spec != pending.spec:
                log.warning("connector_not_applied", connector=name, message=spec["reason"])
                self._store.put_document(replace(pending, spec=spec))
            return True

    # -- the lease ----------------------------------------------------------------------------------------------------

    def _lease(self, name: str, holder: str) -> bool:
        with self._store.transaction():
            kept, now = self._store.document(LEASE, name), self._clock()
            if kept is not None and kept.spec["holder"] != holder and datetime.fromisoformat(kept.spec["until"]) > now:
                return False
            spec = {"holder": holder, "until": (now + _LEASED).isoformat()}
            self._store.put_document(DeclaredDocument(LEASE, name, {"name": name}, spec))
            return True

    def _renew(self, name: str, holder: str) -> None:
        with self._store.transaction():
            if not self._holds(name, holder) or not self._lease(name, holder):
                raise Conflict(f"Another process of Weir changes {name} at its worker now.")

    def _holds(self, name: str, holder: str) -> bool:
        kept = self._store.document(LEASE, name)
        return kept is not None and kept.spec["holder"] == holder

    def _release(self, name: str, holder: str) -> None:
        with self._store.transaction():
            if self._holds(name, holder):
                self._store.delete_document(LEASE, name)
