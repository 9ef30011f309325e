"""Answers about the consumer groups and connectors of a cluster."""

from __future__ import annotations

from api.edge.answer import Answer, about


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
