"""Fingerprints of keys in the record store."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import select

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.tables_record_keys import RecordKeyRow
from catalog.record_keys import KeyStatement


class SqlRecordKeys:
    """`catalog.record_keys.RecordKeys`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def stated(self) -> dict[str, KeyStatement]:
        with self._database.read() as session:
            return {
                row.name: KeyStatement(row.name, row.fingerprint, row.host, row.home, row.stated_at)
                for row in session.scalars(select(RecordKeyRow))
            }

    def state(self, statement: KeyStatement) -> None:
        with self._database.begin() as session:
            session.merge(RecordKeyRow(**asdict(statement)))
