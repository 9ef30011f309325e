"""Kafka: Weir's own, and each declared cluster with the servers beside it."""

from __future__ import annotations

from collections.abc import Iterator

from api.features.doctor.findings import Finding, fault, ok, warning
from api.features.doctor.kafka_rights import KafkaRights, kafka_rights
from api.wiring.installation import Subject
from catalog.records import ClusterRecord

_CREATE = "CREATE"


def look_at_kafka(subject: Subject) -> Iterator[Finding]:
    """The Kafka of Weir's own topics: events of lineage, events, heads of the audit."""
    kafka = subject.settings.kafka
    options = kafka.client_options()
    described = subject.parts.brokers.describe({"own": options}, kafka.bootstrap_servers.split(","))
    rights = kafka_rights({**options, "bootstrap.servers": kafka.bootstrap_servers}, own_topics(subject))
    yield ok("kafka", f"{_brokers(len(described.brokers))} at {kafka.bootstrap_servers}{_protocol(rights)}.")
    yield own_rights(rights, own_topics(subject))


def own_topics(subject: Subject) -> list[str]:
    """Names of Weir's own topics by the settings."""
    settings = subject.settings
    heads = [settings.policies.audit_head_topic] if settings.policies.publish_audit_head else []
    events = [settings.events.topic] if settings.events.topic else []
    return [settings.lineage.topic, settings.lineage.dead_letter_topic, *events, *heads]


def own_rights(rights: KafkaRights, needed: list[str]) -> Finding:
    """Weir writes to its topics, and makes those that are missing."""
    missing = [topic for topic in needed if topic not in rights.topics]
    closed = [topic for topic, may in rights.topics.items() if may is not None and not {"READ", "WRITE"} <= may]
    if closed:
        return fault(
            "kafka rights",
            f"Its user may not read and write {', '.join(sorted(closed))}.",
            "Allow READ and WRITE on topics that begin with _weir.",
        )
    if missing and rights.cluster is not None and _CREATE not in rights.cluster:
        return fault(
            "kafka rights",
            f"Its user may not make topics, and these are missing: {', '.join(missing)}.",
            "Allow CREATE on the cluster, or make the topics.",
        )
    later = f"; these are missing and are created when needed: {', '.join(missing)}" if missing else ""
    return ok("kafka rights", f"Its user may read and write Weir's topics{later}.")


def look_at_cluster(subject: Subject, record: ClusterRecord) -> Iterator[Finding]:
    """A declared cluster: its brokers, and what Weir may ask of them."""
    name = f"cluster {record.name}"
    parts = subject.parts
    described = parts.brokers.describe(record.settings, record.bootstrap)
    topics = [
        topic.name
        for topic in parts.brokers.topics(record.settings, record.bootstrap, offsets=False)
        if not topic.internal
    ]
    rights = kafka_rights(parts.client_config(record.settings, record.bootstrap), topics[:50])
    where = ",".join(record.bootstrap)
    yield ok(name, f"{_brokers(len(described.brokers))} at {where} with {len(topics)} topics{_protocol(rights)}.")
    yield from cluster_rights(name, rights, (record.settings.get("rights") or {}).get("mode") == "enforce")


def cluster_rights(name: str, rights: KafkaRights, enforces: bool) -> Iterator[Finding]:
    """Weir reads topics and ACLs; where it enforces rights, it also changes ACLs."""
    name = f"{name} rights"
    closed = [topic for topic, may in rights.topics.items() if may is not None and "READ" not in may]
    if closed:
        some = ", ".join(sorted(closed)[:3]) + (f" and {len(closed) - 3} more" if len(closed) > 3 else "")
        yield warning(
            name, f"Its user may not read {some}, so scans and queries of these fail.", "Allow READ on these topics."
        )
    cluster = rights.cluster
    if enforces and cluster is not None and "ALTER" not in cluster:
        yield fault(
            name,
            "It enforces rights, and its user may not change ACLs.",
            "Allow ALTER on the cluster, or set rights.mode: observe.",
        )
    elif cluster is not None and "DESCRIBE" not in cluster:
        yield warning(
            name,
            "Its user may not see the ACLs, so rights at the brokers are unknown.",
            "Allow DESCRIBE on the cluster.",
        )
    elif not closed:
        yield ok(name, "Its user may read the topics and see the ACLs.")


def _brokers(count: int) -> str:
    return "One broker answers" if count == 1 else f"{count} brokers answer"


def _protocol(rights: KafkaRights) -> str:
    return f", protocol {rights.version}" if rights.version else ""
