"""The record store on SQL: checks and breaches of contracts. See `catalog.contract_store.ContractStore`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_contracts import ContractBreachRow, ContractCheckRow
from catalog.contract_store import MOST_BREACHES, ContractBreach, ContractCheck, breach_order

_COLUMNS = tuple(ContractBreach.__dataclass_fields__)


class SqlContracts(SqlPart):
    def put_contract_check(self, check: ContractCheck) -> None:
        with self._database.begin() as session:
            session.merge(ContractCheckRow(**{**asdict(check), "results": dict(check.results)}))

    def contract_checks(self, contract: str | None = None) -> list[ContractCheck]:
        query = select(ContractCheckRow)
        if contract is not None:
            query = query.where(ContractCheckRow.contract == contract)
        with self._database.read() as session:
            return _sorted(map(_check, session.scalars(query)))

    def contract_checks_of(self, datasets: Collection[str]) -> list[ContractCheck]:
        query = select(ContractCheckRow).where(ContractCheckRow.dataset.in_(list(datasets)))
        with self._database.read() as session:
            return _sorted(map(_check, session.scalars(query)))

    def put_contract_breach(self, breach: ContractBreach) -> None:
        with self._database.begin() as session:
            session.merge(ContractBreachRow(**{name: getattr(breach, name) for name in _COLUMNS}))
            if breach.ended_at is not None:
                session.flush()
                self._forget_oldest(session, breach.contract)

    def contract_breaches(self, contract: str, limit: int) -> list[ContractBreach]:
        with self._database.read() as session:
            breaches = map(_breach, session.scalars(_of(contract)))
            return sorted(breaches, key=breach_order)[:limit]

    def open_contract_breaches(self, contract: str, dataset: str) -> dict[str, ContractBreach]:
        query = _of(contract).where(ContractBreachRow.dataset == dataset, ContractBreachRow.ended_at.is_(None))
        with self._database.read() as session:
            return {row.rule: _breach(row) for row in session.scalars(query)}

    def forget_contract(self, contract: str, datasets: Collection[str] = ()) -> None:
        with self._database.begin() as session:
            for table in (ContractCheckRow, ContractBreachRow):
                statement = delete(table).where(table.contract == contract)
                session.execute(statement.where(table.dataset.in_(list(datasets))) if datasets else statement)

    @staticmethod
    def _forget_oldest(session: Session, contract: str) -> None:
        ended = (
            select(ContractBreachRow.id)
            .where(ContractBreachRow.contract == contract, ContractBreachRow.ended_at.is_not(None))
            .order_by(ContractBreachRow.ended_at.desc(), ContractBreachRow.id)
            .offset(MOST_BREACHES)
        )
        oldest = list(session.scalars(ended))
        if oldest:
            session.execute(delete(ContractBreachRow).where(ContractBreachRow.id.in_(oldest)))


def _of(contract: str) -> Select[ContractBreachRow]:
    return select(ContractBreachRow).where(ContractBreachRow.contract == contract)


def _sorted(checks: Iterable[ContractCheck]) -> list[ContractCheck]:
    return sorted(checks, key=lambda each: (each.contract, each.dataset))


def _check(row: ContractCheckRow) -> ContractCheck:
    return ContractCheck(row.contract, row.dataset, row.results, row.checked_at, row.version)


def _breach(row: ContractBreachRow) -> ContractBreach:
    return ContractBreach(**{name: getattr(row, name) for name in _COLUMNS})
