"""Topics, tables and decisions of the benchmarks of queries, and their figures."""

from __future__ import annotations

import contextlib
import json
import statistics
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from rich.console import Console

from catalog.datatypes import STRING, parse_ddl
from catalog.model import DatasetId
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.model import (
    DatasetFacts,
    Decision,
    FieldFacts,
    Mask,
    MaskPolicy,
    MaskType,
    Role,
    Subject,
    SubjectMatch,
    Target,
)
from policies.plan.model import PartRead
from policies.plan.ports import QueryRecord, QueryTable

DDL = "id STRING, customer STRUCT<name: STRING, email: STRING>, amount DOUBLE, card STRING, region STRING, n BIGINT"
KINDS = {"value.customer.name": "PERSON", "value.customer.email": "EMAIL_ADDRESS", "value.card": "CREDIT_CARD"}
MASKS = {"PERSON": MaskType.MASK, "EMAIL_ADDRESS": "EMAIL_DOMAIN", "CREDIT_CARD": "MASK_SHOW_LAST_4"}
START = 1_767_225_600_000
READER = Subject("bench", roles=frozenset({"reader"}))


@dataclass
class Figure:
    """What was measured, and its limit where it has one."""

    name: str
    measured: float
    limit: float | None
    unit: str


def record(n: int, masked: bool) -> dict[str, Any]:
    name, email, card = f"Anna Keller {n % 1000}", f"anna{n}@example{n % 50}.eu", f"4111-1111-1111-{n % 10000:04}"
    if masked:
        name = "Xxxx Xxxxxx " + "n" * len(str(n % 1000))
        email, card = f"xxxx@example{n % 50}.eu", f"xxxx-xxxx-xxxx-{n % 10000:04}"
    return {
        "id": f"o{n}",
        "customer": {"name": name, "email": email},
        "amount": n % 977 / 4,
        "card": card,
        "region": ("EU", "US", "APAC")[n % 3],
        "n": n,
    }


class Topics:
    """Topics of this run, gone after it."""

    def __init__(self, servers: str) -> None:
        self.servers, self.mark = servers, uuid.uuid4().hex[:8]
        self.admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
        self.made: list[str] = []

    def fill(self, name: str, count: int, masked: bool = False, partitions: int = 4) -> str:
        topic = f"bench-{name}-{self.mark}"
        self.admin.create_topics([NewTopic(topic, partitions, 1, config={"retention.ms": "-1"})])[topic].result(30)
        self.made.append(topic)
        producer = Producer(
            {
                "bootstrap.servers": self.servers,
                "linger.ms": 50,
                "compression.type": "lz4",
                "log_level": 0,
                "queue.buffering.max.messages": 1_000_000,
            }
        )
        for n in range(count):
            producer.produce(
                topic, json.dumps(record(n, masked)).encode(), f"k{n}".encode(), n % partitions, timestamp=START + n
            )
            if n % 10_000 == 0:
                producer.poll(0)
        if producer.flush(300):
            raise RuntimeError("Kafka did not take all records")
        return topic

    def drop(self) -> None:
        for future in self.admin.delete_topics(self.made).values() if self.made else ():
            with contextlib.suppress(Exception):
                future.result(30)


class World:
    """Tables, decisions and audit for queries within this process. `masked`: the reader sees masks."""

    def __init__(self, servers: str, masked: bool) -> None:
        self.servers = servers
        everyone = SubjectMatch(everyone=True)
        self.policies = Compiled(
            MaskPolicy(tag, (Target(tag=tag),), everyone, Mask(mask)) for tag, mask in MASKS.items() if masked
        )
        self.roles = {"reader": Role("reader", (Target(dataset="*"),))}

    def find(self, name: str) -> QueryTable:
        kind = parse_ddl(DDL)
        paths = ("key", *(f"value.{n}" for n in ("id", "amount", "region", "n")), *KINDS)
        fields = tuple(FieldFacts(p, {KINDS[p]: "declared"} if p in KINDS else {}) for p in paths)
        facts = DatasetFacts(DatasetId("kafka://bench", name), f"bench/{name}", fields)
        return QueryTable(
            f"bench/{name}",
            name,
            facts,
            {"kafka.bootstrap.servers": self.servers},
            PartRead("text", STRING),
            PartRead("json", kind),
        )

    def facts(self, reference: str) -> DatasetFacts:
        return self.find(reference.removeprefix("bench/")).facts

    def __call__(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        return decide(subject, facts, roles=self.roles, policies=self.policies, purpose=purpose, now=datetime.now(UTC))

    def record(self, entry: QueryRecord) -> None:
        """Nothing is kept."""


def p95(values: list[float]) -> float:
    """What 95% of the values are below; the value itself where there is one."""
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def show(console: Console, figures: list[Figure]) -> None:
    """Print figures, each with its limit and the ratio to it."""
    for each in figures:
        limit = "" if each.limit is None else f"{each.limit:g} {each.unit}".strip()
        ratio = "" if each.limit is None else f"{each.measured / each.limit:.2f}"
        console.print(f"{each.name:<60}{f'{each.measured:,.2f} {each.unit}'.strip():>14}{limit:>12}{ratio:>8}")
