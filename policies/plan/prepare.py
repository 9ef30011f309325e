"""From a gated query to governed views: find the tables, decide, build what the engine needs. Nothing is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

import structlog

from catalog.errors import DatasetNotFound, InvalidInput, SqlRefused, Unavailable, WeirError
from catalog.near_names import near_names
from policies.gate.gate import Gated
from policies.masks.keys import MaskKeys
from policies.model import Decision, Effect, Reason, RecordWindow, Subject
from policies.plan import hidden_rows, shortcuts
from policies.plan.hidden_rows import HiddenRows
from policies.plan.model import PositionOutput, QueryPlan, TablePlan, Window
from policies.plan.ports import Decider, Offsets, QueryTable, TableSource
from policies.plan.projection import mentioned, narrowed
from policies.plan.refusals import not_allowed
from policies.plan.registry import Running
from policies.plan.settings import QuerySettings
from policies.plan.views import GovernedTable, govern
from policies.sql.names import fold
from policies.sql.tables import TableRef
from policies.sql.trace import Visible
from policies.sql.windows import AsOf

_log = structlog.get_logger(__name__)
_ALL = 1 << 62
_UNREADABLE = "The policies could not be read, so nothing is shown; try again or ask an administrator."


@dataclass(slots=True)
class DecidedTables:
    """The tables of a query and what was decided on each."""

    tables: Mapping[TableRef, QueryTable]
    decisions: Mapping[TableRef, Decision]


@dataclass(slots=True)
class PreparedQuery:
    """A query whose tables are governed; `windows` once the offsets were looked up, at most `window_limit` records of each
    table."""

    gated: Gated
    tables: dict[TableRef, GovernedTable] = field(default_factory=dict)
    windows: dict[TableRef, Window] = field(default_factory=dict)
    window_limit: int = 0
    gaps: list[str] = field(default_factory=list)

    @property
    def decisions(self) -> list[Decision]:
        return [governed.decision for governed in self.tables.values()]

    def columns(self) -> dict[TableRef, Visible]:
        """The names a query may use of each table."""
        return {
            ref: Visible([c.name for c in governed.shown], governed.system) for ref, governed in self.tables.items()
        }

    def views(self) -> dict[str, TableRef]:
        """The name of each table's view inside the engine."""
        return {f"weir_view_{index}": ref for index, ref in enumerate(self.tables)}

    def read(self) -> dict[str, tuple[str, QueryTable]]:
        """View -> the table's name in the query, and the table."""
        return {view: (ref.name, self.tables[ref].table) for view, ref in self.views().items()}

    def plan(self, rows: int, seconds: float, most_bytes: int = 1 << 26, running: Running | None = None) -> QueryPlan:
        names = {ref: view for view, ref in self.views().items()}
        mentions = mentioned(self.gated.tree)
        plans = tuple(
            _in_time(narrowed(governed.plan(names[ref], self.windows[ref]), mentions, governed.system), ref, governed)
            for ref, governed in self.tables.items()
        )
        system = {
            ref: [name for name in governed.system if fold(name) in mentions.names]
            for ref, governed in self.tables.items()
        }
        asked: tuple[PositionOutput, ...] = ()
        if len(plans) == 1:
            asked = shortcuts.positions(self.gated.tree, plans[0])
            plans = (replace(plans[0], enough=shortcuts.records_enough(self.gated.tree, plans[0], rows)),)
        plan = QueryPlan(self.gated.render(names, system), plans, rows, seconds, most_bytes, positions=asked)
        return (
            plan if running is None else replace(plan, stop=running.stop, progress=running.advance, asker=running.user)
        )


