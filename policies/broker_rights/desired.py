"""Which ACLs are due at the brokers of a cluster, by what Weir grants; and why an ACL is not due. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from catalog.broker_acls import WILDCARD, BrokerAcl, Operation, Pattern, Resource, printable
from policies.broker_rights.changes import ChangeKind
from policies.broker_rights.cluster_knowledge import ClusterKnowledge
from policies.broker_rights.consumers import ActiveGrants, Consumers
from policies.broker_rights.copies import MaskedCopy
from policies.broker_rights.granted import Granted, GrantedOn
from policies.broker_rights.on_copies import OnCopies
from policies.broker_rights.principals import BrokerPrincipal, MappingState, Who
from policies.broker_rights.requested import Reads, RequestedRead, requested_reads
from policies.effective.shown import NOTHING
from policies.matching import EVERYTHING


@dataclass(frozen=True, slots=True)
class Due:
    """Why an ACL is due.

    adopted    it takes the place of an adopted one, and stays while the right does
    requested  people approved it as a request for a consumer, so no one has to apply it
    """

    kind: ChangeKind
    reason: str
    adopted: bool = False
    requested: bool = False


@dataclass(frozen=True, slots=True)
class NotDue:
    """Why an ACL is not due. `decided`: Weir knows who the principal is, and that they may not read the topic whole."""

    kind: ChangeKind
    reason: str
    decided: bool = False


class Desired:
    """The ACLs that are due. Each topic is decided on once."""

    def __init__(self, known: ClusterKnowledge, adopted: Iterable[BrokerAcl] = ()) -> None:
        """`adopted`: ACLs to READ topics that are in the care of Weir and that it did not make."""
        self._known = known
        view = known.holders.moment.view
        self._grants = ActiveGrants(view.grants.values(), known.holders.moment.at)
        self._adopted = tuple(adopted)
        self._consumers = Consumers(
            known.reference, known.principals.values(), known.holders, self._grants, self._adopted, known.copies
        )
        self._on: dict[str, GrantedOn] = {}
        self._requested: list[RequestedRead] | None = None
        self.notes: list[str] = []
        self.ended: set[BrokerAcl] = set()
        """Adopted ACLs that open a topic to somebody who may not read it whole."""

    def acls(self, topics: Iterable[str] | None = None) -> dict[BrokerAcl, Due]:
        """The ACLs that are due on topics, with what their readers need beside; of all topics when none are named."""
        due: dict[BrokerAcl, Due] = {}
        readers: set[str] = set()
        topics = frozenset(topics) if topics is not None else None
        for topic in sorted(self._known.facts if topics is None else topics):
            if topic not in self._known.facts or (self._known.topics is not None and topic not in self._known.topics):
                continue
            self._of_topic(topic, due, readers)
        asked_for = {each.principal for each in self.requested() if each.reads in (Reads.TOPIC, Reads.COPY)}
        for each in self.requested():
            if each.reads is Reads.COPY and (topics is None or each.topic in topics):
                self._of_copy(each, due, readers)
        for principal in sorted(readers):
            due.update(self._beside(principal, principal in asked_for))
        self.ended |= {acl for acl in self._adopted if self._is_known(acl.principal) and self._on_copies.opened(acl)}
        return due

    def _is_known(self, principal: str) -> bool:
        who = self._known.principals.get(principal)
        return who is not None and who.mapping is MappingState.MAPPED

    @cached_property
    def _on_copies(self) -> OnCopies:
        known = self._known

        def may_not(principal: str, topic: str) -> bool:
            who = known.principals.get(principal)
            return who is None or self.may_not(who, topic) is not None

        return OnCopies(known.own_copies.values(), self.requested(), known.facts, may_not)

    def requested(self) -> Sequence[RequestedRead]:
        """What consumers with an approved request read of the topics that are known."""
        known = self._known
        if self._requested is None and known.decide is not None:
            self._requested = requested_reads(
                known.holders,
                known.facts,
                known.principals,
                known.own_copies,
                known.decide,
                lambda who, topic: self.may_not(who, topic) is None,
                known.unscanned_is_sensitive,
            )
        return self._requested or ()

    def _of_copy(self, read: RequestedRead, due: dict[BrokerAcl, Due], readers: set[str]) -> None:
        assert read.topic is not None  # it reads a copy
        known = self._known
        if read.principal in known.super_users or (known.topics is not None and read.topic not in known.topics):
            return
        until = f"{read.grant.valid_to:%Y-%m-%d %H:%M}"
        reason = f"{read.principal} may see {read.source} masked by grant {read.grant.name} until {until}, as this copy has it."
        acl = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, read.topic, read.principal, WILDCARD, Operation.READ, True)
        due[acl] = Due(ChangeKind.TOPIC_READ, reason, requested=True)
        readers.add(read.principal)

    def _of_topic(self, topic: str, due: dict[BrokerAcl, Due], readers: set[str]) -> None:
        reference = self._known.reference(topic)
        adopted = list(self._consumers.adopted(topic))
        by_request = {r.principal for r in self.requested() if r.reads is Reads.TOPIC and r.topic == topic}
        hosts: dict[str, set[str]] = {}
        for acl in adopted:
            hosts.setdefault(acl.principal, set()).add(acl.host)
        for principal in sorted(self._consumers.of(topic)):
            who = self._known.principals.get(principal)
            refusal = self.may_not(who, topic) if who is not None else None
            if refusal is not None and refusal.decided:
                self.ended |= {acl for acl in adopted if acl.principal == principal}
            if who is None or refusal is not None or principal in self._known.super_users:
                continue
            granted = self.granted(who, topic)
            assert who.who is not None  # else it may not
            ways = ", ".join(granted.ways) or "what is declared"
            until = f" until {granted.until:%Y-%m-%d %H:%M}" if granted.until is not None else ""
            reason = f"{principal} ({who.who[1]}) may see all of {reference} by {ways}{until}, and consumes it."
            for host in sorted(hosts.get(principal, {WILDCARD})):
                acl = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, topic, principal, host, Operation.READ, True)
                due[acl] = Due(ChangeKind.TOPIC_READ, reason, principal in hosts, principal in by_request)
            readers.add(principal)

    def _cut_member(self, principal: BrokerPrincipal, topic: str) -> NotDue | None:
        """Why a group may not read a topic that it may see whole: one who shares its principal may not see all of it."""
        assert principal.who is not None
        kind, group = principal.who
        for name in self._known.holders.members(group) if kind == "group" else ():
            granted = self._granted(("user", name), topic)
            if granted.gone is None and not granted.raw:
                return NotDue(
                    ChangeKind.RIGHT_ENDED,
                    f"{name} of the group {group} may not see all of {self._known.reference(topic)}, and reads with"
                    f" {principal.principal} too.",
                    decided=True,
                )
        return None

    def granted(self, who: BrokerPrincipal, topic: str) -> Granted:
        """What Weir shows a mapped principal of a topic that the catalog holds."""
        assert who.who is not None
        return self._granted(who.who, topic)

    def _granted(self, who: Who, topic: str) -> Granted:
        on = self._on.get(topic)
        if on is None:
            facts = self._known.facts[topic]
            grants = self._grants.about(facts.reference) if not facts.sources else None
            on = GrantedOn(self._known.holders, facts, self._known.unscanned_is_sensitive, grants)
            self._on[topic] = on
        return on.to(who)

    def may_not(self, who: BrokerPrincipal, topic: str) -> NotDue | None:
        """Why a principal may not read a topic whole; None: it may."""
        reference = self._known.reference(topic)
        if topic not in self._known.facts:
            return NotDue(
                ChangeKind.NOT_CATALOGUED, f"The catalog does not hold {reference}, so nothing of it is granted."
            )
        if who.mapping is not MappingState.MAPPED or who.who is None:
            return NotDue(ChangeKind.PRINCIPAL_UNKNOWN, who.note or _unmapped(who.principal))
        facts = self._known.facts[topic]
        if not facts.fields and self._known.unscanned_is_sensitive:
            return NotDue(
                ChangeKind.RIGHT_ENDED, f"No scan has looked at {reference} yet, so it counts as personal data."
            )
        granted = self.granted(who, topic)
        if granted.raw:
            return self._cut_member(who, topic)
        name = who.who[1]
        if granted.gone is not None:
            return NotDue(ChangeKind.PERSON_GONE, f"{name} {granted.gone}.", decided=True)
        if granted.shows == NOTHING:
            reason = f"Nothing of {reference} is granted to {name} now."
        elif granted.rows and granted.shows == "clear":
            reason = f"{name} may see a part of the rows of {reference} only, and the topic has them all."
        else:
            masks = f" ({', '.join(granted.masks)})" if granted.masks else ""
            reason = f"{name} sees fields of {reference} masked{masks} or not at all, and the topic has them unmasked."
        return NotDue(ChangeKind.RIGHT_ENDED, reason, decided=True)

    def why_not(self, acl: BrokerAcl) -> NotDue:
        """Why an ACL that is not due is not."""
        who = self._known.principals.get(acl.principal)
        if acl.resource is not Resource.TOPIC:
            return NotDue(
                ChangeKind.NOT_DECLARED,
                f"{printable(acl.principal)} reads no topic by an ACL of Weir, or no document lists {printable(acl.name)} for it"
                " any more.",
            )
        if acl.pattern is Pattern.LITERAL and acl.name != WILDCARD:
            topics: Sequence[str] = [acl.name]
            if self._known.topics is not None and acl.name not in self._known.topics:
                return NotDue(
                    ChangeKind.TOPIC_GONE,
                    f"The topic {acl.name} is not there any more; one made again by this name would be open at once.",
                )
            copy = next((each for each in self._known.own_copies.values() if each.topic == acl.name), None)
            if copy is not None:
                return NotDue(ChangeKind.RIGHT_ENDED, self._copy_ended(acl, copy), decided=True)
        else:
            topics = [each for each in sorted(self._known.facts) if acl in set(self._consumers.adopted(each))]
        if who is None:
            return NotDue(ChangeKind.PRINCIPAL_UNKNOWN, _unmapped(acl.principal))
        refusals = [refusal for topic in topics if (refusal := self.may_not(who, topic)) is not None]
        if refusals:
            return next((each for each in refusals if each.decided), refusals[0])
        if (opened := self._on_copies.opened(acl)) is not None:
            return NotDue(ChangeKind.RIGHT_ENDED, self._copy_ended(acl, opened), decided=True)
        return NotDue(
            ChangeKind.NOT_DECLARED,
            f"No document lists {printable(self._known.reference(acl.name))} under consumes for {printable(acl.principal)}, and no"
            " grant opens it.",
        )

    def _copy_ended(self, acl: BrokerAcl, copy: MaskedCopy) -> str:
        """Why a principal may not read a copy that Weir made."""
        for each in self.requested():
            if each.principal == acl.principal and each.source == copy.source:
                if each.topic == copy.topic:
                    return f"{copy.topic} cannot be read now: {each.text}"
                if each.topic is not None:
                    return (
                        f"What {printable(acl.principal)} may see of {copy.source} changed; it reads {each.topic} now."
                    )
                return each.text
        return f"No grant lets {printable(acl.principal)} see {copy.source} masked any more."

    def opens_without_right(self, acl: BrokerAcl) -> bool:
        """Whether an ACL to read topics is about one that the catalog holds and that its principal may not read whole, or about a
        masked copy that it may not read."""
        if self._on_copies.opened(acl) is not None:
            return True
        if acl.pattern is Pattern.LITERAL and acl.name != WILDCARD:
            topics: Iterable[str] = [acl.name] if acl.name in self._known.facts else []
        else:
            begin = "" if acl.name == WILDCARD else acl.name
            topics = (topic for topic in self._known.facts if topic.startswith(begin))
        who = self._known.principals.get(acl.principal)
        return any(who is None or self.may_not(who, topic) is not None for topic in topics)

    def _beside(self, principal: str, requested: bool) -> dict[BrokerAcl, Due]:
        """What a reader needs beside READ on topics: its groups and transactional ids, as its documents list them."""
        who = self._known.principals[principal]
        due: dict[BrokerAcl, Due] = {}
        parts = (
            (Resource.GROUP, Operation.READ, ChangeKind.GROUP_READ, "consumer group", "consumer_groups"),
            (
                Resource.TRANSACTIONAL_ID,
                Operation.WRITE,
                ChangeKind.TRANSACTIONAL_WRITE,
                "transactional id",
                "transactional_ids",
            ),
        )
        for resource, operation, kind, word, key in parts:
            for name in sorted({each for spec in who.specs for each in getattr(spec, key)}):
                pattern = _pattern(name)
                if pattern is None:
                    self.notes.append(
                        f"The {word} {name} of {principal} cannot be an ACL: write a name, or its beginning and *."
                    )
                    continue
                acl = BrokerAcl(resource, pattern[0], pattern[1], principal, WILDCARD, operation, True)
                documents = ", ".join(who.by)
                reason = f"The document {documents} lists the {word} {name}, and {principal} reads topics."
                due[acl] = Due(kind, reason, requested=requested)
        if not any(acl.resource is Resource.GROUP for acl in due):
            self.notes.append(
                f"No document lists consumerGroups for {principal}: it reads by assigned partitions, or by groups of other ACLs."
            )
        return due


def _unmapped(principal: str) -> str:
    return f"No document maps {printable(principal)} to anybody any more."


def _pattern(name: str) -> tuple[Pattern, str] | None:
    """How an ACL names what a pattern fits; None where it cannot."""
    begin, star, rest = name.partition(EVERYTHING)
    if not star:
        return Pattern.LITERAL, name
    if rest:
        return None
    return (Pattern.PREFIXED, begin) if begin else (Pattern.LITERAL, WILDCARD)
