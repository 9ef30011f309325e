"""Requests to this application's own routes, in process, as the one who called a tool."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import anyio
from fastapi import Request
from starlette.types import Message, Scope

from api.config.tls_settings import CLIENT_CERTIFICATE
from api.guard.guards import SUBJECT
from api.guard.router import PREFIX
from api.wiring.instance import Instance
from policies.model import Subject

TOOL = b"x-weir-tool"
"""Header that names the tool for which a request is sent."""

_PASSED_ON = (b"authorization", b"user-agent")
_RUNNING: set[asyncio.Task[None]] = set()
"""Requests whose tool call was given up; kept until they end."""

Parameter = str | int | bool | Sequence[str] | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A route's answer. `body` is its JSON."""

    status: int
    body: Any

    @property
    def failed(self) -> bool:
        return self.status >= 400


@dataclass(slots=True)
class _Answer:
    status: int = 500
    chunks: list[bytes] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.chunks.append(message.get("body", b""))


class Failed(Exception):
    """A route refused. `reply` is its error, for the agent."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"HTTP {reply.status}")
        self.reply = reply


def address(*parts: str) -> str:
    """A path of names, each encoded whole."""
    return "/".join(["", *(quote(part, safe="", errors="replace") for part in parts)])


class OwnRoutes:
    """The routes of this application, called with the credential of one request to `/mcp`."""

    def __init__(self, request: Request, tool: str = "") -> None:
        """`tool`: what the audit names as called."""
        self._outer, self._tool = request, tool

    @property
    def instance(self) -> Instance:
        instance: Instance = self._outer.app.state.instance
        return instance

    @property
    def subject(self) -> Subject:
        """Who called the tool. The routes find out again, each for itself."""
        subject: Subject = getattr(self._outer.state, SUBJECT)
        return subject

    async def get(self, path: str, **query: Parameter) -> Reply:
        """The answer to `GET /api/v1{path}`; parameters that are None are left out."""
        return await self._call("GET", path, query, b"")

    async def need(self, path: str, **query: Parameter) -> Any:
        """As `get`, only the body. Raises Failed where the route refuses."""
        return _required(await self.get(path, **query))

    async def post(self, path: str, body: Mapping[str, Any], **query: Parameter) -> Any:
        """The body of the answer to `POST /api/v1{path}`; keys that are None are left out. Raises Failed."""
        return await self._send("POST", path, body, query)

    async def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """As `post`, by PATCH."""
        return await self._send("PATCH", path, body, {})

    async def _send(self, method: str, path: str, body: Mapping[str, Any], query: Mapping[str, Parameter]) -> Any:
        given = {key: value for key, value in body.items() if value is not None}
        return _required(await self._call(method, path, query, json.dumps(given).encode()))

    async def _call(self, method: str, path: str, query: Mapping[str, Parameter], body: bytes) -> Reply:
        """When the tool call is given up, the route sees that its client left, and stops what it does."""
        given_up, sent = anyio.Event(), False

        async def receive() -> Message:
            nonlocal sent
            if sent:
                await given_up.wait()
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        answer = _Answer()
        task = asyncio.create_task(self._outer.app(self._scope(method, path, query, body), receive, answer.send))
        _RUNNING.add(task)
        task.add_done_callback(_RUNNING.discard)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            given_up.set()
            raise
        text = b"".join(answer.chunks)
        return Reply(answer.status, json.loads(text) if text else None)

    def _scope(self, method: str, path: str, query: Mapping[str, Parameter], body: bytes) -> Scope:
        outer = self._outer.scope
        headers = [pair for pair in outer["headers"] if pair[0] in _PASSED_ON]
        headers += [(b"host", b"weir"), (b"accept", b"application/json"), (TOOL, self._tool.encode())]
        if body:
            headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        whole = PREFIX + path
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": outer.get("scheme", "http"),
            "path": whole,
            "raw_path": whole.encode(),
            "query_string": _query(query).encode(),
            "root_path": "",
            "headers": headers,
            "client": None,  # the address was counted when the request to /mcp came
            "server": outer.get("server"),
            "state": {},
        }
        return scope | ({CLIENT_CERTIFICATE: outer[CLIENT_CERTIFICATE]} if CLIENT_CERTIFICATE in outer else {})


def _required(reply: Reply) -> Any:
    if reply.failed:
        raise Failed(reply)
    return reply.body


def _query(given: Mapping[str, Parameter]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        values = [] if value is None else value if isinstance(value, (list, tuple)) else [value]
        pairs += [(name, str(each).lower() if isinstance(each, bool) else str(each)) for each in values]
    return urlencode(pairs, errors="replace")
