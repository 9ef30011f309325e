"""Answers of `/rights/consumer` and `/rights/copies`."""

from __future__ import annotations

from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from api.features.rights import client_config
from api.features.rights.answers import RightsHolder
from catalog.records import ClusterRecord, rfc3339
from policies.broker_rights.consumer_access import ConsumerAccess
from policies.broker_rights.copy_keeper import KeptCopy


class ClientConfigurations(Answer):
    """What connects a client as the consumer. No secret is in it: passwords and files come from the environment."""

    python: str = about("confluent-kafka for Python.")
    java: str = about("Properties of a Java consumer.")
    console: str = about("Kafka's console consumer, for a shell.")
    spark: str = about("Options of Spark's Kafka source.")
    quix: str = about("An application of Quix Streams.")
    librdkafka: str = about("Settings as lines, as `weir rights try` reads them.")

    @classmethod
    def of(cls, given: client_config.Connection) -> Self:
        return cls(
            python=client_config.python(given),
            java=client_config.java(given),
            console=client_config.console(given),
            spark=client_config.spark(given),
            quix=client_config.quix(given),
            librdkafka=client_config.properties(given),
        )


class ConsumerRight(Answer):
    """What a Kafka consumer may read of a dataset by requests."""

    dataset: str = about("CLUSTER/TOPIC that was requested.")
    principal: str
    who: RightsHolder
    state: Literal["waiting", "building", "opening", "masked", "unmasked", "blocked", "ended", "none"]
    text: str = about("What is so, and what to do next.")
    source: str = about("Name of the topic that was requested.")
    topic: str | None = about("The topic to read: the same, or its masked copy. null: none yet.")
    grant: str | None
    until: Time | None = about("When the grant ends.")
    groups: list[str] = about("Consumer groups that its documents list.")
    clients: ClientConfigurations | None = about("null where there is no topic to read.")

    @classmethod
    def of(cls, access: ConsumerAccess, record: ClusterRecord) -> Self:
        topic = access.topic
        given = (
            client_config.connection(record, access.consumer.principal, topic, access.groups)
            if topic is not None
            else None
        )
        grant = access.grant
        return cls(
            dataset=access.dataset,
            principal=access.consumer.principal,
            who=RightsHolder(kind=access.consumer.kind, name=access.consumer.name),
            state=access.state.value,
            text=access.text,
            source=access.dataset.partition("/")[2],
            topic=topic,
            grant=grant.name if grant is not None else None,
            until=rfc3339(grant.valid_to) if grant is not None else None,
            groups=list(access.groups),
            clients=ClientConfigurations.of(given) if given is not None else None,
        )


class RightsCopy(Answer):
    """A masked copy that Weir made for consumers."""

    dataset: str = about("CLUSTER/TOPIC that it is a copy of.")
    cluster: str
    topic: str
    view: str = about("The view that keeps it.")
    state: Literal["building", "ready", "failed"]
    text: str
    readers: list[str] = about("Principals that need it.")
    removed_at: Time | None = about("When it is removed unless somebody needs it again; null: it is needed.")

    @classmethod
    def of(cls, kept: KeptCopy) -> Self:
        copy = kept.copy
        return cls(
            dataset=copy.source,
            cluster=copy.cluster,
            topic=copy.topic,
            view=copy.view,
            state=copy.state.value,
            text=copy.text,
            readers=list(kept.readers),
            removed_at=rfc3339(kept.removed_at),
        )


class RightsCopies(Answer):
    """Masked copies by topic."""

    copies: list[RightsCopy]
    grace_seconds: float = about("How long a copy stays that nobody needs.")
