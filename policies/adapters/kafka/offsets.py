"""Which offsets a query reads, asked of Kafka itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from cachetools import LRUCache

from catalog.errors import DatasetNotFound, Unavailable
from policies.plan.model import Range, Window
from policies.sql.windows import AsOf

_SECONDS = 8.0
"""For all that is asked of the brokers for one query together: an answer of Weir's takes ten seconds at most."""
_CLIENTS_KEPT = 50
"""Each has threads and connections of its own; a cluster whose secret changed needs another one."""
# Spark's Kafka options are the Java client's; these are the ones that librdkafka spells otherwise or does not have.
_RENAMED = {"ssl.truststore.location": "ssl.ca.location"}
_TAKEN = (
    "bootstrap.servers",
    "security.protocol",
    "sasl.mechanism",
    "sasl.username",
    "sasl.password",
    "ssl.ca.location",
    "ssl.certificate.location",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
)


class KafkaOffsets:
    """Implements `policies.plan.ports.Offsets`. One admin client a cluster, kept; safe for threads."""

    def __init__(
        self, client_settings: Mapping[str, Mapping[str, str]] | None = None, seconds: float = _SECONDS
    ) -> None:
        """`client_settings`: bootstrap servers -> librdkafka settings, for clusters whose Spark options are not
        enough (JAAS texts, key stores). `seconds`: the longest that `window` waits for brokers."""
        self._seconds = seconds
        self._extra = dict(client_settings or {})
        self._clients: LRUCache[tuple[tuple[str, str], ...], Any] = LRUCache(_CLIENTS_KEPT)
        self._lock = threading.Lock()

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import OffsetSpec

        client, deadline = self._client(kafka), time.monotonic() + self._seconds
        try:
            partitions = self._partitions(client, topic, deadline)
            begins = self._list(client, topic, partitions, OffsetSpec.earliest(), deadline)
            ends = self._list(client, topic, partitions, OffsetSpec.latest(), deadline)
            starts, stops = dict(begins), dict(ends)
            if as_of.since is not None:
                starts = self._at(client, topic, partitions, as_of.since, ends, deadline)
            if as_of.until is not None:
                stops = self._at(client, topic, partitions, as_of.until, ends, deadline)
        except (KafkaException, TimeoutError) as error:
            raise Unavailable(
                f"Kafka did not report which records {topic!r} holds; is the cluster up?", details={"server": "kafka"}
            ) from error
        if as_of.offsets:
            bounds = {p: (first, end) for p, first, end in as_of.offsets}
            unknown = sorted(set(bounds) - set(partitions))
            if unknown:
                raise DatasetNotFound(
                    f"{topic!r} has no partition {unknown[0]}; its partitions are 0 to {max(partitions)}.",
                    details={"partition": unknown[0]},
                )
            starts = {p: bounds[p][0] if p in bounds else ends[p] for p in partitions}
            stops = {
                p: (ends[p] if (end := bounds[p][1]) is None else end) if p in bounds else ends[p] for p in partitions
            }
        full = {
            p: (
                min(max(starts[p], begins[p]), ends[p]),
                max(min(stops[p], ends[p]), min(starts[p], ends[p]), begins[p]),
            )
            for p in partitions
        }
        counts = allot({p: max(0, end - start) for p, (start, end) in full.items()}, limit)
        ranges = tuple(
            Range(p, start, start + counts[p]) if as_of.earliest or as_of.offsets else Range(p, end - counts[p], end)
            for p, (start, end) in sorted(full.items())
        )
        complete = all(counts[p] == max(0, end - start) for p, (start, end) in full.items())
        return Window(
            ranges,
            complete,
            as_of.since.isoformat() if as_of.since else None,
            as_of.until.isoformat() if as_of.until else None,
        )

    def _client(self, kafka: Mapping[str, str]) -> Any:
        from confluent_kafka.admin import AdminClient

        extra = self._extra.get(kafka.get("kafka.bootstrap.servers", ""), {})
        settings = client_settings(kafka, extra)
        key = tuple(sorted(settings.items()))
        with self._lock:
            client = self._clients.get(key)
            if client is None:
                # The client's own log would name brokers and retry for ever; errors come back from the calls.
                client = self._clients[key] = AdminClient({**settings, "log_level": 0})
            return client

    def _partitions(self, client: Any, topic: str, deadline: float) -> list[int]:
        described = client.list_topics(topic, timeout=_left(deadline)).topics.get(topic)
        if described is None or described.error is not None or not described.partitions:
            raise DatasetNotFound(
                f"The topic {topic!r} is not there any more; scan the cluster again.", details={"topic": topic}
            )
        return sorted(described.partitions)

    def _list(self, client: Any, topic: str, partitions: list[int], spec: Any, deadline: float) -> dict[int, int]:
        from confluent_kafka import IsolationLevel, TopicPartition

        # Committed records only: an open or aborted transaction is not data.
        futures = client.list_offsets(
            {TopicPartition(topic, p): spec for p in partitions},
            isolation_level=IsolationLevel.READ_COMMITTED,
            request_timeout=_left(deadline),
        )
        return {place.partition: future.result(timeout=_left(deadline)).offset for place, future in futures.items()}

    def _at(
        self, client: Any, topic: str, partitions: list[int], moment: datetime, ends: Mapping[int, int], deadline: float
    ) -> dict[int, int]:
        from confluent_kafka.admin import OffsetSpec

        offsets = self._list(
            client, topic, partitions, OffsetSpec.for_timestamp(int(moment.timestamp() * 1000)), deadline
        )
        # -1 = no record at or after that time.
        return {p: ends[p] if offset < 0 else offset for p, offset in offsets.items()}


def _left(deadline: float) -> float:
    """Seconds until then; a little where it has passed, since 0 may mean for ever."""
    return max(0.1, deadline - time.monotonic())


def client_settings(kafka: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """Settings of librdkafka from Spark's Kafka options, and `extra` ones over them."""
    options = {k.removeprefix("kafka."): v for k, v in kafka.items() if k.startswith("kafka.")}
    settings = {_RENAMED.get(k, k): v for k, v in options.items()}
    return {k: v for k, v in settings.items() if k in _TAKEN} | dict(extra)


def allot(available: Mapping[int, int], limit: int) -> dict[int, int]:
    """How many records to take from each partition: at most `limit` together, as evenly as what is there allows."""
    counts = dict.fromkeys(available, 0)
    left = limit
    open_ = {p: n for p, n in available.items() if n > 0}
    while left > 0 and open_:
        share = max(1, left // len(open_))
        for p in sorted(open_):
            more = min(share, available[p] - counts[p], left)
            counts[p] += more
            left -= more
        open_ = {p: n for p, n in open_.items() if counts[p] < n}
    return counts
