"""How declared documents write when and how datasets are scanned."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from catalog.dead_letters import RULE, is_for_dead_letters
from catalog.declared.spec_parts import Spec


class ScanSpec(Spec):
    """When and how a dataset is scanned by itself. `every`: 30m, 6h, 1d; deadLetter: true, or a topic's name."""

    every: str = Field(pattern=r"^[1-9][0-9]{0,4}[mhd]$")
    strategy: Literal["stratified", "latest", "earliest", "random", "full", "since-last"] = "since-last"
    records: int | None = Field(None, ge=1)
    deadLetter: bool | str = False

    @field_validator("deadLetter")
    @classmethod
    def _hidden_topic(cls, value: bool | str) -> bool | str:
        if isinstance(value, str) and not is_for_dead_letters(value):
            raise ValueError(f"it is not a topic for dead letters: {RULE}")
        return value


class ClusterScanSpec(ScanSpec):
    """Topics that appear later are found by themselves; those with a schedule of their own are left to it."""

    topics: list[str] = Field(default_factory=lambda: ["*"], min_length=1)

    @field_validator("topics")
    @classmethod
    def _named(cls, value: list[str]) -> list[str]:
        if any(not topic.strip() for topic in value):
            raise ValueError("a topic has no name; write a topic or a pattern such as shop.*")
        return value
