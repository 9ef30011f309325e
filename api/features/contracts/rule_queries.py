"""Rules of contracts decided by governed queries, in the name of the contract's service account.

The queries go through the same gate, decisions and audit as those of people. What the account sees masked or not at all makes a
rule undecided, since a figure of it would be wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

from api.features.contracts.reference_sql import filled, newest_offsets, reference_sql
from catalog.contracts.bounds import Interval
from catalog.contracts.field_checks import broken, holds, undecided
from catalog.contracts.rules import Promise, Result, Rule, RuleKind, RunAs
from catalog.contracts.service import Contracts
from catalog.errors import DatasetNotFound, LimitExceeded, NotAllowed, SqlRefused, Unavailable, WeirError
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord
from policies.access.identity import Identity
from policies.model import RecordWindow
from policies.plan.errors import QueryCancelled, QueryFailed
from policies.plan.registry import Running
from policies.query.result import QueryAnswer
from policies.query.service import GovernedQuery
from policies.sql.names import table_sql


class GovernedRuleQueries:
    """The port `catalog.contracts.queried.RuleQueries` over governed queries."""

    def __init__(self, store: CatalogStore, contracts: Contracts, identity: Identity, queries: GovernedQuery) -> None:
        self._store, self._contracts, self._identity, self._queries = store, contracts, identity, queries

    def decide(self, promise: Promise, rule: Rule, record: DatasetRecord) -> Result:
        """See the port."""
        run_as = promise.run_as
        if run_as is None or record.cluster is None:
            return undecided("no service account is named for its query")
        if run_as.account not in self._identity.service_accounts():
            return undecided(f"{run_as.account} is not a service account that is declared")
        if rule.kind is RuleKind.REFERENCE:
            return self._reference(run_as, rule, record)
        return self._sql(run_as, rule, record)

    # --- references --------------------------------------------------------------------------------------------------

    def _reference(self, run_as: RunAs, rule: Rule, record: DatasetRecord) -> Result:
        other = self._contracts.record(rule.params["dataset"])
        if other is None or other.cluster is None:
            return replace(
                undecided(f"{rule.params['dataset']} is not in the catalog"), reads=(rule.params["dataset"],)
            )
        reads = () if other.id == record.id else (str(other.id),)
        stored = self._store.current_schema(record.id)
        sql = reference_sql(
            table_sql(str(record.cluster), record.id.name),
            rule.params["from"],
            newest_offsets(stored.window.partitions) if stored is not None else "",
            table_sql(other.cluster, other.id.name),
            rule.params["to"],
        )
        return replace(self._decided(run_as, sql, rule, RecordWindow.ALL, other.reference), reads=reads)

    def _decided(self, run_as: RunAs, sql: str, rule: Rule, window: RecordWindow, other: str) -> Result:
        answer, problem, _ = self._run(run_as, sql, window)
        if answer is None:
            return undecided(problem)
        if any(t["dataset"] == other and not t["complete"] for t in answer.window["tables"]):
            return undecided(f"{other} holds more records than a query reads, so it is not known what is not in it")
        looked, missing, *places = answer.rows[0][:6]
        number = int(str(missing))
        if not int(str(looked)):
            return undecided("no record that was looked at refers to anything")
        if not number:
            return holds(f"{int(str(looked)):,} records were looked at, and each refers to one that exists")
        share = round(number / int(str(looked)), 6)
        first, last = (_place(*places[at : at + 2]) for at in (0, 2))
        reason = f"{number:,} of {int(str(looked)):,} records refer to nothing in {other}"
        return replace(broken(reason, number, share, first), last=last)

    # --- statements of the contract ----------------------------------------------------------------------------------

    def _sql(self, run_as: RunAs, rule: Rule, record: DatasetRecord) -> Result:
        sql = filled(rule.params["query"], table_sql(str(record.cluster), record.id.name), rule.path)
        answer, problem, datasets = self._run(run_as, sql, RecordWindow.NEWEST)
        reads = tuple(sorted(str(each) for each in self._ids(datasets) if each != record.id))
        if answer is None:
            return replace(undecided(problem), reads=reads)
        if len(answer.rows) != 1 or len(answer.columns) != 1:
            size = f"{len(answer.rows)} rows of {len(answer.columns)} columns"
            return replace(undecided(f"the statement gives {size}, where one number is compared"), reads=reads)
        number = _number(answer.rows[0][0])
        if number is None:
            return replace(undecided("the statement gives no number"), reads=reads)
        bounds = Interval.from_params(rule.params)
        part = "" if all(t["complete"] for t in answer.window["tables"]) else " of the newest records"
        if bounds.holds(number):
            return replace(holds(f"the number that the statement gives{part} is {bounds.text}"), reads=reads)
        return replace(broken(f"the number that the statement gives{part} is not {bounds.text}"), reads=reads)

    def _ids(self, references: Collection[str]) -> list[Any]:
        records = ((each, self._contracts.record(each)) for each in references)
        return [record.id if record is not None else reference for reference, record in records]

    # --- running -----------------------------------------------------------------------------------------------------

    def _run(self, run_as: RunAs, sql: str, window: RecordWindow) -> tuple[QueryAnswer | None, str, tuple[str, ...]]:
        """(answer, why there is none that counts, references of what it reads). Raises Unavailable and LimitExceeded."""
        live: Running | None = None
        try:
            subject = self._identity.current(run_as.account)
            self._queries.trail.gate(subject, sql, run_as.purpose, "query")  # nothing but a SELECT may run
            live = self._queries.running.begin(subject, sql, run_as.purpose)
            live.window = window
            timer = threading.Timer(run_as.seconds, live.stop.stop, (f"took more than {run_as.seconds:g} seconds",))
            timer.daemon = True
            timer.start()
            try:
                answer = self._queries.run(subject, sql, run_as.purpose, 2, live)
            finally:
                timer.cancel()
        except (Unavailable, LimitExceeded):
            raise
        except WeirError as error:
            return None, _why(error, run_as), live.datasets if live is not None else ()
        finally:
            if live is not None:
                self._queries.running.end(live)
        return *_counted(answer, run_as), live.datasets


def _counted(answer: QueryAnswer, run_as: RunAs) -> tuple[QueryAnswer | None, str]:
    """The answer where the account saw all that it is about."""
    masked = sorted({str(r["field"]) for r in answer.decision["reasons"] if "field" in r})
    if masked:
        return None, f"{run_as.account} sees {', '.join(masked[:3])} masked or not at all"
    if answer.decision["filters"]:
        return None, f"a row filter hides records from {run_as.account}"
    if answer.unreadable.counts is None or answer.unreadable.counts:
        return None, answer.unreadable.text or "some values do not fit their column, so the query did not see them"
    return answer, ""


def _why(error: WeirError, run_as: RunAs) -> str:
    match error:
        case SqlRefused():
            return f"the statement is refused: {error.message.rstrip('.')}"
        case NotAllowed():
            return f"{run_as.account} may not read what it is about"
        case DatasetNotFound():
            return "a dataset of the statement is not in the catalog"
        case QueryFailed():
            return f"its query cannot run: {error.message.rstrip('.')}"
        case QueryCancelled():
            return f"its query did not end within {run_as.seconds:g} seconds"
    return f"its query could not run ({error.code})"


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return float(number) if number.is_finite() else None


def _place(partition: object, offset: object) -> dict[str, object] | None:
    if partition is None or offset is None:
        return None
    return {"time": None, "partition": int(str(partition)), "offset": int(str(offset))}
