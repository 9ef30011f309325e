"""Calls that go wrong: too many at once, texts that are too long, resources that are none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx2
import pytest
from mcp import MCPError

from api.config.settings import Settings
from tests.agent_client import URL
from tests.agent_world import ORDER, PLANTED, AgentWorld
from tests.answer_check import event_loop

RESOURCE = "weir://dataset/"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        yield world
    finally:
        world.services.close()


@pytest.fixture(scope="module")
def slowed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    settings = Settings()
    settings.api.rate_requests = 4
    world = AgentWorld(tmp_path_factory.mktemp("slowed"), settings=settings)
    try:
        yield world
    finally:
        world.services.close()


def test_of_two_hundred_calls_at_once_each_is_answered_or_told_when_to_try_again(slowed: AgentWorld) -> None:
    message = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_datasets", "arguments": {}}}
    headers = {
        "Authorization": f"Bearer {slowed.tokens['ana']}",
        "Accept": "application/json, text/event-stream",
    }

    async def all_at_once() -> list[httpx2.Response]:
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=slowed.app), headers=headers, timeout=120
        ) as http:
            return await asyncio.gather(*(http.post(URL, json={**message, "id": n}) for n in range(200)))

    answers = event_loop().call(all_at_once)
    assert len(answers) == 200 and {each.status_code for each in answers} == {200, 429}
    for number, each in enumerate(answers):
        if each.status_code == 429:
            assert int(each.headers["retry-after"]) >= 1 and "send the next in" in each.json()["error"]["message"]
        else:
            assert f'"id":{number},' in each.text or f'"id":{number}}}' in each.text
            assert '"isError":true' not in each.text or "Try again in" in each.text, each.text[:500]


def test_a_description_of_a_megabyte_is_shown_in_part(weir: AgentWorld) -> None:
    weir.describe("clicks", "long " * 200_000)
    for answer in (
        weir.agent("ana").call("describe_dataset", dataset="clicks"),
        weir.agent("ana").call("list_datasets"),
        weir.agent("ana").call("search", query="clicks"),
    ):
        assert not answer.failed and len(answer.text) <= 20_000
    described = weir.agent("ana").call("describe_dataset", dataset="clicks")
    assert "more characters]" in described.text and "Shown in part: long texts: 1." in described.lead
    weir.describe("clicks", "")


def refusal(weir: AgentWorld, ask: Callable[[Any], Awaitable[Any]]) -> str:
    """The message of the error that a request gives."""

    async def refused(client: Any) -> str:
        with pytest.raises(MCPError) as error:
            await ask(client)
        return error.value.message

    return weir.agent("ana").within(refused)


@pytest.mark.parametrize(
    ("uri", "sentence"),
    [
        (
            "weir://topic/prod/orders",
            "There is no resource 'weir://topic/prod/orders'; write weir://dataset/CLUSTER/TOPIC",
        ),
        (f"{RESOURCE}orders", "There is no resource"),
        (f"{RESOURCE}prod/", "There is no resource"),
        (f"{RESOURCE}prod/a/b", "There is no resource"),
        (f"{RESOURCE}prod/ordesr", "did you mean prod/orders?"),
        (f"{RESOURCE}prod/%00", "Weir refused this"),
        (f"{RESOURCE}prod/%ff%fe", "Weir refused this"),
    ],
)
def test_a_resource_that_is_none_is_refused_in_a_sentence(weir: AgentWorld, uri: str, sentence: str) -> None:
    text = refusal(weir, lambda client: client.read_resource(uri))
    assert sentence in text and "internal" not in text and "Traceback" not in text, text


def test_a_planted_instruction_arrives_as_data_in_a_resource_too(weir: AgentWorld) -> None:
    async def read(client: Any) -> str:
        return str((await client.read_resource(f"{RESOURCE}prod/{PLANTED}")).contents[0].text)

    text = weir.agent("ana").within(read)
    before, _, data = text.partition("<data-")
    assert ORDER[:50] in data and PLANTED not in before and "\u202e" not in text


def test_pages_of_resources_follow_one_another(weir: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.features.mcp.resources._PAGE", 2)

    async def every(client: Any) -> list[str]:
        uris, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [each.uri for each in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                return uris

    names = [each["reference"] for each in weir.rest("petra").get("/api/v1/datasets").json()["datasets"]]
    assert weir.agent("petra").within(every) == [RESOURCE + name for name in names]


@pytest.mark.parametrize("cursor", ["x", "-1", "\u0661", "9" * 40])
def test_a_cursor_that_is_none_is_refused(weir: AgentWorld, cursor: str) -> None:
    text = refusal(weir, lambda client: client.list_resources(cursor=cursor))
    assert text.startswith("cursor is not one that resources/list gave")
