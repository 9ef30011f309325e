"""The statements of rules that queries decide. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.paths import FieldPath
from policies.sql.names import name_sql

MOST_LOOKED_AT = 100_000
"""Records of the referring topic that one check of a reference looks at: the newest, over all partitions."""
_PLACEHOLDER = re.compile(r"\$?\{(object|table|property|column)\}")


def reference_sql(table: str, columns: Sequence[str], offsets: str, other: str, targets: Sequence[str]) -> str:
    """One row: how many records refer to something, how many to nothing, and the first and the last of these.

    `table`, `other`: as queries name them. `columns`, `targets`: field paths. `offsets`: '0:100-200', or empty for the newest.
    """
    keys = range(len(columns))
    own = ", ".join(f"CAST({column_sql(path)} AS STRING) AS k{n}" for n, path in zip(keys, columns, strict=True))
    there = ", ".join(f"CAST({column_sql(path)} AS STRING) AS k{n}" for n, path in zip(keys, targets, strict=True))
    same = " AND ".join(f"s.k{n} = t.k{n}" for n in keys)
    stated = " AND ".join(f"s.k{n} IS NOT NULL" for n in keys)
    window = f" AS OF OFFSETS '{offsets}'" if offsets else ""
    place = "CASE WHEN t.found IS NULL THEN struct(s.a, s.p, s.o) END"
    return (
        f"SELECT count(*) AS looked, count_if(t.found IS NULL) AS missing, min({place}).p AS p1, min({place}).o AS o1,"
        f" max({place}).p AS p2, max({place}).o AS o2, count(t.found) AS hits"
        f" FROM (SELECT {own}, _timestamp AS a, _partition AS p, _offset AS o FROM {table}{window}) s"
        f" LEFT JOIN (SELECT DISTINCT {there}, true AS found FROM {other}) t ON {same} WHERE {stated}"
    )


def column_sql(path: str) -> str:
    """A field path as a query names it: `value.customer.id` is customer.id, `key.id` is _key.id."""
    parsed = FieldPath.parse(path)
    names = [step.name or "" for step in parsed.steps]
    return ".".join(name_sql(name) for name in (names if parsed.root == "value" else [f"_{parsed.root}", *names]))


def newest_offsets(partitions: Iterable[Mapping[str, Any]]) -> str:
    """The newest records of a scan's partitions, as AS OF OFFSETS takes them; empty where the scan knows none."""
    with_records = [p for p in partitions if p.get("end") is not None and p["end"] > p.get("begin", 0)]
    each = MOST_LOOKED_AT // max(1, len(with_records))
    return ",".join(f"{p['partition']}:{max(p.get('begin', 0), p['end'] - each)}-{p['end']}" for p in with_records)


def filled(sql: str, table: str, path: str | None) -> str:
    """A statement of ODCS with its placeholders: ${object} or ${table}, and ${property} or ${column}."""

    def name(match: re.Match[str]) -> str:
        if match[1] in ("object", "table"):
            return table
        return column_sql(path) if path is not None else match[0]

    return _PLACEHOLDER.sub(name, sql)
