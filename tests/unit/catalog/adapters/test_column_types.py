"""Texts and times come back from the record store as they went in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Column, MetaData, Table, create_engine
from sqlalchemy.dialects import postgresql

from catalog.adapters.sql.types import AnyText, Instant


@pytest.mark.parametrize("text", ["", "a", "\x1b", "\x00\ud800x", "é\x1b001b", None])
def test_texts_that_no_database_takes_come_back(text: str | None) -> None:
    of = AnyText()
    read = of.result_processor(None, None)  # type: ignore[arg-type]
    assert read(of.process_bind_param(text, None)) == text  # type: ignore[arg-type]


def test_times_come_back_in_utc() -> None:
    at = datetime(2026, 1, 1, 12, 0, 0, 5, timezone(timedelta(hours=2)))
    table = Table("t", MetaData(), Column("at", Instant()))
    engine = create_engine("sqlite://")
    table.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(table.insert(), [{"at": at}, {"at": None}])
        read = list(connection.scalars(table.select()))
    first, second = read
    assert first == at and first.tzinfo is UTC and second is None
    pass_through = Instant().result_processor(postgresql.dialect(), None)
    passed = pass_through(at)
    assert passed == at and passed.tzinfo is UTC
