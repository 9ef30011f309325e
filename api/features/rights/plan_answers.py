"""Answers of `/rights/plan`, `/rights/apply`, `/rights/undo` and `/rights/adopt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from catalog.broker_acls import BrokerAcl
from catalog.records import rfc3339
from policies.broker_rights import changes, ledger
from policies.broker_rights.comparison import Mode
from policies.broker_rights.reconcile import WAITS

ChangeKind = Literal[
    "topicRead",
    "topicReadAgain",
    "groupRead",
    "transactionalWrite",
    "installationMark",
    "rightEnded",
    "personGone",
    "principalUnknown",
    "topicGone",
    "notCatalogued",
    "notDeclared",
    "backAgain",
    "undo",
]


class RightsChange(Answer):
    """One ACL that is made or deleted."""

    action: Literal["create", "delete"]
    kind: ChangeKind
    acl: str
    principal: str
    reason: str = about("Why, in a sentence.")

    @classmethod
    def of(cls, change: changes.Change) -> Self:
        return cls(
            action=change.action.value,
            kind=change.kind.value,
            acl=str(change.acl),
            principal=change.acl.principal,
            reason=change.reason,
        )


class RightsCount(Answer):
    """How many changes of a kind there are."""

    kind: ChangeKind
    action: Literal["create", "delete"]
    changes: int


class UnopenedAcl(Answer):
    """An ACL that is due, or due to end, and that Weir does not change."""

    acl: str
    reason: str

    @classmethod
    def of(cls, each: changes.Unopened) -> Self:
        return cls(acl=str(each.acl), reason=each.reason)


class RightsApply(Answer):
    """One apply of a plan."""

    id: str
    cluster: str
    plan: str = about("Id of the plan; watch: what Weir itself decided on.")
    state: Literal["waiting", "running", "done", "undone", "dropped"] = about(
        "waiting: a second person has to apply the same plan, or undo it; dropped: it went stale, or nothing could be changed."
    )
    by: str
    approved_by: str | None = about("The second person, where one was needed.")
    undo_of: str | None = about("Id of the apply that this one takes back.")
    at: Time
    finished_at: Time | None
    changes: int
    done: int = about("Changes that are made.")
    counts: list[RightsCount]
    problems: list[str] = about("Changes that were refused or left out, in sentences; at most a hundred.")

    @classmethod
    def of(cls, apply: ledger.Apply) -> Self:
        return cls(
            id=apply.id,
            cluster=apply.name,
            plan=apply.plan,
            state=apply.state.value,
            by=apply.by,
            approved_by=apply.approved_by,
            undo_of=apply.undo_of,
            at=rfc3339(apply.at),
            finished_at=rfc3339(apply.finished_at),
            changes=len(apply.changes),
            done=apply.done,
            counts=counted(apply.changes),
            problems=list(apply.problems),
        )


class RightsPlan(Answer):
    """What an apply would change now."""

    id: str = about("What an apply names; it is another one as soon as any of the changes differs.")
    cluster: str
    at: Time | None
    mode: Literal["observe", "enforce"]
    changes: list[RightsChange] = about("A page of them: what is made, then what is deleted.")
    total: int
    counts: list[RightsCount] = about("Of all changes.")
    kept: int = about("ACLs that are due and that the brokers have, or that other ACLs include.")
    others: int = about("ACLs at the brokers that are not in the care of Weir, and that it does not touch.")
    unopened: list[UnopenedAcl] = about("What is due and is not changed, with the reason; at most a hundred.")
    unopened_total: int
    second_person: bool = about("So many changes need a second person.")
    waiting: RightsApply | None = about("An apply that waits for a second person.")
    waiting_undo: RightsApply | None = about("An undo that waits for a second person.")
    last: RightsApply | None = about("The last apply.")
    may_apply: bool = about("The caller may apply it.")
    notes: list[str] = about("What is not known, in sentences.")


class AdoptedAcls(Answer):
    """ACLs that are in the care of Weir from now on."""

    adopted: list[str]
    refused: list[str] = about("Why other ACLs of the principal are not, in sentences.")

    @classmethod
    def of(cls, adopted: Sequence[BrokerAcl], refused: Sequence[str]) -> Self:
        return cls(adopted=[str(acl) for acl in adopted], refused=list(refused))


def counted(every: Sequence[changes.Change]) -> list[RightsCount]:
    """Changes by action and kind."""
    kinds: dict[tuple[str, str], int] = {}
    for change in every:
        key = (change.action.value, change.kind.value)
        kinds[key] = kinds.get(key, 0) + 1
    return [RightsCount(action=action, kind=kind, changes=count) for (action, kind), count in sorted(kinds.items())]


def plan_of(
    plan: changes.Plan,
    mode: Mode,
    page: Sequence[changes.Change],
    applies: Sequence[ledger.Apply],
    above: int,
    may_apply: bool,
) -> RightsPlan:
    """`page`: the changes that are shown; `applies`: of the cluster, the newest first; `above`: more need a second person."""
    waits = (a for a in applies if a.state is ledger.ApplyState.WAITING)
    waiting = next((a for a in waits if a.plan == plan.id and a.undo_of is None), None)
    undos = (a for a in applies if a.state is ledger.ApplyState.WAITING and a.undo_of is not None)
    waiting_undo = next((a for a in undos if plan.at is None or plan.at - a.at <= WAITS), None)
    last = next((a for a in applies if a.state not in (ledger.ApplyState.WAITING, ledger.ApplyState.DROPPED)), None)
    return RightsPlan(
        id=plan.id,
        cluster=plan.name,
        at=rfc3339(plan.at),
        mode=mode,
        changes=[RightsChange.of(each) for each in page],
        total=len(plan.changes),
        counts=counted(plan.changes),
        kept=plan.kept,
        others=plan.others,
        unopened=[UnopenedAcl.of(each) for each in plan.unopened[:100]],
        unopened_total=len(plan.unopened),
        second_person=len(plan.changes) > above,
        waiting=RightsApply.of(waiting) if waiting is not None else None,
        waiting_undo=RightsApply.of(waiting_undo) if waiting_undo is not None else None,
        last=RightsApply.of(last) if last is not None else None,
        may_apply=may_apply,
        notes=list(plan.notes),
    )
