"""What Weir writes about itself: one line an event, readable or JSON, on stderr. Never a value of a record."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import traceback
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO

import structlog

from api.config.server_settings import LogSettings
from catalog.unseen import written_out


class Forgiving:
    """A stream for the log that drops what cannot be written: on a full disk a request is worth more than its line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def frames(error: BaseException) -> list[str]:
    """Where an error came from, `file:line function`, without its text: a driver's text may quote a stored value."""
    return [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(error.__traceback__)[-12:]]


class OneLine(logging.Formatter):
    """Messages of libraries and of our own, each on one line; a traceback follows on lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return written_out(super().formatMessage(record))


class JsonLine(logging.Formatter):
    """Messages of libraries as our own events: one object a line. Of an error it has the kind and the place, not the text."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "logger": record.name,
            "event": record.getMessage(),
            "level": record.levelname.lower(),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line |= {"kind": type(error).__name__, "at": frames(error)}
        return json.dumps(line | {"timestamp": datetime.fromtimestamp(record.created, UTC).isoformat()})


def on_one_line(_: Any, __: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A name that somebody chose begins no line of its own in the log and moves no cursor of who reads it."""
    for name, value in line.items():
        if isinstance(value, str):
            line[name] = written_out(value)
    return line


def configure(settings: LogSettings) -> None:
    """Send structlog's events and the libraries' warnings to stderr in one form."""
    level = logging.getLevelNamesMapping().get(settings.level.upper(), logging.INFO)
    renderer = (
        structlog.processors.JSONRenderer()
        if settings.json_lines
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([] if settings.json_lines else [on_one_line]),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(Forgiving(sys.stderr)),  # type: ignore[arg-type]
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    readable = OneLine("%(asctime)s %(levelname)s %(name)s %(message)s")
    handler.setFormatter(JsonLine() if settings.json_lines else readable)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # Spark's client writes whole failed queries with the values they met, sqlglot the statements that it reads in part only,
    # drivers their retries with tracebacks.
    for name in (
        "SQLQueryContextLogger",
        "DataFrameQueryContextLogger",
        "pyspark",
        "sqlglot",
        "neo4j",
        "elastic_transport",
        "grpc",
    ):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
