"""`weir mcp`: the protocol over standard input and output; each message is forwarded to `/mcp` of a Weir."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, MCPError, stdio_server
from mcp.client.session import ElicitationFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel.server import Server
from mcp_types import (
    INTERNAL_ERROR,
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

from api import VERSION
from api.config.home import Home
from api.features.mcp import elicitation
from api.features.mcp.instructions import INSTRUCTIONS
from api.terminal.http import instance_tls, instance_token, instance_url
from catalog.errors import WeirError

T = TypeVar("T")
Ask = Callable[[Client], Awaitable[T]]

_VERSION = "2026-07-28"
"""Version of the protocol between this program and Weir, whatever version the agent uses: it needs no first exchange."""
_CONNECT_S, _ANSWER_S = 10.0, 600.0


class Forwarding:
    """The server of one agent on this machine. Who calls is read again for each message, so a new login counts at once."""

    def __init__(self, home: Home, user: str | None) -> None:
        """`user`: whose token of WEIR_HOME is sent; None: the login of `weir login`, as for every command."""
        self._home, self._user = home, user

    async def serve(self) -> None:
        """Answer until the agent closes its end."""
        server: Server[Any] = Server(
            "weir",
            version=VERSION,
            title="Weir",
            instructions=INSTRUCTIONS,
            on_list_tools=lambda ctx, params: self._ask(lambda weir: weir.list_tools()),
            on_call_tool=self._call_tool,
            on_list_prompts=lambda ctx, params: self._ask(lambda weir: weir.list_prompts()),
            on_get_prompt=lambda ctx, params: self._ask(lambda weir: weir.get_prompt(params.name, params.arguments)),
            on_list_resources=lambda ctx, params: self._ask(lambda weir: weir.list_resources(cursor=_cursor(params))),
            on_list_resource_templates=lambda ctx, params: self._ask(lambda weir: weir.list_resource_templates()),
            on_read_resource=lambda ctx, params: self._ask(lambda weir: weir.read_resource(params.uri)),
        )
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    async def _call_tool(self, ctx: Any, params: Any) -> CallToolResult | InputRequiredResult:
        """A failure on the way is a result too: agents read results, and not all of them read errors.

        A question to the person at the agent is passed on in the form that the agent's client knows: as a result, or for clients
        of earlier versions as a request to them.
        """

        async def ask(weir: Client) -> CallToolResult | InputRequiredResult:
            if not elicitation.shows_forms(ctx.session):
                return await weir.call_tool(params.name, params.arguments)
            return await weir.session.call_tool(
                params.name,
                params.arguments,
                input_responses=params.input_responses,
                request_state=params.request_state,
                allow_input_required=True,
            )

        async def form(context: Any, params: ElicitRequestParams) -> ElicitResult:
            assert isinstance(params, ElicitRequestFormParams)  # the server asks for no address to be opened
            answer: ElicitResult = await ctx.session.elicit_form(
                params.message, params.requested_schema, related_request_id=ctx.request_id
            )
            return answer

        try:
            return await self._ask(ask, form if elicitation.declares_forms(ctx.session) else None)
        except MCPError as error:
            return CallToolResult(content=[TextContent(type="text", text=error.message)], is_error=True)

    async def _ask(self, ask: Ask[T], form: ElicitationFnT | None = None) -> T:
        """Raises MCPError with a sentence that names the fix."""
        refusals: list[str] = []

        async def noted(response: httpx2.Response) -> None:
            if response.status_code >= 400:
                refusals.extend(_sentence(await response.aread()))

        url = instance_url(self._home)
        try:
            token, tls = instance_token(self._home, self._user), instance_tls(self._home, url)
            async with (
                httpx2.AsyncClient(
                    headers={"Authorization": f"Bearer {token}"} if token else {},
                    timeout=httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S),
                    verify=tls if tls is not None else True,
                    event_hooks={"response": [noted]},
                ) as http,
                Client(
                    streamable_http_client(f"{url}/mcp", http_client=http), mode=_VERSION, elicitation_callback=form
                ) as weir,
            ):
                return await ask(weir)
        except Exception as error:
            raise _worded(_first(error), refusals, url) from None


def _cursor(params: Any) -> str | None:
    return params.cursor if params is not None else None


def _first(error: BaseException) -> BaseException:
    """The first failure of a group; transports run in groups of tasks."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _worded(error: BaseException, refusals: list[str], url: str) -> MCPError:
    """A failure as a sentence that names the fix."""
    if refusals:
        return MCPError(INTERNAL_ERROR, refusals[-1])
    if isinstance(error, MCPError):
        return error
    if isinstance(error, WeirError):
        return MCPError(INTERNAL_ERROR, error.message)
    return MCPError(INTERNAL_ERROR, f"Weir at {url} does not answer; check that it runs, and WEIR_URL.")


def _sentence(body: bytes) -> list[str]:
    """The message of Weir's one error body."""
    try:
        return [str(json.loads(body)["error"]["message"])]
    except (ValueError, KeyError, TypeError):
        return []


def serve(home: Home, user: str | None) -> None:
    """Run until the agent closes its end. Log lines go to standard error: standard output is the protocol's."""
    logging.basicConfig(level=logging.ERROR)
    anyio.run(Forwarding(home, user).serve)
