"""What two people, or one person at two moments, see of a dataset, and which rules make the difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from catalog.errors import InvalidInput, NotAllowed
from policies.access.decision_service import effect_of
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.effective.dataset_access import SEES_ALL
from policies.effective.moment import Moment, Moments
from policies.effective.people import Holding, Principal, person_by_session
from policies.effective.shown import HeldRule, ShownParts, Summaries
from policies.matching import is_active, resolve
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Mask, Reason, Subject
from policies.ports import PolicyStore

T_co = TypeVar("T_co", covariant=True)

MOST_FIELDS = 1000
"""Fields that differ, in one answer; more are counted."""
_DOCUMENTS = {"role": "Role", "grant": "Grant", "policy": "Policy", "exception": "Policy", "row-filter": "Policy"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: a person, at a moment (None: now), stating a purpose or none."""

    person: str
    as_of: datetime | None = None
    purpose: str | None = None


@dataclass(frozen=True, slots=True)
class SideView:
    """What one side sees."""

    side: Side
    moment: Moment
    who: Principal
    facts: DatasetFacts
    decision: Decision
    shown: ShownParts

    def rules(self) -> list[HeldRule]:
        """The rules behind it, with how the person comes to each."""
        return Holding(self.moment.view, self.facts).rules(self.who, self.shown.rules)


@dataclass(frozen=True, slots=True)
class ColumnSight:
    """What one side sees of a field. effect: allow | mask | deny | gap | unknown, where the field was not known then."""

    effect: str
    mask: Mask | None
    clear_when: str | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of which the two see different things."""

    path: str
    left: ColumnSight
    right: ColumnSight


@dataclass(frozen=True, slots=True)
class SideMemberships:
    """Groups and roles of one side only."""

    groups: tuple[str, ...]
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedRule:
    """A state of a rule's document that was written between two moments. by: None where the caller may not see who."""

    kind: str
    name: str
    at: datetime
    by: str | None
    deleted: bool


@dataclass(frozen=True, slots=True)
class Pair(Generic[T_co]):
    """One of each side."""

    left: T_co
    right: T_co


@dataclass(frozen=True, slots=True)
class Comparison:
    """fields   those of which the two see different things; `more_fields`: how many more; same: how many others there are
    rules    those behind one side only; holds: groups and roles of one side only
    changed  what became of these rules between two moments, oldest first
    """

    dataset: str
    sides: Pair[SideView]
    fields: Sequence[Difference]
    more_fields: int
    same: int
    rules: Pair[Sequence[HeldRule]]
    holds: Pair[SideMemberships]
    changed: Sequence[ChangedRule]
    notes: Sequence[str]


