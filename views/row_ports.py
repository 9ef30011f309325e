"""The rows of views by key: what is asked of them, and the table that keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from views.model import Positions, Row


@dataclass(frozen=True, slots=True)
class Comparison:
    """`column` op `value`; op is one of = != < <= > >=. NULL compares with nothing."""

    column: str
    op: str
    value: object


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are asked for; all conditions count together.

    keys     identities (`Row.key`); None: any
    prefix   the first values of the key, JSON-ready; of the last of them, a text may be the beginning only
             where `begins` is set
    low, high  bounds of the key's first column, both inclusive; None: open
    after    the `Row.key` of the last row of the page before
    """

    keys: tuple[str, ...] | None = None
    prefix: tuple[object, ...] = ()
    begins: bool = False
    low: object | None = None
    high: object | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Contained:
    """What the rows of a generation contain. offsets: source topic -> partition -> next offset; at: when that was;
    there: whether the generation is prepared and not dropped."""

    positions: Positions = field(default_factory=dict)
    offsets: Mapping[str, Positions] = field(default_factory=dict)
    at: datetime | None = None
    there: bool = True


@dataclass(frozen=True, slots=True)
class Versions:
    """Of the rows of a generation. Each batch that changes rows is a version; the first is 1.

    newest     of the last batch
    forgotten  keys that are gone since this version or an earlier one may be unknown by now
    """

    newest: int = 0
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A row as it is now, and the version that changed it last; `row` None: it is gone since then. `key`: as `Row.key`."""

    version: int
    key: str
    row: Row | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes in the order of their versions; all up to the version `end` are among them."""

    changes: tuple[Change, ...]
    end: int


class ServingTable(Protocol):
    """The rows of views by key. A view's rows are those of one generation; each generation has its own. Safe for threads
    and processes; one process writes a view at a time. All raise Unavailable."""

    def prepare(self, view: str, generation: str) -> None:
        """Make room for the rows of a generation; nothing when there is."""
        ...

    def write(
        self, view: str, generation: str, rows: Sequence[Row], gone: Sequence[str], positions: Positions
    ) -> tuple[int, int]:
        """Rows that are new or changed, keys that are gone, and the topic's positions behind them, as one: all or nothing.
        Of a key that is in `rows` twice the last counts; of one in both, the row with the higher offset was kept by
        the caller. Gives (new rows, rows taken away). Doing it again changes nothing."""
        ...

    def expire(self, view: str, generation: str, before: Positions) -> int:
        """Delete the rows whose record is before these positions of the view's topic; how many there were. Rows of other
        partitions stay."""
        ...

    def contain(self, view: str, generation: str, offsets: Mapping[str, Positions], at: datetime) -> None:
        """Note which source offsets the rows contain by now."""
        ...

    def contained(self, view: str, generation: str) -> Contained:
        """Empty for a generation that is not there."""
        ...

    def read(self, view: str, generation: str, wanted: Wanted, limit: int) -> list[Row]:
        """At most `limit` rows in the order of their keys: numbers by value, texts by code point, NULL first, column by
        column."""
        ...

    def versions(self, view: str, generation: str) -> Versions:
        """Zeros for a generation that is not there."""
        ...

    def changes(self, view: str, generation: str, after: int, until: int, limit: int, gone: bool = True) -> Changes:
        """Rows that changed last in a version behind `after` and not behind `until`, and with `gone` the keys that went in
        these. At most `limit`, but a version is never divided. Of a row that changed often there is its last version
        alone. Rows of a Weir without versions have version 0: `after` -1 gives all rows."""
        ...

    def forget_gone(self, view: str, generation: str, before: datetime) -> int:
        """Delete keys whose rows are gone since before then; how many."""
        ...

    def count(self, view: str, generation: str) -> int: ...

    def generations(self, view: str) -> list[str]: ...

    def drop(self, view: str, generation: str) -> int:
        """Delete a generation's rows so that their bytes are gone from the store's files; how many there were."""
        ...

    def close(self) -> None: ...
