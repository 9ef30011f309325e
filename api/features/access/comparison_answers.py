"""Answers of `/explain/compare`."""

from __future__ import annotations

from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from api.edge.reason import Reason
from api.features.access.answers import AccessRule, ShownAccess
from api.features.policies.answers import DecidedMask
from catalog.records import rfc3339
from policies.effective import compare


class ComparedField(Answer):
    """One field for one side."""

    effect: Literal["allow", "mask", "deny", "gap", "unknown"]
    mask: DecidedMask | None
    clear_when: str | None
    reasons: list[Reason]

    @classmethod
    def of(cls, sight: compare.ColumnSight) -> Self:
        return cls(
            effect=sight.effect,
            mask=DecidedMask.of(sight.mask) if sight.mask is not None else None,
            clear_when=sight.clear_when,
            reasons=[Reason(kind=each.kind, name=each.name, text=each.text) for each in sight.reasons],
        )


class ComparedFields(Answer):
    """A field of which the sides see different things."""

    path: str
    left: ComparedField
    right: ComparedField


class ComparedSide(ShownAccess):
    """One of the two."""

    person: str
    at: Time

    @classmethod
    def of(cls, seen: compare.SideView) -> Self:
        keys = cls.keys(seen.side.purpose, seen.shown, seen.rules())
        return cls(person=seen.who.name, at=rfc3339(seen.moment.at), **keys)


class OneSided(Answer):
    """Rules behind one side only."""

    left: list[AccessRule]
    right: list[AccessRule]


class HeldNames(Answer):
    """Groups and roles."""

    groups: list[str]
    roles: list[str]

    @classmethod
    def of(cls, names: compare.SideMemberships) -> Self:
        return cls(groups=list(names.groups), roles=list(names.roles))


class HeldOneSided(Answer):
    """What one side holds and the other does not."""

    left: HeldNames
    right: HeldNames


class ChangedRule(Answer):
    """A state of a rule's document that was written between two moments."""

    kind: str
    name: str
    at: Time
    by: str | None
    deleted: bool

    @classmethod
    def of(cls, changed: compare.ChangedRule) -> Self:
        return cls(kind=changed.kind, name=changed.name, at=rfc3339(changed.at), by=changed.by, deleted=changed.deleted)


class Comparison(Answer):
    """What differs between two people or two moments, and by which rules."""

    dataset: str
    left: ComparedSide
    right: ComparedSide
    fields: list[ComparedFields]
    more_fields: int
    same: int = about("Fields of which both see the same.")
    rules: OneSided
    holds: HeldOneSided
    changed: list[ChangedRule]
    notes: list[str]

    @classmethod
    def of(cls, compared: compare.Comparison) -> Self:
        rules, holds = compared.rules, compared.holds
        return cls(
            dataset=compared.dataset,
            left=ComparedSide.of(compared.sides.left),
            right=ComparedSide.of(compared.sides.right),
            fields=[
                ComparedFields(path=each.path, left=ComparedField.of(each.left), right=ComparedField.of(each.right))
                for each in compared.fields
            ],
            more_fields=compared.more_fields,
            same=compared.same,
            rules=OneSided(
                left=[AccessRule.of(each) for each in rules.left], right=[AccessRule.of(each) for each in rules.right]
            ),
            holds=HeldOneSided(left=HeldNames.of(holds.left), right=HeldNames.of(holds.right)),
            changed=[ChangedRule.of(each) for each in compared.changed],
            notes=list(compared.notes),
        )