class Compare:
    """The service behind `GET /api/v1/explain/compare`."""

    def __init__(self, moments: Moments, identity: Identity) -> None:
        self._moments, self._identity = moments, identity

    def of(self, caller: Subject, reference: str, left: Side, right: Side) -> Comparison:
        """Who changed a role or a policy shows to those who may see all, and so does what others hold beside the rules.

        Owners of the dataset and those who may see all may compare anybody; a person may compare themselves at two moments.
        Raises DatasetNotFound, NotAllowed, InvalidInput where both sides are the same.
        """
        if left == right:
            raise InvalidInput("Both sides are the same; name two people, or two moments, or two purposes.")
        self._require(caller, reference, {left.person, right.person})
        all_ = bool(self._identity.permissions(caller) & SEES_ALL)
        open_ = [all_ or side.person == caller.user for side in (left, right)]
        first, second = self._see(caller, reference, left, open_[0]), self._see(caller, reference, right, open_[1])
        fields, same = _fields(first, second)
        rules: Pair[Sequence[HeldRule]] = Pair(_only(first, second), _only(second, first))
        notes = dict.fromkeys((*self._notes(reference, first, all_), *self._notes(reference, second, all_)))
        return Comparison(
            dataset=first.facts.reference,
            sides=Pair(first, second),
            fields=fields[:MOST_FIELDS],
            more_fields=max(0, len(fields) - MOST_FIELDS),
            same=same,
            rules=rules,
            holds=Pair(_held(first, second, all(open_)), _held(second, first, all(open_))),
            changed=self._changed(first, second, [*rules.left, *rules.right], all_),
            notes=list(notes),
        )

    def _require(self, caller: Subject, reference: str, people: set[str]) -> None:
        if people == {caller.user} or self._identity.permissions(caller) & SEES_ALL:
            return
        facts = self._moments.source.facts(reference)
        owner = resolve(caller, self._moments.state.view().roles).among(facts.owners)
        if not owner and Power.REPORT not in self._identity.powers(caller, facts.reference):
            raise NotAllowed(
                f"{caller.user} may compare what {' and '.join(sorted(people))} see of {facts.reference} only as its owner, or with"
                " the permission report:read, audit:read or manage; leave the people out to compare yourself at two moments.",
                details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
            )

    def _see(self, caller: Subject, reference: str, side: Side, open_: bool) -> SideView:
        moment = self._moments.of(side.as_of)
        moment.view.purposes.require(side.purpose)
        facts = self._moments.facts(reference, moment)
        by_session, gone = person_by_session(moment.view, side.person, moment.given)
        who = by_session[0]
        grants = [g for g in moment.view.grants_of(who.subject) if is_active(g, moment.at)]
        if gone is None:
            sensitive = self._moments.settings.unscanned_is_sensitive
            decision = moment.view.decide(who.subject, facts, side.purpose, moment.at, sensitive, grants)
            decision = self._moments.state.cut_for(caller, who.subject, facts, decision)
        else:
            why = (Reason("gap", who.name, gone),) if open_ else ()
            decision = Decision(facts.id, facts.reference, Effect.DENY, reasons=why)
        summary = Summaries(None, {g.name: (g.valid_to, g.purpose) for g in grants}).of(decision)
        return SideView(side=side, moment=moment, who=who, facts=facts, decision=decision, shown=summary)

    def _notes(self, reference: str, seen: SideView, all_: bool) -> Iterable[str]:
        yield from seen.moment.notes_for(all_)
        if len(seen.moment.given.get(seen.who.name, ())) > 1:
            yield f"{seen.who.name} has sessions with different rights; what is compared is the newest of them."
        yield from self._moments.missing(reference, seen.moment)

    def _changed(self, first: SideView, second: SideView, rules: Sequence[HeldRule], all_: bool) -> list[ChangedRule]:
        """States of the rules' documents that were written between the two moments, oldest first."""
        early, late = sorted((first.moment.at, second.moment.at))
        if early == late:
            return []
        store: PolicyStore = self._moments.state.store
        named = {(_DOCUMENTS[each.rule.kind], each.rule.name) for each in rules if each.rule.kind in _DOCUMENTS}
        collected = [
            ChangedRule(kind, name, each.at, each.by if all_ or kind == "Grant" else None, each.spec is None)
            for kind, name in sorted(named)
            for each in store.history(kind, name)
            if early < each.at <= late
        ]
        return sorted(collected, key=lambda each: (each.at, each.kind, each.name))


def _only(one: SideView, other: SideView) -> list[HeldRule]:
    theirs = {(r.kind, r.name, r.text) for r in other.shown.rules}
    return [each for each in one.rules() if (each.rule.kind, each.rule.name, each.rule.text) not in theirs]


def _held(one: SideView, other: SideView, open_: bool) -> SideMemberships:
    """Groups and roles of one side only; to the owner of the dataset the roles behind what is shown, and no more."""
    if not open_:
        mine, theirs = ({r.name for r in seen.shown.rules if r.kind == "role"} for seen in (one, other))
        return SideMemberships((), tuple(sorted(mine - theirs)))
    ours, others = (resolve(seen.who.subject, seen.moment.view.roles).roles.keys() for seen in (one, other))
    groups = one.who.subject.groups - other.who.subject.groups
    return SideMemberships(tuple(sorted(groups)), tuple(sorted(ours - others)))


def _fields(first: SideView, second: SideView) -> tuple[list[Difference], int]:
    ours, theirs = _columns(first.decision), _columns(second.decision)
    paths = {f.path for seen in (first, second) for f in seen.facts.fields} | ours.keys() | theirs.keys()
    differ: list[Difference] = []
    for path in sorted(paths):
        left, right = ours.get(path), theirs.get(path)
        if _same(left, right):
            continue
        differ.append(Difference(path, _sight(left, first, path), _sight(right, second, path)))
    return differ, len(paths) - len(differ)


def _columns(decision: Decision) -> dict[str, ColumnDecision]:
    return {c.path: c for c in decision.columns} if decision.effect is Effect.ALLOW else {}


def _same(left: ColumnDecision | None, right: ColumnDecision | None) -> bool:
    if left is None or right is None:
        return all(each is None or each.effect is Effect.DENY for each in (left, right))
    return (left.effect, left.mask, left.clear_when) == (right.effect, right.mask, right.clear_when)


def _sight(column: ColumnDecision | None, seen: SideView, path: str) -> ColumnSight:
    if column is not None:
        return ColumnSight(effect_of(column), column.mask, column.clear_when, tuple(column.reasons))
    known = any(f.path == path for f in seen.facts.fields)
    return (
        ColumnSight("deny", None, None, tuple(seen.decision.reasons))
        if known
        else ColumnSight("unknown", None, None, ())
    )
