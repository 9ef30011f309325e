"""How contracts are kept, as the last check of each dataset saw them, and their breaches. No value of a record is among it.

The contract itself is a declared document of kind Contract; see `catalog.contracts`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

MOST_BREACHES = 500
"""Ended breaches that are kept of one contract; the oldest are forgotten first. Those that last are all kept."""


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """The last check of one dataset of a contract.

    contract    name of the document
    dataset     as the contract names it: `prod/orders`, or `kafka://host:9092/orders`
    results     rule id -> {state, reason, count, share, first, last, since}; see `catalog.contracts.rules.Result`
    checked_at  None while the dataset was never checked
    version     of the schema that was looked at; 0 where there is none
    """

    contract: str
    dataset: str
    results: Mapping[str, Mapping[str, Any]]
    checked_at: datetime | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class ContractBreach:
    """One rule that is broken, from the check that saw it first to the check that sees it kept again.

    id          of contract, dataset, rule and beginning, so that the same breach is written once
    count       records of the last check that broke it, where the scan knows how many; share: their share, 0..1
    first, last {time, partition, offset} of records that broke it, where the scan knows them
    ended_at    None while it lasts
    """

    id: str
    contract: str
    dataset: str
    rule: str
    text: str
    reason: str
    began_at: datetime
    seen_at: datetime
    ended_at: datetime | None = None
    count: int | None = None
    share: float | None = None
    first: Mapping[str, Any] | None = None
    last: Mapping[str, Any] | None = None


def breach_order(breach: ContractBreach) -> tuple[bool, float, str]:
    """Those that last before those that ended, each the newest first."""
    moment = breach.ended_at or breach.began_at
    return breach.ended_at is not None, -moment.timestamp(), breach.id


class ContractStore(Protocol):
    """Keeps checks and breaches; the twins in memory and SQL have one contract."""

    def put_contract_check(self, check: ContractCheck) -> None:
        """Insert or replace by contract and dataset."""

    def contract_checks(self, contract: str | None = None) -> list[ContractCheck]:
        """Of one contract or of all; by contract and dataset."""

    def contract_checks_of(self, datasets: Collection[str]) -> list[ContractCheck]:
        """Of every contract that names one of these datasets, by contract and dataset."""

    def put_contract_breach(self, breach: ContractBreach) -> None:
        """Insert or replace by id; of the ended ones of its contract the newest `MOST_BREACHES` stay."""

    def contract_breaches(self, contract: str, limit: int) -> list[ContractBreach]:
        """Those that last, then those that ended; each the newest first."""

    def open_contract_breaches(self, contract: str, dataset: str) -> dict[str, ContractBreach]:
        """Rule id -> the breach of it that lasts."""

    def forget_contract(self, contract: str, datasets: Collection[str] = ()) -> None:
        """Forget its checks and breaches; where datasets are given, only the checks and breaches of these."""
