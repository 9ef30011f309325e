"""The server of the protocol: which tools and prompts there are, and what a call of one answers."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from mcp.server.lowlevel.server import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from api import VERSION
from api.config.settings import Settings
from api.edge import errors
from api.features.mcp import arguments, prompts
from api.features.mcp.answer import text_of, text_of_failure
from api.features.mcp.arguments import WrongArguments
from api.features.mcp.calls import Failed, OwnRoutes, Reply
from api.features.mcp.instructions import INSTRUCTIONS
from api.features.mcp.tools import TOOLS, tool_of
from api.features.mcp.tools.spec import Tool


@cache
def server() -> Server[Any]:
    """The one server of this process. It keeps nothing of a caller: each call reads who calls from its HTTP request."""
    return Server(
        "weir",
        version=VERSION,
        title="Weir",
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


async def _list_tools(ctx: Any, params: Any) -> ListToolsResult:
    return ListToolsResult(tools=[_listed(each) for each in TOOLS])


def _listed(tool: Tool) -> ListedTool:
    hints = None if tool.writes else ToolAnnotations(read_only_hint=True)
    return ListedTool(name=tool.name, description=tool.about, input_schema=tool.schema(), annotations=hints)


async def _call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
    """Never raises: every failure is a text for the agent, which can then correct its call."""
    most = ctx.request.app.state.instance[Settings].mcp.answer_characters
    try:
        tool = tool_of(params.name)
        values = arguments.read(tool.arguments, params.arguments or {})
        return _result(text_of(await tool.ask(OwnRoutes(ctx.request, tool.name), values), most))
    except WrongArguments as error:
        return _result(str(error), failed=True)
    except Failed as error:
        return _result(text_of_failure(error.reply, most), failed=True)
    except Exception as error:
        answer = errors.unexpected("/mcp", error)
        return _result(text_of_failure(Reply(500, json.loads(bytes(answer.body))), most), failed=True)


def _result(text: str, *, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


async def _list_prompts(ctx: Any, params: Any) -> ListPromptsResult:
    return ListPromptsResult(prompts=prompts.listed())


async def _get_prompt(ctx: Any, params: GetPromptRequestParams) -> GetPromptResult:
    return prompts.filled(params.name, params.arguments or {})
