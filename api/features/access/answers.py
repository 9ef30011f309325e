"""Answers of `/access`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.effective import shown, unused
from policies.effective.dataset_access import Entry, Listing
from policies.effective.people import Holding
from policies.effective.person_access import Row, Sheet

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

    @classmethod
    def of(cls, by: shown.HeldRule) -> Self:
        rule = by.rule
        return cls(
            kind=rule.kind,
            name=rule.name,
            text=rule.text,
            until=rfc3339(rule.until),
            purpose=rule.purpose,
            how=list(by.how),
        )


class ShownFields(Answer):
    """How many fields show how."""

    clear: int
    masked: int = about("Those that are unmasked in some rows only are among them.")
    hidden: int


class ShownAccess(Answer):
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

    @staticmethod
    def keys(purpose: str | None, seen: shown.ShownParts, rules: Iterable[shown.HeldRule]) -> dict[str, object]:
        """What every answer about what somebody sees has, by the names of attributes."""
        return {
            "purpose": purpose,
            "shows": seen.shows,
            "fields": ShownFields(clear=seen.clear, masked=seen.masked, hidden=seen.hidden),
            "masks": list(seen.masks),
            "rows": list(seen.rows),
            "clear_when": list(seen.clear_when),
            "until": rfc3339(seen.until),
            "rules": [AccessRule.of(each) for each in rules],
        }


class AccessEntry(ShownAccess):
    """What one person, group or role sees of a dataset."""

    kind: Literal["user", "group", "role"]
    name: str
    more_rules: int = about("Rules that are left out of `rules`.")

    @classmethod
    def of(cls, entry: Entry, holding: Holding) -> Self:
        rules = holding.rules(entry.who, entry.shown.rules)
        return cls(
            kind=entry.who.kind,
            name=entry.who.name,
            more_rules=entry.shown.more_rules,
            **cls.keys(entry.purpose, entry.shown, rules),
        )


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

    @classmethod
    def of(cls, listing: Listing, offset: int, limit: int) -> Self:
        """A page of it."""
        holding = listing.holding()
        return cls(
            dataset=listing.facts.reference,
            field=str(listing.place) if listing.place is not None else None,
            at=rfc3339(listing.moment.at),
            entries=[AccessEntry.of(each, holding) for each in listing.entries[offset : offset + limit]],
            total=len(listing.entries),
            people=PeopleCounted(**listing.totals),
            notes=list(listing.notes),
        )


class SeenDataset(ShownAccess):
    """What the person sees of one dataset."""

    dataset: str = about("CLUSTER/TOPIC.")
    more_rules: int = about("Rules that are left out of `rules`.")

    @classmethod
    def of(cls, row: Row, rules: Iterable[shown.HeldRule]) -> Self:
        keys = cls.keys(row.purpose, row.shown, rules)
        return cls(dataset=row.facts.reference, more_rules=row.shown.more_rules, **keys)


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

    @classmethod
    def of(cls, sheet: Sheet, offset: int, limit: int) -> Self:
        """A page of it."""
        groups, roles = sheet.held()
        return cls(
            person=sheet.name,
            at=rfc3339(sheet.moment.at),
            gone=None if sheet.limited else sheet.gone,
            groups=groups,
            roles=[HeldRole(name=role, how=how) for role, how in roles.items()],
            entries=[SeenDataset.of(each, sheet.rules(each)) for each in sheet.rows[offset : offset + limit]],
            total=len(sheet.rows),
            datasets=PeopleCounted(**sheet.totals),
            notes=list(sheet.notes),
        )


class UnusedRight(Answer):
    """A right by which nothing was read."""

    kind: Literal["grant", "role", "owner"]
    name: str
    person: str | None = about("null: a grant to a group or role, which nobody of them used.")
    dataset: str | None = about("As written; null: a role, of which nothing it opens was read.")
    since: Time | None = about("Since when it is there, where that is known.")
    how: list[str]

    @classmethod
    def of(cls, right: unused.UnusedRight) -> Self:
        return cls(
            kind=right.kind,
            name=right.name,
            person=right.person,
            dataset=right.dataset,
            since=rfc3339(right.since),
            how=list(right.how),
        )


class UnusedRights(Answer):
    """Rights nobody used."""

    days: int
    since: Time
    rights: list[UnusedRight]
    total: int
    young: int = about("Grants that are younger than these days, which cannot be judged yet.")
    notes: list[str]

    @classmethod
    def of(cls, listed: unused.UnusedRights, offset: int, limit: int) -> Self:
        """A page of them."""
        return cls(
            days=listed.days,
            since=rfc3339(listed.since),
            rights=[UnusedRight.of(each) for each in listed.rights[offset : offset + limit]],
            total=len(listed.rights),
            young=listed.young,
            notes=list(listed.notes),
        )
