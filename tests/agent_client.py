"""An agent without a model: the SDK's own client, over HTTP, in the event loop that all clients of tests share."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.answer_check import event_loop

T = TypeVar("T")
URL = "http://localhost/mcp"
_FENCED = re.compile(r"<data-([0-9a-f]{16})>\n(.*)\n</data-\1>", re.DOTALL)


@dataclass(frozen=True)
class ToolResult:
    """What a call gave. `lead`: Weir's own sentences before the data; `data`: the data, None where there is none."""

    text: str
    failed: bool

    @property
    def lead(self) -> str:
        return self.text.partition("Between the two marks")[0].strip()

    @property
    def fenced(self) -> str | None:
        match = _FENCED.search(self.text)
        return match[2] if match else None

    @property
    def data(self) -> Any:
        return json.loads(self.fenced) if self.fenced is not None else None

    @property
    def error(self) -> dict[str, Any]:
        assert self.failed, self.text
        error: dict[str, Any] = self.data["error"]
        return error


class Agent:
    """A client of one application, with one bearer token."""

    def __init__(self, app: FastAPI, token: str | None, mode: str = "auto", person: Any = None) -> None:
        """`mode`: auto, or the version of the protocol to use; see `mcp.Client`. `person`: who fills in forms; None: the client
        shows none."""
        self._app, self._mode, self._person = app, mode, person
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def within(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """What some work gives with a connected client."""

        async def run() -> T:
            transport = httpx2.ASGITransport(app=self._app)
            async with (
                httpx2.AsyncClient(transport=transport, headers=self._headers) as http,
                Client(
                    streamable_http_client(URL, http_client=http),
                    mode=self._mode,
                    elicitation_callback=self._person,
                ) as client,
            ):
                return await work(client)

        return event_loop().call(run)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **more: Any) -> ToolResult:
        """The answer of a tool."""
        given = {**(arguments or {}), **more}

        async def ask(client: Client) -> ToolResult:
            return await called(client, tool, given)

        return self.within(ask)


async def called(client: Client, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
    """The answer of a tool to a connected client."""
    result = await client.call_tool(tool, dict(arguments))
    content: Any = result.content
    assert len(content) == 1, content
    return ToolResult(content[0].text, bool(result.is_error))


def agent_of(world: Any, user: str) -> Agent:
    """An agent with a new token of a user of an `ApiWorld`."""
    answer = world.admin.post("/api/v1/tokens", json={"user": user})
    assert answer.status_code == 201, answer.text
    return Agent(world.app, answer.json()["token"])
