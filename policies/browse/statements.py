"""The SQL of a page of records. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from policies.browse.conditions import Filters, conditions, system, value_columns
from policies.browse.cursors import OLDER
from policies.browse.ranges import offsets_sql
from policies.plan.model import Range
from policies.plan.views import GovernedTable

ABOUT = ("_partition", "_offset", "_timestamp", "_key", "_headers")
BYTES, RAW = "octet_length(_value)", "_value"
PLACED = "weir_placed_at"
_FAR = timedelta(days=3650)


def _utc(at: datetime) -> datetime:
    """The same time in UTC; the first or the last one there is, for one that is beyond."""
    try:
        return at.astimezone(UTC)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC) if at.year == 1 else datetime.max.replace(tzinfo=UTC)


def _later(at: datetime) -> datetime:
    """Ten years later, or the last time there is."""
    last = datetime.max.replace(tzinfo=UTC)
    return at + _FAR if last - at > _FAR else last


@dataclass(frozen=True, slots=True)
class Words:
    """`table`: the topic as SQL names it."""

    table: str
    view: GovernedTable
    filters: Filters

    def parts(self, whole: bool) -> list[str]:
        """What is selected before the fields of the value; positions only where they are not withheld."""
        names = [name for name in ABOUT if system(self.view, name) is not None]
        if not self.view.positions:
            names = [name for name in names if name not in ("_partition", "_offset")]
        if system(self.view, RAW) is not None:
            names += [BYTES, *([RAW] if whole else [])]
        return names

    def plain_parts(self) -> list[str]:
        """Those that are columns of the topic as SQL shows it."""
        return [name for name in self.parts(False) if name != BYTES]

    def page_by_offsets(
        self, ranges: Iterable[Range], edges: Iterable[Range], direction: str, one: bool, whole: bool
    ) -> str:
        """Records of one partition in the order of their offsets, of several by time beside that: a record that is
        stamped too late or too early keeps its place in its partition, so that a page can end behind any record."""
        down = direction == OLDER
        way, best = ("DESC", "min") if down else ("ASC", "max")
        source = f"{self.table} AS OF OFFSETS '{offsets_sql(ranges, edges)}' AS r"
        if one:
            return f"SELECT {self._columns(whole)} FROM {source}{self._where()} ORDER BY _offset {way}"
        placed = (
            f"{best}(_timestamp) OVER (PARTITION BY _partition ORDER BY _offset {way}"
            " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
        )
        inner = f"SELECT {self._columns(whole)}, {placed} AS {PLACED} FROM {source}{self._where()}"
        return f"SELECT * FROM ({inner}) AS page ORDER BY {PLACED} {way}, _partition, _offset {way}"

    def page_by_time(self, at: datetime | None, direction: str, limit: int, whole: bool) -> str:
        """Records by time, with all those stamped as the last one."""
        way = "DESC" if direction == OLDER else "ASC"
        window = ""
        at = _utc(at) if at is not None else None
        if at is not None and direction == OLDER:
            window = f" AS OF '{at.isoformat()}'"
        elif at is not None:
            window = f" AS OF '{at.isoformat()}' TO '{_later(at).isoformat()}'"
        elif direction != OLDER:
            window = " AS OF EARLIEST"
        rank = f"rank() OVER (ORDER BY _timestamp {way})"
        inner = f"SELECT {self._columns(whole)}, {rank} AS {PLACED} FROM {self.table}{window} AS r{self._where()}"
        return f"SELECT * FROM ({inner}) AS page WHERE {PLACED} <= {limit} ORDER BY {PLACED}"

    def as_query(self, limit: int) -> str:
        """The same question for the query page."""
        star = ["*"] if value_columns(self.view) else []
        where = self._where()
        return f"SELECT {', '.join([*self.plain_parts(), *star])} FROM {self.table}{where} ORDER BY _timestamp DESC LIMIT {limit}"

    def followed(self) -> str:
        """The push query of what arrives from now on."""
        columns = ", ".join([*self.plain_parts(), *(["*"] if value_columns(self.view) else [])])
        return f"SELECT {columns} FROM {self.table}{self._where()} EMIT CHANGES"

    def _columns(self, whole: bool) -> str:
        star = ["*"] if value_columns(self.view) else []
        return ", ".join([*self.parts(whole), *star])

    def _where(self) -> str:
        results = conditions(self.filters, self.view)
        return f" WHERE {' AND '.join(results)}" if results else ""
