"""`weir mcp` over standard input and output: the same answers, as the one who is signed in."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.agent_client import called
from tests.agent_world import AgentWorld
from tests.answer_check import event_loop
from tests.served import served

PROGRAM = "from api.cli import main; main()"


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[AgentWorld, str]]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        with served(world.app) as url:
            yield world, url
    finally:
        world.services.close()


def agent(home: Path, url: str, token: str | None, mode: str = "auto") -> Client:
    environment = {**os.environ, "WEIR_URL": url, "WEIR_HOME": str(home)}
    environment.pop("WEIR_TOKEN", None)
    if token is not None:
        environment["WEIR_TOKEN"] = token
    return Client(
        StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp"], env=environment), mode=mode
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_prompts_and_answers_come_through(weir: tuple[AgentWorld, str], tmp_path: Path, mode: str) -> None:
    world, url = weir

    async def ask() -> Any:
        async with agent(tmp_path, url, world.tokens["ana"], mode) as client:
            tools, prompts = await client.list_tools(), await client.list_prompts()
            return tools, prompts, await called(client, "my_grants", {}), await called(client, "lineag", {})

    tools, prompts, mine, wrong = event_loop().call(ask)
    assert len(tools.tools) == 14 and len(prompts.prompts) == 3
    assert mine.data["me"]["user"] == "ana"
    assert wrong.failed and "Did you mean lineage?" in wrong.text


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
