"""What honest clients do all the while: lineage events, declared state, access requests, queries, scans."""

from __future__ import annotations

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from benchmarks.faults.calls import Caller, Journal
from benchmarks.faults.ledger import Ledger
from benchmarks.faults.weir import Weir

RECORDS = 200
TOPICS = 3
PRODUCER = "https://example.com/weir-faults"
SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
KINDS = ("runs", "edges", "datasets", "terms", "tags", "requests", "queries", "scans")
_SINKS = 3_000
"""Datasets that a client of events writes: a search can be read to its 10,000th answer, which is how they are counted."""
CLIENTS = {"events": 3, "catalog": 1, "requests": 1, "queries": 1, "scans": 1, "reads": 1}


def event(
    kind: str, run: str, job: str, namespace: str, source: str, target: str, at: datetime | None = None
) -> dict[str, object]:
    """An OpenLineage RunEvent of a job that reads one dataset and writes one."""
    return {
        "eventTime": (at or datetime.now(UTC)).isoformat().replace("+00:00", "Z"),
        "eventType": kind,
        "producer": PRODUCER,
        "schemaURL": SCHEMA,
        "run": {"runId": run},
        "job": {"namespace": namespace, "name": job},
        "inputs": [{"namespace": namespace, "name": source}],
        "outputs": [{"namespace": namespace, "name": target}],
    }


