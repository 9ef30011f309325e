"""One row for each topic and principal: granted, possible, used. Pure but for what it is given to ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from catalog.broker_acls import EVERYONE, BrokerAcl, BrokerAcls, Operation, Resource
from catalog.entities import is_personal
from policies.broker_rights.authorizer import NOWHERE, OPERATIONS, Authorizer, OnResource, Possible
from policies.broker_rights.difference import is_mark
from policies.broker_rights.granted import NOT_GRANTED, Granted, GrantedOn
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Principals
from policies.broker_rights.requested import GrantedOnCopy
from policies.broker_rights.used import NOTHING_USED, Attribution, Usage, Used, used
from policies.model import DatasetFacts
from policies.personal_data import is_personal_dataset


class Personal(StrEnum):
    """What is known of personal data in a dataset."""

    YES = "yes"
    NOT_SCANNED = "notScanned"
    NO = "no"


@dataclass(frozen=True, slots=True)
class RightsRow:
    """What one principal may do with one topic.

    possible   operation -> from where; operations that are not possible from anywhere are left out
    only_everyone  everything that is possible is possible to everybody
    granted    None where it is not known who the principal is
    """

    reference: str
    personal: Personal
    principal: BrokerPrincipal
    super_user: bool
    possible: Mapping[Operation, Possible]
    only_everyone: bool
    granted: Granted | None
    used: Used

    @property
    def reads(self) -> Possible:
        """Whether and from where the values can be read."""
        return self.possible.get(Operation.READ, NOWHERE)

    @property
    def writes(self) -> Possible:
        """Whether and from where records can be written."""
        return self.possible.get(Operation.WRITE, NOWHERE)

    @property
    def acls(self) -> tuple[BrokerAcl, ...]:
        """The ACLs that open something, sorted."""
        return tuple(sorted({acl for each in self.possible.values() for acl in each.acls}))


@dataclass(frozen=True, slots=True)
class TopicRights:
    """The rows of one topic, by principal, and the groups that read it of which nobody is known to be the reader."""

    reference: str
    personal: Personal
    rows: tuple[RightsRow, ...]
    unattributed: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    """Jobs that lineage knows to read it."""


@dataclass
class ClusterRights:
    """The rights of one cluster. Topics are decided on one by one, as they are asked for."""

    name: str
    acls: BrokerAcls
    principals: Principals
    usage: Usage
    problem: str | None = None
    """Why its ACLs could not be read, where that is so."""
    authorizer: Authorizer = field(init=False)

    def __post_init__(self) -> None:
        self.authorizer = Authorizer(self.acls)
        self._attribution = Attribution(self.authorizer, self.usage)
        self._known: dict[str, BrokerPrincipal] = {}
        self._always = sorted(
            {*(self.acls.super_users or ()), *self.principals.declared, *([self.acls.own] if self.acls.own else [])}
        )

    def principal(self, name: str) -> BrokerPrincipal:
        """Who a principal is."""
        cached = self._known.get(name)
        if cached is None:
            cached = self._known[name] = self.principals.of(name)
        return cached

    def named(self) -> list[BrokerPrincipal]:
        """Every principal that an ACL, the setting of super users or a document names, by name; without `User:*`
        and the marks of Weirs."""
        names = {*self._always, *(acl.principal for acl in self.acls.acls if not is_mark(acl))} - {EVERYONE}
        return [self.principal(name) for name in sorted(names)]

    def on(self, facts: DatasetFacts, granted: GrantedOn | GrantedOnCopy) -> TopicRights:
        """The rows of one topic. Principals of which nothing is possible, granted or used are left out."""
        topic = facts.id.name
        on = self.authorizer.on(Resource.TOPIC, topic)
        personal = personal_of(facts)
        everyone = _possible(on, EVERYONE)
        named = sorted({*self._always, *on.principals} - {EVERYONE})
        # Who is in no ACL about the topic may do what everybody may.
        own = {*on.principals, *(self.acls.super_users or ())}
        possible = {name: _possible(on, name) if name in own else everyone for name in named}
        readers = [
            self.principal(name)
            for name in named
            if possible[name].get(Operation.READ, NOWHERE).somewhere and not self._is_super(name)
        ]
        theirs, perhaps, unknown = self._attribution.of(topic, readers)
        rows: list[RightsRow] = []
        if everyone:
            who = self.principal(EVERYONE)
            rows.append(RightsRow(facts.reference, personal, who, False, everyone, False, None, NOTHING_USED))
        for name in named:
            who = self.principal(name)
            shown = granted.to(who.who) if who.mapping is MappingState.MAPPED and who.who is not None else None
            use = used(who, facts.reference, theirs.get(name, ()), perhaps.get(name, ()), self.usage)
            if not possible[name] and (shown is None or shown == NOT_GRANTED) and use == NOTHING_USED:
                continue
            same = bool(possible[name]) and possible[name].keys() <= everyone.keys() and not self._is_super(name)
            rows.append(
                RightsRow(
                    reference=facts.reference,
                    personal=personal,
                    principal=who,
                    super_user=self._is_super(name),
                    possible=possible[name],
                    only_everyone=same and _same(possible[name], everyone),
                    granted=shown,
                    used=use,
                )
            )
        jobs = sorted({r.name for r in self.usage.readers.get(facts.reference, ()) if not r.is_group})
        return TopicRights(
            facts.reference, personal, tuple(rows), tuple(sorted(group.name for group in unknown)), tuple(jobs)
        )

    def _is_super(self, principal: str) -> bool:
        return principal in (self.acls.super_users or ())


def _possible(on: OnResource, principal: str) -> dict[Operation, Possible]:
    every = ((operation, on.possible(principal, operation)) for operation in OPERATIONS[Resource.TOPIC])
    return {operation: each for operation, each in every if each.somewhere or each.unknown}


def _same(mine: Mapping[Operation, Possible], everyone: Mapping[Operation, Possible]) -> bool:
    """Whether somebody may do nothing from anywhere that everybody may not do from there."""
    return all(
        bool(everyone[operation].others) >= bool(each.others)
        and (bool(everyone[operation].others) or set(each.hosts) <= set(everyone[operation].hosts))
        and not set(everyone[operation].barred) - set(each.barred)
        for operation, each in mine.items()
    )


def personal_of(facts: DatasetFacts) -> Personal:
    """Whether a dataset has personal data, as far as scans and declarations know."""
    tags: Iterator[str] = (tag for each in facts.fields for tag in each.tags)
    if any(is_personal(tag) for tag in tags) or any(is_personal_dataset(tag) for tag in facts.tags):
        return Personal.YES
    unknown = not facts.fields or any(not each.classified for each in facts.fields)
    return Personal.NOT_SCANNED if unknown else Personal.NO


def matching(
    topics: Iterable[TopicRights], principal: str | None = None, person: str | None = None
) -> Iterator[RightsRow]:
    """The rows of a principal, or of the principals that a person, group or program is; of `User:*` too, as it is for all."""
    for topic in topics:
        for row in topic.rows:
            name, who = row.principal.principal, row.principal.who
            mine = principal is None or name == principal
            if person is not None:
                mine = mine and who is not None and who[1] == person
            everybody = name == EVERYONE and (principal is not None or person is not None)
            if mine or everybody:
                yield row


def most_first(rows: Iterable[RightsRow]) -> Sequence[RightsRow]:
    """By dataset and principal."""
    return sorted(rows, key=lambda row: (row.reference, row.principal.principal))
