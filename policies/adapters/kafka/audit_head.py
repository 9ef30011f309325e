"""The head of the audit chain, published to a compacted Kafka topic: out of reach of a hand on the record store."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Mapping

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.errors import Unavailable
from policies.audit.ports import AuditHead

_TIMEOUT_S = 5.0  # for one question to the brokers
_LOOK_BACK = 500  # published heads that are compared: compaction may have left fewer, each is one more anchor

log = structlog.get_logger("weir.audit")


class KafkaHeadPublisher:
    """`HeadPublisher` on Kafka. One message an append, keyed by chain, so that compaction keeps the newest of each."""

    def __init__(
        self, bootstrap_servers: str, topic: str = "_weir.audit.head", properties: Mapping[str, str] | None = None
    ) -> None:
        self._topic = topic
        self._bootstrap = bootstrap_servers
        self._config: dict[str, str | int | float | bool] = {
            "bootstrap.servers": bootstrap_servers,
            "log_level": 2,  # librdkafka writes to stderr by itself; what matters is logged here
            **(properties or {}),
        }
        self._producer: Producer | None = None
        self._lock = threading.Lock()
        # Heads wait here until the topic is there: a producer that comes first would have it made without compaction.
        self._waiting: deque[AuditHead] | None = deque(maxlen=10_000)
        self._starting: threading.Thread | None = None

    def publish(self, head: AuditHead) -> None:
        """Hand the head over; delivery happens behind, failures are logged."""
        with self._lock:
            if self._waiting is None:
                self._produce(head)
                return
            self._waiting.append(head)
            if self._starting is None:
                self._starting = threading.Thread(target=self._start, name="weir-audit-head", daemon=True)
                self._starting.start()

    def _produce(self, head: AuditHead) -> None:
        body = json.dumps({"chain": head.chain, "seq": head.seq, "hash": head.hash}, separators=(",", ":"))
        if self._producer is None:
            self._producer = Producer(
                {**self._config, "enable.idempotence": True, "linger.ms": 20, "message.timeout.ms": 120_000}
            )
        try:
            self._producer.produce(self._topic, key=head.chain, value=body, on_delivery=_delivered)
            self._producer.poll(0)
        except (BufferError, KafkaException) as error:
            log.warning("audit head not published", seq=head.seq, reason=type(error).__name__)

    def newest(self) -> list[AuditHead]:
        """The last heads of the topic, oldest first; none when nothing was published yet. Raises Unavailable."""
        self.close()
        consumer = Consumer(
            {**self._config, "group.id": "weir-audit-verify", "enable.auto.commit": False, "auto.offset.reset": "error"}
        )
        try:
            return self._read(consumer)
        except KafkaException as error:
            if error.args and error.args[0].code() in _NO_TOPIC:
                return []
            raise Unavailable(
                f"The topic {self._topic} at {self._bootstrap} does not answer; check that Kafka runs.",
                details={"server": "kafka"},
            ) from error
        finally:
            consumer.close()

    def _read(self, consumer: Consumer) -> list[AuditHead]:
        partition = TopicPartition(self._topic, 0)
        low, high = consumer.get_watermark_offsets(partition, timeout=_TIMEOUT_S)
        if high <= low:
            return []
        consumer.assign([TopicPartition(self._topic, 0, max(low, high - _LOOK_BACK))])
        heads: list[AuditHead] = []
        while True:
            message = consumer.poll(_TIMEOUT_S)
            if message is None:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
            if (problem := message.error()) is not None:
                raise KafkaException(problem)
            head = _head(message)
            if head is not None:
                heads.append(head)
            if (message.offset() or 0) >= high - 1:
                return heads

    def close(self) -> None:
        """Wait a few seconds for heads still on their way."""
        if self._starting is not None:
            self._starting.join(_TIMEOUT_S)
        if self._producer is not None:
            self._producer.flush(_TIMEOUT_S)

    def _start(self) -> None:
        """Make the topic, then send what has waited. Runs behind: a broker that is away holds up nobody."""
        topic = NewTopic(
            self._topic,
            num_partitions=1,
            replication_factor=-1,
            config={"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.1"},
        )
        try:
            admin = AdminClient(self._config)  # named, or it is gone before the answer comes
            admin.create_topics([topic])[self._topic].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                log.warning("audit topic not made", topic=self._topic, reason=error.args[0].name())
        with self._lock:
            waiting, self._waiting = self._waiting, None
            for head in waiting or ():
                self._produce(head)


_NO_TOPIC = (KafkaError._UNKNOWN_PARTITION, KafkaError._UNKNOWN_TOPIC, KafkaError.UNKNOWN_TOPIC_OR_PART)


def _delivered(error: KafkaError | None, _message: Message) -> None:
    if error is not None:
        log.warning("audit head not published", reason=error.name())


def _head(message: Message) -> AuditHead | None:
    try:
        body = json.loads(message.value() or b"")
        return AuditHead(str(body["chain"]), int(body["seq"]), str(body["hash"]))
    except (ValueError, KeyError, TypeError):
        return None  # not written by us; it proves nothing
