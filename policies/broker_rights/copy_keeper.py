"""Makes the masked copies that consumers need, and removes those that nobody needs any more. A duty of the worker."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from catalog.errors import Conflict, NotFound, WeirError
from catalog.records import ClusterRecord
from policies.audit.log import AuditLog
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.copies import CopyNeed, MaskedCopy
from policies.broker_rights.ledger import OWNED, RightsLedger
from policies.broker_rights.requested import RequestedRead
from policies.effective.moment import Moments
from policies.ports import Change, Clock

log = structlog.get_logger("weir.rights")

UNNEEDED = "UnneededCopy"
PROBLEM = "CopyProblem"
"""Kinds of the record store: since when nobody needs a copy, and why one could not be declared. No document can write them."""
EVERY = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """A copy with who reads it. `removed_at`: when it is removed unless somebody needs it again; None: it is needed."""

    copy: MaskedCopy
    readers: tuple[str, ...]
    removed_at: datetime | None


class CopyKeeper:
    """Call `step` often. A copy that cannot be made holds no other up; why is kept for those who asked for it."""

    def __init__(
        self,
        comparison: Comparison,
        moments: Moments,
        ledger: RightsLedger,
        audit: AuditLog,
        clock: Clock,
        grace: timedelta,
    ) -> None:
        """`grace`: how long a copy stays that nobody needs."""
        self._comparison, self._moments, self._ledger = comparison, moments, ledger
        self._audit, self._clock, self.grace = audit, clock, grace
        self._last: tuple[int, datetime] | None = None

    def step(self) -> int:
        """Do what is due; how many copies were made or removed. Raises Unavailable when the record store is away."""
        now, version = self._clock(), self._moments.state.version()
        if self._last is not None and self._last[0] == version and self._last[1] <= now < self._last[1] + EVERY:
            return 0
        changed = sum(self._of(record) for record in self._comparison.records())
        self._last = (self._moments.state.version(), now)
        return changed

    def reads(self, record: ClusterRecord) -> Sequence[RequestedRead]:
        """What consumers with an approved request read at a cluster."""
        moment = self._moments.of(None)
        topics = {each.dataset.partition("/")[2] for each in moment.view.grants.values() if each.consumer is not None}
        return self._comparison.desired(record, None, moment, {}, topics).requested() if topics else ()

    def kept(self, record: ClusterRecord) -> list[KeptCopy]:
        """The copies of a cluster, by topic."""
        reads, store = self.reads(record), self._moments.state.store
        collected: list[KeptCopy] = []
        for copy in self._copies(record):
            readers = sorted(
                {each.principal for each in reads if each.need is not None and each.need.view == copy.view}
            )
            since = store.get(UNNEEDED, copy.view)
            ends = None
            if since is not None and since.spec is not None and not readers:
                ends = datetime.fromisoformat(since.spec["since"]) + self.grace
            collected.append(KeptCopy(copy, tuple(readers), ends))
        return sorted(collected, key=lambda each: each.copy.topic)

    def problem(self, view: str) -> str | None:
        """Why a copy could not be declared; None: nothing is known of that."""
        document = self._moments.state.store.get(PROBLEM, view)
        return str(document.spec["text"]) if document is not None and document.spec is not None else None

    def _copies(self, record: ClusterRecord) -> list[MaskedCopy]:
        names = self._comparison.names(record)
        return [each for each in self._comparison.copies.all() if each.cluster in names]

    def _of(self, record: ClusterRecord) -> int:
        needs: dict[str, list[CopyNeed]] = {}
        for read in self.reads(record):
            if read.need is not None:
                needs.setdefault(read.need.view, []).append(read.need)
        present = {each.view: each for each in self._copies(record)}
        changed = 0
        for view, alike in sorted(needs.items()):
            copy = present.get(view)
            if copy is None or (copy.who, copy.purpose) not in [(each.who, each.purpose) for each in alike]:
                changed += self._declare(record, alike[0], copy)
            self._needed(view)
        for view in sorted(present.keys() - needs.keys()):
            changed += self._unneeded(record, present[view])
        return changed

    def _declare(self, record: ClusterRecord, need: CopyNeed, copy: MaskedCopy | None) -> int:
        cluster = copy.cluster if copy is not None else record.name
        try:
            self._comparison.copies.declare(need, cluster)
        except WeirError as error:
            text = f"The masked copy of {need.source} cannot be made: {error.message}"
            if self.problem(need.view) != text:
                self._put(PROBLEM, need.view, {"text": text})
                log.warning("copy_not_made", dataset=need.source, message=error.message)
            return 0
        self._drop(PROBLEM, need.view)
        verb = "made" if copy is None else "runs as another reader"
        reasons = [
            f"masked copy {cluster}/{need.topic} {verb}, as {need.who[1]} may see {need.source} for {need.purpose}"
        ]
        self._audit.record("weir", "rights.copy", need.source, "allow", reasons)
        return 1

    def _needed(self, view: str) -> None:
        self._drop(UNNEEDED, view)

    def _unneeded(self, record: ClusterRecord, copy: MaskedCopy) -> int:
        """Remove a copy once its grace is over and no ACL of Weir's lets anybody read it."""
        now = self._clock()
        since = self._moments.state.store.get(UNNEEDED, copy.view)
        if since is None or since.spec is None:
            self._put(UNNEEDED, copy.view, {"since": now.isoformat()})
            ends = now + self.grace
            reasons = [f"nobody needs {copy.cluster}/{copy.topic} any more; it is removed at {ends:%Y-%m-%d %H:%M} UTC"]
            self._audit.record("weir", "rights.copy", copy.source, "allow", reasons)
            return 0
        if now < datetime.fromisoformat(since.spec["since"]) + self.grace:
            return 0
        if any(acl.name == copy.topic for acl in self._ledger.entries(record.namespace, OWNED)):
            return 0
        with contextlib.suppress(NotFound):
            self._comparison.copies.delete(copy.view)
        self._drop(UNNEEDED, copy.view)
        self._audit.record(
            "weir", "rights.copy", copy.source, "allow", [f"removed {copy.cluster}/{copy.topic}: nobody needed it"]
        )
        return 1

    def _put(self, kind: str, name: str, spec: dict[str, str]) -> None:
        self._moments.state.store.apply([Change(kind, name, spec)], self._clock())

    def _drop(self, kind: str, name: str) -> None:
        if self._moments.state.store.get(kind, name) is not None:
            with contextlib.suppress(Conflict):
                self._moments.state.store.apply([Change(kind, name, None)], self._clock())
