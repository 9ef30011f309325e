"""Rights by which nothing was read for so many days, from the audit: grants, roles that people hold, ownership."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import InvalidInput, NotFound
from catalog.records import rfc3339
from policies.access.identity import Identity
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.audit.names import DATASET, GRANT, READING
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moment, Moments
from policies.effective.people import Holding, Principal, person_by_session
from policies.effective.person_access import Listed
from policies.effective.shown import Rule
from policies.matching import dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Grant, Role, Subject

OWNER, ROLE_, GRANT_ = "owner", "role", "grant"
KINDS = (GRANT_, ROLE_, OWNER)


@dataclass(frozen=True, slots=True)
class UnusedRight:
    """A right nobody used.

    person   whose; None for a grant to a group or role: nobody of them used it
    dataset  what a grant or an owner may read, as written; None for a role: nothing of what it opens was read
    since    since when the right is there, where that is known
    """

    kind: str
    name: str
    person: str | None
    dataset: str | None
    since: datetime | None
    how: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnusedRights:
    """Rights that were there for all of these days, and not used in them. young: grants that are younger, which cannot be
    judged yet."""

    days: int
    since: datetime
    rights: Sequence[UnusedRight]
    young: int
    notes: Sequence[str]


class Unused:
    """The service behind `GET /api/v1/access/unused`."""

    def __init__(
        self,
        moments: Moments,
        identity: Identity,
        datasets: DatasetAccess,
        audit: AuditLog,
        references: Callable[[], Iterable[str]],
    ) -> None:
        self._moments, self._identity, self._datasets = moments, identity, datasets
        self._audit, self._references = audit, references

        self.shown: Listed = lambda _, listed: listed

    def of(
        self,
        caller: Subject,
        days: int,
        dataset: str | None = None,
        person_: str | None = None,
        kind: str | None = None,
    ) -> UnusedRights:
        """Holders of report:read, audit:read or manage see all of them; others their own, and those on datasets they own.

        Raises InvalidInput.
        """
        if kind is not None and kind not in KINDS:
            raise InvalidInput(f"{kind!r} is not one of {', '.join(KINDS)}.", details={"field": "kind"})
        moment = self._moments.of(None)
        since = moment.at - timedelta(days=days)
        all_ = self._datasets.sees_all(caller)
        notes = [*moment.notes_for(all_), *self._notes(since, days)]
        read = self._read(since)
        used = {use.name for use in self._audit.uses(GRANT, READING, since)}
        mine = _Mine(caller, all_, self._datasets, dict(self._facts(caller, dataset)))
        collected: list[UnusedRight] = []
        young = 0
        if kind in (None, GRANT_):
            grants = _grants(moment, mine, dataset)
            young = sum(grant.valid_from > since for grant in grants)
            collected += [_of_grant(g) for g in grants if g.valid_from <= since and g.name not in used]
        if kind in (None, ROLE_):
            collected += _roles(moment, mine, read)
        if kind in (None, OWNER):
            collected += _ownership(mine, read)
        rights = [r for r in collected if person_ is None or r.person == person_]
        rights.sort(key=lambda r: (KINDS.index(r.kind), r.person or "", r.name))
        return UnusedRights(days, since, rights, young, notes)

    def _notes(self, since: datetime, days: int) -> Iterator[str]:
        """What the audit cannot show."""
        first, unnamed = self._audit.first(), self._audit.unnamed()
        if first is not None and first > since:
            yield f"The audit begins at {rfc3339(first)}, later than {days} days ago: earlier reading is not known."
        if unnamed:
            yield f"{unnamed:,} older entries of the audit are not indexed yet, so use that they record is missing here."
        yield "Of roles and owners the audit names none, so a read of a dataset counts for every role and ownership that opens it."

    def _read(self, since: datetime) -> dict[str, set[str]]:
        """The datasets that each person read."""
        read: dict[str, set[str]] = {}
        for use in self._audit.uses(DATASET, READING, since):
            read.setdefault(use.actor, set()).add(use.name)
        return read

    def _facts(self, caller: Subject, pattern: str | None) -> Iterator[tuple[str, DatasetFacts]]:
        for reference in sorted(self.shown(caller, self._references())):
            if pattern is None or dataset_matches(pattern, reference):
                try:
                    yield reference, self._moments.source.facts(reference)
                except NotFound:
                    continue


def _grants(moment: Moment, mine: _Mine, dataset: str | None) -> list[Grant]:
    """Those in force that the caller may see; of one dataset or pattern only those that may be about it."""
    return [
        grant
        for grant in moment.view.grants.values()
        if is_active(grant, moment.at) and mine.sees_grant(grant) and _about(grant.dataset, dataset)
    ]


def _of_grant(grant: Grant) -> UnusedRight:
    holder = next(iter(sorted(grant.subject.users)), None)
    of = (("group", grant.subject.groups), ("role", grant.subject.roles))
    how = () if holder else tuple(f"{what} {name}" for what, names in of for name in sorted(names))
    return UnusedRight(
        kind=GRANT_, name=grant.name, person=holder, dataset=grant.dataset, since=grant.valid_from, how=how
    )


@dataclass(frozen=True, slots=True)
class _Mine:
    """Which rights the caller may see. `facts`: of the datasets that are looked at."""

    caller: Subject
    all: bool
    datasets: DatasetAccess
    facts: Mapping[str, DatasetFacts]

    def sees(self, name: str, reference: str) -> bool:
        return self.all or name == self.caller.user or self._owns(reference)

    def sees_grant(self, grant: Grant) -> bool:
        return self.all or self.caller.user in grant.subject.users or self._owns(grant.dataset)

    def sees_role(self, name: str, opened: Iterable[str]) -> bool:
        """A role of somebody else shows to who owns everything that it opens."""
        return self.all or name == self.caller.user or all(map(self._owns, opened))

    def _owns(self, reference: str) -> bool:
        facts = self.facts.get(reference)
        return facts is not None and self.datasets.sees(self.caller, facts)


def _roles(moment: Moment, mine: _Mine, read: Mapping[str, set[str]]) -> Iterator[UnusedRight]:
    view = moment.view
    opens = {name: _opened(role, mine.facts) for name, role in view.roles.items() if role.read}
    holding = Holding(view, None)
    for name in sorted({*view.people, *moment.given}):
        if gone_because(view, name) is not None:
            continue
        by_role: dict[str, Principal] = {}
        for who in person_by_session(view, name, moment.given)[0]:
            by_role = {**dict.fromkeys(resolve(who.subject, view.roles).roles, who), **by_role}
        for role, who in sorted(by_role.items(), key=lambda each: each[0]):
            datasets = opens.get(role)
            if not datasets or not datasets.isdisjoint(read.get(name, ())) or not mine.sees_role(name, datasets):
                continue
            yield UnusedRight(
                kind=ROLE_,
                name=role,
                person=name,
                dataset=None,
                since=None,
                how=tuple(holding.of(who, Rule("role", role, ""))),
            )


def _ownership(mine: _Mine, read: Mapping[str, set[str]]) -> Iterator[UnusedRight]:
    for reference, facts in mine.facts.items():
        for user in sorted(facts.owners.users):
            if mine.sees(user, reference) and reference not in read.get(user, ()):
                yield UnusedRight(
                    kind=OWNER, name=reference, person=user, dataset=reference, since=None, how=("named",)
                )


def _opened(role: Role, facts: Mapping[str, DatasetFacts]) -> set[str]:
    """The datasets that a role's own read targets name; what it inherits is a role of its own."""
    return {
        reference
        for reference, each in facts.items()
        for target in role.read
        if (target.dataset is None or dataset_matches(target.dataset, reference))
        and (target.tag is None or target.tag in each.tags)
        and (target.dataset is not None or target.tag is not None)
    }


def _about(pattern: str, wanted: str | None) -> bool:
    return wanted is None or dataset_matches(pattern, wanted) or dataset_matches(wanted, pattern)
