"""Examples of records and SQL in the pages of docs/, as data: what a topic holds, and the rows that each query gives."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_NO_VALUE = "no value"


@dataclass(frozen=True, slots=True)
class Example:
    """topic; its records in order, None: one without a value; SQL -> its rows as lists of values."""

    topic: str
    records: list[dict[str, Any] | None]
    queries: dict[str, list[list[Any]]]


def example(page: str, heading: str) -> Example:
    """The first block below a heading, as in

    orders: {"region": "EU", "amount": 1}, no value
    SELECT region FROM orders WHERE amount > 0  ->  (EU)
    """
    text = next((ROOT / "docs").glob(f"**/{page}")).read_text()
    block = re.search(r"```\n(.*?)```", text.split(f"{heading}\n", 1)[1], re.S)
    assert block is not None, f"{page} has no example below {heading}"
    first, *queries = block[1].strip().splitlines()
    topic, _, records = first.partition(": ")
    listed = json.loads("[" + records.replace(_NO_VALUE, "null") + "]")
    return Example(topic, listed, dict(map(_query, queries)))


def _query(line: str) -> tuple[str, list[list[Any]]]:
    sql, arrow, rows = line.partition("->")
    assert arrow, f"no result in {line}"
    return sql.strip(), [[_value(each) for each in row.split(", ")] for row in re.findall(r"\(([^)]*)\)", rows)]


def _value(text: str) -> Any:
    return None if text == "NULL" else int(text) if text.lstrip("-").isdigit() else text
