"""`weir mcp` over standard input and output: the same answers, as the one who is signed in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from api.features.mcp.tools import TOOLS
from tests.agent_client import called
from tests.agent_world import AgentWorld
from tests.answer_check import event_loop
from tests.features.mcp.test_elicitation import Person
from tests.features.mcp.test_write_tools import CALLS, LEAD, token_of
from tests.served import served

PROGRAM = "from api.cli import main; main()"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[AgentWorld, str]]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    world.apply(LEAD)
    try:
        with served(world.app) as url:
            yield world, url
    finally:
        world.services.close()


def agent(home: Path, url: str, token: str | None, mode: str = "auto", **more: Any) -> Client:
    environment = {**os.environ, "WEIR_URL": url, "WEIR_HOME": str(home)}
    environment.pop("WEIR_TOKEN", None)
    if token is not None:
        environment["WEIR_TOKEN"] = token
    return Client(
        StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp"], env=environment), mode=mode, **more
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_prompts_and_answers_come_through(weir: tuple[AgentWorld, str], tmp_path: Path, mode: str) -> None:
    world, url = weir

    async def ask() -> Any:
        async with agent(tmp_path, url, world.tokens["ana"], mode) as client:
            tools, prompts = await client.list_tools(), await client.list_prompts()
            resource = await client.read_resource("weir://dataset/prod/orders")
            assert "Orders of the shop" in str(resource.contents[0])
            listed = await client.list_resources(), await client.list_resource_templates()
            assert len(listed[0].resources) > 1 and len(listed[1].resource_templates) == 1
            return tools, prompts, await called(client, "my_grants", {}), await called(client, "lineag", {})

    tools, prompts, mine, wrong = event_loop().call(ask)
    assert {each.name for each in tools.tools} == {each.name for each in TOOLS if each.scope is None} and len(
        prompts.prompts
    ) == 3
    assert mine.data["me"]["user"] == "ana"
    assert wrong.failed and "Did you mean lineage?" in wrong.text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("token", "address", "sentence"),
    [
        ("weir_wrong", None, "token"),
        (None, None, "weir login"),
        ("weir_any", "http://127.0.0.1:1", "does not answer"),
    ],
)
def test_what_hinders_is_said(
    weir: tuple[AgentWorld, str], tmp_path: Path, token: str | None, address: str | None, sentence: str
) -> None:
    async def ask() -> Any:
        async with agent(tmp_path, address or weir[1], token) as client:
            return await called(client, "my_grants", {})

    answer = event_loop().call(ask)
    assert answer.failed and sentence in answer.text and "Traceback" not in answer.text


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_person_is_asked_in_the_form_that_the_client_knows(
    weir: tuple[AgentWorld, str], tmp_path: Path, mode: str
) -> None:
    world, url = weir
    token = token_of(world, "petra", "read", "request", "describe")

    async def ask(who: Person, tool: str, given: dict[str, Any]) -> Any:
        async with agent(tmp_path, url, token, mode, elicitation_callback=who) as client:
            return await called(client, tool, given)

    person, other = Person(purpose="upkeep", days=1), Person("decline")
    answer = event_loop().call(lambda: ask(person, "request_access", {"dataset": "orders"}))
    refused = event_loop().call(lambda: ask(other, "set_tags", CALLS["set_tags"]))
    assert "did not agree" not in answer.text and len(person.forms) == 1, answer.text
    assert refused.failed and "did not agree" in refused.text and len(other.forms) == 1
