"""A whole Weir over memory twins: the real application, the real services, no server. For tests of the HTTP door."""

from __future__ import annotations

import atexit
import copy
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from fastapi.dependencies import utils

from api.app import create_app
from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.features.notifications.service import Notify
from api.features.scans.runner import ScanRunner
from api.wiring.duties import Duties
from api.wiring.given import GivenAdapters
from api.wiring.instance import Instance, write_admin_token
from catalog.adapters.sql.database import Database
from catalog.errors import Unavailable
from catalog.events.deliveries import Deliveries
from catalog.topics import ClusterDescription, PartitionOffsets, TopicFacts
from lineage.producers.catalog import ProducerCatalog
from scanners.model import RawRecord
from tests.answer_check import CheckedClient
from tests.twins.catalog.broker_acls import MemoryAcls
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.catalog.server_doors import MemoryDoors
from tests.twins.catalog.topic_details import MemoryTopic, MemoryTopicDetails
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher
from tests.twins.scanners import MemoryOffsets, MemoryRecords, MemoryRegistry, MemorySampler
from views.adapters.topics import KafkaTopics

BOOTSTRAP = "localhost:9092"

# Every world has an application of its own, whose hundred routes FastAPI reads by evaluating their annotations: once is
# enough for all of them.
utils.get_typed_signature = cache(utils.get_typed_signature)


class MemoryBrokers:
    """A cluster with the records given, at any address but `nowhere:1`."""

    def __init__(self, topics: Mapping[str, Sequence[RawRecord]]) -> None:
        self._topics = topics

    def describe(self, settings: Mapping[str, Any], bootstrap: Sequence[str]) -> ClusterDescription:
        if "nowhere:1" in bootstrap:
            raise Unavailable("Kafka at nowhere:1 does not answer; check the address and that the broker runs.")
        return ClusterDescription("cluster-1", (BOOTSTRAP,))

    def topics(self, settings: Mapping[str, Any], bootstrap: Sequence[str], offsets: bool = True) -> list[TopicFacts]:
        self.describe(settings, bootstrap)
        return [
            TopicFacts(
                name=name,
                partitions=1,
                replication=1,
                offsets=(PartitionOffsets(0, 0, len(records)),),
                size=100 * len(records),
            )
            for name, records in sorted(self._topics.items())
        ]


