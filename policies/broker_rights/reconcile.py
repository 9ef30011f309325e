"""Applies, undoes and adopts: makes the ACLs of a cluster equal to what Weir grants. The service behind `/rights/apply`."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from catalog.broker_acls import EVERYONE, BrokerAcl, Operation, Resource, printable
from catalog.errors import Conflict, NotAllowed, NotFound, Unavailable, WeirError
from catalog.records import ClusterRecord
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.broker_rights.applying import Applying, LeftOut
from policies.broker_rights.changes import Action, Change, ChangeKind
from policies.broker_rights.comparison import Comparison, mode_of
from policies.broker_rights.difference import but_the_last
from policies.broker_rights.ledger import OWNED, WATCH, AclState, Apply, ApplyState, LedgerEntry, RightsLedger
from policies.matching import dataset_matches
from policies.model import Subject
from policies.ports import Clock
from policies.spellings import same_person

WAITS = timedelta(hours=24)
"""How long an apply waits for a second person."""


class Reconciliation:
    """Changes ACLs; each change is kept as an apply, and noted in the audit with who made it."""

    def __init__(
        self,
        comparison: Comparison,
        applying: Applying,
        ledger: RightsLedger,
        audit: AuditLog,
        clock: Clock,
        second_person_above: int,
    ) -> None:
        """`second_person_above`: a plan or an undo with more changes needs two persons."""
        self.comparison, self._applying, self.ledger = comparison, applying, ledger
        self._audit, self._clock = audit, clock
        self.second_person_above = second_person_above

    def apply(self, caller: Subject, plan_id: str, cluster: str | None) -> Apply:
        """Make the changes of a plan, or have them wait for a second person where there are many.

        Raises Conflict for a plan that went stale, or where another apply is under way; NotAllowed for a program, or the first
        person again, where two persons are needed; as `plan`.
        """
        record = self.comparison.record(cluster)
        self.resume(record)
        compared = self.comparison.of(record)
        plan = compared.plan
        if plan.id != plan_id:
            raise Conflict(
                f"The plan {plan_id[:40]} is stale: what is granted or the ACLs of {record.name} changed since. The plan is now"
                f" {plan.id} with {len(plan.changes)} changes; look at it (weir rights plan), and apply that.",
                details={"plan": plan.id},
            )
        if not plan.changes:
            raise Conflict(f"There is nothing to apply: the ACLs of {record.name} are equal to Weir.")
        apply = self._new(caller.user, record, plan.changes, plan_id)
        return self._by_persons(caller, record, apply, compared.begun, compared.live.acls, plan.lost)

    def _by_persons(
        self,
        caller: Subject,
        record: ClusterRecord,
        apply: Apply,
        begun: int,
        live: Iterable[BrokerAcl],
        lost: Sequence[BrokerAcl] = (),
    ) -> Apply:
        """Run an apply, or have it wait for a second person. Raises NotAllowed for the first one again, and for a program."""
        waiting = self._waiting(apply)
        if len(apply.changes) > self.second_person_above:
            self._require_person(caller, apply, waiting)
            if waiting is None:
                return self._wait(caller, record, apply)
        if waiting is not None:
            apply = replace(waiting, state=ApplyState.RUNNING, approved_by=caller.user)
        runner = self._applying.begin(apply, begun, lost, is_new=waiting is None)
        self._audit.record_by(
            caller,
            "rights.apply" if apply.undo_of is None else "rights.undo",
            record.name,
            "allow",
            [summary_of(apply)],
        )
        return self._run(apply, runner, record, live)

    def _require_person(self, caller: Subject, apply: Apply, waiting: Apply | None) -> None:
        above = f"{len(apply.changes)} changes, more than {self.second_person_above}"
        if caller.user in self.comparison.view().services:
            raise NotAllowed(
                f"These are {above}, which needs two persons; {caller.user} is a program.",
                details={"reasons": ["second person"]},
            )
        if waiting is not None and same_person(waiting.by, caller.user):
            verb, what = ("apply", f"The plan {apply.plan}") if apply.undo_of is None else ("undo", "The undo")
            raise NotAllowed(
                f"{what} has {above}; a second person has to {verb} it, as you were the first.",
                details={"apply": waiting.id, "reasons": ["second person"]},
            )

    def _waiting(self, apply: Apply) -> Apply | None:
        """The same apply as somebody asked for it who still counts; what else waits is dropped."""
        waiting = None
        now, view = self._clock(), self.comparison.view()
        for each in self.ledger.applies(apply.cluster, [ApplyState.WAITING]):
            same = (each.plan, each.undo_of, _acls(each)) == (apply.plan, apply.undo_of, _acls(apply))
            if same and waiting is None and now - each.at <= WAITS and gone_because(view, each.by) is None:
                waiting = each
            else:
                self.ledger.change(replace(each, state=ApplyState.DROPPED, finished_at=now))
        return waiting

    def _wait(self, caller: Subject, record: ClusterRecord, apply: Apply) -> Apply:
        apply = replace(apply, state=ApplyState.WAITING)
        self.ledger.add(apply)
        self._audit.record_by(caller, "rights.propose", record.name, "allow", [summary_of(apply)])
        return apply

    def _new(
        self, by: str, record: ClusterRecord, changes: Sequence[Change], plan_id: str, undo_of: str | None = None
    ) -> Apply:
        return Apply(
            id=uuid.uuid4().hex[:12],
            cluster=record.namespace,
            name=record.name,
            plan=plan_id,
            state=ApplyState.RUNNING,
            by=by,
            at=self._clock(),
            changes=tuple(changes),
            undo_of=undo_of,
        )

    def _run(
        self,
        apply: Apply,
        runner: str,
        record: ClusterRecord,
        live: Iterable[BrokerAcl],
        left_out: LeftOut | None = None,
    ) -> Apply:
        try:
            return self._applying.run(apply, runner, record, set(live), left_out)
        except Unavailable as error:
            raise Unavailable(
                f"{error.message} The apply {apply.id} stopped on its way; the next run of Weir finishes it.",
                details={**error.details, "apply": apply.id},
            ) from None

    def make(
        self, by: str, record: ClusterRecord, changes: Sequence[Change], live: Iterable[BrokerAcl], begun: int
    ) -> Apply:
        """Make changes that Weir itself decides on, with the same journal and an entry in the audit. `begun`: see `Applying`."""
        apply = self._new(by, record, changes, WATCH)
        runner = self._applying.begin(apply, begun)
        self._audit.record(by, "rights.apply", record.name, "allow", [summary_of(apply)])
        return self._run(apply, runner, record, live)

    def resume(self, record: ClusterRecord) -> Apply | None:
        """Finish an apply that a process before did not, without what is not right any more; None: there is none.

        Raises Conflict while another process runs it; as `plan`.
        """
        running = self.ledger.applies(record.namespace, [ApplyState.RUNNING])
        if not running:
            return None
        apply = running[0]
        runner = self._applying.claim(apply)
        try:
            compared = self.comparison.of(record)
        except WeirError:
            self._applying.release(apply, runner)
            raise
        planned = {(each.action, each.acl) for each in compared.plan.changes}
        unopened = {each.acl: each.reason for each in compared.plan.unopened}

        def left_out(change: Change) -> str | None:
            is_mark = change.kind is ChangeKind.INSTALLATION_MARK
            if apply.undo_of is not None or is_mark or (change.action, change.acl) in planned:
                return None
            if change.acl in unopened:
                return unopened[change.acl]
            if change.acl in compared.due:
                create = change.action is Action.CREATE
                return "Other ACLs let it happen meanwhile." if create else "There is a right to it again."
            return (
                "The right to it ended meanwhile."
                if change.action is Action.CREATE
                else "It is not to be deleted any more."
            )

        done = self._run(apply, runner, record, compared.live.acls, left_out)
        self._audit.record(
            apply.by, "rights.apply", record.name, "allow", [f"{summary_of(done)} Finished by the next run."]
        )
        return done

    def undo(self, caller: Subject, cluster: str | None) -> Apply:
        """Take back the last apply: delete what it made, and make again what it deleted and Weir had not made.

        What is made again is in nobody's care afterwards. Many changes wait for a second person. Raises Conflict where there is
        nothing to undo, or where the cluster is declared `enforce`; NotAllowed as `apply`.
        """
        record = self.comparison.record(cluster)
        if mode_of(record) == "enforce":
            raise Conflict(
                f"{record.name} is declared enforce, so the worker would make the changes again at once; declare rights:"
                " {mode: observe} first."
            )
        self.resume(record)
        begun = self.ledger.begun(record.namespace)
        last = self.ledger.last_of_person(record.namespace)
        if last is None or last.state is ApplyState.UNDONE:
            why = f"the last apply {last.id} was undone" if last is not None else "nothing was applied"
            raise Conflict(f"There is nothing to undo at {record.name}: {why}.")
        present = self.comparison.live(record)
        live = set(present.acls)
        owned = self.ledger.entries(record.namespace, OWNED)
        back = f"Takes back the apply {last.id}."
        creates = [
            Change(Action.CREATE, ChangeKind.UNDO, c.acl, back)
            for c in last.changes
            if c.action is Action.DELETE and c.adopted and c.acl not in live
        ]
        undone = {
            c.acl: Change(Action.DELETE, ChangeKind.UNDO, c.acl, back)
            for c in last.changes
            if c.action is Action.CREATE
            and c.acl in live
            and c.acl in owned
            and c.kind is not ChangeKind.INSTALLATION_MARK
        }
        deletes, kept = but_the_last(present, undone)
        problems = [f"Left out: delete {each.acl}. {each.reason}" for each in kept]
        if ended := sum(c.action is Action.DELETE and not c.adopted for c in last.changes):
            problems.append(
                f"{ended} ACLs that Weir had made stay deleted: the right to them ended. weir rights plan names those that are due."
            )
        apply = self._new(caller.user, record, (*creates, *deletes.values()), last.plan, last.id)
        apply = replace(apply, problems=tuple(problems))
        return self._by_persons(caller, record, apply, begun, live)

    def adopt(
        self, caller: Subject, cluster: str | None, principal: str, dataset: str | None = None
    ) -> tuple[list[BrokerAcl], list[str]]:
        """Take ACLs of a principal that somebody else made into the care of Weir: (those, why others of it are not).

        Only ACLs that let it READ topics. `dataset`: only those that name a topic of a pattern CLUSTER/TOPIC. Raises NotFound
        where nothing is adopted.
        """
        record = self.comparison.record(cluster)
        live = self.comparison.live(record)
        states = {acl: entry.state for acl, entry in self.ledger.entries(record.namespace).items()}
        adopted: list[BrokerAcl] = []
        refusals: list[str] = []
        for acl in live.acls:
            if acl.principal != principal or states.get(acl) in OWNED:
                continue
            if dataset is not None and not dataset_matches(dataset, f"{record.name}/{acl.name}"):
                continue
            if acl.resource is not Resource.TOPIC or not acl.allow or acl.operation is not Operation.READ:
                refusals.append(f"{acl} is not adopted: only an ACL that allows READ on topics is.")
            elif principal == live.own:
                refusals.append(f"{acl} is not adopted: Weir signs in as {printable(principal)}, and reads by it.")
            elif principal == EVERYONE:
                refusals.append(
                    f"{acl} is not adopted: it is everybody's; make ACLs for the principals that read first."
                )
            else:
                adopted.append(acl)
        if not adopted:
            more = f" {refusals[0]}" if refusals else ""
            raise NotFound(
                f"No ACL of {printable(principal)} at {record.name} can be adopted.{more}",
                details={"principal": principal},
            )
        at = self._clock()
        self.ledger.put(record.namespace, [LedgerEntry(acl, AclState.ADOPTED, at, caller.user) for acl in adopted])
        self._audit.record_by(
            caller,
            "rights.adopt",
            record.name,
            "allow",
            [f"{len(adopted)} ACLs of {printable(principal)}", *map(str, adopted[:20])],
        )
        return adopted, refusals


def _acls(apply: Apply) -> Collection[tuple[Action, BrokerAcl]]:
    return {(change.action, change.acl) for change in apply.changes}


def summary_of(apply: Apply) -> str:
    """An apply in a sentence for the audit: which, how many changes of which kinds, who else agreed."""
    counts = Counter(str(change.kind) for change in apply.changes)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"
    second = f"; applied by {apply.approved_by} as the second person" if apply.approved_by is not None else ""
    applied = f"; {apply.done} made" if apply.done else ""
    return f"{apply.id}: {len(apply.changes)} changes ({kinds}){applied}{second}."
