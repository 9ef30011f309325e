"""The lines by which clients are connected (docs/how-to/agents.md) can be read, and name a command and a route that exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from api.features import commands

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "agents.md"
CLIENTS = ("Claude Code", "Claude Desktop", "Cursor", "VS Code", "Codex", "Gemini CLI", "Inspector")
ADDRESS = "https://weir.example.com/mcp"


def lines() -> dict[str, list[str]]:
    """Client -> the code in its row."""
    rows = [each for each in PAGE.read_text().splitlines() if each.startswith(tuple(f"| {name}" for name in CLIENTS))]
    parts = [each.strip("| ").split(" | ") for each in rows]
    return {part[0].partition(" (")[0]: re.findall("`([^`]+)`", " ".join(part[1:])) for part in parts}


def test_every_client_has_a_line() -> None:
    assert set(lines()) == set(CLIENTS)
    assert commands()["mcp"] == "mcp"


def test_each_line_starts_weir_mcp_or_names_the_address() -> None:
    for client, codes in lines().items():
        assert codes, client
        for code in codes:
            words = list(_texts(json.loads(code))) if code.startswith("{") else shlex.split(code)
            by_login = words[-2:] == ["weir", "mcp"]
            assert by_login or (ADDRESS in words and any("WEIR_TOKEN" in each for each in words)), (client, code)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value]