class Preparer:
    def __init__(
        self, tables: TableSource, decide: Decider, offsets: Offsets, keys: MaskKeys, settings: QuerySettings
    ) -> None:
        self._tables = tables
        self._decide = decide
        self._offsets = offsets
        self._keys = keys
        self._settings = settings
        self.tables_of: Callable[[Subject], TableSource] = lambda _: tables
        """The tables that a subject may know of."""
        self.shown: Callable[[Subject, Iterable[str]], Iterable[str]] = lambda _, references: references
        """Of `CLUSTER/TOPIC`s, those that a subject may know of."""

    def deciding(self, decide: Decider) -> Preparer:
        """The same with another decider: of a simulation, or of a test of policies."""
        other = copy(self)
        other._decide = decide
        return other

    def table(self, name: str, subject: Subject | None = None) -> QueryTable:
        """See `TableSource.find`; for a subject, what they may not know of is not there."""
        return (self._tables if subject is None else self.tables_of(subject)).find(name)

    def find(self, subject: Subject, gated: Gated, purpose: str | None) -> DecidedTables:
        """Raises DatasetNotFound with the place, InvalidInput for a name that fits several datasets."""
        tables = {}
        for ref in gated.tables:
            try:
                tables[ref] = self.table(ref.name, subject)
                _check_window(gated, ref, tables[ref])
            except DatasetNotFound as error:
                line, column = gated.places[ref]
                details = {**error.details, "line": line, "column": column}
                own = near_names(ref.name, gated.own_names())
                sentence = (
                    f"There is no dataset {ref.name!r}; did you mean {own[0]}, which WITH defines?" if own else None
                )
                raise DatasetNotFound(sentence or error.message, details=details) from error
        decisions = {ref: self.decide(subject, table, purpose) for ref, table in tables.items()}
        return DecidedTables(tables, decisions)

    def decide(self, subject: Subject, table: QueryTable, purpose: str | None) -> Decision:
        """The decision; where it cannot be taken, a denial that names the gap."""
        try:
            return self._decide(subject, table.facts, purpose)
        except Exception as error:
            return _undecided(table, error)

    def may_read(self, subject: Subject, reference: str, purpose: str | None) -> bool:
        """Whether a query of a dataset would be let in, by the catalog's facts alone; False where that is not known."""
        try:
            decision = self._decide(subject, self._tables.facts(reference), purpose)
        except DatasetNotFound:
            return False
        except Exception as error:
            _log.error("decision failed", dataset=reference, error=type(error).__name__)
            return False
        return decision.effect is Effect.ALLOW

    def _now(self, subject: Subject, table: QueryTable, purpose: str | None) -> tuple[QueryTable, Decision]:
        try:
            table = replace(table, facts=self._tables.facts(table.reference))
            _check_generation(table)
        except WeirError:
            raise
        except Exception as error:
            return table, _undecided(table, error)
        return table, self.decide(subject, table, purpose)

    def govern(self, gated: Gated, resolved: DecidedTables) -> PreparedQuery:
        """Views for the tables that are allowed; what cannot be built is named in `gaps`."""
        prepared = PreparedQuery(gated)
        for ref, table in resolved.tables.items():
            decision = resolved.decisions[ref]
            if decision.effect is not Effect.ALLOW:
                continue
            try:
                prepared.tables[ref] = self.view(table, decision)
            except InvalidInput as error:
                prepared.gaps.append(f"{table.reference}: {error.message}")
        return prepared

    def view(self, table: QueryTable, decision: Decision) -> GovernedTable:
        """See `views.govern`."""
        return govern(table, decision, self._keys, self._settings.positions_beside_row_filters)

    def look(self, prepared: PreparedQuery, records: RecordWindow = RecordWindow.NEWEST) -> None:
        """Ask Kafka which offsets each table is read at."""
        prepared.window_limit = self._settings.records_of(records)
        for ref, governed in prepared.tables.items():
            table = governed.table
            offsets = self._offsets if governed.positions else HiddenRows(self._offsets, self._keys)
            # Of rows that replace one another, those that changed last would be a wrong answer.
            limit = _ALL if table.rows is not None else prepared.window_limit
            window = offsets.window(table.kafka, table.topic, ref.as_of, limit)
            prepared.windows[ref] = window

    def again(self, subject: Subject, purpose: str | None, before: PreparedQuery) -> PreparedQuery:
        """The same query under the decision of now, on what the catalog has now: a field may have got a tag since.

        Raises NotAllowed when access ended, DatasetNotFound when the dataset is gone.
        """
        tables, decisions = {}, {}
        for ref, governed in before.tables.items():
            tables[ref], decisions[ref] = self._now(subject, governed.table, purpose)
        if _same(before, tables, decisions):
            # Views come from tables and decisions alone, so these are the ones there are.
            return replace(before, windows=dict(before.windows))
        denied = [d for d in decisions.values() if d.effect is Effect.DENY]
        now = self.govern(before.gated, DecidedTables(tables, decisions))
        if denied or now.gaps:
            raise not_allowed(denied or list(decisions.values()), now.gaps, purpose, ended=True)
        check_positions(now)
        now.windows, now.window_limit = dict(before.windows), before.window_limit
        return now


