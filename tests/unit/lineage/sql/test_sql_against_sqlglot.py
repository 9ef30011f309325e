"""Our reading of SQL gives the answers of sqlglot's own `lineage()`, column by column."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.lineage import lineage

from lineage.sql.columns import columns_from_sql
from tests import sql_channels

TABLES = sql_channels.schema()


@pytest.mark.parametrize("sql", sql_channels.statements())
def test_same_origins_as_sqlglot(sql: str) -> None:
    theirs: dict[str, set[str]] = {}
    for name, node in lineage(
        None, sql, {t: dict.fromkeys(c, "text") for t, c in TABLES.items()}, dialect="spark"
    ).items():
        leaves = [leaf for leaf in node.walk() if not leaf.downstream and isinstance(leaf.expression, exp.Table)]
        theirs[name] = {f"{leaf.expression.name}.{leaf.name.rpartition('.')[2]}" for leaf in leaves}
    answer = columns_from_sql(sql, "spark", {t: dict.fromkeys(c) for t, c in TABLES.items()})
    ours: dict[str, set[str]] = {name: set() for name in theirs}
    for edge in answer.edges:
        if edge.field is not None:
            ours[edge.field[0]].add(f"{edge.source.table}.{edge.source.path[0]}")
    assert answer.unknown == []
    assert ours == theirs
