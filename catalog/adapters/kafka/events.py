"""Events to a Kafka topic, as CloudEvents in structured mode (JSON, content type in a header), keyed by subject."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.event_model import DeliveryFailed, Event
from catalog.settings import EventSettings

_DELIVERY_S = 15
CONTENT_TYPE = "application/cloudevents+json; charset=UTF-8"


class KafkaEvents:
    """See `catalog.ports.Receiver`. The topic has one partition where Weir makes it, so that all order is kept."""

    name = "kafka"
    since: datetime | None = None
    at_once = 500
    lasting = True

    def __init__(self, bootstrap: str, settings: EventSettings, options: Mapping[str, str] | None = None) -> None:
        """`options`: further librdkafka options (security.protocol...); may hold secrets."""
        self._bootstrap = bootstrap
        self._options = dict(options or {})
        self._settings = settings
        self._producer: Producer | None = None
        self._ready = False

    def wants(self, event: Event) -> bool:
        return True

    def tell(self, events: Sequence[Event]) -> None:
        """Raises DeliveryFailed naming the brokers."""
        # By number of the event: a topic of several partitions answers out of order.
        outcomes: dict[int, KafkaError | None] = {}

        def noted(number: int) -> Callable[[KafkaError | None, Any], None]:
            def done(error: KafkaError | None, _message: Any) -> None:
                outcomes[number] = error

            return done

        try:
            self._ensure()
            producer = self._open()
            for number, event in enumerate(events):
                producer.produce(
                    self._settings.topic,
                    key=event.subject.encode(errors="replace"),
                    value=json.dumps(event.to_json(self._settings.source), ensure_ascii=True).encode(),
                    headers=[("content-type", CONTENT_TYPE.encode())],
                    timestamp=int(event.time.timestamp() * 1000),
                    on_delivery=noted(number),
                )
            producer.flush(_DELIVERY_S + 5)
        except (KafkaException, BufferError) as error:
            self._start_anew()
            raise DeliveryFailed(self._problem(error.args[0] if error.args else None)) from None
        failed_at = next((n for n in range(len(events)) if n not in outcomes or outcomes[n] is not None), None)
        if failed_at is not None:
            self._start_anew()
            raise DeliveryFailed(self._problem(outcomes.get(failed_at)), failed_at)

    def _start_anew(self) -> None:
        """The topic may be gone and the producer in a state it does not leave: the next try makes both."""
        self._ready, self._producer = False, None

    def close(self) -> None:
        if self._producer is not None:
            self._producer.flush(5)

    def _open(self) -> Producer:
        if self._producer is None:
            self._producer = Producer(
                {
                    **self._options,
                    "bootstrap.servers": self._bootstrap,
                    "acks": "all",
                    "enable.idempotence": True,
                    "compression.type": "zstd",
                    "delivery.timeout.ms": _DELIVERY_S * 1000,
                    "request.timeout.ms": 10_000,
                    "log_level": 0,
                }
            )
        return self._producer

    def _ensure(self) -> None:
        if self._ready:
            return
        admin = AdminClient(
            {**self._options, "bootstrap.servers": self._bootstrap, "log_level": 0, "socket.timeout.ms": 10_000}
        )
        retention = str(self._settings.topic_retention_hours * 3_600_000)
        topic = NewTopic(self._settings.topic, num_partitions=1, config={"retention.ms": retention})
        try:
            if self._settings.topic not in admin.list_topics(timeout=10).topics:
                admin.create_topics([topic], operation_timeout=10)[self._settings.topic].result(15)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        self._ready = True

    def _problem(self, error: Any) -> str:
        reason = f" ({error.name()})" if isinstance(error, KafkaError) else ""
        return f"Kafka at {self._bootstrap} did not take events for {self._settings.topic}{reason}."
