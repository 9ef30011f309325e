"""Brokers as confluent_kafka's AdminClient sees them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, OffsetSpec, ResourceType

from catalog.adapters.kafka.log_sizes import replica_sizes
from catalog.declared.kafka_properties import refusal
from catalog.declared.secrets import Secrets, require_private_kafka
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import SettingsError, Unavailable
from catalog.topics import ClusterDescription, PartitionOffsets, TopicFacts, whole_sum

_CONFIGS = ("cleanup.policy", "retention.ms", "retention.bytes")
GONE = (
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TIMED_OUT,
    KafkaError._TIMED_OUT_QUEUE,
    KafkaError.REQUEST_TIMED_OUT,
)
"""No broker answers; other errors are of one topic, or of what this user may ask."""
_WITHOUT_OFFSETS = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_ID,
)
"""Of a topic whose offsets this user may not ask for, or that was created or deleted since the topics were listed."""
_AT_ONCE = 200  # topics in one request


def client_config(
    settings: Mapping[str, Any],
    bootstrap: Sequence[str],
    secrets: Secrets | None = None,
    servers: ServerAddresses | None = None,
) -> dict[str, object]:
    """librdkafka's settings for a declared cluster (see `cluster_specs.ClusterSpec`), secrets read from where they are.

    Holds secrets: hand it to a client, never to a log. Raises SettingsError for a secret that is not there, and for what
    may not be declared (any more): a place of a secret, a property, a password without encryption over the network, an address
    that may not be called.
    `own`, a key that no document may have, holds librdkafka's settings of Weir's own Kafka as they are.
    """
    if "own" in settings:
        return {**settings["own"], "bootstrap.servers": ",".join(bootstrap)}
    secrets = secrets or Secrets()
    security = settings.get("security") or {}
    tls, sasl = security.get("tls"), security.get("sasl")
    config: dict[str, object] = dict(settings.get("properties") or {})
    if problem := refusal(config):
        raise SettingsError(f"Declare the cluster again without this: {problem}.")
    require_private_kafka(security, bootstrap)
    (servers or ServerAddresses()).require_brokers(bootstrap)
    config["bootstrap.servers"] = ",".join(bootstrap)
    protocol = ("SASL_" if sasl is not None else "") + ("SSL" if tls is not None else "PLAINTEXT")
    if protocol != "PLAINTEXT":
        config["security.protocol"] = protocol
    if tls is not None:
        if tls.get("verifyHostname") is False:
            config["ssl.endpoint.identification.algorithm"] = "none"
        for ours, theirs in (
            ("ca", "ssl.ca.location"),
            ("certificate", "ssl.certificate.location"),
            ("key", "ssl.key.location"),
        ):
            if tls.get(ours):
                config[theirs] = secrets.file(tls[ours], f"security.tls.{ours}", authorities=ours == "ca")
        if tls.get("keyPassword"):
            config["ssl.key.password"] = secrets.read(tls["keyPassword"], "security.tls.keyPassword")
    if sasl is not None:
        config["sasl.mechanism"] = sasl.get("mechanism", "PLAIN")
        config["sasl.username"] = secrets.read(sasl.get("username"), "security.sasl.username")
        config["sasl.password"] = secrets.read(sasl.get("password"), "security.sasl.password")
    return config


class KafkaBrokers:
    """See `catalog.ports.Brokers`. Every call opens a connection; nothing is kept open."""

    def __init__(
        self, timeout_s: float = 5.0, secrets: Secrets | None = None, servers: ServerAddresses | None = None
    ) -> None:
        self._timeout = timeout_s
        self._secrets = secrets or Secrets()
        self._servers = servers or ServerAddresses()

    def describe(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> ClusterDescription:
        """Raises Unavailable naming the addresses within the timeout; SettingsError for a secret that is not there."""
        with self._admin(settings, bootstrap) as (admin, errors):
            metadata = self._listed(admin, bootstrap, errors)
            brokers = tuple(sorted(f"{b.host}:{b.port}" for b in metadata.brokers.values()))
            if "own" not in settings:
                self._servers.require_brokers(brokers, "The brokers' own list (advertised.listeners)")
            return ClusterDescription(metadata.cluster_id, brokers)

    def topics(self, settings: Mapping[str, Any], bootstrap: Sequence[str], offsets: bool = True) -> list[TopicFacts]:
        """Every topic, by name. A topic whose configuration may not be read comes without it."""
        with self._admin(settings, bootstrap) as (admin, errors):
            metadata = self._listed(admin, bootstrap, errors)
            names = sorted(metadata.topics)
            configs = self._configs(admin, names, bootstrap)
            internal = self._internal(admin, names, bootstrap)
            ends = self._offsets(admin, metadata.topics, bootstrap, errors) if offsets else {}
            sizes = self._sizes(settings, bootstrap, metadata, None) if offsets else {}
            return [
                TopicFacts(
                    name=name,
                    partitions=len(metadata.topics[name].partitions),
                    replication=max((len(p.replicas) for p in metadata.topics[name].partitions.values()), default=1),
                    internal=name in internal,
                    cleanup_policy=configs.get(name, {}).get("cleanup.policy"),
                    retention_ms=_number(configs.get(name, {}).get("retention.ms")),
                    retention_bytes=_number(configs.get(name, {}).get("retention.bytes")),
                    offsets=tuple(ends.get(name, ())),
                    size=whole_sum(sizes.get((name, number)) for number in metadata.topics[name].partitions),
                    configs=configs.get(name, {}),
                )
                for name in names
            ]

    @contextmanager
    def _admin(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str]
    ) -> Iterator[tuple[AdminClient, list[KafkaError]]]:
        errors: list[KafkaError] = []
        config = client_config(settings, bootstrap, self._secrets, self._servers) | {
            "error_cb": errors.append,
            "log_level": 0,  # its own log lines would go to stderr, and may quote the configuration
            "socket.connection.setup.timeout.ms": int(self._timeout * 1000),
            "socket.timeout.ms": int(self._timeout * 1000) + 1000,
        }
        try:
            admin = AdminClient(config)
        except KafkaException as error:
            raise self._unavailable(bootstrap, _reason(error.args[0])) from None
        yield admin, errors

    def _listed(self, admin: AdminClient, bootstrap: Sequence[str], errors: Sequence[KafkaError]) -> Any:
        try:
            return admin.list_topics(timeout=self._timeout)
        except KafkaException as error:
            admin.poll(0)  # brings in what was reported meanwhile: the cause
            raise self._unavailable(bootstrap, _worst(errors, error.args[0])) from None

    def _unavailable(self, bootstrap: Sequence[str], reason: str) -> Unavailable:
        address = ",".join(bootstrap)
        return Unavailable(
            f"Kafka at {address} {reason}; check the address and that the broker runs.", details={"server": address}
        )

    def _configs(self, admin: AdminClient, names: Sequence[str], bootstrap: Sequence[str]) -> dict[str, dict[str, str]]:
        configs: dict[str, dict[str, str]] = {}
        for some in _chunks(names):
            resources = [ConfigResource(ResourceType.TOPIC, name) for name in some]
            if not resources:
                continue
            for resource, future in admin.describe_configs(resources, request_timeout=self._timeout).items():
                answer = self._granted(future, bootstrap)
                if answer is not None:
                    configs[resource.name] = {n: answer[n].value for n in _CONFIGS if n in answer and answer[n].value}
        return configs

    def _internal(self, admin: AdminClient, names: Sequence[str], bootstrap: Sequence[str]) -> set[str]:
        topics = set()
        for some in _chunks(names):
            answers = admin.describe_topics(TopicCollection(some), request_timeout=self._timeout)
            for name, future in answers.items():
                answer = self._granted(future, bootstrap)
                if answer is not None and answer.is_internal:
                    topics.add(name)
        return topics

    def _granted(self, future: Future[Any], bootstrap: Sequence[str]) -> Any:
        """The answer, or None where this user may not ask. Raises Unavailable when the broker went away meanwhile."""
        try:
            return future.result(timeout=self._timeout + 1)
        except KafkaException as error:
            if error.args[0].code() in GONE:
                raise self._unavailable(bootstrap, _reason(error.args[0])) from None
            return None
        except TimeoutError:
            raise self._unavailable(bootstrap, "did not answer in time") from None

    def _offsets(
        self, admin: AdminClient, topics: Mapping[str, Any], bootstrap: Sequence[str], errors: Sequence[KafkaError]
    ) -> dict[str, list[PartitionOffsets]]:
        places = [
            TopicPartition(name, partition)
            for name, topic in topics.items()
            for partition, facts in topic.partitions.items()
            if facts.leader >= 0
        ]
        edges: dict[tuple[str, int], list[int]] = {}
        deadline = time.monotonic() + self._timeout * 2
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest()):
            for some in _chunks(places):
                answers = admin.list_offsets(dict.fromkeys(some, spec), request_timeout=self._timeout)
                for place, future in answers.items():
                    try:
                        answer = future.result(timeout=max(0.1, deadline - time.monotonic()))
                    except KafkaException as error:
                        if error.args[0].code() in _WITHOUT_OFFSETS:
                            continue
                        raise self._unavailable(bootstrap, _worst(errors, error.args[0])) from None
                    except TimeoutError:
                        raise self._unavailable(bootstrap, "did not answer in time") from None
                    edges.setdefault((place.topic, place.partition), []).append(answer.offset)
        partitions: dict[str, list[PartitionOffsets]] = {}
        for (topic, partition), both in sorted(edges.items()):
            if len(both) == 2:
                partitions.setdefault(topic, []).append(PartitionOffsets(partition, both[0], both[1]))
        return partitions

    def _sizes(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], metadata: Any, topics: Sequence[str] | None
    ) -> dict[tuple[str, int], int]:
        """Bytes of the leaders' copies, as far as the brokers report them. Everything listed where no topics are named."""
        addresses = [f"{broker.host}:{broker.port}" for broker in metadata.brokers.values()]
        if "own" not in settings:
            self._servers.require_brokers(addresses, "The brokers' own list (advertised.listeners)")
        config = client_config(settings, bootstrap, self._secrets, self._servers)
        copies = replica_sizes(config, sorted(metadata.brokers), topics, self._timeout)
        leaders = {
            (name, number): partition.leader
            for name, topic in metadata.topics.items()
            for number, partition in topic.partitions.items()
        }
        return {place: copies[place][at] for place, at in leaders.items() if at in copies.get(place, ())}


def _chunks(items: Sequence[Any]) -> Iterator[Any]:
    for start in range(0, len(items), _AT_ONCE):
        yield items[start : start + _AT_ONCE]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.lstrip("-").isdigit() else None


def _worst(errors: Sequence[KafkaError], last: KafkaError) -> str:
    """The client reports a time-out last; the cause came before."""
    telling = (KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE, KafkaError._TRANSPORT)
    for code in telling:
        if any(error.code() == code for error in errors):
            return _reason(next(error for error in errors if error.code() == code))
    return _reason(last)


def _reason(error: KafkaError) -> str:
    match error.code():
        case KafkaError._AUTHENTICATION | KafkaError.SASL_AUTHENTICATION_FAILED:
            return "refuses the user name or password"
        case KafkaError._SSL:
            return "does not agree on TLS (wrong certificate, or no TLS at that port)"
        case KafkaError._RESOLVE:
            return "has a host name that is not known"
        case KafkaError._TRANSPORT | KafkaError._ALL_BROKERS_DOWN | KafkaError._TIMED_OUT:
            return "does not answer"
        case KafkaError._INVALID_ARG:
            return "cannot be asked with these properties"
        case _:
            return f"answers with an error ({error.name()})"