@cache
def _empty_record() -> bytes:
    """A SQLite file that has the newest schema and no row: to make one for every world takes six times as long."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "weir.db"
        with closing(Database(f"sqlite:///{file}")) as database:
            database.migrate()
        return file.read_bytes()


class NoKafka:
    """A Kafka that is not there, without the seconds that a caller waits for one."""

    def window(self, kafka: Any, topic: str, *_: Any) -> Any:
        """`policies.plan.ports.Offsets`."""
        raise Unavailable(f"Kafka did not report which records {topic!r} holds; is the cluster up?")

    def names(self) -> Any:
        """Consumer groups."""
        raise Unavailable("No Kafka is here, and this test is not about how long its callers wait.")


class TopicsOfServers:
    """`views.ports.Topics` of real clusters. The Kafka that examples name is away, without the seconds that a caller waits for
    one."""

    def __init__(self) -> None:
        self._real = KafkaTopics()

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)

        def call(kafka: Mapping[str, str], *more: Any) -> Any:
            if kafka.get("bootstrap.servers") in ("localhost:9092", "127.0.0.1:9092"):
                raise Unavailable(f"Kafka at {kafka['bootstrap.servers']} does not answer: transport.")
            return real(kafka, *more)

        return call


_NO_KAFKA: dict[str, Any] = {
    "window": NoKafka(),
    "groups_of": lambda config: NoKafka(),
    "view_topics": TopicsOfServers(),
}


class ApiWorld:
    """The application with a client for each user; the admin is there from the start."""

    def __init__(
        self,
        folder: Path,
        topics: Mapping[str, Sequence[RawRecord]] | None = None,
        visibility: Literal["open", "closed"] = "open",
        settings: Settings | None = None,
        **more: Any,
    ) -> None:
        """`more`: further adapters by their names in `api.wiring.given.GivenAdapters`."""
        topics = topics if topics is not None else {"orders": orders(50)}
        self.details = MemoryTopicDetails({name: MemoryTopic(_times(records)) for name, records in topics.items()})
        self.acls = MemoryAcls()
        self.doors = MemoryDoors()
        usual: dict[str, Any] = {
            "sampler": MemorySampler(topics),
            "acl_reader": self.acls,
            "acl_writer": self.acls,
            "door_probe": self.doors,
        }
        settings = settings or Settings()
        settings.policies.visibility = visibility
        settings.database.url = f"sqlite:///{folder / 'weir.db'}"
        if not (folder / "weir.db").exists():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "weir.db").write_bytes(_empty_record())
        self.log = more.pop("log", None) or MemoryEventLog()
        self.graph = more.pop("graph", None) or MemoryGraph()
        self.index = more.pop("index", None) or MemorySearchIndex()
        self.services: Instance = build(
            settings,
            Home(folder),
            GivenAdapters(
                index=self.index,
                meaning=None,
                brokers=MemoryBrokers(topics),
                topic_details=self.details,
                log=self.log,
                source=MemoryEventSource(self.log),
                lag_source=MemoryEventSource(self.log),
                letters=MemoryEventLog(),
                graph=self.graph,
                publisher=MemoryHeadPublisher(),
                event_topic=None,
                offsets=MemoryOffsets(topics),
                records=MemoryRecords(topics),
                registry=MemoryRegistry(),
                **(usual | _NO_KAFKA | more),
            ),
        )
        write_admin_token(self.services)
        self.app = create_app(self.services)
        self.admin = self._client((folder / "admin.token").read_text().strip())

    def _client(self, token: str | None) -> CheckedClient:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return CheckedClient(self.app, raise_server_exceptions=False, headers=headers)

    def user(self, name: str) -> CheckedClient:
        """A client signed in as a user."""
        answer = self.admin.post("/api/v1/tokens", json={"user": name})
        assert answer.status_code == 201, answer.text
        return self._client(answer.json()["token"])

    def anonymous(self) -> CheckedClient:
        return self._client(None)

    def apply(self, text: str, **parameters: str) -> dict[str, Any]:
        """Apply YAML as the admin."""
        done = self.admin.post("/api/v1/apply", content=text.encode(), params=parameters)
        assert done.status_code == 200, done.text
        answer: dict[str, Any] = done.json()
        return answer

    def scan(self, **asked: Any) -> dict[str, Any]:
        """Ask for a scan and do it, as the worker would."""
        started = self.admin.post("/api/v1/scans", json=asked)
        assert started.status_code == 202, started.text
        assert self.services[ScanRunner].run_next()
        answer: dict[str, Any] = self.admin.get(f"/api/v1/scans/{started.json()['id']}").json()
        return answer

    def fold(self) -> None:
        """Bring the graph up to the log, as the worker would."""
        worker = self.services[Duties].lineage_worker()
        while worker.step(timeout=0):
            pass
        while self.services[ProducerCatalog].settle():
            pass


def _times(records: Sequence[RawRecord]) -> dict[int, list[datetime]]:
    """When the records of a topic of one partition were stamped."""
    return {0: [datetime.fromtimestamp((each.timestamp or 0) / 1000, UTC) for each in records]}


@contextmanager
def world(folder: Path, topics: Mapping[str, Sequence[RawRecord]] | None = None, **more: Any) -> Iterator[ApiWorld]:
    """A world that is closed at the end; `more` replaces parts, as in `api.bootstrap.build`."""
    world = ApiWorld(folder, topics, **more)
    try:
        yield world
    finally:
        world.services.close()


def deliver(weir: ApiWorld) -> None:
    """Send what happened, as the worker does all the time."""
    while weir.services[Deliveries].step(wait=True):
        pass
    while weir.services[Notify].sender.step():
        pass


@dataclass(frozen=True)
class _Prepared:
    """What is left of a world that was brought to a state and closed."""

    folder: Path
    twins: Mapping[str, Any]


_kept: dict[Callable[[ApiWorld], None], _Prepared] = {}


@contextmanager
def prepared(
    folder: Path, topics: Mapping[str, Sequence[RawRecord]], prepare: Callable[[ApiWorld], None], **more: Any
) -> Iterator[ApiWorld]:
    """A world in the state to which `prepare` brings one. It does so once a process; each world begins with a copy of what was
    left, as a process does that starts again."""
    if prepare not in _kept:
        place = Path(tempfile.mkdtemp(prefix="weir-prepared-"))
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        with world(place, topics, **more) as first:
            prepare(first)
            twins = {"index": first.index, "log": first.log, "graph": first.graph}
        _kept[prepare] = _Prepared(place, twins)
    kept = _kept[prepare]
    shutil.copytree(kept.folder, folder, dirs_exist_ok=True)
    with world(folder, topics, **{name: _copy(twin) for name, twin in kept.twins.items()}, **more) as copied:
        yield copied


def _copy(twin: Any) -> Any:
    """A twin with the same state and locks of its own."""
    copied = type(twin)()
    for name, value in vars(twin).items():
        if name != "_lock":
            setattr(copied, name, copy.deepcopy(value))
    return copied


def record(value: Any, key: str | None = None, headers: Mapping[str, str] | None = None, offset: int = 0) -> RawRecord:
    """A record with a JSON value."""
    pairs = [(name, text.encode()) for name, text in (headers or {}).items()]
    return RawRecord(
        key.encode() if key else None, json.dumps(value).encode(), pairs, 0, offset, 1_760_000_000_000 + offset
    )


def orders(count: int) -> list[RawRecord]:
    """Orders with a customer's e-mail address."""
    return [
        record(
            {"order_id": f"O-{n}", "customer": {"name": "A B", "email": f"person{n}@mail.example.com"}, "region": "EU"},
            key=f"k{n}",
            headers={"actor": f"clerk{n}@shop.example.com"},
            offset=n,
        )
        for n in range(count)
    ]
