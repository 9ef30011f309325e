"""Every tool. Add one here: its entry names the routes that answer it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from api.features.mcp.arguments import WrongArguments
from api.features.mcp.fence import visible
from api.features.mcp.tools import catalog, governance, lineage, queries
from api.features.mcp.tools.spec import Tool
from catalog.near_names import did_you_mean

TOOLS: tuple[Tool, ...] = (*catalog.TOOLS, *lineage.TOOLS, *governance.TOOLS, *queries.TOOLS)
_BY_NAME: Mapping[str, Tool] = {name: tool for tool in TOOLS for name in tool.others} | {
    each.name: each for each in TOOLS
}


def tool_of(name: str) -> Tool:
    """A tool by its name, or by one that agents guess. Raises WrongArguments naming the nearest."""
    plain = name.strip().lower().replace("-", "_").removeprefix("weir_")
    if plain in _BY_NAME:
        return _BY_NAME[plain]
    near = next(iter(get_close_matches(plain[:60], _BY_NAME, 1)), None)
    nearest = _BY_NAME[near].name if near is not None else None
    raise WrongArguments(
        f"There is no tool '{visible(name, 60)}'.{did_you_mean(nearest, lead=' ')} The tools are"
        f" {', '.join(each.name for each in TOOLS)}."
    )
