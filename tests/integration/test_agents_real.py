"""Agents from end to end: the SDK's own client over a socket, records in Kafka, queries on Spark."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx
import httpx2
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.plan.ports import QueryTable
from policies.query.service import GovernedQuery
from tests.agent_client import ToolResult, called
from tests.agent_world import ORDER, PLANTED, AgentWorld
from tests.answer_check import event_loop
from tests.api_world import orders
from tests.served import served

pytestmark = pytest.mark.integration

T = TypeVar("T")
API = "/api/v1"
SQL = "SELECT order_id, customer.email AS email FROM prod.orders ORDER BY order_id"
ENDS = 20
ENDED_S = 1.0
PETRA = """
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [steward, analyst]}
"""


@dataclass
class AtTopic:
    """The tables of a Weir, whose records are in one topic of a real cluster."""

    tables: Any
    topic: str
    kafka: str

    def find(self, name: str) -> QueryTable:
        table: QueryTable = self.tables.find(name)
        return replace(table, topic=self.topic, kafka={"kafka.bootstrap.servers": self.kafka})

    def facts(self, reference: str) -> Any:
        return self.tables.facts(reference)


@dataclass
class Served:
    """A Weir at an address."""

    world: AgentWorld
    url: str

    def rest(self, token: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=120)

    def person(self, name: str) -> httpx.Client:
        return self.rest(self.world.tokens[name])

    def agent_of(self, name: str, agent: str) -> dict[str, Any]:
        """A new agent of a person for one dataset: `{id, token}`."""
        limits = {"name": agent, "purpose": "support", "datasets": ["prod/orders"], "rows": 50, "expiresIn": "1d"}
        answer = self.person(name).post(f"{API}/agents", json=limits)
        assert answer.status_code == 201, answer.text
        created: dict[str, Any] = answer.json()
        return created

    def within(self, token: str, work: Callable[[Client], Awaitable[T]]) -> T:
        """What some work gives with the SDK's client, connected by a socket."""

        async def run() -> T:
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as http,
                Client(streamable_http_client(f"{self.url}/mcp", http_client=http)) as client,
            ):
                return await work(client)

        return event_loop().call(run)

    def call(self, token: str, tool: str, **arguments: Any) -> ToolResult:
        async def ask(client: Client) -> ToolResult:
            return await called(client, tool, arguments)

        return self.within(token, ask)


@pytest.fixture(scope="module")
def weir(stack: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    topic = f"agents-{uuid.uuid4().hex[:8]}"
    cluster = AdminClient({"bootstrap.servers": stack.kafka})
    cluster.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for each in orders(20):
        producer.produce(topic, each.value, each.key, headers=each.headers)
    assert producer.flush(30) == 0
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    world.apply(PETRA)
    sessions = Sessions(stack.engine, 2)
    queries = world.services[GovernedQuery]
    readers = queries.preparer.tables_of
    queries._engine = SparkEngine(sessions, windows=KafkaWindows())
    queries._offsets = queries.preparer._offsets = KafkaOffsets()
    queries._settings.seconds = 240
    queries.preparer.tables_of = lambda subject: AtTopic(readers(subject), topic, stack.kafka)
    try:
        with served(world.app) as url:
            yield Served(world, url)
    finally:
        sessions.close()
        world.services.close()
        cluster.delete_topics([topic])[topic].result(30)


@pytest.mark.parametrize("person", ["ana", "petra"])
def test_from_search_to_unmasked_rows_that_a_person_approved(weir: Served, person: str) -> None:
    name = f"helper-of-{person}"
    token = weir.agent_of(person, name)["token"]
    hits = weir.call(token, "search", query="email").data["hits"]
    assert {each["reference"] for each in hits} == {"prod/orders"}
    masked = weir.call(token, "run_query", sql=SQL)
    assert not masked.failed, masked.text
    assert len(masked.data["rows"]) == 20
    assert not any("@" in row[1] for row in masked.data["rows"])
    asked = weir.call(token, "request_access", dataset="orders", purpose="support", days=2, reason="a ticket")
    assert not asked.failed, asked.text
    request = asked.data["request"]
    assert request["state"] == "pending" and request["requester"] == person
    assert request["reason"].startswith(f"Asked for by agent {name}.")
    approving = f"{API}/access-requests/{request['id']}/approve"
    assert weir.rest(token).post(approving, json={}).status_code == 403, "an agent approves nothing"
    approved = weir.person("otto").post(approving, json={})
    assert approved.status_code == 200, approved.text
    assert weir.call(token, "request_status", id=request["id"]).data["request"]["state"] == "approved"
    clear = weir.call(token, "run_query", sql=SQL)
    assert not clear.failed, clear.text
    assert clear.data["rows"][0] == ["O-0", "person0@mail.example.com"]
    entries = weir.world.admin.get(f"{API}/audit", params={"agent": name, "limit": 100}).json()["entries"]
    begun = [each for each in entries if each["action"] == "query"]
    assert len(begun) == 2
    for each in begun:
        assert each["actor"] == person
        assert each["details"]["agent"] == name and each["details"]["tool"] == "run_query"
        assert each["details"]["purpose"] == "support"
    assert {each["details"]["tool"] for each in entries if each["action"] == "request.create"} == {"request_access"}


def test_an_agent_that_is_ended_is_refused_within_a_second(weir: Served) -> None:
    longest = 0.0
    ana = weir.person("ana")
    for number in range(ENDS):
        created = weir.agent_of("ana", f"ended-{number}")

        async def until_refused(client: Client, created: dict[str, Any] = created) -> float:
            import anyio.to_thread

            assert not (await called(client, "my_grants", {})).failed
            begun = time.monotonic()
            ended = await anyio.to_thread.run_sync(lambda: ana.delete(f"{API}/agents/{created['id']}"))
            assert ended.status_code == 200, ended.text
            while True:
                try:
                    await called(client, "my_grants", {})
                except Exception:
                    return time.monotonic() - begun

        longest = max(longest, weir.within(created["token"], until_refused))
        assert weir.rest(created["token"]).get(f"{API}/datasets").status_code == 401
    print(f"{ENDS} agents ended; the longest was served for {longest * 1000:.0f} ms more, its last call included")
    assert longest < ENDED_S


def test_a_planted_instruction_arrives_between_the_marks(weir: Served) -> None:
    answer = weir.call(weir.world.tokens["ana"], "describe_dataset", dataset=PLANTED)
    assert ORDER[:40] in (answer.fenced or "")
    assert "SYSTEM:" not in answer.text.replace(answer.fenced or "", "")
    assert "\u202e" not in answer.text
