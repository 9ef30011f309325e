"""Answers of `/access` and `/explain`."""

from __future__ import annotations

from typing import Any, Literal

from api.edge.answer import Answer, Time, about

Shows = Literal["clear", "partly", "masked", "none"]


class AccessRule(Answer):
    """One rule behind what somebody sees."""

    kind: Literal["owner", "role", "grant", "exception", "policy", "row-filter", "view", "gap"] = about(
        "owner, role, grant: what opens; exception: a policy that does not hold for them; gap: what is not known."
    )
    name: str
    text: str
    until: Time | None = about("The end of a grant.")
    purpose: str | None = about("What a grant is for.")
    how: list[str] = about(
        "How they come to it: named, group NAME, role NAME < group NAME. Empty: it is for everybody."
    )


class ShownFields(Answer):
    """How many fields show how."""

    clear: int
    masked: int = about("Those that are unmasked in some rows only are among them.")
    hidden: int


class _Shown(Answer):
    """What somebody sees of a dataset or a field."""

    purpose: str | None = about("The purpose the query states; null: none.")
    shows: Shows = about(
        "`clear`: all of it; `partly`: some of it, or all of it in some rows; `masked`: all of it behind masks."
    )
    fields: ShownFields
    masks: list[str]
    rows: list[str] = about("Row filters; all have to be true.")
    clear_when: list[str] = about("Rows in which masked fields show unmasked.")
    until: Time | None = about("When the first grant that it rests on ends.")
    rules: list[AccessRule]


class AccessEntry(_Shown):
    """What one person, group or role sees of a dataset."""

    kind: Literal["user", "group", "role"]
    name: str
    more_rules: int = about("Rules that are left out of `rules`.")


class PeopleCounted(Answer):
    """People, each counted once, by the most that they see."""

    clear: int
    partly: int
    masked: int
    none: int


class EffectiveAccess(Answer):
    """Everybody who may read a dataset or a field, and why."""

    dataset: str = about("CLUSTER/TOPIC.")
    field: str | None
    at: Time
    entries: list[AccessEntry]
    total: int = about("Entries in all.")
    people: PeopleCounted
    notes: list[str] = about("What is not known, in sentences.")


class SeenDataset(_Shown):
    """What the person sees of one dataset."""

    dataset: str = about("CLUSTER/TOPIC.")
    more_rules: int = about("Rules that are left out of `rules`.")


class HeldRole(Answer):
    """A role and how the person comes to it."""

    name: str
    how: list[str]


class PersonAccess(Answer):
    """Everything one person sees."""

    person: str
    at: Time
    gone: str | None = about("Why they may not sign in; nothing shows then.")
    groups: list[str]
    roles: list[HeldRole]
    entries: list[SeenDataset]
    total: int
    datasets: PeopleCounted = about("Datasets, each counted once, by the most that shows.")
    notes: list[str]


class UnusedRight(Answer):
    """A right by which nothing was read."""

    kind: Literal["grant", "role", "owner"]
    name: str
    person: str | None = about("null: a grant to a group or role, which nobody of them used.")
    dataset: str | None = about("As written; null: a role, of which nothing it opens was read.")
    since: Time | None = about("Since when it is there, where that is known.")
    how: list[str]


class UnusedRights(Answer):
    """Rights nobody used."""

    days: int
    since: Time
    rights: list[UnusedRight]
    total: int
    young: int = about("Grants that are younger than these days, which cannot be judged yet.")
    notes: list[str]


class ComparedField(Answer):
    """One field for one side."""

    effect: Literal["allow", "mask", "deny", "gap", "unknown"]
    mask: dict[str, Any] | None
    clear_when: str | None
    reasons: list[dict[str, str]]


class ComparedFields(Answer):
    """A field of which the sides see different things."""

    path: str
    left: ComparedField
    right: ComparedField


class ComparedSide(_Shown):
    """One of the two."""

    person: str
    at: Time


class OneSided(Answer):
    """Rules behind one side only."""

    left: list[AccessRule]
    right: list[AccessRule]


class HeldNames(Answer):
    """Groups and roles."""

    groups: list[str]
    roles: list[str]


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
