"""What is used: consumer groups and whose they are, jobs, and reading through Weir. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from catalog.broker_acls import Operation, Resource
from policies.broker_rights.authorizer import Authorizer
from policies.broker_rights.principals import BrokerPrincipal, MappingState


@dataclass(frozen=True, slots=True)
class ReadingGroup:
    """A consumer group as the brokers know it: topics with committed offsets or a member, client ids of its members."""

    name: str
    active: bool
    clients: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reader:
    """A job or consumer group that lineage knows to read a topic; `seen`: when it last did."""

    name: str
    is_group: bool
    seen: datetime
    owners: tuple[str, ...] = ()


class Use(StrEnum):
    """Whether a right at the brokers is used."""

    USED = "used"
    UNUSED = "unused"
    NOT_KNOWN = "notKnown"


@dataclass(frozen=True, slots=True)
class Used:
    """What is used of a right to read a topic.

    state    of the right at the brokers
    groups   consumer groups that are the principal's
    perhaps  groups that may be theirs or another's
    seen     when a group of theirs last had a member, as far as that is known
    jobs     jobs that read the topic and whose owner the person is
    through_weir  when the person last read the topic through Weir, in the days that are looked at
    """

    state: Use = Use.NOT_KNOWN
    groups: tuple[ReadingGroup, ...] = ()
    perhaps: tuple[str, ...] = ()
    seen: datetime | None = None
    jobs: tuple[str, ...] = ()
    through_weir: datetime | None = None


NOTHING_USED = Used()


@dataclass(frozen=True)
class Usage:
    """What is known of the use of one cluster.

    groups   its consumer groups; None where they could not be read
    readers  `CLUSTER/TOPIC` -> who reads it, as lineage knows; empty where lineage was not asked
    reads    (person, `CLUSTER/TOPIC`) -> when they last read it through Weir
    """

    groups: Sequence[ReadingGroup] | None
    readers: Mapping[str, Sequence[Reader]]
    reads: Mapping[tuple[str, str], datetime]
    now: datetime
    days: int
    by_topic: dict[str, list[ReadingGroup]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for group in self.groups or ():
            for topic in group.topics:
                self.by_topic.setdefault(topic, []).append(group)


class Attribution:
    """Whose the consumer groups of a cluster are.

    The brokers do not show which principal a member signs in with. A group is a principal's where its document lists the group
    or a client id, else where it is the only one whose ACLs let it READ both the group and the topic.
    """

    def __init__(self, authorizer: Authorizer, usage: Usage) -> None:
        self._authorizer, self._usage = authorizer, usage
        self._may_join: dict[str, frozenset[str]] = {}

    def of(
        self, topic: str, readers: Sequence[BrokerPrincipal]
    ) -> tuple[dict[str, list[ReadingGroup]], dict[str, list[str]], list[ReadingGroup]]:
        """(principal -> its groups, principal -> names of groups that may be its, groups of nobody who is known).

        `readers`: principals that may READ the topic by ACLs of their own.
        """
        theirs: dict[str, list[ReadingGroup]] = {}
        perhaps: dict[str, list[str]] = {}
        unknown: list[ReadingGroup] = []
        for group in self._usage.by_topic.get(topic, ()):
            owners = [each for each in readers if each.reads_with(group.name, group.clients)]
            certain = len(owners) == 1
            if not owners:
                joining = self._joining(group.name, readers)
                owners = [each for each in readers if each.principal in joining]
                certain = len(owners) == 1
            if certain:
                theirs.setdefault(owners[0].principal, []).append(group)
            else:
                unknown.append(group)
                for each in owners:
                    perhaps.setdefault(each.principal, []).append(group.name)
        return theirs, perhaps, unknown

    def _joining(self, group: str, readers: Sequence[BrokerPrincipal]) -> frozenset[str]:
        """Principals whose own ACLs let them READ a group."""
        if group not in self._may_join:
            on = self._authorizer.on(Resource.GROUP, group)
            self._may_join[group] = frozenset(
                each for each in on.principals if on.possible(each, Operation.READ).somewhere
            )
        return self._may_join[group] & {each.principal for each in readers}


def used(
    principal: BrokerPrincipal,
    reference: str,
    groups: Iterable[ReadingGroup],
    perhaps: Iterable[str],
    usage: Usage,
) -> Used:
    """What a principal uses of its right to read a topic."""
    mine = tuple(sorted(groups, key=lambda each: each.name))
    perhaps = tuple(sorted(perhaps))
    readers = usage.readers.get(reference, ())
    person = principal.who[1] if principal.mapping is MappingState.MAPPED and principal.who is not None else None
    through_weir = usage.reads.get((person, reference)) if person is not None else None
    if not mine and not perhaps and not readers and through_weir is None:
        return NOTHING_USED
    seen_by_name = {reader.name: reader.seen for reader in readers if reader.is_group}
    last = [usage.now for group in mine if group.active]
    last += [seen_by_name[group.name] for group in mine if group.name in seen_by_name]
    seen = max(last, default=None)
    since = usage.now - timedelta(days=usage.days)
    state = Use.NOT_KNOWN
    if seen is not None and seen >= since:
        state = Use.USED
    elif seen is not None and not perhaps:
        state = Use.UNUSED
    return Used(
        state=state,
        groups=mine,
        perhaps=perhaps,
        seen=seen,
        jobs=tuple(sorted(r.name for r in readers if not r.is_group and person is not None and person in r.owners)),
        through_weir=through_weir,
    )
