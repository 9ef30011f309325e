"""The lineage topic in Kafka, and what its writers and readers share: options, edges of partitions, refusals."""

from __future__ import annotations

from concurrent.futures import TimeoutError as FutureTimeout

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from catalog.errors import Unavailable
from lineage.ports import Record
from lineage.settings import KafkaClientSettings, LineageSettings

log = structlog.get_logger(__name__)

_ARRIVAL = {"message.timestamp.type": "LogAppendTime"}
"""Brokers date messages: clients that write to the topic themselves may have wrong clocks."""

_LEADERLESS = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)

MARGIN = 1024 * 1024
"""Room for headers, key and batch overhead above the largest event."""


def ensure_topic(kafka: KafkaClientSettings, settings: LineageSettings, topic: str) -> None:
    """Make a topic that keeps everything, where it is missing. Raises Unavailable."""
    admin = AdminClient(client_options(kafka))
    new = NewTopic(
        topic,
        num_partitions=settings.partitions,
        replication_factor=settings.replication,
        config={
            "cleanup.policy": "delete",
            "retention.ms": "-1",
            "retention.bytes": "-1",
            "compression.type": "producer",
            "max.message.bytes": str(settings.max_event_bytes + MARGIN),
            **_ARRIVAL,
        },
    )
    try:
        if topic in admin.list_topics(timeout=4.0).topics:
            _keep_arrivals(admin, topic)
            return
        admin.create_topics([new], operation_timeout=4.0, request_timeout=4.0)[topic].result(4.5)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise unavailable(kafka, error.args[0]) from error
    except FutureTimeout as error:
        raise unavailable(kafka, "no answer in time") from error


def _keep_arrivals(admin: AdminClient, topic: str) -> None:
    """Let a topic of an earlier version keep the time of arrival too; one that may not be changed stays as it is."""
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in _ARRIVAL.items()
    ]
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
    try:
        admin.incremental_alter_configs([resource], request_timeout=5.0)[resource].result(6.0)
    except (KafkaException, FutureTimeout) as error:
        log.warning("lineage topic keeps the senders' times", topic=topic, error=type(error).__name__)


def edges_of(consumer: Consumer, topic: str, partition: int, seconds: float) -> tuple[int, int]:
    """The first offset and the one after the last; asked again while a topic just made still has no leader."""
    retrying = Retrying(
        retry=retry_if_exception(_moving), wait=wait_fixed(0.2), stop=stop_after_delay(seconds), reraise=True
    )
    edges: tuple[int, int] = retrying(consumer.get_watermark_offsets, TopicPartition(topic, partition), timeout=seconds)
    return edges


def _moving(error: BaseException) -> bool:
    return isinstance(error, KafkaException) and error.args[0].code() in _LEADERLESS


def partitions_of(consumer: Consumer, topic: str) -> list[int]:
    metadata = consumer.list_topics(topic, timeout=10.0).topics.get(topic)
    return sorted(metadata.partitions) if metadata is not None and metadata.error is None else []


def record_of(message: Message) -> Record:
    headers = tuple((name, bytes(value or b"")) for name, value in (message.headers() or ()))
    key = message.key()
    kind, time = message.timestamp()
    return Record(
        partition=message.partition(),
        offset=message.offset(),
        key=key,
        value=message.value(),
        headers=headers,
        arrived=time if kind else None,
    )


def client_options(kafka: KafkaClientSettings) -> dict[str, str | int]:
    return {
        "bootstrap.servers": kafka.bootstrap_servers,
        "client.id": "weir-lineage",
        "socket.timeout.ms": 10_000,
        "log_level": 2,  # its own complaints go to stderr; ours name the server and the remedy
        **kafka.options,
    }


def unavailable(kafka: KafkaClientSettings, reason: KafkaError | str) -> Unavailable:
    text = reason.str() if isinstance(reason, KafkaError) else reason
    return Unavailable(
        f"Kafka at {kafka.bootstrap_servers} did not answer ({text}); start it or check its address, then send again.",
        details={"server": "kafka", "bootstrapServers": kafka.bootstrap_servers},
    )
