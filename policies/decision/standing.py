"""Who asks, and what their access rests on: roles, ownership, usable grants, the stated purpose; what follows for a field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from catalog.entities import is_personal
from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.decision import row_conditions
from policies.decision.column_outcome import Draft
from policies.decision.mask_applicability import Stance
from policies.decision.mask_order import NULL
from policies.decision.policy_groups import Bound, Group, Kind
from policies.decision.policy_index import Compiled, Plan
from policies.decision.row_conditions import ALWAYS, Condition
from policies.masks.registry import shows_equality
from policies.matching import Selection, Who, dataset_matches, is_active, resolve, selection
from policies.model import (
    UNSCANNED_TAG,
    AccessPolicy,
    DatasetFacts,
    Grant,
    Mask,
    MaskType,
    Reason,
    Role,
    Subject,
)
from policies.purposes import NO_PURPOSES, Purposes

CLEAR_BY = "shown unmasked by"
Hits = frozenset[tuple[str, int]]
"""Which path selectors reach a field: `("fields" | "unmask" | "standing", number)`."""


@dataclass(frozen=True, slots=True)
class Usable:
    """An active grant of the subject for the dataset, for the stated purpose where one is stated."""

    grant: Grant
    fields: Selection
    unmask: Selection


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens some fields: a draft without masks, the grants that cover them, those among them that unmask them."""

    draft: Draft
    covering: list[Usable]
    lifting: list[Usable]


