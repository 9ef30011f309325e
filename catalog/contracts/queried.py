"""Rules that a query decides: which are due after a scan or on request, and what a query brings to the contract.

A result is kept in one transaction, and only where the rule was not decided by another worker meanwhile: a worker that is killed
leaves the rule due, and nothing is counted twice.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from catalog.contract_store import ContractCheck
from catalog.contracts.breaches import CheckedPromise
from catalog.contracts.declared import KIND
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import QUERIED_KINDS, Contract, Promise, Result, Rule
from catalog.contracts.service import Contracts
from catalog.errors import LimitExceeded, Unavailable, WeirError
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetRecord, rfc3339

_log = logging.getLogger(__name__)

PAUSE_S = 30.0
"""After a query that nobody answered."""
ASKED = "asked"
"""Key of a result: somebody asked for a check of it."""


@dataclass(frozen=True, slots=True)
class DueRule:
    """A rule whose query is to be run. `seen`: when it was decided last, RFC 3339; None: never."""

    name: str
    contract: Contract
    promise: Promise
    rule: Rule
    record: DatasetRecord
    seen: str | None

    @property
    def key(self) -> tuple[str, str, str]:
        return self.name, self.promise.dataset, self.rule.id


class RuleQueries(Protocol):
    """Decides a rule by a governed query, in the name of the contract's service account."""

    def decide(self, promise: Promise, rule: Rule, record: DatasetRecord) -> Result:
        """UNDECIDED with the reason where the query is refused, fails, or shows less than the rule is about. Raises Unavailable
        and LimitExceeded where the engine does not answer, or has no room: it is tried later."""
        ...


class QueriedRules:
    """The service behind rules that queries decide."""

    def __init__(
        self,
        store: CatalogStore,
        clock: Clock,
        contracts: Contracts,
        queries: RuleQueries,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._clock, self._contracts, self._queries = store, clock, contracts, queries
        self._monotonic = monotonic
        self._idle_at: int | None = None
        self._later: dict[tuple[str, str, str], float] = {}

    def step(self) -> bool:
        """Run the query of one rule that is due; False where none is. One that no engine or broker answers is tried again after
        a pause, and holds no other one up."""
        changes = self._store.changes()
        if changes is not None and changes == self._idle_at and not self._later:
            return False
        now = self._monotonic()
        self._later = {key: until for key, until in self._later.items() if until > now}
        due = next((each for each in self.due() if each.key not in self._later), None)
        if due is None:
            self._idle_at = changes
            return False
        try:
            self.keep(due, self._queries.decide(due.promise, due.rule, due.record))
        except (Unavailable, LimitExceeded) as error:
            _log.warning("The rule %s of the contract %s waits: %s", due.rule.id, due.name, error.message)
            self._later[due.key] = now + PAUSE_S
        return True

    def due(self) -> Iterator[DueRule]:
        """Rules whose dataset was scanned, or of which somebody asked for a check, since a query decided them last."""
        checks = {(each.contract, each.dataset): each for each in self._store.contract_checks()}
        for document in self._store.documents(KIND):
            try:
                contract = read_contract(document.spec)
            except WeirError:  # `Contracts.all` reports it
                continue
            for promise in contract.promises if not contract.is_over else ():
                rules = [each for each in promise.rules if each.kind in QUERIED_KINDS and each.never is None]
                record = self._contracts.record(promise.dataset) if rules else None
                kept = checks.get((document.key, promise.dataset))
                if record is None or kept is None or record.scanned_at is None:
                    continue
                for rule in rules:
                    if _is_due(rule, promise, kept, rfc3339(record.scanned_at)):
                        seen = kept.results.get(rule.id, {}).get("queriedAt")
                        yield DueRule(document.key, contract, promise, rule, record, seen)

    def keep(self, due: DueRule, result: Result) -> bool:
        """What a query decided; False where the contract changed or another worker decided the rule meanwhile."""
        with self._store.transaction():
            document = self._store.document(KIND, due.name)
            kept = next(
                (each for each in self._store.contract_checks(due.name) if each.dataset == due.promise.dataset), None
            )
            if document is None or kept is None or read_contract(document.spec) != due.contract:
                return False
            if kept.results.get(due.rule.id, {}).get("queriedAt") != due.seen:
                return False
            now = self._clock()
            marks = {
                "queriedAt": rfc3339(now),
                "queriedScan": rfc3339(due.record.scanned_at),
                "queriedRule": digest(due.rule, due.promise),
            }
            checked = CheckedPromise(due.name, due.contract, due.promise, due.record, now)
            self._contracts.keep(checked, kept, {due.rule.id: result}, marks)
        return True


def digest(rule: Rule, promise: Promise) -> str:
    """What a query depends on: another rule, or another account, is another query."""
    run_as = promise.run_as
    parts = [
        rule.kind,
        dict(rule.params),
        [run_as.account, run_as.purpose, run_as.seconds] if run_as is not None else None,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _is_due(rule: Rule, promise: Promise, kept: ContractCheck, scanned_at: str | None) -> bool:
    last: Mapping[str, Any] = kept.results.get(rule.id, {})
    return (
        last.get("queriedScan") != scanned_at
        or last.get("queriedRule") != digest(rule, promise)
        or last.get(ASKED) is True
    )
