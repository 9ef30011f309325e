"""Keeps what was applied: takes away ACLs whose right ended, finishes applies, reports what was changed by hand.

A duty of the worker. Between two looks at everything only the topics are decided on of which Weir has ACLs in its care, and
only when something that decides changed. So the end of a grant comes to the brokers within seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from catalog.broker_acls import WILDCARD, BrokerAcl, Operation, Pattern, Resource
from catalog.errors import Conflict, WeirError
from catalog.ports import EventSink
from catalog.records import ClusterRecord
from policies.broker_rights.changes import Action, Change, ChangeKind
from policies.broker_rights.comparison import Compared, mode_of
from policies.broker_rights.copies import consumer_grants
from policies.broker_rights.difference import is_mark
from policies.broker_rights.ledger import OWNED, AclState, ApplyState, LedgerEntry, RightsLedger
from policies.broker_rights.reconcile import Reconciliation
from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.ports import Change as DocumentChange
from policies.ports import Clock

log = structlog.get_logger("weir.rights")

WEIR = "weir"
NOTICE = "Notice"
_ENDED = frozenset({ChangeKind.RIGHT_ENDED, ChangeKind.PERSON_GONE, ChangeKind.PRINCIPAL_UNKNOWN})
"""Of an ACL in the care of Weir, why it is deleted at once. Others are for a plan that a person looks at."""
_AT_ONCE = _ENDED | {ChangeKind.BACK_AGAIN}
"""What is deleted at an enforced cluster however many there are; else a catalog or a list of topics that is empty would do it."""
LOOK = timedelta(seconds=30)
"""Between two looks at the brokers."""
AGAIN = timedelta(seconds=10)
"""Between two decisions where nothing is known to have changed: tags that scans found, rights of sessions."""
_RETRY = timedelta(seconds=5)
_BEHIND = timedelta(minutes=1)
"""A broker may show an ACL so much later than it was made."""
_NAMED = 5


@dataclass
class _Watched:
    """What is known of one cluster since the last steps."""

    version: int = -1
    decided: datetime | None = None
    looked: datetime | None = None
    not_before: datetime | None = None
    noticed: set[str] = field(default_factory=set)
    requests: tuple[object, ...] = ()


class RightsWatch:
    """Call `step` every second. What goes wrong at one cluster holds no other up."""

    def __init__(
        self,
        service: Reconciliation,
        state: GovernanceState,
        moments: Moments,
        events: EventSink,
        clock: Clock,
    ) -> None:
        self._service, self._state, self._moments, self._events = service, state, moments, events
        self._clock = clock
        self._ledger: RightsLedger = service.ledger
        self._watched: dict[str, _Watched] = {}
        self._keeps = False

    @property
    def keeps(self) -> bool:
        """Whether the last step saw a cluster whose ACLs are in the care of Weir: their end is due by the clock."""
        return self._keeps

    def step(self) -> int:
        """Do what is due at every cluster; how many ACLs were changed.

        Raises Unavailable when the record store is away; what nobody foresaw at one cluster, once all were looked at.
        """
        kept = self._ledger.clusters()
        changed = 0
        unforeseen: Exception | None = None
        self._keeps = False
        for record in self._service.comparison.records():
            requests = self._requests(record)
            if record.namespace not in kept and mode_of(record) != "enforce" and not requests:
                continue
            self._keeps = True
            watched = self._watched.setdefault(record.namespace, _Watched())
            now = self._clock()
            # A time that is further away than the pause was kept before the clock was put back.
            if watched.not_before is not None and now < watched.not_before <= now + _RETRY:
                continue
            if requests != watched.requests:  # a grant for a consumer began, or its copy is ready
                watched.looked, watched.requests = None, requests
            try:
                changed += self._of(record, watched, now)
                watched.not_before = None
            except WeirError as error:
                if "apply" in error.details and isinstance(error, Conflict):
                    continue  # an apply of a person is under way
                watched.not_before = now + _RETRY
                log.warning("rights_not_kept", cluster=record.name, message=error.message)
                if isinstance(error, Conflict) and error.details.get("missing"):
                    self._notify(record, watched, "missing", error.message, {})
            except Exception as error:
                watched.not_before, unforeseen = now + _RETRY, unforeseen or error
        if unforeseen is not None:
            raise unforeseen
        return changed

    def _requests(self, record: ClusterRecord) -> tuple[object, ...]:
        """Active grants for consumers at a cluster, and how far copies are; nothing where there are none."""
        names = set(self._service.comparison.names(record))
        grants = consumer_grants(self._state.view().grants.values(), self._clock())
        mine = [each.name for each in grants if each.dataset.partition("/")[0] in names]
        if not mine:
            return ()
        return (*mine, *((each.view, each.state) for each in self._service.comparison.copies.all()))

    def _of(self, record: ClusterRecord, watched: _Watched, now: datetime) -> int:
        changed = 0
        if self._service.resume(record) is not None:
            watched.looked = watched.decided = None
        version = self._state.version()
        if self._is_due(watched, version, now):
            changed += self._take_away(record)
            watched.version, watched.decided = version, now
        if watched.looked is None or not watched.looked <= now < watched.looked + LOOK:
            changed += self._look(record, watched)
            watched.looked = now
        return changed

    def _is_due(self, watched: _Watched, version: int, now: datetime) -> bool:
        """Whether a decision may have changed: something was declared, a grant began or ended, or some time is over."""
        last = watched.decided
        if last is None or version != watched.version or not last <= now < last + AGAIN:
            return True
        return any(last < grant.valid_to <= now for grant in self._state.view().grants.values())

    def _take_away(self, record: ClusterRecord) -> int:
        """Delete owned ACLs of topics whose right ended. The brokers are not asked what there is: to delete twice does no harm."""
        begun = self._ledger.begun(record.namespace)
        entries = self._ledger.entries(record.namespace, OWNED)
        states = {acl: entry.state for acl, entry in entries.items() if acl.resource is Resource.TOPIC and acl.allow}
        if not states:
            return 0
        wide = any(state is AclState.ADOPTED for state in states.values())
        topics = None if wide else {acl.name for acl in states}
        desired = self._service.comparison.desired(record, None, self._moments.of(None), states, topics)
        due = desired.acls()
        changes: list[Change] = []
        for acl in sorted(states):
            adopted = states[acl] is AclState.ADOPTED
            if acl in due or (adopted and acl not in desired.ended):
                continue
            why = desired.why_not(acl)
            if why.kind in _ENDED:
                changes.append(Change(Action.DELETE, why.kind, acl, why.reason, adopted))
        return self._delete(record, changes, begun) if changes else 0

    def _delete(self, record: ClusterRecord, changes: list[Change], begun: int) -> int:
        live = self._service.comparison.live(record)
        there = set(live.acls)
        self._note_gone(record, {c.acl for c in changes} - there, begun)
        simple = all(c.acl.pattern is Pattern.LITERAL and c.acl.name != WILDCARD for c in changes)
        if not simple or live.everyone_if_no_acl is not False:
            # What takes the place of a wide ACL is made first, and the last ACL of an open topic stays.
            ended = {change.acl for change in changes}
            plan = self._service.comparison.of(record).plan
            deletes = [c for c in plan.of(Action.DELETE) if c.acl in ended]
            changes = [*(c for c in plan.of(Action.CREATE) if c.adopted), *deletes]
        changes = [c for c in changes if c.action is Action.CREATE or c.acl in there]
        if changes:
            self._service.make(WEIR, record, changes, there, begun)
        return len(changes)

    def _note_gone(self, record: ClusterRecord, acls: Set[BrokerAcl], begun: int) -> None:
        """Keep that ACLs are gone whose right ended, too: who makes them again is not Weir."""
        now = self._clock()
        with self._ledger.transaction():
            if self._ledger.begun(record.namespace) != begun or self._ledger.applies(
                record.namespace, [ApplyState.RUNNING]
            ):
                return  # they may be about to be made
            entries = self._ledger.entries(record.namespace, OWNED)
            gone = [acl for acl in acls if acl in entries and now - entries[acl].at > _BEHIND]
            self._ledger.put(record.namespace, [LedgerEntry(acl, AclState.REMOVED, now, "brokers") for acl in gone])

    def _look(self, record: ClusterRecord, watched: _Watched) -> int:
        """Compare everything: report what was changed by hand, and put it right where the cluster is declared so."""
        compared = self._service.comparison.of(record)
        self._note_others(record, compared, watched)
        again = [c for c in compared.plan.changes if c.kind in (ChangeKind.TOPIC_READ_AGAIN, ChangeKind.BACK_AGAIN)]
        for change in again:
            verb = "was removed by hand" if change.action is Action.CREATE else "was made again by hand"
            self._notify(record, watched, f"{change.action} {change.acl}", f"{change.acl} {verb} at {record.name}.", {})
        if mode_of(record) != "enforce":
            return self._open_requests(record, compared, watched)
        return self._put_right(record, compared, watched)

    def _open_requests(self, record: ClusterRecord, compared: Compared, watched: _Watched) -> int:
        """Make the ACLs that approved requests of consumers are for: people decided on these already."""
        owned = self._ledger.entries(record.namespace, OWNED)
        creates = compared.plan.of(Action.CREATE)
        changes = [c for c in creates if c.acl not in owned and c.acl in compared.due and compared.due[c.acl].requested]
        above = self._service.second_person_above
        if not changes:
            return 0
        if len(changes) > above:
            text = (
                f"{len(changes)} ACLs of approved requests are due at {record.name}, more than {above}; two persons have to"
                " apply them."
            )
            self._notify(record, watched, f"many requested {compared.plan.id}", text, {"plan": compared.plan.id})
            return 0
        changes += [c for c in creates if c.kind is ChangeKind.INSTALLATION_MARK]
        self._service.make(WEIR, record, changes, compared.live.acls, compared.begun)
        return len(changes)

    def _put_right(self, record: ClusterRecord, compared: Compared, watched: _Watched) -> int:
        plan = compared.plan
        above = self._service.second_person_above
        changes = list(plan.changes)
        unasked = [c for c in changes if c.action is Action.DELETE and c.kind not in _AT_ONCE]
        for many, words in ((plan.of(Action.CREATE), "due"), (unasked, "to be deleted though no right ended")):
            if len(many) > above:
                text = (
                    f"{len(many)} ACLs are {words} at {record.name}, more than {above}; two persons have to apply them."
                )
                self._notify(record, watched, f"many {words} {plan.id}", text, {"plan": plan.id})
                left = set(many)
                changes = [c for c in changes if c not in left]
        if changes:
            self._service.make(WEIR, record, changes, compared.live.acls, compared.begun)
        return len(changes)

    def _note_others(self, record: ClusterRecord, compared: Compared, watched: _Watched) -> None:
        """Keep which ACLs others made. Those that came since the first look, and let somebody read without a right, are drift."""
        entries = self._ledger.entries(record.namespace)
        known = {acl for acl, entry in entries.items() if entry.state in (AclState.OTHER, AclState.DRIFT)}
        deletes = {change.acl for change in compared.plan.of(Action.DELETE)}
        others = {
            acl
            for acl in compared.live.acls
            if not is_mark(acl)
            and (
                acl not in entries
                or entries[acl].state in (AclState.OTHER, AclState.DRIFT)
                or (entries[acl].state is AclState.REMOVED and acl not in deletes and self._opens(compared, acl))
            )
        }
        self._ledger.forget(record.namespace, known - others)
        fresh = others - known
        if not fresh:
            return
        now = self._clock()
        first = not any(entry.state in (AclState.OTHER, AclState.DRIFT) for entry in entries.values())
        first = first and watched.looked is None
        drift = [] if first else sorted(acl for acl in fresh if self._opens(compared, acl))
        drifted = set(drift)
        self._ledger.put(
            record.namespace,
            [LedgerEntry(a, AclState.DRIFT if a in drifted else AclState.OTHER, now, "brokers") for a in sorted(fresh)],
        )
        if drift:
            names = "; ".join(str(acl) for acl in drift[:_NAMED])
            more = f" and {len(drift) - _NAMED} more" if len(drift) > _NAMED else ""
            who = f" Another Weir ({', '.join(compared.others)}) may have made them." if compared.others else ""
            text = f"ACLs made by hand at {record.name} let somebody read past Weir: {names}{more}.{who}"
            self._notify(
                record, watched, f"drift {now.isoformat()}", text, {"acls": [str(acl) for acl in drift[:_NAMED]]}
            )

    def _opens(self, compared: Compared, acl: BrokerAcl) -> bool:
        """Whether an ACL lets somebody read a topic whom Weir does not let see all of it."""
        reads = acl.operation in (Operation.READ, Operation.ALL)
        if acl.resource is not Resource.TOPIC or not acl.allow or not reads or acl in compared.due:
            return False
        return acl.principal != compared.live.own and compared.desired.opens_without_right(acl)

    def _notify(
        self, record: ClusterRecord, watched: _Watched, about: str, text: str, data: Mapping[str, object]
    ) -> None:
        """Report something, once a day, by the event rights.drift: to receivers of events, and to those who manage."""
        about = f"{self._clock():%Y-%m-%d} {about}"
        if about in watched.noticed:
            return
        watched.noticed.add(about)
        name = f"rights.drift/{hashlib.sha256(f'{record.namespace}/{about}'.encode()).hexdigest()[:40]}"
        store = self._state.store
        with store.transaction():
            if store.get(NOTICE, name) is not None:
                return
            store.apply([DocumentChange(NOTICE, name, {"text": text[:1000]})], self._clock())
            self._events.emit("rights.drift", record.name, {"cluster": record.name, "title": text[:500], **data})
        log.warning("rights_drift", cluster=record.name, message=text)