class Asking:
    """One subject before one dataset, at one moment, for one purpose. `gaps`: what of theirs could not be read."""

    def __init__(
        self,
        subject: Subject,
        facts: DatasetFacts,
        compiled: Compiled,
        roles: Mapping[str, Role],
        grants: Iterable[Grant],
        purpose: str | None,
        now: datetime,
        purposes: Purposes = NO_PURPOSES,
    ) -> None:
        if now.tzinfo is None:
            raise InvalidInput("the time of the decision has no zone.")
        self.facts, self.compiled, self.purpose, self.purposes = facts, compiled, purpose, purposes
        self.path = purposes.path(purpose)
        self.who = resolve(subject, roles)
        self.gaps = list(self.who.problems)
        self.active = [
            g
            for g in grants
            if dataset_matches(g.dataset, facts.reference) and is_active(g, now) and self.who.among(g.subject)
        ]
        self.usable = [u for g in self.active if purpose is None or g.purpose in self.path for u in self._read(g)]
        self.standing = list(_standing(self.who, facts))
        self.stances = compiled.stances(self.who, self.path)
        self.sees_unscanned = any(role is not None and role.sees_unscanned for role in self.who.roles.values())

    def _read(self, grant: Grant) -> list[Usable]:
        try:
            return [Usable(grant, selection(grant.fields), selection(grant.unmask))]
        except InvalidInput as error:
            self.gaps.append(f"Grant {grant.name} opens nothing, because it cannot be read: {error.message}")
            return []

    def granted(self, path: str, tags: Iterable[str]) -> bool:
        """Whether a grant on the very stream view, for all that it comes from, opens a field in every row that the subject
        gets, whatever roles and ownership open."""
        place = FieldPath.parse(path)
        whole = [
            u
            for u in self.usable
            if (u.grant.rows is None or not self.standing)
            and u.grant.dataset == self.facts.reference
            and self.facts.topics.keys() <= u.grant.sources
        ]
        return any(u.fields.covers(place, tags) for u in whole)

    def key(self, plan: Plan) -> object:
        """All of the asker that the answer for the fields can depend on."""
        return (
            self.stances.among(plan.mask_bits),
            tuple(self.standing),
            tuple(u.grant for u in self.usable),
            # Which policies ask for a stated purpose, and whether another one was stated.
            (self.path, frozenset(g.purpose for g in self.active), self.purposes) if plan.asks_for_grants else None,
            self.path if self.purposes else None,  # the texts name it
            self.sees_unscanned,
        )

    def purpose_note(self) -> Iterator[Reason]:
        """A reason where the stated purpose is backed by no grant."""
        if self.purpose is not None and not any(g.purpose in self.path for g in self.active):
            backed = ", ".join(sorted({g.purpose for g in self.active}))
            yours = f" Yours carry: {backed}; with another purpose stated they are not used." if backed else ""
            text = (
                f"No active grant of {self.who.user} for {self.facts.reference} carries the purpose {self.purpose!r},"
                f" so stating it opens nothing.{yours}"
            )
            yield Reason("purpose", self.purpose, text)

    def opening(self, kind: Kind | Group, hits: Hits) -> Opening:
        """What opens the fields of a kind, or of a group, that the same selectors reach."""
        covering = [
            (i, u) for i, u in enumerate(self.usable) if ("fields", i) in hits or u.fields.covers_tags(kind.tags)
        ]
        opening = Opening(
            Draft(),
            [u for _, u in covering],
            [u for i, u in covering if ("unmask", i) in hits or u.unmask.covers_tags(kind.tags)],
        )
        self._open(opening.draft, kind, hits, opening.covering)
        return opening

    def lift(self, opening: Opening, masks: int, bare: bool) -> None:
        """Note the grants that masks are lifted by, without going through the masks one by one.

        `masks`: the policies on the fields, as bits; `bare`: some are unscanned and no policy is about them.
        """
        if masks & self.stances.by_grant:
            self._use(opening.draft, opening.covering, CLEAR_BY)
        if masks & self.stances.applies or bare:
            self._use(opening.draft, opening.lifting, CLEAR_BY)

    def draft(self, group: Group, hits: Hits) -> Draft:
        """What roles, grants and policies come to for the fields of a group that the same selectors reach."""
        opening = self.opening(group, hits)
        draft, lifting = opening.draft, opening.lifting
        if draft.opens is None:
            return draft
        addressed = False
        data_kind = min((t for t in group.tags if t != UNSCANNED_TAG and is_personal(t)), default="")
        for bound in group.masks:
            policy = self.compiled.masks[bound.index]
            mask = replace(policy.mask, kind=data_kind) if shows_equality(policy.mask.type) else policy.mask
            stance = self.stances.of(bound.index)
            addressed |= stance is not Stance.SILENT and policy.domain is None
            if stance is Stance.EXCEPTED:
                text = f"Excepted from {policy.mask.type} by {policy.name}: {bound.why}."
                draft.reasons.append(Reason("policy", policy.name, text, exception=True))
            elif stance is Stance.EXCEPTED_BY_GRANT:
                self._mask(draft, mask, policy.name, bound, opening.covering)
            elif stance is Stance.APPLIES:
                self._mask(draft, mask, policy.name, bound, lifting)
        if group.unscanned and not addressed and not self.sees_unscanned:
            draft.unscanned = True
            self._mask(draft, NULL, UNSCANNED_TAG, Bound(-1, "neither scanned nor declared"), lifting)
        return draft

    def _open(self, draft: Draft, group: Kind | Group, hits: Hits, covering: list[Usable]) -> None:
        required = [self.compiled.access[b.index] for b in group.access]
        required = [p for p in required if p.grant or p.purposes]
        standing = [r for i, (r, path) in enumerate(self.standing) if path is None or ("standing", i) in hits]
        if required:
            parts: list[Condition] = []
            for policy in required:
                fitting = [u for u in covering if self._satisfies(u, policy)]
                if not fitting:
                    draft.reasons.append(Reason("policy", policy.name, self._missing(policy)))
                    return
                parts.append(row_conditions.rows(u.grant.rows for u in fitting))
                self._use(draft, fitting, "opened by")
                text = f"Policy {policy.name} asks for a grant{_for(policy)}, and there is one."
                draft.reasons.append(Reason("policy", policy.name, text))
            draft.opens = row_conditions.both(*parts)
        elif standing:
            draft.opens = ALWAYS
            draft.reasons += standing
        elif covering:
            draft.opens = row_conditions.rows(u.grant.rows for u in covering)
            self._use(draft, covering, "opened by")
        else:
            text = "No role, ownership or active grant opens this field; request access to it."
            draft.reasons.append(Reason("default", "deny", text))

    def _satisfies(self, usable: Usable, policy: AccessPolicy) -> bool:
        return not policy.purposes or (usable.grant.purpose in self.path and not policy.purposes.isdisjoint(self.path))

    def _missing(self, policy: AccessPolicy) -> str:
        have = self._to_state(policy)
        if have and self.purpose is None:
            return f"Policy {policy.name} asks for a stated purpose; state {' or '.join(have)} with the query."
        return f"Policy {policy.name} asks for an active grant{_for(policy)}; there is none."

    def _to_state(self, policy: AccessPolicy) -> list[str]:
        """Purposes that would satisfy the policy, by the grants there are: of a grant's and a policy's, the narrower one."""
        covers, collected = self.purposes.covers, set()
        for granted in {g.purpose for g in self.active}:
            for purpose in policy.purposes:
                if covers(purpose, granted):
                    collected.add(granted)
                elif covers(granted, purpose):
                    collected.add(purpose)
        return sorted(collected)

    def _mask(self, draft: Draft, mask: Mask, name: str, bound: Bound, lifting: list[Usable]) -> None:
        """Put a mask on the draft, unless grants lift it in every row."""
        lifted = row_conditions.rows(u.grant.rows for u in lifting) if lifting else None
        if lifting:
            self._use(draft, lifting, CLEAR_BY)
        kind = "gap" if name == UNSCANNED_TAG else "policy"
        if lifted == ALWAYS:
            text = f"{mask.type} of {name} ({bound.why}) is lifted."
            draft.reasons.append(Reason(kind, name, text, exception=True))
        elif mask.type is not MaskType.MASK_NONE:
            draft.masks.append((mask, name, lifted))
            draft.reasons.append(Reason(kind, name, f"{mask.type} by {name}: {bound.why}."))

    def _use(self, draft: Draft, used: Iterable[Usable], verb: str) -> None:
        for each in used:
            g = each.grant
            draft.used.add(g.name)
            where = f" where {g.rows}" if g.rows else ""
            covers = f", which covers {self.purpose}" if self.purpose not in (None, g.purpose) else ""
            until = f"{g.valid_to.astimezone(UTC):%Y-%m-%d %H:%M:%S UTC}"
            text = f"{verb} grant {g.name} for {g.purpose}{covers}{where}, until {until}."
            reason = Reason("grant", g.name, text[0].upper() + text[1:])
            if reason not in draft.reasons:
                draft.reasons.append(reason)


def _standing(who: Who, facts: DatasetFacts) -> Iterable[tuple[Reason, FieldPath | None]]:
    """What opens the dataset, or one place in it (path), without a grant."""
    if who.user in facts.owners.users or not who.groups.isdisjoint(facts.owners.groups):
        yield Reason("owner", facts.reference, f"Owner of {facts.reference}."), None
    for name, role in who.roles.items():
        for target in role.read if role is not None else ():
            if (target.dataset is None and target.tag is None) or (
                target.dataset is not None and not dataset_matches(target.dataset, facts.reference)
            ):
                continue
            if target.tag is not None and target.tag not in facts.tags:
                continue
            what = target.dataset if target.dataset is not None else f"tag {target.tag}"
            path = FieldPath.parse(target.path) if target.path is not None else None
            yield Reason("role", name, f"Role {name} reads {what}{f' {path}' if path else ''}."), path


def _for(policy: AccessPolicy) -> str:
    return f" for {' or '.join(sorted(policy.purposes))}" if policy.purposes else ""
