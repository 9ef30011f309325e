"""Answers of `/lineage/sql`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from api.edge.answer import Answer, about
from api.joins.cross_room import StatementLineage
from lineage.sql.model import ColumnEdge


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


def sql_lineage_of(statement: StatementLineage) -> SqlLineage:
    """The answer for a text of SQL; validated at once."""
    lineage = statement.lineage
    edges = sorted(lineage.edges, key=lambda edge: (edge.target, edge.field or (), edge.source, edge.way))
    return SqlLineage.model_validate(
        {
            "inputs": sorted(lineage.inputs),
            "outputs": sorted(name for name in lineage.outputs if name),
            "edges": [_edge_values(edge) for edge in edges],
            "datasets": statement.datasets,
            "unknown": lineage.unknown,
        }
    )


def _edge_values(edge: ColumnEdge) -> dict[str, object]:
    return {
        "source": {"table": edge.source.table, "column": _place(edge.source.path)},
        "target": {"table": edge.target, "column": _place(edge.field) if edge.field else None},
        "type": edge.way.type,
        "subtype": edge.way.subtype,
        "masking": edge.way.masking,
    }


def _place(path: Sequence[str]) -> str:
    """A column, or a place inside one, as text: `items[].sku`."""
    text = ""
    for part in path:
        text += part if part == "[]" else ("." if text else "") + part
    return text
