"""Every tool. Add one here: its entry names the routes that answer it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from api.features.mcp.arguments import WrongArguments
from api.features.mcp.fence import visible
from api.features.mcp.tools import catalog, contracts, governance, lineage, queries, writes
from api.features.mcp.tools.spec import Tool
from catalog.near_names import did_you_mean
from policies.model import Subject

TOOLS: tuple[Tool, ...] = (
    *catalog.TOOLS,
    *contracts.TOOLS,
    *lineage.TOOLS,
    *governance.TOOLS,
    *queries.TOOLS,
    *writes.TOOLS,
)
_BY_NAME: Mapping[str, Tool] = {name: tool for tool in TOOLS for name in tool.others} | {
    each.name: each for each in TOOLS
}


def tools_of(subject: Subject) -> tuple[Tool, ...]:
    """The tools that the token of a subject has."""
    return tuple(each for each in TOOLS if each.is_open_to(subject))


def tool_of(name: str, subject: Subject) -> Tool:
    """A tool by its name, or by one that agents guess. Raises WrongArguments naming the nearest, or the scope that it needs."""
    plain = name.strip().lower().replace("-", "_").removeprefix("weir_")
    tool = _BY_NAME.get(plain)
    if tool is not None and not tool.is_open_to(subject):
        raise WrongArguments(
            f"The tool {tool.name} changes something, so it is off. A token has it where the scope {tool.scope} was named when"
            f" the token was made: weir token create --agent NAME --scope {tool.scope}."
        )
    if tool is not None:
        return tool
    there = tools_of(subject)
    near = next(iter(get_close_matches(plain[:60], _names(there), 1)), None)
    nearest = _BY_NAME[near].name if near is not None else None
    raise WrongArguments(
        f"There is no tool '{visible(name, 60)}'.{did_you_mean(nearest, lead=' ')} The tools are"
        f" {', '.join(each.name for each in there)}."
    )


def _names(tools: tuple[Tool, ...]) -> list[str]:
    return [name for each in tools for name in (each.name, *each.others)]
