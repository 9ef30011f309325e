"""Contracts that ask for checks of new records: which datasets, and what a look at them decides.

A look and its position are kept in one transaction: a worker that is killed leaves both or neither, and of two checkers at
once the second one's look is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from catalog.check_positions import CheckPosition
from catalog.contract_store import ContractCheck
from catalog.contracts.breaches import CheckedPromise
from catalog.contracts.checking import TIME_KINDS, check
from catalog.contracts.declared import KIND
from catalog.contracts.locating import MOST_LOCATED, Look, located
from catalog.contracts.observed import Observed
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import QUERIED_KINDS, Contract, Promise, Result, RuleKind, State
from catalog.contracts.service import Contracts
from catalog.errors import WeirError
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock
from catalog.records import DatasetRecord

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NewRecordsSeen:
    """What a look at new records brings to contracts.

    before         the position that the look began at; None: it was the first
    after          where the next one begins; its number and time are set when it is kept
    unread         offsets that no look reads
    arrived        (offsets, seconds) that were counted over the last minutes; None while that is too short
    clock_jumped   the server's clock moved by itself since the look before, so ages mean nothing now
    """

    look: Look
    before: CheckPosition | None
    after: CheckPosition
    unread: int = 0
    arrived: tuple[int, float] | None = None
    clock_jumped: bool = False


class NewRecordContracts:
    """The service behind checks of new records."""

    def __init__(self, store: CatalogStore, clock: Clock, contracts: Contracts) -> None:
        self._store, self._clock, self._contracts = store, clock, contracts
        self._read: tuple[int | None, dict[DatasetId, float]] = (None, {})

    def asking(self) -> Mapping[DatasetId, float]:
        """Dataset -> seconds within which a breach is to be found; of several contracts the fewest."""
        changes = self._store.changes()
        if changes is None or changes != self._read[0]:
            self._read = (changes, self._asking())
        return self._read[1]

    def position(self, dataset: DatasetId) -> CheckPosition | None:
        return self._store.check_position(dataset)

    def keep(self, record: DatasetRecord, seen: NewRecordsSeen) -> bool:
        """Check every contract of the dataset by a look; False where another checker was first, so that it counts nothing."""
        checked = [(each, self._decided(each[1], record, seen)) for each in self._promises(record)]
        with self._store.transaction():
            current = self._store.check_position(record.id)
            if (current.number if current is not None else 0) != (seen.before.number if seen.before is not None else 0):
                return False
            now = self._clock()
            for (contract, promise, name), results in checked:
                kept = next(
                    (each for each in self._store.contract_checks(name) if each.dataset == promise.dataset), None
                )
                if kept is not None and not contract.is_over:
                    self._keep_one(CheckedPromise(name, contract, promise, record, now, is_new=True), kept, results)
            before = current or CheckPosition(record.id)
            self._store.put_check_position(
                replace(
                    seen.after,
                    number=before.number + 1,
                    checked_at=now,
                    newest=max((t for t in (before.newest, _newest(seen.look)) if t), default=None),
                    unread=before.unread + seen.unread,
                )
            )
        return True

    def _keep_one(self, checked: CheckedPromise, kept: ContractCheck, results: Mapping[str, Result]) -> None:
        """What a look cannot decide stays as the last scan saw it."""
        decided = {
            id: result
            for id, result in results.items()
            if result.state is not State.UNDECIDED or kept.results.get(id, {}).get("state") in (None, "undecided")
        }
        self._contracts.keep(checked, kept, decided)

    def _decided(self, promise: Promise, record: DatasetRecord, seen: NewRecordsSeen) -> dict[str, Result]:
        observed = self._observed(record, seen)
        kinds = TIME_KINDS.keys()
        rules = [rule for rule in promise.rules if rule.kind not in (RuleKind.COMPATIBILITY, *QUERIED_KINDS)]
        if not len(seen.look):
            rules = [rule for rule in rules if rule.kind in kinds]
        if seen.clock_jumped:
            rules = [rule for rule in rules if rule.kind is not RuleKind.FRESHNESS]
        results = check(rules, observed)
        left = MOST_LOCATED
        for rule in rules:
            if results[rule.id].state is State.BROKEN and rule.kind not in kinds and left:
                results[rule.id] = located(rule, results[rule.id], observed, seen.look)
                left -= 1
        return results

    def _observed(self, record: DatasetRecord, seen: NewRecordsSeen) -> Observed:
        newest = [_newest(seen.look), seen.before.newest if seen.before is not None else None]
        if not any(newest) and (stored := self._store.current_schema(record.id)) is not None:
            newest.append(stored.window.time_to)
        return Observed(
            schema=seen.look.schema,
            now=self._clock(),
            newest=max((each for each in newest if each), default=None),
            topic=record.topic,
            only_new=True,
            arrived=seen.arrived,
        )

    def _promises(self, record: DatasetRecord) -> Iterator[tuple[Contract, Promise, str]]:
        """Those that ask for checks of new records of a dataset."""
        for kept in self._store.contract_checks_of(self._contracts.names(record)):
            document = self._store.document(KIND, kept.contract)
            if document is None:
                continue
            try:
                contract = read_contract(document.spec)
            except WeirError as error:  # it was applied by an older version
                _log.warning("The contract %s was not checked: %s", kept.contract, error.message)
                continue
            for promise in contract.promises:
                if promise.dataset == kept.dataset and promise.check_every is not None and not contract.is_over:
                    yield contract, promise, kept.contract

    def _asking(self) -> dict[DatasetId, float]:
        asking: dict[DatasetId, float] = {}
        for document in self._store.documents(KIND):
            try:
                contract = read_contract(document.spec)
            except WeirError:  # `_promises` reports it
                continue
            for promise in contract.promises if not contract.is_over else ():
                record = self._contracts.record(promise.dataset) if promise.check_every is not None else None
                if record is not None and promise.check_every is not None:
                    asking[record.id] = min(promise.check_every, asking.get(record.id, promise.check_every))
        return asking


def _newest(look: Look) -> str | None:
    return look.schema.window.time_to
