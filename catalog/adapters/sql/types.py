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

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """One function, as it is called for each cell that is read."""
        usual = self.impl_instance.dialect_impl(dialect).result_processor(dialect, coltype)

        def read(value: Any) -> datetime | None:
            moment: datetime | None = usual(value) if usual is not None else value
            if moment is None:
                return None
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)

        return read


class AnyText(TypeDecorator[str]):
    """Text that may hold whatever a record's field name holds; comes back as it went in."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or (value.isascii() and value.isprintable()):
            return value
        return _UNSTORABLE.sub(lambda m: f"\x1b{ord(m.group()):04x}", value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], str | None]:
        """One function, as it is called for each cell that is read."""

        def read(value: Any) -> str | None:
            if value is None or "\x1b" not in value:
                return value
            return _ESCAPED.sub(lambda m: chr(int(m[1], 16)), value)

        return read


class QuickJson(TypeDecorator[Any]):
    """JSON that is written often: by a quicker library where that can write it. No NaN, which JSON does not have."""

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
