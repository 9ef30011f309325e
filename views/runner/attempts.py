"""Rows without a key, once each: of a batch that was run several times, those of its last run.

A batch that the engine did not note as whole is run again after a failure, over the same records, so its last run has all of its
rows. `Row.key` is [batch, run, partition, offset]; the rows of an earlier run go in the transaction that brings the first of a
later one. Rows that came without a batch stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from views.model import Row
from views.row_ports import ServingTable, Wanted

_PAGE = 5_000
_REMEMBERED = 1_000


class Attempts:
    """Of one generation. Not safe for threads."""

    def __init__(self, view: str, generation: str, serving: ServingTable) -> None:
        self._view, self._generation, self._serving = view, generation, serving
        self._latest: dict[int, int] = {}

    def settled(self, rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
        """(the rows that count, keys of rows in the serving table that do not any more). Raises Unavailable."""
        runs: dict[int, int] = {}
        for row in rows:
            if (at := _attempt(row.key)) is not None:
                runs[at[0]] = max(runs.get(at[0], 0), at[1])
        gone: list[str] = []
        for batch, run in runs.items():
            latest = self._latest.get(batch)
            if latest is None:
                latest = self._kept(batch)
            if latest and latest < run:
                gone += self._keys(batch)
            self._latest[batch] = max(latest or 0, run)
        current = [row for row in rows if (at := _attempt(row.key)) is None or at[1] == self._latest[at[0]]]
        for batch in list(self._latest)[:-_REMEMBERED]:
            del self._latest[batch]
        return current, gone

    def _kept(self, batch: int) -> int:
        """The run whose rows of a batch are kept; 0 for none."""
        first = self._serving.read(self._view, self._generation, Wanted(prefix=(batch,)), 1)
        at = _attempt(first[0].key) if first else None
        return at[1] if at is not None else 0

    def _keys(self, batch: int) -> list[str]:
        keys: list[str] = []
        while True:
            wanted = Wanted(prefix=(batch,), after=keys[-1] if keys else None)
            page = self._serving.read(self._view, self._generation, wanted, _PAGE)
            keys += [row.key for row in page]
            if len(page) < _PAGE:
                return keys


def _attempt(key: str) -> tuple[int, int] | None:
    """(batch, run) of a row's key; None for a key without."""
    parts = key[1:-1].split(",")
    return (int(parts[0]), int(parts[1])) if len(parts) == 4 else None