def _same(before: PreparedQuery, tables: Mapping[TableRef, QueryTable], decisions: Mapping[TableRef, Decision]) -> bool:
    """Whether everything is decided as before, on the same facts."""
    return not before.gaps and all(
        tables[ref].facts == governed.table.facts and decisions[ref] == governed.decision
        for ref, governed in before.tables.items()
    )


def _check_window(gated: Gated, ref: TableRef, table: QueryTable) -> None:
    """Raises SqlRefused for a part of a stream view's past: its topic keeps what is in force."""
    if table.rows is not None and ref.as_of != AsOf():
        line, column = gated.places[ref]
        raise SqlRefused(
            f"{ref.name} is a view, which is read as it is now; leave out the time and the offsets behind its name. (line {line},"
            f" column {column})",
            details={"line": line, "column": column, "reasons": ["view-window"]},
        )


def _check_generation(table: QueryTable) -> None:
    """Raises Unavailable where a view's rows were replaced while they were read."""
    if table.rows is not None and table.rows.value not in table.facts.generation.split():
        raise Unavailable(
            f"The rows of {table.reference} were replaced while they were read; ask again.", details={"server": "views"}
        )


def _undecided(table: QueryTable, error: Exception) -> Decision:
    """Whatever keeps the rules from being read keeps the data from being shown."""
    _log.error("decision failed", dataset=table.reference, error=type(error).__name__)
    reasons = (Reason("gap", "decision", _UNREADABLE),)
    return Decision(table.facts.id, table.reference, Effect.DENY, reasons=reasons, gaps=(_UNREADABLE,))


def _in_time(plan: TablePlan, ref: TableRef, governed: GovernedTable) -> TablePlan:
    """The plan of a table, for the records that are stamped as asked where positions cannot choose them."""
    condition = None if governed.positions else hidden_rows.times(ref.as_of)
    return plan if condition is None else replace(plan, filters=(*plan.filters, condition))


def check_possible(prepared: PreparedQuery) -> None:
    """What depends on the tables: names that only columns may have, and windows beside row filters.

    Raises SqlRefused.
    """
    check_positions(prepared)
    _check_environment(prepared)


def check_positions(prepared: PreparedQuery) -> None:
    """OFFSETS are not for a table of which some rows are hidden. Raises SqlRefused."""
    for ref, governed in prepared.tables.items():
        if ref.as_of.offsets and not governed.positions:
            raise hidden_rows.no_positions(ref, prepared.gated.places[ref])


def _check_environment(prepared: PreparedQuery) -> None:
    """`user` and similar names must be columns, or Spark would answer with a name of the server. Raises SqlRefused."""
    columns = {fold(c.name) for governed in prepared.tables.values() for c in governed.shown}
    for name, (line, column) in prepared.gated.environment.items():
        if name not in columns:
            raise SqlRefused(
                f"There is no column {name}. (line {line}, column {column})",
                details={"line": line, "column": column, "reasons": ["environment"]},
            )
