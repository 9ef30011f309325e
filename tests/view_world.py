"""A Weir over real Kafka and Spark whose other servers are twins, with a runner of views. For tests of stream views."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import SchemaRegistryClient

from api.app import create_app
from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.features.scans.runner import ScanRunner
from api.wiring.duties import Duties
from api.wiring.given import GivenAdapters
from api.wiring.instance import write_admin_token
from tests.answer_check import CheckedClient
from tests.effort import pace
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher
from views.runner.view import View

WAIT_S = 400.0


class ViewWorld:
    """The application, its clients, and a runner that can be ended and started again."""

    def __init__(
        self,
        folder: Path,
        kafka: str,
        spark: str,
        registry: str,
        batch_records: int | None = None,
        secrets: Path | None = None,
        checkpoints: str = "",
    ) -> None:
        settings = Settings()
        settings.views.checkpoints = checkpoints
        if secrets is not None:
            settings.secrets.folder = secrets
        if batch_records is not None:
            settings.views.batch_records = batch_records
        settings.database.url = f"sqlite:///{folder / 'weir.db'}"
        settings.kafka.bootstrap_servers = kafka
        settings.spark.remote = type(settings.spark.remote)(spark)
        settings.query.remote = type(settings.query.remote)(spark)
        self.kafka, self.registry, self.folder = kafka, registry, folder
        self.log = log = MemoryEventLog()
        self.services = build(
            settings,
            Home(folder),
            GivenAdapters(
                index=MemorySearchIndex(),
                meaning=None,
                log=log,
                source=MemoryEventSource(log),
                letters=MemoryEventLog(),
                graph=MemoryGraph(),
                publisher=MemoryHeadPublisher(),
                event_topic=None,
            ),
        )
        write_admin_token(self.services)
        self.app = create_app(self.services)
        self.admin = self._client((folder / "admin.token").read_text().strip())
        self.prefix = f"v{uuid.uuid4().hex[:6]}"
        self._topics = Counter[str]()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def _client(self, token: str) -> CheckedClient:
        return CheckedClient(self.app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {token}"})

    def user(self, name: str) -> CheckedClient:
        world = self.admin.post("/api/v1/tokens", json={"user": name})
        assert world.status_code == 201, world.text
        return self._client(world.json()["token"])

    def apply(self, text: str) -> dict[str, Any]:
        done = self.admin.post("/api/v1/apply", content=text.encode())
        assert done.status_code == 200, done.text
        answer: dict[str, Any] = done.json()
        return answer

    def scan(self, *topics: str) -> None:
        """Learn what the topics hold; fails with what the scan reports."""
        deadline = time.monotonic() + 30 * pace()
        while True:
            asked = self.admin.post("/api/v1/scans", json={"cluster": "prod", "topics": list(topics)})
            # 503: a topic of another view was deleted between its listing and the look at its offsets.
            if asked.status_code != 503 or time.monotonic() > deadline:
                break
        assert asked.status_code == 202, asked.text
        while self.admin.get(f"/api/v1/scans/{asked.json()['id']}").json()["state"] == "queued":
            assert self.services[ScanRunner].run_next()
        scan = self.admin.get(f"/api/v1/scans/{asked.json()['id']}").json()
        assert scan["state"] == "done" and all(each["fields"] for each in scan["datasets"]), scan

    def run(self) -> None:
        """Start the runner in this process."""
        self._stop = threading.Event()
        runner = self.services[Duties].view_runner()
        self._thread = threading.Thread(target=runner.run, args=(self._stop,), daemon=True)
        self._thread.start()

    def halt(self) -> None:
        """End it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(60)
            assert not self._thread.is_alive()
            self._thread = None

    def forsake(self) -> None:
        """End the runner as if it was killed: its streams are left behind in the engine."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(View, "close", lambda view: None)
            self.halt()

    def topic(self, name: str, partitions: int = 2, **config: str) -> str:
        """A new topic, which keeps records of any age; its whole name. `config`: with underscores for dots.

        A test that is run again gets another topic than before.
        """
        self._topics[name] += 1
        again = f"-{self._topics[name]}" if self._topics[name] > 1 else ""
        whole = f"{self.prefix}.{name}{again}"
        admin = AdminClient({"bootstrap.servers": self.kafka})
        options = {"retention.ms": "-1", **{option.replace("_", "."): value for option, value in config.items()}}
        for future in admin.create_topics([NewTopic(whole, partitions, 1, config=options)]).values():
            future.result()
        return whole

    def send(
        self, topic: str, values: Sequence[Any], keys: Sequence[str | None] | None = None, times: Sequence[int] = ()
    ) -> None:
        """JSON values; None is a tombstone. `times`: milliseconds since 1970."""
        producer = Producer({"bootstrap.servers": self.kafka})
        for number, value in enumerate(values):
            more = {"timestamp": times[number]} if times else {}
            producer.produce(
                topic, None if value is None else json.dumps(value).encode(), keys[number] if keys else None, **more
            )
        assert producer.flush(30) == 0

    def records(self, topic: str) -> list[tuple[bytes | None, bytes | None, dict[str, bytes]]]:
        """Everything a topic holds: (key, value, headers). Compaction may take records away at any time."""
        consumer = Consumer(
            {"bootstrap.servers": self.kafka, "group.id": uuid.uuid4().hex, "enable.partition.eof": True}
        )
        try:
            numbers = consumer.list_topics(topic, 10).topics[topic].partitions
            ends = {number: consumer.get_watermark_offsets(TopicPartition(topic, number), 10) for number in numbers}
            open_ones = {number for number, (low, high) in ends.items() if low < high}
            consumer.assign([TopicPartition(topic, number, ends[number][0]) for number in open_ones])
            records: list[tuple[bytes | None, bytes | None, dict[str, bytes]]] = []
            deadline = time.monotonic() + WAIT_S * pace()
            while open_ones:
                assert time.monotonic() < deadline, f"{topic}: the end of partitions {open_ones} is not reached"
                for message in consumer.consume(1000, 1):
                    if (error := message.error()) is None:
                        records.append((message.key(), message.value(), dict(message.headers() or ())))
                    elif error.code() == KafkaError._PARTITION_EOF:
                        open_ones.discard(message.partition())
            return records
        finally:
            consumer.close()

    def events(self) -> list[dict[str, Any]]:
        """The lineage events that were posted."""
        return [json.loads(each.value or b"") for each in self.log.records]

    def fold(self) -> None:
        """Put the events that were posted into the lineage graph."""
        worker = self.services[Duties].lineage_worker()
        while worker.step(timeout=0):
            pass

    def view(self, name: str) -> dict[str, Any]:
        answer = self.admin.get(f"/api/v1/views/{name}")
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    def until(self, name: str, holds: Callable[[Mapping[str, Any]], bool], seconds: float = WAIT_S) -> dict[str, Any]:
        """Wait until a view is as wanted; fails with what it is."""
        deadline = time.monotonic() + seconds * pace()
        while True:
            shown = self.view(name)
            if holds(shown):
                return shown
            assert time.monotonic() < deadline, shown
            time.sleep(0.2)

    def current(self, name: str, records: int) -> dict[str, Any]:
        """Wait until the rows contain everything, `records` of it at least having been read."""
        return self.until(name, lambda v: v["state"] == "running" and v["lag"]["records"] == 0)


def registry_client(url: str) -> SchemaRegistryClient:
    """Confluent's client, which would wait for an answer for ever."""
    return SchemaRegistryClient({"url": url, "timeout": 30})


@contextmanager
def view_world(
    folder: Path, stack: Any, batch_records: int | None = None, secrets: Path | None = None, checkpoints: str = ""
) -> Iterator[ViewWorld]:
    """`batch_records`: how many a batch takes at most; `secrets`: the folder whose files declared clusters may name;
    `checkpoints`: where Spark keeps the state of views, in the folder when empty."""
    world = ViewWorld(folder, stack.kafka, stack.spark, stack.registry, batch_records, secrets, checkpoints)
    try:
        yield world
    finally:
        world.halt()
        world.services.close()
