"""The record store in memory: checks and breaches of contracts. See `catalog.contract_store.ContractStore`."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

from catalog.contract_store import MOST_BREACHES, ContractBreach, ContractCheck, breach_order


class MemoryContracts:
    _state: Any
    _lock: threading.RLock

    def put_contract_check(self, check: ContractCheck) -> None:
        with self._lock:
            self._state.contract_checks[check.contract, check.dataset] = check

    def contract_checks(self, contract: str | None = None) -> list[ContractCheck]:
        with self._lock:
            checks = self._state.contract_checks
            return [checks[key] for key in sorted(checks) if contract in (None, key[0])]

    def contract_checks_of(self, datasets: Collection[str]) -> list[ContractCheck]:
        return [each for each in self.contract_checks() if each.dataset in datasets]

    def put_contract_breach(self, breach: ContractBreach) -> None:
        with self._lock:
            breaches = self._state.contract_breaches
            breaches[breach.id] = breach
            ended = [each for each in self._of(breach.contract) if each.ended_at is not None]
            for each in ended[MOST_BREACHES:]:
                del breaches[each.id]

    def contract_breaches(self, contract: str, limit: int) -> list[ContractBreach]:
        with self._lock:
            return self._of(contract)[:limit]

    def open_contract_breaches(self, contract: str, dataset: str) -> dict[str, ContractBreach]:
        with self._lock:
            return {each.rule: each for each in self._of(contract) if each.dataset == dataset and each.ended_at is None}

    def forget_contract(self, contract: str, datasets: Collection[str] = ()) -> None:
        with self._lock:
            for kept in (self._state.contract_checks, self._state.contract_breaches):
                for key, each in list(kept.items()):
                    if each.contract == contract and (not datasets or each.dataset in datasets):
                        del kept[key]

    def _of(self, contract: str) -> list[ContractBreach]:
        breaches = [each for each in self._state.contract_breaches.values() if each.contract == contract]
        return sorted(breaches, key=breach_order)
