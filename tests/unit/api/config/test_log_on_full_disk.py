"""A log that cannot be written fails nothing else."""

from __future__ import annotations

import errno
import io
from typing import Any

import pytest
import structlog

from api.config import logs
from api.config.server_settings import LogSettings


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_line_that_finds_no_space_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    before: dict[str, Any] = structlog.get_config()
    monkeypatch.setattr("sys.stderr", Full())
    try:
        logs.configure(LogSettings())
        structlog.get_logger("weir.test").warning("unavailable", path="/api/v1/apply")
    finally:
        structlog.configure(**before)


def test_a_line_that_finds_space_is_written() -> None:
    stream = io.StringIO()
    forgiving = logs.Forgiving(stream)
    assert forgiving.write("a line") == 6
    forgiving.flush()
    assert stream.getvalue() == "a line"
