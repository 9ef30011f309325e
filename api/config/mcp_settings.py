"""Settings of the server for agents."""

from __future__ import annotations

from pydantic import Field

from api.config.section import Section


class McpSettings(Section):
    """`/mcp`, the tools for agents."""

    answer_characters: int = Field(
        20_000,
        ge=2_000,
        le=400_000,
        description="Characters of a tool's answer at most; the rest is left out and counted.",
    )
    rows: int = Field(200, ge=1, le=10_000, description="Rows that a tool reads at most in one call.")
