"""docs/how-to/from-ksqldb.md: what it names is read by the gate, and what ksqlDB writes is not taken for something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate

PAGE = (Path(__file__).parents[4] / "docs/how-to/from-ksqldb.md").read_text()


def expressions() -> Iterator[tuple[list[str], list[str]]]:
    """Of each row of the table: what ksqlDB has, and what is written here."""
    table = PAGE.partition("## Expressions")[2].partition("\n##")[0]
    for line in table.splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip("| ").split(" | ")]
        if len(cells) == 2 and cells[1]:
            yield cells[0], cells[1]


HERE = [code for _, codes in expressions() for code in codes if code != "collect_set" and "..." not in code]
THERE = [code for codes, _ in expressions() for code in codes if "(" in code or "[1, 2]" in code or "->" in code]


@pytest.mark.parametrize("code", HERE)
def test_what_is_written_here_is_read(code: str) -> None:
    assert gate.check(f"SELECT {code} AS x FROM t").tables


@pytest.mark.parametrize("code", THERE)
def test_what_ksqldb_writes_is_refused_with_what_to_write(code: str) -> None:
    with pytest.raises(SqlRefused, match=r"write|written|named|did you mean"):
        gate.check(f"SELECT {code} AS x FROM t")
