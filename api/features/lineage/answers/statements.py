"""Answers of `/lineage/sql`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about


class SqlSource(Answer):
    """Where a column comes from."""

    table: str
    column: str


class SqlTarget(Answer):
    """What is made; `column` null: the whole table, by a filter, join, group or sort."""

    table: str
    column: str | None


class SqlEdge(Answer):
    """How one column takes part in another."""

    source: SqlSource
    target: SqlTarget
    type: Literal["DIRECT", "INDIRECT"]
    subtype: str
    masking: bool


class SqlLineage(Answer):
    """Column lineage of a text of SQL."""

    inputs: list[str] = about("Tables read.")
    outputs: list[str] = about("Tables written.")
    edges: list[SqlEdge]
    datasets: dict[str, str] = about("Table -> CLUSTER/TOPIC, where the catalog has it.")
    unknown: list[str] = about("Sentences about what cannot be worked out; nothing is guessed in its place.")
