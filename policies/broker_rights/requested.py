"""What the consumers with an approved request read: the topic, a masked copy of it, or nothing, and why. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from policies.broker_rights.copies import CopyNeed, CopyRefusal, CopyState, Decide, MaskedCopy, consumer_grants, need_of
from policies.broker_rights.granted import Granted, GrantedOn, Holders
from policies.broker_rights.principals import BrokerPrincipal, Who
from policies.effective.shown import CLEAR
from policies.model import DatasetFacts, Grant

ReadsWhole = Callable[[BrokerPrincipal, str], bool]
"""Whether a principal may read a topic whole."""


class Reads(StrEnum):
    """What a consumer is to read. BUILDING: its copy is not ready yet."""

    TOPIC = "topic"
    COPY = "copy"
    BUILDING = "building"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class RequestedRead:
    """What one consumer reads by one grant. `topic`: the one that is read; `need`: the copy that it needs; `text`: why nothing."""

    grant: Grant
    principal: str
    reads: Reads
    source: str
    topic: str | None = None
    need: CopyNeed | None = None
    copy: MaskedCopy | None = None
    text: str = ""


def requested_reads(
    holders: Holders,
    facts: Mapping[str, DatasetFacts],
    principals: Mapping[str, BrokerPrincipal],
    copies: Mapping[str, MaskedCopy],
    decide: Decide,
    reads_whole: ReadsWhole,
    unscanned_is_sensitive: bool = True,
) -> list[RequestedRead]:
    """Of every active grant for a consumer on these topics. `facts`: topic -> what is known; `copies`: view -> copy."""
    moment = holders.moment
    topics = {each.reference: topic for topic, each in facts.items()}
    collected: list[RequestedRead] = []
    for grant in consumer_grants(moment.view.grants.values(), moment.at):
        topic = topics.get(grant.dataset)
        who = principals.get(grant.consumer or "")
        if topic is None or who is None:
            continue
        if reads_whole(who, topic):
            collected.append(RequestedRead(grant, who.principal, Reads.TOPIC, grant.dataset, topic))
            continue
        members: Sequence[str] = holders.members(who.who[1]) if who.who is not None and who.who[0] == "group" else ()
        need = need_of(grant, who, facts[topic], decide, members, unscanned_is_sensitive)
        collected.append(_by_copy(grant, who.principal, need, copies))
    return collected


def _by_copy(
    grant: Grant, principal: str, need: CopyNeed | CopyRefusal, copies: Mapping[str, MaskedCopy]
) -> RequestedRead:
    if isinstance(need, CopyRefusal):
        return RequestedRead(grant, principal, Reads.NOTHING, grant.dataset, text=need.text)
    copy = copies.get(need.view)
    if copy is None:
        text = f"A masked copy of {need.source} is about to be made."
        return RequestedRead(grant, principal, Reads.BUILDING, need.source, need.topic, need, text=text)
    reads = {CopyState.READY: Reads.COPY, CopyState.BUILDING: Reads.BUILDING, CopyState.FAILED: Reads.NOTHING}
    return RequestedRead(grant, principal, reads[copy.state], need.source, copy.topic, need, copy, copy.text)


class GrantedOnCopy:
    """What is granted on a copy: all of it to its readers, since it holds what they may see; to others by its own rules."""

    def __init__(self, others: GrantedOn, topic: str, requested: Iterable[RequestedRead]) -> None:
        self._others = others
        self._grants = {
            each.need.who: each.grant for each in requested if each.need is not None and each.topic == topic
        }

    def to(self, who: Who) -> Granted:
        """What a person, group or program sees."""
        grant = self._grants.get(who)
        if grant is None:
            return self._others.to(who)
        return Granted(shows=CLEAR, purpose=grant.purpose, until=grant.valid_to, ways=(f"grant {grant.name}",))
