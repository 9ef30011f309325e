"""Decisions for others to enforce: engines, services and gateways that ask what a subject may read.

Asking about oneself is for everybody; about others it takes the permission `decide`. Every answer is in the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypedDict, final, get_args

from catalog.errors import ErrorParts, InvalidInput, NotAllowed, NotFound
from catalog.paths import FieldPath
from catalog.records import rfc3339
from policies.access.identity import Identity
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.decision.domains import Power
from policies.decision.places import Places
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import GovernanceState, View
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Reason, Subject
from policies.plan import explain
from policies.plan.answer_parts import ShownMask
from policies.ports import Clock, FactsSource
from policies.settings import PolicySettings

MOST_AT_ONCE = 100
ACTIONS = ("read",)
PERMISSION = "decide"
_Audited = Literal["subject", "dataset", "purpose", "purposePath", "effect", "grants"]
_AUDITED: tuple[_Audited, ...] = get_args(_Audited)


ColumnWord = Literal["allow", "mask", "deny", "gap"]


@dataclass(frozen=True, slots=True)
class DecisionSubject:
    """Whom a decision is about. Groups and roles are added to those declared for the user (such as those of another issuer)."""

    user: str = ""
    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """One question. `subject` None = who asks; `fields` empty = all."""

    dataset: str
    subject: DecisionSubject | None = None
    purpose: str | None = None
    fields: tuple[str, ...] = ()
    action: str = "read"


class DecidedColumn(TypedDict):
    """What to show of one column, in which rows unmasked, and why; for the effects see `effect_of`."""

    path: str
    effect: ColumnWord
    mask: ShownMask | None
    clearWhen: str | None
    reasons: list[dict[str, str]]


class DecidedSubject(TypedDict):
    """Whom a decision is about, with the groups and roles that counted."""

    user: str
    groups: list[str]
    roles: list[str]


@final
class DecisionAnswer(TypedDict):
    """What a subject may read of a dataset; `effect` is allow or deny."""

    subject: DecidedSubject
    dataset: str
    action: str
    purpose: str | None
    purposePath: list[str] | None
    effect: str
    filters: list[str]
    columns: list[DecidedColumn]
    reasons: list[dict[str, str]]
    gaps: list[str]
    grants: list[str]
    expires: str | None
    at: str


@final
class UndecidedQuestion(TypedDict):
    """A question of several that cannot be answered, and so opens nothing."""

    dataset: str
    effect: str
    error: ErrorParts


def subject_of(view: View, named: DecisionSubject) -> tuple[Subject, str | None]:
    """The subject as declared, and why they may not sign in any more, where that is so."""
    roles = named.roles | ({"admin"} if named.user == ADMIN_USER else frozenset())
    subject = view.subject(named.user, named.groups, frozenset(roles))
    gone = gone_because(view, named.user) if named.user else None
    return subject, f"User {named.user} {gone}." if gone is not None else None


class Decisions:
    """The service behind `POST /api/v1/decisions`."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        identity: Identity,
        audit: AuditLog,
        clock: Clock,
        settings: PolicySettings | None = None,
        reference: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`reference` gives `CLUSTER/TOPIC` of a dataset as callers may write it."""
        self._state, self._facts, self._identity, self._audit, self._clock = state, facts, identity, audit, clock
        self._settings = settings or PolicySettings()
        self.named: Callable[[Subject, str], str] = lambda _, text: reference(text)
        """`CLUSTER/TOPIC` of a dataset that a caller may know of, as they may write it. Raises DatasetNotFound."""

    def decide(self, caller: Subject, asked: Sequence[DecisionRequest]) -> list[DecisionAnswer | UndecidedQuestion]:
        """One answer for each question, in order; what one question lacks is an `error` in its place.

        Raises NotAllowed (others without the permission), InvalidInput (too many, an action that is none).
        """
        if len(asked) > MOST_AT_ONCE:
            raise InvalidInput(
                f"{len(asked)} decisions at once are too many; ask for at most {MOST_AT_ONCE} and call again.",
                details={"most": MOST_AT_ONCE},
            )
        for each in asked:
            if each.action not in ACTIONS:
                raise InvalidInput(
                    f"There is no action {each.action[:60]!r}; there is {', '.join(ACTIONS)}.",
                    details={"field": "action"},
                )
            if each.subject is not None and each.subject != DecisionSubject(caller.user):
                self._may_ask(caller, each.dataset)
        view, now = self._state.view(), self._clock()
        answers = [self._one(caller, each, view, now) for each in asked]
        done = [a for a in answers if "error" not in a]
        if done:
            self._audit.record(
                caller.user,
                "decision",
                ", ".join(dict.fromkeys(a["dataset"] for a in done))[:1000],
                "deny" if all(a["effect"] == Effect.DENY for a in done) else "allow",
                [],
                {"decisions": [{k: a[k] for k in _AUDITED} for a in done]},
            )
        return answers

    def _may_ask(self, caller: Subject, dataset: str) -> None:
        if not self._identity.permissions(caller) & {PERMISSION, "manage"} and not self._of_domain(caller, dataset):
            raise NotAllowed(
                f"{caller.user} may ask for decisions about themselves only; the permission {PERMISSION!r} opens others"
                " (roles admin, steward, enforcer).",
                details={"permission": PERMISSION, "reasons": [f"no role of {caller.user} carries {PERMISSION}"]},
            )

    def _of_domain(self, caller: Subject, dataset: str) -> bool:
        try:
            return Power.DECIDE in self._identity.powers(caller, self.named(caller, dataset))
        except (NotFound, InvalidInput):
            return False

    def _one(
        self, caller: Subject, asked: DecisionRequest, view: View, now: datetime
    ) -> DecisionAnswer | UndecidedQuestion:
        try:
            facts = self._facts.facts(self.named(caller, asked.dataset))
            places = [FieldPath.parse(path) for path in asked.fields]
            view.purposes.require(asked.purpose)
        except (NotFound, InvalidInput) as error:
            return {
                "dataset": asked.dataset,
                "effect": str(Effect.DENY),
                "error": error.parts(),
            }
        subject, gone = (caller, None) if asked.subject is None else subject_of(view, asked.subject)
        decision = decide_now(view, subject, gone, facts, asked.purpose, now, self._settings)
        decision = self._state.cut(view, subject, facts, decision)
        if subject.user != caller.user:  # an admin of a domain may know less than whom they ask about
            decision = self._state.cut_for(caller, subject, facts, decision)
        columns = decision.columns
        known_of = self._state.known(subject, facts)
        if places:
            all_places = Places(columns)
            wanted = {c.path for place in places for c in all_places.deciding(place)}
            columns = tuple(c for c in columns if c.path in wanted)
        return {
            "subject": {"user": subject.user, "groups": sorted(subject.groups), "roles": sorted(subject.roles)},
            "dataset": facts.reference,
            "action": asked.action,
            "purpose": asked.purpose,
            "purposePath": view.purposes.recorded(asked.purpose),
            "effect": str(decision.effect),
            "filters": [f.where for f in decision.filters],
            "columns": [
                *(column_json(c) for c in columns),
                *(_unknown(facts, asked.fields) if known_of.schema else ()),
            ],
            "reasons": explain.reasons_json(decision.reasons),
            "gaps": list(decision.gaps),
            "grants": list(decision.grants),
            "expires": rfc3339(decision.expires),
            "at": rfc3339(now),
        }


def decide_now(
    view: View,
    subject: Subject,
    gone: str | None,
    facts: DatasetFacts,
    purpose: str | None,
    now: datetime,
    settings: PolicySettings,
) -> Decision:
    """A view's decision; a subject who is `gone` is denied."""
    if gone is not None:
        return Decision(facts.id, facts.reference, Effect.DENY, reasons=(Reason("default", "deny", gone),))
    return view.decide(subject, facts, purpose, now, settings.unscanned_is_sensitive)


