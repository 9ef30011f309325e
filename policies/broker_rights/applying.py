"""Makes the changes of an apply at the brokers, step by step, so that a process that dies leaves nothing half known.

The apply and the ownership of what it makes are in the record store before the first change. Changes may be repeated. So the
next run reads the live ACLs, leaves out what is done or no longer right, and does the rest.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from catalog.broker_acls import AclWriter, BrokerAcl
from catalog.errors import Conflict, WeirError
from catalog.records import ClusterRecord
from policies.broker_rights.changes import Action, Change
from policies.broker_rights.ledger import AclState, Apply, ApplyState, LedgerEntry, RightsLedger
from policies.ports import Clock

AT_ONCE = 100
"""ACLs in one request."""
LEASE = timedelta(seconds=30)
"""How long nobody else continues an apply whose process is silent."""
_MOST_PROBLEMS = 100


class Overtaken(Conflict):
    """Another process or thread runs the apply, or ran one meanwhile."""


LeftOut = Callable[[Change], str | None]
"""Why a change is not to be made any more; None: it is."""


class Applying:
    """Begins applies, runs them, and continues those of processes that died."""

    def __init__(self, writer: AclWriter, ledger: RightsLedger, clock: Clock) -> None:
        self._writer, self._ledger, self._clock = writer, ledger, clock

    def begin(self, apply: Apply, begun: int, lost: Collection[BrokerAcl] = (), is_new: bool = True) -> str:
        """Keep an apply that is about to run, and that what it makes is Weir's; gives the runner, see `claim`.

        begun  how many applies had begun when the ACLs and rights were read that the changes are of
        lost   ACLs that nobody owns any more

        What an undo makes is nobody's. Raises Conflict where another apply is under way at the cluster, or was meanwhile.
        """
        planned = [
            LedgerEntry(c.acl, AclState.ADOPTED if c.adopted else AclState.MADE, apply.at, apply.id)
            for c in apply.changes
            if c.action is Action.CREATE and apply.undo_of is None
        ]
        given_back = [c.acl for c in apply.changes if c.action is Action.CREATE and apply.undo_of is not None]
        with self._ledger.transaction():
            if self._ledger.begun(apply.cluster) != begun:
                (other, *_) = self._ledger.applies(apply.cluster, limit=1)
                raise Overtaken(
                    f"ACLs of {apply.name} were changed meanwhile; look at the plan again.", details={"apply": other.id}
                )
            (self._ledger.add if is_new else self._ledger.change)(apply)
            self._ledger.forget(apply.cluster, [*lost, *given_back])
            self._ledger.put(apply.cluster, planned)
            return self.claim(apply)

    def claim(self, apply: Apply) -> str:
        """Become the one who runs an apply, for some seconds. Raises Conflict where another process or thread runs it."""
        runner = uuid.uuid4().hex
        self._claim(apply, runner)
        return runner

    def release(self, apply: Apply, runner: str) -> None:
        """Let another one run it at once."""
        now = self._clock()
        self._ledger.claim(apply.id, runner, now, now)

    def run(
        self,
        apply: Apply,
        runner: str,
        record: ClusterRecord,
        live: Collection[BrokerAcl],
        left_out: LeftOut | None = None,
    ) -> Apply:
        """Do what is still to do. `runner`: of `begin` or `claim`; `live`: the ACLs at the brokers now; `left_out`: where another
        process began it.

        Raises Conflict where another process took over, or where Weir's user may not change ACLs; Unavailable. After each of
        these the apply is as it is kept, and the next run continues it; where nothing was done yet after a Conflict of the
        brokers who began it drops it.
        """
        try:
            todo, problems = self._todo(apply, set(live), left_out or (lambda _: None))
            apply = self._kept(apply, len(apply.changes) - len(todo), problems)
            for some in _batches(todo):
                self._claim(apply, runner)
                apply = self._do(apply, runner, record, some)
        except Overtaken:
            raise
        except Conflict:
            if left_out is None and self._state(apply).done == 0:
                self._drop(apply, live)
            else:
                self.release(apply, runner)
            raise
        except WeirError:
            self.release(apply, runner)
            raise
        done = replace(apply, state=ApplyState.DONE, finished_at=self._clock())
        with self._ledger.transaction():
            self._claim(apply, runner)
            self._ledger.change(done)
            if apply.undo_of is not None and (other := self._ledger.get(apply.undo_of)) is not None:
                self._ledger.change(replace(other, state=ApplyState.UNDONE))
        return done

    def _todo(self, apply: Apply, live: Collection[BrokerAcl], left_out: LeftOut) -> tuple[list[Change], list[str]]:
        todo: list[Change] = []
        problems: list[str] = []
        unmade: list[BrokerAcl] = []
        for change in apply.changes:
            create = change.action is Action.CREATE
            if create is (change.acl in live):
                if not create:
                    self._noted(apply, [change])
                continue
            reason = left_out(change)
            if reason is None:
                todo.append(change)
                continue
            problems.append(f"Left out: {change.action} {change.acl}. {reason}")
            if create:
                unmade.append(change.acl)
        self._ledger.forget(apply.cluster, unmade)
        return todo, problems

    def _do(self, apply: Apply, runner: str, record: ClusterRecord, some: Sequence[Change]) -> Apply:
        """One request, and what is known after it; who took over meanwhile does it again, and knows it then."""
        call = self._writer.create if some[0].action is Action.CREATE else self._writer.delete
        refused = call(record.settings, record.bootstrap, [change.acl for change in some])
        with self._ledger.transaction():
            self._claim(apply, runner)
            if some[0].action is Action.CREATE:
                self._ledger.forget(apply.cluster, list(refused))
            else:
                self._noted(apply, [change for change in some if change.acl not in refused])
            return self._kept(apply, len(some) - len(refused), _problems(some[0].action, refused))

    def _noted(self, apply: Apply, deleted: Sequence[Change]) -> None:
        if apply.undo_of is not None:
            self._ledger.forget(apply.cluster, [change.acl for change in deleted])
            return
        at = self._clock()
        self._ledger.put(apply.cluster, [LedgerEntry(c.acl, AclState.REMOVED, at, apply.id) for c in deleted])

    def _kept(self, apply: Apply, done: int, problems: Sequence[str]) -> Apply:
        problems_kept = list(dict.fromkeys([*apply.problems, *problems]))
        more = len(problems_kept) - _MOST_PROBLEMS
        if more > 0:
            problems_kept = [*problems_kept[:_MOST_PROBLEMS], f"{more} more changes were not made."]
        applied = min(len(apply.changes), apply.done + done)
        apply = replace(apply, done=applied, problems=tuple(problems_kept))
        self._ledger.change(apply)
        return apply

    def _state(self, apply: Apply) -> Apply:
        return self._ledger.get(apply.id) or apply

    def _drop(self, apply: Apply, live: Collection[BrokerAcl]) -> None:
        """Nothing was done and nothing can be: nobody owns what was not made."""
        there = set(live)
        with self._ledger.transaction():
            creates = [c.acl for c in apply.changes if c.action is Action.CREATE and c.acl not in there]
            self._ledger.forget(apply.cluster, creates)
            self._ledger.change(replace(apply, state=ApplyState.DROPPED, finished_at=self._clock()))

    def _claim(self, apply: Apply, runner: str) -> None:
        now = self._clock()
        if not self._ledger.claim(apply.id, runner, now, now + LEASE):
            raise Overtaken(
                f"The apply {apply.id} is under way in another process of Weir; wait until it is done.",
                details={"apply": apply.id},
            )


def _batches(changes: Sequence[Change]) -> Iterator[Sequence[Change]]:
    """What is made first, then what is deleted."""
    for action in (Action.CREATE, Action.DELETE):
        some = [change for change in changes if change.action is action]
        for start in range(0, len(some), AT_ONCE):
            yield some[start : start + AT_ONCE]


def _problems(action: Action, refused: Mapping[BrokerAcl, str]) -> list[str]:
    return [f"The brokers did not {action} {acl}: {why}" for acl, why in refused.items()]
