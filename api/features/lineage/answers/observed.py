"""Consumer groups and connectors, as their servers show them now."""

from __future__ import annotations

from api.edge.answer import Answer, about
from api.joins.observing import GroupPage, ObservedConnector
from lineage.observed import groups


class GroupTopic(Answer):
    """A topic that a group reads."""

    topic: str
    partitions: int
    lag: int | None = about("Records behind; null where that is not known or withheld.")


class ConsumerGroup(Answer):
    """A consumer group as the brokers see it now."""

    name: str
    state: str
    members: int
    clients: list[str] = about("Client ids, each once.")
    topics: list[GroupTopic]


class ConsumerGroups(Answer):
    """A page of groups."""

    groups: list[ConsumerGroup]
    total: int
    truncated: bool = about("There are more groups than were looked at.")


class Connector(Answer):
    """A connector of Kafka Connect."""

    name: str
    type: str = about("source or sink.")
    state: str
    tasks: list[str] = about("State of each.")
    topics: list[str]
    outside: list[str] = about("What it joins them with: NAMESPACE/NAME.")
    class_: str = about("Its Java class.", alias="class")
    job: str = about("nodeId.")


class Connectors(Answer):
    """Connectors of a cluster."""

    connectors: list[Connector]


def groups_of(page: GroupPage) -> ConsumerGroups:
    """The answer for a page of consumer groups."""
    return ConsumerGroups(
        groups=[_group_of(group) for group in page.groups], total=page.total, truncated=page.truncated
    )


def _group_of(group: groups.ConsumerGroup) -> ConsumerGroup:
    topics = [GroupTopic(topic=each.topic, partitions=each.partitions, lag=each.lag) for each in group.topics]
    return ConsumerGroup(
        name=group.name, state=group.state, members=group.members, clients=list(group.clients), topics=topics
    )


def connector_of(connector: ObservedConnector) -> Connector:
    """The answer for one connector."""
    return Connector(
        name=connector.name,
        type=connector.type,
        state=connector.state,
        tasks=list(connector.tasks),
        topics=list(connector.topics),
        outside=list(connector.outside),
        class_=connector.java_class,
        job=connector.job,
    )
