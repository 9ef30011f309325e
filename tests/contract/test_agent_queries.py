"""Queries of agents: rows within the limits, the answers of the route, and a query that ends with its client."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import anyio
import httpx2
import pyarrow as pa
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from policies.access.agents import AgentLimits, Agents
from policies.model import Subject
from tests.agent_client import Agent, called
from tests.query_door import Door, door, until

ROWS = 2_000
SQL = "SELECT order_id FROM prod.orders"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    table = pa.table({"order_id": [f"O-{n} " + "x" * 100 for n in range(ROWS)]})
    with door(tmp_path_factory.mktemp("home"), table) as opened:
        yield opened


def test_rows_are_bounded_by_the_setting_and_by_characters(opened: Door) -> None:
    agent = Agent(opened.world.app, opened.token("ana"))
    answer = agent.call("run_query", sql=SQL, limit=1_000_000)
    assert not answer.failed and len(answer.text) <= 20_000
    rows = answer.data["rows"]
    assert 100 < len(rows) < 200 and all(len(each[0]) > 100 for each in rows)
    assert answer.lead.startswith(f"{len(rows)} of 200 rows. {200 - len(rows)} are left: select fewer columns")
    assert "More rows exist; 200 were read." in answer.lead


def test_a_query_answers_as_its_route_does(opened: Door) -> None:
    agent, token = Agent(opened.world.app, opened.token("ana")), opened.token("ana")
    answer = agent.call("run_query", sql=SQL, limit=5)
    route = httpx2.post(
        f"{opened.url}/api/v1/query", json={"sql": SQL, "limit": 5}, headers={"Authorization": f"Bearer {token}"}
    ).json()
    assert answer.data["rows"] == route["rows"] and len(route["rows"]) == 5
    assert [each["name"] for each in answer.data["columns"]] == [each["name"] for each in route["columns"]]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_goes_away_stops_its_query(opened: Door, mode: str) -> None:
    engine: Any = opened.engine
    engine.hold = threading.Event()
    try:

        async def leave() -> None:
            headers = {"Authorization": f"Bearer {opened.token('ana')}"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(f"{opened.url}/mcp", http_client=http), mode=mode) as client,
            ):
                with anyio.move_on_after(60) as scope:
                    async with anyio.create_task_group() as group:
                        group.start_soon(called, client, "run_query", {"sql": SQL})
                        while not engine.running:  # noqa: ASYNC110  # the engine counts in threads
                            await anyio.sleep(0.01)
                        group.cancel_scope.cancel()
                assert not scope.cancelled_caught

        asyncio.run(leave())
        until(lambda: engine.running == 0, seconds=15)
    finally:
        engine.hold.set()
        engine.hold = None


def test_a_refusal_has_the_words_of_the_route(opened: Door) -> None:
    agent, token = Agent(opened.world.app, opened.token("ana")), opened.token("ana")
    for sql in ("SELECT uper(order_id) FROM prod.orders", "SELECT 1; SELECT 2", "SELECT * FROM prod.nothing"):
        answer = agent.call("run_query", sql=sql)
        route = httpx2.post(
            f"{opened.url}/api/v1/query", json={"sql": sql}, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.failed and answer.error == route.json()["error"], sql


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_query_that_outlives_its_call_is_stopped(opened: Door, mode: str) -> None:
    """A client waits for so long and no longer; what it gave up is ended."""
    engine: Any = opened.engine
    engine.hold = threading.Event()
    try:

        async def wait_a_while() -> None:
            headers = {"Authorization": f"Bearer {opened.token('ana')}"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(f"{opened.url}/mcp", http_client=http), mode=mode) as client,
            ):
                with pytest.raises(MCPError):
                    await client.call_tool("run_query", {"sql": SQL}, read_timeout_seconds=1)
                assert not (await called(client, "my_grants", {})).failed, "the next call is answered"

        asyncio.run(wait_a_while())
        until(lambda: engine.running == 0, seconds=15)
    finally:
        engine.hold.set()
        engine.hold = None


def test_a_token_that_expires_in_a_call_ends_it(opened: Door) -> None:
    engine: Any = opened.engine
    engine.hold = threading.Event()
    limits = AgentLimits("helper", "support", ("prod/orders",), 10, 100, timedelta(seconds=2))
    try:
        token = opened.world.services[Agents].create(Subject("ana"), limits).text
        answer = Agent(opened.world.app, token).call("run_query", sql=SQL)
    finally:
        engine.hold.set()
        engine.hold = None
    assert answer.failed and answer.error["code"] in ("not_signed_in", "query_cancelled"), answer.text
    assert "expired" in answer.text or "ended" in answer.text, answer.text
