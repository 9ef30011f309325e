"""What two people, or one person at two moments, see of a dataset, and which rules make the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.errors import InvalidInput, NotAllowed
from catalog.records import rfc3339
from policies.access.decision_service import column_json
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.effective.dataset_access import SEES_ALL
from policies.effective.moment import Moment, Moments
from policies.effective.people import Holding, Principal, person_by_session
from policies.effective.shown import Shown, Summaries
from policies.matching import is_active, resolve
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Reason, Subject
from policies.ports import PolicyStore

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
class _Seen:
    side: Side
    moment: Moment
    who: Principal
    facts: DatasetFacts
    decision: Decision
    shown: Shown


class Compare:
    """The service behind `GET /api/v1/explain/compare`."""

    def __init__(self, moments: Moments, identity: Identity) -> None:
        self._moments, self._identity = moments, identity

    def of(self, caller: Subject, reference: str, left: Side, right: Side) -> dict[str, Any]:
        """{dataset, left, right, fields: [{path, left, right}], moreFields, same, rules, holds, changed, notes}.

        `fields` are those of which the two see different things; `same` counts the others. `rules` holds those behind one
        side only, `holds` the groups and roles of one side only, `changed` what became of these rules between two moments;
        who changed a role or a policy (`by`) shows to those who may see all, and so does what others hold beside the rules.
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
        rules = {"left": _only(first, second), "right": _only(second, first)}
        notes = dict.fromkeys((*self._notes(reference, first, all_), *self._notes(reference, second, all_)))
        return {
            "dataset": first.facts.reference,
            "left": _side(first),
            "right": _side(second),
            "fields": fields[:MOST_FIELDS],
            "moreFields": max(0, len(fields) - MOST_FIELDS),
            "same": same,
            "rules": rules,
            "holds": {"left": _held(first, second, all(open_)), "right": _held(second, first, all(open_))},
            "changed": self._changed(first, second, rules, all_),
            "notes": list(notes),
        }

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

    def _see(self, caller: Subject, reference: str, side: Side, open_: bool) -> _Seen:
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
        return _Seen(side=side, moment=moment, who=who, facts=facts, decision=decision, shown=summary)

    def _notes(self, reference: str, seen: _Seen, all_: bool) -> Iterable[str]:
        yield from seen.moment.notes_for(all_)
        if len(seen.moment.given.get(seen.who.name, ())) > 1:
            yield f"{seen.who.name} has sessions with different rights; what is compared is the newest of them."
        yield from self._moments.missing(reference, seen.moment)

    def _changed(
        self, first: _Seen, second: _Seen, rules: Mapping[str, Sequence[Mapping[str, Any]]], all_: bool
    ) -> list[dict[str, Any]]:
        """States of the rules' documents that were written between the two moments, oldest first."""
        early, late = sorted((first.moment.at, second.moment.at))
        if early == late:
            return []
        store: PolicyStore = self._moments.state.store
        named = {(_DOCUMENTS[r["kind"]], r["name"]) for only in rules.values() for r in only if r["kind"] in _DOCUMENTS}
        collected = [
            {
                "kind": kind,
                "name": name,
                "at": rfc3339(each.at),
                "deleted": each.spec is None,
                "by": each.by if all_ or kind == "Grant" else None,
            }
            for kind, name in sorted(named)
            for each in store.history(kind, name)
            if early < each.at <= late
        ]
        return sorted(collected, key=lambda each: (each["at"] or "", each["kind"], each["name"]))


def _side(seen: _Seen) -> dict[str, Any]:
    return {
        "person": seen.who.name,
        "at": rfc3339(seen.moment.at),
        "purpose": seen.side.purpose,
        **seen.shown.to_json(),
        "rules": _rules(seen, seen.shown.rules),
    }


def _rules(seen: _Seen, rules: Iterable[Any]) -> list[dict[str, Any]]:
    holding = Holding(seen.moment.view, seen.facts)
    return [{**rule.to_json(), "how": holding.of(seen.who, rule)} for rule in rules]


def _only(one: _Seen, other: _Seen) -> list[dict[str, Any]]:
    theirs = {(r.kind, r.name, r.text) for r in other.shown.rules}
    return _rules(one, (r for r in one.shown.rules if (r.kind, r.name, r.text) not in theirs))


def _held(one: _Seen, other: _Seen, open_: bool) -> dict[str, list[str]]:
    """Groups and roles of one side only; to the owner of the dataset the roles behind what is shown, and no more."""
    if not open_:
        mine, theirs = ({r.name for r in seen.shown.rules if r.kind == "role"} for seen in (one, other))
        return {"groups": [], "roles": sorted(mine - theirs)}
    ours, others = (resolve(seen.who.subject, seen.moment.view.roles).roles.keys() for seen in (one, other))
    return {"groups": sorted(one.who.subject.groups - other.who.subject.groups), "roles": sorted(ours - others)}


def _fields(first: _Seen, second: _Seen) -> tuple[list[dict[str, Any]], int]:
    ours, theirs = _columns(first.decision), _columns(second.decision)
    paths = {f.path for seen in (first, second) for f in seen.facts.fields} | ours.keys() | theirs.keys()
    differ: list[dict[str, Any]] = []
    for path in sorted(paths):
        left, right = ours.get(path), theirs.get(path)
        if _same(left, right):
            continue
        differ.append({"path": path, "left": _shown(left, first, path), "right": _shown(right, second, path)})
    return differ, len(paths) - len(differ)


def _columns(decision: Decision) -> dict[str, ColumnDecision]:
    return {c.path: c for c in decision.columns} if decision.effect is Effect.ALLOW else {}


def _same(left: ColumnDecision | None, right: ColumnDecision | None) -> bool:
    if left is None or right is None:
        return all(each is None or each.effect is Effect.DENY for each in (left, right))
    return (left.effect, left.mask, left.clear_when) == (right.effect, right.mask, right.clear_when)


def _shown(column: ColumnDecision | None, seen: _Seen, path: str) -> dict[str, Any]:
    """As decisions for engines have it, without the path; `unknown` where the field was not known at that moment."""
    if column is not None:
        column_now = column_json(column)
        return {key: column_now[key] for key in ("effect", "mask", "clearWhen", "reasons")}
    known = any(f.path == path for f in seen.facts.fields)
    effect = "deny" if known else "unknown"
    reasons = [] if not known else [{"kind": r.kind, "name": r.name, "text": r.text} for r in seen.decision.reasons]
    return {"effect": effect, "mask": None, "clearWhen": None, "reasons": reasons}