class World:
    """A cluster, topics with records, and people, under names of this series alone."""

    def __init__(self, weir: Weir, kafka: str, mark: str | None = None) -> None:
        self.weir, self.mark = weir, mark or uuid.uuid4().hex[:6]
        # One name for the one Kafka, whatever worlds there are.
        self.cluster, self.namespace = "faults", f"faults-{self.mark}"
        self.topics = [f"shop-{self.mark}-{n}" for n in range(TOPICS)]
        self.asker, self.owner = f"ana-{self.mark}", f"otto-{self.mark}"
        self._kafka = kafka

    def prepare(self) -> None:
        """Fill the topics, declare them, scan them once. Raises RuntimeError, httpx.HTTPError."""
        admin = AdminClient({"bootstrap.servers": self._kafka, "log_level": 0})
        for future in admin.create_topics([NewTopic(topic, 2, 1) for topic in self.topics]).values():
            future.result(60)
        producer = Producer({"bootstrap.servers": self._kafka, "log_level": 0})
        for topic in self.topics:
            for n in range(RECORDS):
                producer.produce(topic, json.dumps({"id": n, "mail": f"p{n}@example.org", "amount": n / 4}).encode())
        if producer.flush(60):
            raise RuntimeError("Kafka did not take the records of the topics.")
        journal, stopping = Journal(), threading.Event()
        caller = Caller(lambda: self.weir.url, self.weir.token(), journal, stopping)
        for document in (self._declared(), *(self.dataset(topic, 0) for topic in self.topics)):
            if caller.until("apply", "POST", "/api/v1/apply", content=document) is None:
                raise RuntimeError(f"The declared state was not taken: {journal.unclean}")
        begun = caller.until("scan", "POST", "/api/v1/scans", json={"cluster": self.cluster, "topics": self.topics})
        assert begun is not None
        deadline = time.monotonic() + 300
        while True:
            scan = caller.until("scan", "GET", f"/api/v1/scans/{begun.json()['id']}")
            if scan is not None and scan.json()["state"] == "done":
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"The first scan did not end: {scan.json() if scan else None}")
            time.sleep(0.5)

    def _declared(self) -> str:
        def document(kind: str, name: str, spec: dict[str, object]) -> dict[str, object]:
            return {"apiVersion": "weir/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}

        read = f"reads-{self.mark}"
        return yaml.safe_dump_all(
            [
                document("Cluster", self.cluster, {"type": "kafka", "bootstrapServers": self._kafka}),
                document("Role", read, {"read": [{"dataset": f"{self.cluster}/*"}]}),
                document("User", self.asker, {"roles": [read]}),
                document("User", self.owner, {"roles": [read]}),
            ]
        )

    def dataset(self, topic: str, number: int) -> str:
        """The topic with the tag and the term of this number; one document set, so all or nothing."""
        metadata = {"name": topic, "cluster": self.cluster}
        owners = [{"user": self.owner}, {"user": f"team-{number}"}]
        term = {"name": self.term(topic, number)}
        return yaml.safe_dump_all(
            [
                {"apiVersion": "weir/v1", "kind": "GlossaryTerm", "metadata": term, "spec": {"definition": "A word."}},
                {
                    "apiVersion": "weir/v1",
                    "kind": "Dataset",
                    "metadata": metadata,
                    "spec": {
                        "tags": [f"n{number}"],
                        "owners": owners,
                        "format": {"value": "json"},
                        "schema": {"spark": "id INT, mail STRING, amount DOUBLE"},
                    },
                },
            ]
        )

    def term(self, topic: str, number: int) -> str:
        return f"{topic}-{number}"


class Load:
    """The clients of one world, each a thread; what they sent and what was acknowledged is in `ledgers`."""

    def __init__(self, world: World, seed: int, clients: Mapping[str, int] = CLIENTS, pace: float = 1.0) -> None:
        """`clients`: how many of each kind; `pace`: 2 for half as many calls a second."""
        self.world, self.journal = world, Journal()
        self.ledgers = {kind: Ledger() for kind in KINDS}
        self._seed, self._pace, self._stopping = seed, pace, threading.Event()
        tokens = {
            "admin": world.weir.token(),
            "asker": world.weir.token(world.asker),
            "owner": world.weir.token(world.owner),
        }
        self._tokens = tokens
        work: dict[str, Callable[[int], None]] = {
            "events": self._events,
            "catalog": self._catalog,
            "requests": self._requests,
            "queries": self._queries,
            "scans": self._scans,
            "reads": self._reads,
        }
        self._threads = [
            threading.Thread(target=work[name], args=(n,), name=f"{name}-{n}", daemon=True)
            for name in clients
            for n in range(clients[name])
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """What is under way is still repeated until it is acknowledged, for two minutes at most."""
        self._stopping.set()
        for thread in self._threads:
            thread.join(200)

    def _caller(self, who: str) -> Caller:
        weir = self.world.weir
        return Caller(lambda: weir.url, self._tokens[who], self.journal, self._stopping)

    def _dice(self, name: str, number: int) -> random.Random:
        return random.Random(f"{self._seed} {name} {number}")

    def _pause(self, dice: random.Random, mean: float) -> bool:
        """Wait; whether to continue."""
        return not self._stopping.wait(dice.uniform(0.2, 1.8) * mean * self._pace)

    def _events(self, number: int) -> None:
        world, caller, dice, n = self.world, self._caller("admin"), self._dice("events", number), 0
        while self._pause(dice, 0.15):
            n += 1
            run, job = str(uuid.UUID(int=dice.getrandbits(128), version=4)), f"job-{number}-{n % _SINKS}"
            sink = f"sink-{number}-{n % _SINKS}"
            for kind in ("START", "COMPLETE"):
                self.ledgers["runs"].tried(f"{job} {run}")
                body = event(kind, run, job, world.namespace, f"source-{number}", sink)
                if caller.until("event", "POST", "/api/v1/lineage", json=body) is None:
                    return
            self.ledgers["runs"].acknowledged(f"{job} {run}", "COMPLETED")
            self.ledgers["edges"].acknowledged(f"source-{number} > {sink}")
            self.ledgers["datasets"].acknowledged(sink)

    def _catalog(self, number: int) -> None:
        world, caller, dice, n = self.world, self._caller("admin"), self._dice("catalog", number), 0
        while self._pause(dice, 0.8):
            n += 1
            topic = dice.choice(world.topics)
            self.ledgers["terms"].tried(world.term(topic, n))
            if caller.until("apply", "POST", "/api/v1/apply", content=world.dataset(topic, n)) is None:
                return
            self.ledgers["terms"].acknowledged(world.term(topic, n))
            self.ledgers["tags"].acknowledged(topic, f"n{n}")

    def _requests(self, number: int) -> None:
        world, caller, owner = self.world, self._caller("asker"), self._caller("owner")
        dice, n, ledger = self._dice("requests", number), 0, self.ledgers["requests"]
        while self._pause(dice, 0.8):
            n += 1
            reason = f"{world.mark} {number} {n}"
            ledger.tried(reason)
            body = {
                "dataset": f"{world.cluster}/{dice.choice(world.topics)}",
                "fields": ["value.mail"],
                "purpose": "faults",
                "reason": reason,
            }
            asked = caller.until("request", "POST", "/api/v1/access-requests", json=body)
            if asked is None:
                return
            ledger.acknowledged(reason, "pending")
            who, verb, state = dice.choice(
                (
                    (owner, "approve", "approved"),
                    (owner, "deny", "denied"),
                    (caller, "cancel", "cancelled"),
                    (None, "", "pending"),
                )
            )
            if who is not None:
                # 409: the call before this one had been done, and its answer was lost.
                path = f"/api/v1/access-requests/{asked.json()['id']}/{verb}"
                if who.until(verb, "POST", path, (200, 409)) is None:
                    return
                ledger.acknowledged(reason, state)

    def _queries(self, number: int) -> None:
        world, caller, dice = self.world, self._caller("asker"), self._dice("queries", number)
        while self._pause(dice, 1.0):
            query = str(uuid.UUID(int=dice.getrandbits(128), version=4))
            self.ledgers["queries"].tried(query)
            sql = f"SELECT count(*), count(DISTINCT mail) FROM `{world.cluster}`.`{dice.choice(world.topics)}`"
            answer = caller.call("query", "POST", "/api/v1/query", json={"sql": sql, "queryId": query})
            if answer is not None:
                if answer.json()["rows"] != [[RECORDS, RECORDS]]:
                    self.journal.wrong(f"query: {answer.json()['rows']} for {RECORDS} records")
                self.ledgers["queries"].acknowledged(query)

    def _scans(self, number: int) -> None:
        world, caller, dice = self.world, self._caller("admin"), self._dice("scans", number)
        while self._pause(dice, 2.0):
            body = {"cluster": world.cluster, "topics": [dice.choice(world.topics)], "sample": {"records": 50}}
            begun = caller.call("scan", "POST", "/api/v1/scans", json=body)
            if begun is None:
                self.ledgers["scans"].tried(str(uuid.UUID(int=dice.getrandbits(128))))
                continue
            key = begun.json()["id"]
            self.ledgers["scans"].acknowledged(key, "ended")
            for _ in range(60):
                if self._stopping.wait(0.5):
                    return
                scan = caller.call("scan", "GET", f"/api/v1/scans/{key}")
                if scan is not None and scan.json()["state"] not in ("queued", "running"):
                    break

    def _reads(self, number: int) -> None:
        """Pages that people open; nothing is kept of them but how they were answered."""
        world, caller, dice = self.world, self._caller("admin"), self._dice("reads", number)
        node = f"dataset:{world.namespace}:source-0"
        pages: list[tuple[str, dict[str, Any]]] = [
            ("lineage", {"nodeId": node, "depth": 2}),
            ("impact", {"nodeId": node}),
            ("search", {"q": "shop"}),
            ("datasets", {"cluster": world.cluster}),
            (f"datasets/{world.cluster}/{world.topics[0]}", {}),
            ("reports/where-is", {"entity": "EMAIL_ADDRESS"}),
            (f"namespaces/{world.namespace}/jobs", {"limit": 10}),
            ("access-requests", {"limit": 10}),
            ("audit", {"limit": 10}),
        ]
        while self._pause(dice, 0.5):
            name, asked = dice.choice(pages)
            # 404: nothing of this namespace is in the graph yet.
            caller.call(f"read {name.split('/')[0]}", "GET", f"/api/v1/{name}", (200, 404), params=asked)
