"""Column types that behave alike on SQLite and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import JSON, DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

# PostgreSQL refuses NUL in text and no database takes a lone surrogate, but a field of a JSON record may be named so.
_UNSTORABLE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")


class Instant(TypeDecorator[datetime]):
    """An aware datetime, stored and given back in UTC (SQLite itself forgets the zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A time without a zone was given to the record store.")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class AnyText(TypeDecorator[str]):
    """Text that may hold whatever a record's field name holds; comes back as it went in."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or (value.isascii() and value.isprintable()):
            return value
        return _UNSTORABLE.sub(lambda m: f"\x1b{ord(m.group()):04x}", value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:
        return None if value is None else _ESCAPED.sub(lambda m: chr(int(m[1], 16)), str(value))


class QuickJson(TypeDecorator[Any]):
    """JSON that is written often: by a quicker library where that can write it. No NaN, which is no JSON."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        usual = super().bind_processor(dialect)
        if dialect.name != "sqlite":
            return usual

        def written(value: Any) -> Any:
            if value is None:
                return None
            try:
                return orjson.dumps(value).decode()
            except TypeError:  # numbers beyond 64 bits, lone surrogates
                return usual(value) if usual is not None else value

        return written


Json = JSON(none_as_null=True)
"""JSON as text. Not PostgreSQL's jsonb: that one refuses the escape of NUL."""
