"""The search index, the brokers and the servers of clusters of an instance. Drivers are imported when they are used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from api.config.extras import MEANING
from api.joins.connections import OwnServers
from api.wiring.audit_parts import AuditParts
from api.wiring.given import part

if TYPE_CHECKING:
    from catalog.broker_acls import AclReader, AclWriter
    from catalog.ports import Brokers, Meaning, Receiver, SearchIndex
    from catalog.server_doors import DoorProbe
    from catalog.topic_details import TopicDetails


class ServerParts(AuditParts):
    """What finds records, sends events, and lists topics."""

    @part
    def event_topic(self) -> Receiver | None:
        """The receiver that writes events to Kafka; None when no topic is set."""
        if not self._settings.events.topic:
            return None
        from catalog.adapters.kafka.events import KafkaEvents

        kafka = self._settings.kafka
        topic = KafkaEvents(kafka.bootstrap_servers, self._settings.events, kafka.client_options())
        self.closing.append(topic.close)
        return topic

    @part
    def index(self) -> SearchIndex:
        from catalog.adapters.elastic.index import ElasticSearchIndex

        settings = self._settings.elasticsearch
        key = settings.api_key.get_secret_value() if settings.api_key else None
        password = settings.password.get_secret_value() if settings.password else ""
        catalog = self._settings.catalog
        return ElasticSearchIndex(
            settings.url,
            catalog.search_index,
            api_key=key,
            basic_auth=(settings.username, password) if settings.username else None,
            ca=settings.ca,
            timeout_s=catalog.search_timeout_s,
        )

    @part
    def meaning(self) -> Meaning | None:
        from catalog.adapters.word_vectors import WordVectors

        return WordVectors() if self._settings.catalog.search_by_meaning and not MEANING.missing() else None

    @part
    def brokers(self) -> Brokers:
        from catalog.adapters.kafka.topics import KafkaBrokers

        return KafkaBrokers(self._settings.catalog.broker_timeout_s, self.secrets, self.servers)

    @part
    def topic_details(self) -> TopicDetails:
        from catalog.adapters.kafka.topic_details import KafkaTopicDetails

        return KafkaTopicDetails(self._settings.catalog.broker_timeout_s, self.secrets, self.servers)

    @part
    def acl_reader(self) -> AclReader:
        from catalog.adapters.kafka.broker_acls import KafkaAcls

        return KafkaAcls(self._settings.catalog.broker_timeout_s, self.secrets, self.servers)

    @part
    def door_probe(self) -> DoorProbe:
        """Asks servers of clusters without credentials."""
        from catalog.adapters.door_probe import HttpDoorProbe

        return HttpDoorProbe(self.servers)

    @part
    def acl_writer(self) -> AclWriter:
        from catalog.adapters.kafka.broker_acls import KafkaAcls

        return KafkaAcls(self._settings.catalog.broker_timeout_s, self.secrets, self.servers)

    def client_config(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> dict[str, object]:
        """librdkafka's settings for a declared cluster."""
        from catalog.adapters.kafka.topics import client_config

        return client_config(settings, bootstrap, self.secrets, self.servers)

    def own_servers(self) -> OwnServers:
        """How a scan of an address of the local stack signs in, where that asks for a password."""
        kafka, registry = self._settings.kafka, self._settings.schema_registry
        local = {name for name in ("KAFKA", "REGISTRY") if os.environ.get(f"WEIR_SECRET_STACK_{name}")}
        return OwnServers(
            kafka.bootstrap_servers,
            kafka.sasl_username if "KAFKA" in local else None,
            registry.url or "",
            registry.username if "REGISTRY" in local else None,
        )