def effect_of(column: ColumnDecision) -> ColumnWord:
    """allow | mask | deny | gap: the last is hidden because nobody has looked at it yet."""
    if column.effect is Effect.DENY:
        return "deny"
    if not explain.is_masked(column):
        return "allow"
    return "gap" if any(r.kind == "gap" for r in column.reasons) else "mask"


def column_json(column: ColumnDecision) -> DecidedColumn:
    """One column for an engine."""
    return {
        "path": column.path,
        "effect": effect_of(column),
        "mask": explain.mask_json(column.mask),
        "clearWhen": column.clear_when,
        "reasons": explain.reasons_json(column.reasons),
    }


def _unknown(facts: DatasetFacts, fields: Sequence[str]) -> list[DecidedColumn]:
    """Fields asked for that nobody knows: what cannot be decided is not opened."""
    paths = [FieldPath.parse(f.path) for f in facts.fields]
    missing = [
        f for f in fields if not any(k.contains(p) or p.contains(k) for p in [FieldPath.parse(f)] for k in paths)
    ]
    return [
        {
            "path": path,
            "effect": "gap",
            "mask": None,
            "clearWhen": None,
            "reasons": [{"kind": "gap", "name": path, "text": f"{facts.reference} has no field {path} that is known."}],
        }
        for path in missing
    ]
