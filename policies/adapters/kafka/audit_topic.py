"""Audit entries into a Kafka topic, in order: CloudEvents in structured mode, the content type in a header."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer

from catalog.errors import Unavailable
from policies.audit.ports import MessageTooLarge

_DELIVERY_S = 15.0
_BATCH_BYTES = 64 * 1024
"""Of messages together: a broker that takes small messages alone does not refuse many of them because they come at once."""
_FULL = KafkaError(KafkaError._QUEUE_FULL)
CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8"


class KafkaAuditTopic:
    """`AuditReceiver` on a topic that is there; it makes none."""

    def __init__(self, topic: str, options: Mapping[str, str]) -> None:
        """`options`: of librdkafka, with `bootstrap.servers`; may hold secrets."""
        self._topic, self._options = topic, dict(options)
        self._producer: Producer | None = None

    def send(self, messages: Sequence[tuple[bytes, bytes, datetime]]) -> int:
        outcomes: dict[int, KafkaError | None] = {}

        def noted(number: int) -> Callable[[KafkaError | None, Any], None]:
            def done(error: KafkaError | None, _message: Any) -> None:
                outcomes[number] = error

            return done

        try:
            producer = self._open()
            for number, (key, value, at) in enumerate(messages):
                try:
                    producer.produce(
                        self._topic,
                        key=key,
                        value=value,
                        headers=[("content-type", CONTENT_TYPE.encode())],
                        timestamp=int(at.timestamp() * 1000),
                        on_delivery=noted(number),
                    )
                except (KafkaException, BufferError) as error:
                    # Those before it are on their way and count; those behind it must not pass it.
                    outcomes[number] = error.args[0] if isinstance(error, KafkaException) else _FULL
                    break
            producer.flush(_DELIVERY_S + 5)
        except KafkaException as error:
            self._end()
            raise Unavailable(self._problem(error.args[0] if error.args else None)) from None
        arrived = next((n for n in range(len(messages)) if n not in outcomes or outcomes[n] is not None), len(messages))
        if arrived < len(messages):
            # What still waits in the producer would come after entries that are sent again.
            self._end()
            if not arrived:
                if getattr(outcomes.get(0), "code", lambda: None)() == KafkaError.MSG_SIZE_TOO_LARGE:
                    raise MessageTooLarge
                raise Unavailable(self._problem(outcomes.get(0)))
        return arrived

    def close(self) -> None:
        """End the producer; nothing waits in it between two calls of `send`."""
        self._end()

    def _end(self) -> None:
        if self._producer is not None:
            self._producer.purge()
            self._producer.flush(1)
            self._producer = None

    def _open(self) -> Producer:
        if self._producer is None:
            producer = Producer(
                {
                    **self._options,
                    "acks": "all",
                    "enable.idempotence": True,
                    "compression.type": "zstd",
                    "batch.size": _BATCH_BYTES,
                    "delivery.timeout.ms": int(_DELIVERY_S * 1000),
                    "request.timeout.ms": 10_000,
                    "log_level": 0,
                }
            )
            topic = producer.list_topics(timeout=10).topics.get(self._topic)
            if topic is None or topic.error is not None:
                raise Unavailable(
                    f"There is no topic {self._topic} to ship the audit to; make it, with the retention you need."
                )
            self._producer = producer
        return self._producer

    def _problem(self, error: Any) -> str:
        reason = f" ({error.name()})" if isinstance(error, KafkaError) else ""
        where = self._options.get("bootstrap.servers", "")
        return f"Kafka at {where} did not take audit entries for {self._topic}{reason}."
