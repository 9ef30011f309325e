"""Leases in the record store, and beats beside it."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from catalog.adapters.sql.beside import BesideDatabase
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.tables_leases import BEATS, LeaseRow
from catalog.leases.leases import acting
from catalog.leases.ports import Lease, LeaseLost

_IDLE_MS = 8_000
"""PostgreSQL ends the transaction of a duty that is silent for so long: its process is frozen, and who takes the duty over
waits for the lock of writers. A file of SQLite stays locked until such a process continues or is ended."""


class SqlLeases:
    """`catalog.leases.ports.LeaseStore`. From its making on, the database refuses writes under a lease that is lost."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.before_write = refuse_lost
        longest = database.idle_ms
        database.idle_ms = lambda: longest() if acting() is None else min(longest(), _IDLE_MS)

    def all(self) -> dict[str, Lease]:
        with self._database.read() as session:
            return {row.name: Lease(row.name, row.holder, row.number) for row in session.scalars(select(LeaseRow))}

    def take(self, name: str, holder: str, seen: Lease | None) -> Lease | None:
        with self._database.begin() as session:
            row = session.get(LeaseRow, name)
            if row is None:
                session.add(LeaseRow(name=name, holder=holder, number=1))
                return Lease(name, holder, 1)
            if seen != Lease(name, row.holder, row.number):
                return None
            row.holder, row.number = holder, row.number + 1
            return Lease(name, holder, row.number)

    def give_back(self, lease: Lease) -> None:
        with self._database.begin() as session:
            session.execute(
                update(LeaseRow).where(LeaseRow.name == lease.name, LeaseRow.number == lease.number).values(holder="")
            )


def refuse_lost(session: Session) -> None:
    """Raise LeaseLost where this thread acts under a lease that another process holds. Called with the writers' lock, so no
    process can take the lease before the transaction ends."""
    lease = acting()
    if lease is None:
        return
    kept = session.execute(select(LeaseRow.holder, LeaseRow.number).where(LeaseRow.name == lease.name)).first()
    if kept is None or tuple(kept) != (lease.holder, lease.number):
        raise LeaseLost(f"Another process does the duty {lease.name} by now.", details={"duty": lease.name})


class SqlBeats:
    """`catalog.leases.ports.Beats`."""

    def __init__(self, database: Database) -> None:
        self._beside = BesideDatabase(database, [BEATS])

    def beat(self, holder: str) -> None:
        with self._beside.transaction() as connection:
            raised = update(BEATS).where(BEATS.c.holder == holder).values(number=BEATS.c.number + 1)
            if connection.execute(raised).rowcount == 0:
                connection.execute(insert(BEATS).values(holder=holder, number=1))

    def all(self) -> dict[str, int]:
        with self._beside.transaction() as connection:
            return {row.holder: row.number for row in connection.execute(select(BEATS))}

    def end(self, holder: str) -> None:
        with self._beside.transaction() as connection:
            connection.execute(delete(BEATS).where(BEATS.c.holder == holder))

    def close(self) -> None:
        self._beside.close()
