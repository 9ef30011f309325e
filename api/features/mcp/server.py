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
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ListedTool

from api import VERSION
from api.config.settings import Settings
from api.edge import errors
from api.features.mcp import arguments, elicitation, prompts, resources
from api.features.mcp.arguments import WrongArguments
from api.features.mcp.calls import Failed, OwnRoutes, Reply
from api.features.mcp.elicitation import Question
from api.features.mcp.instructions import INSTRUCTIONS
from api.features.mcp.result_text import text_of, text_of_failure
from api.features.mcp.tools import tool_of, tools_of
from api.features.mcp.tools.spec import Tool, Values


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
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_resource_templates,
        on_read_resource=_read_resource,
        get_tool_input_schema=_no_header_arguments,
    )


def _no_header_arguments(name: str) -> None:
    """No argument of a tool is repeated in a header of the request. Without this the protocol's server lists all tools for each
    call, to look for one that is."""


async def _list_tools(ctx: Any, params: Any) -> ListToolsResult:
    return ListToolsResult(tools=[_listed(each) for each in tools_of(OwnRoutes(ctx.request).subject)])


def _listed(tool: Tool) -> ListedTool:
    hints = None if tool.writes else ToolAnnotations(read_only_hint=True)
    return ListedTool(name=tool.name, description=tool.about, input_schema=tool.schema(), annotations=hints)


async def _call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    """Never raises: every failure is a text for the agent, which can then correct its call."""
    most = _characters(ctx)
    try:
        tool = tool_of(params.name, OwnRoutes(ctx.request).subject)
        values = _values(ctx, tool, params)
        return _result(text_of(await tool.ask(OwnRoutes(ctx.request, tool.name), values), most))
    except Question as question:
        return question.result
    except WrongArguments as error:
        return _result(str(error), failed=True)
    except Failed as error:
        return _result(text_of_failure(error.reply, most), failed=True)
    except Exception as error:
        answer = errors.unexpected("/mcp", error)
        return _result(text_of_failure(Reply(500, json.loads(bytes(answer.body))), most), failed=True)


def _values(ctx: Any, tool: Tool, params: CallToolRequestParams) -> Values:
    """Raises WrongArguments; Question where the client shows forms and the person is to be asked."""
    given = params.arguments or {}
    if elicitation.shows_forms(ctx.session):
        return elicitation.completed(tool, given, params.input_responses or {})
    return arguments.read(tool.arguments, given)


def _characters(ctx: Any) -> int:
    most: int = ctx.request.app.state.instance[Settings].mcp.answer_characters
    return most


def _result(text: str, *, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


async def _list_prompts(ctx: Any, params: Any) -> ListPromptsResult:
    return ListPromptsResult(prompts=prompts.listed())


async def _get_prompt(ctx: Any, params: GetPromptRequestParams) -> GetPromptResult:
    return prompts.filled(params.name, params.arguments or {})


async def _list_resources(ctx: Any, params: PaginatedRequestParams | None) -> ListResourcesResult:
    return await resources.listed(OwnRoutes(ctx.request, "resources/list"), params.cursor if params else None)


async def _list_resource_templates(ctx: Any, params: Any) -> ListResourceTemplatesResult:
    return resources.templates()


async def _read_resource(ctx: Any, params: ReadResourceRequestParams) -> ReadResourceResult:
    return await resources.read(OwnRoutes(ctx.request, "resources/read"), params.uri, _characters(ctx))
