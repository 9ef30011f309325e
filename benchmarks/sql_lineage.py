"""SQL column lineage against sqlglot's own `lineage()`, on statements in the style of TPC-DS, in one process.

    python -m benchmarks.sql_lineage [--rounds 7]

Every statement is read by each way in turn, interleaved, so that a slow moment of the machine hits all; ratios are of a
statement's medians. Each way begins with the text: parsing is part of it. sqlglot's has no indirect kinds and no masks.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial

from sqlglot.lineage import lineage
from sqlglot.schema import MappingSchema

from lineage.sql.columns import columns_from_sql
from tests import sql_channels


def main() -> None:
    """Print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="times each statement is read by each way")
    rounds = parser.parse_args().rounds
    tables = sql_channels.schema()
    ours = {table: dict.fromkeys(columns) for table, columns in tables.items()}
    theirs = MappingSchema({t: dict.fromkeys(c, "text") for t, c in tables.items()}, dialect="spark")
    totals: dict[str, list[float]] = {"weir": [], "sqlglot, all columns": [], "sqlglot, column by column": []}
    for sql in sql_channels.statements():
        columns = list(lineage(None, sql, theirs, dialect="spark"))
        ways: dict[str, Callable[[], object]] = {
            "weir": partial(columns_from_sql, sql, "spark", ours),
            "sqlglot, all columns": partial(lineage, None, sql, theirs, dialect="spark"),
            "sqlglot, column by column": partial(_one_by_one, columns, sql, theirs),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = time.perf_counter()
                way()
                taken[name].append((time.perf_counter() - begun) * 1000)
        for name, times in taken.items():
            totals[name].append(statistics.median(times))
    base = totals["weir"]
    print(f"{len(base)} statements, median of {rounds} rounds each, interleaved")
    print(f"{'way':<28}{'ms a statement, median':>24}{'p95':>8}{'ratio, median':>16}{'smallest':>10}")
    for name, times in totals.items():
        ratios = [their / our for their, our in zip(times, base, strict=True)]
        p95 = sorted(times)[int(len(times) * 0.95)]
        print(
            f"{name:<28}{statistics.median(times):>24.2f}{p95:>8.2f}{statistics.median(ratios):>16.2f}{min(ratios):>10.2f}"
        )


def _one_by_one(columns: Iterable[str], sql: str, schema: MappingSchema) -> list[object]:
    return [lineage(column, sql, schema, dialect="spark") for column in columns]


if __name__ == "__main__":
    main()
