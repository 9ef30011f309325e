"""Who is notified of an event, of what topic, and why. A pure function of the event and of people."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from catalog.event_model import TYPE_PREFIX, Event
from policies.notify.notices import Topic


class People(Protocol):
    """Names of people; those who are gone are not among them."""

    def deciders(self, request: str) -> Collection[str]:
        """Who can decide the present stage of a request."""

    def requester(self, request: str) -> str | None: ...

    def participants(self, request: str) -> Collection[str]:
        """The requester, who decided, and who wrote into the thread, as far as they may see the request now."""

    def owners(self, dataset: str) -> Collection[str]: ...

    def members(self, group: str) -> Collection[str]: ...

    def managers(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Notified:
    """Who, of which topic; `why` chooses the words."""

    user: str
    topic: Topic
    why: str


def notified(event: Event, people: People) -> list[Notified]:
    """Everybody an event concerns, each once, without the person who did it. Other events concern nobody."""
    matches: dict[str, Notified] = {}
    for each in _all(event, people):
        matches.setdefault(each.user, each)
    if event.type != f"{TYPE_PREFIX}notice.test":
        matches.pop(str(event.data.get("by", "")), None)
    return [matches[user] for user in sorted(matches)]


def _all(event: Event, people: People) -> Iterable[Notified]:
    kind, about, data = event.type.removeprefix(TYPE_PREFIX), event.subject, event.data
    dataset = str(data.get("dataset") or about)
    match kind:
        case "access.requested":
            yield from _each(people.deciders(about), Topic.REQUESTS, "decide")
        case "access.decided" if data.get("state") in ("approved", "denied", "pending"):
            if data["state"] == "pending":
                yield from _each(people.deciders(about), Topic.REQUESTS, "decide")
            else:
                yield from _each(_texts(data.get("requester")), Topic.OUTCOMES, str(data["state"]))
        case "access.asked_back":
            yield from _each(_texts(data.get("requester")), Topic.OUTCOMES, "asked")
        case "access.commented":
            yield from _each(people.participants(about), Topic.COMMENTS, "comment")
            if data.get("state") == "pending":
                yield from _each(people.deciders(about), Topic.COMMENTS, "comment")
        case "access.escalated":
            yield from _each(_texts(data.get("people")), Topic.ESCALATIONS, "escalated")
        case "grant.expiring":
            yield from _each(_texts(data.get("user")), Topic.EXPIRY, "expiring")
            for group in _texts(data.get("group")):
                yield from _each(people.members(group), Topic.EXPIRY, "expiring")
        case "grant.revoked":
            yield from _each(_texts(data.get("user")), Topic.OUTCOMES, "revoked")
        case "breakglass.used":
            yield from _each(people.deciders(about), Topic.REQUESTS, "review")
            yield from _each(people.owners(dataset), Topic.REQUESTS, "used")
        case "breakglass.overdue":
            yield from _each(people.deciders(about), Topic.ESCALATIONS, "review")
            yield from _each(people.managers(), Topic.ESCALATIONS, "overdue")
        case "rights.drift":
            yield from _each(people.managers(), Topic.OTHER, "named")
        case "reference.broken" | "reference.kept":
            yield from _each(people.owners(dataset), Topic.DATA, kind)
        case "incident.assigned":
            yield from _each(_texts(data.get("assignee")), Topic.DATA, "assigned")
        case "incident.affects":
            yield from _each(_texts(data.get("people")), Topic.DATA, "affected")
            for group in _texts(data.get("group")):
                yield from _each(people.members(group), Topic.DATA, "affected")
        case "impact.announced":
            yield from _each(_texts(data.get("people")), Topic.DATA, "impact")
            for group in _texts(data.get("group")):
                yield from _each(people.members(group), Topic.DATA, "impact")
        case "incident.commented":
            yield from _each(_texts(data.get("assignee")), Topic.COMMENTS, "discussed")
        case "question.asked":
            owners = people.owners(dataset)
            yield from _each(owners, Topic.COMMENTS, "questioned")
            if not owners:
                yield from _each(people.managers(), Topic.COMMENTS, "questioned")
        case "question.answered" | "question.accepted":
            yield from _each(_texts(data.get("user")), Topic.COMMENTS, kind)
        case "view.failed" | "incident.opened" | "incident.resolved":
            users = [*_texts(data.get("people")), *_texts(data.get("user"))]
            members = [member for group in _texts(data.get("group")) for member in people.members(group)]
            owners = [*people.owners(dataset), *users, *members]
            yield from _each(owners, Topic.DATA, "owner")
            yield from _each(_texts(data.get("assignee")), Topic.DATA, "assignee")
            if not owners:
                yield from _each(people.managers(), Topic.DATA, "unowned")
        case _ if isinstance(data.get("people"), list | tuple):
            topic = Topic.CAMPAIGNS if kind.startswith("campaign.") else Topic.OTHER
            yield from _each(_texts(data["people"]), topic, "named")


def _each(users: Iterable[str], topic: Topic, why: str) -> Iterable[Notified]:
    return [Notified(user, topic, why) for user in users]


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str) and each]
