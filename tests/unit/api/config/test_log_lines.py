"""A text of somebody else in the log: one line, and nothing that moves the cursor or turns the writing."""

from __future__ import annotations

import io
import logging

import pytest
import structlog

from api.config.logs import OneLine, on_one_line

FORGED = "x\n2026-01-01 [error] engine_ended\r\x1b[2J\u202etxt\u2028y\x9b1m\u200b\u2066"
BAD = "\n\r\x1b\u202e\u2028\x9b\u200b\u2066"


def test_an_event_is_one_line() -> None:
    line = on_one_line(None, "info", {"event": FORGED, "cluster": FORGED, "count": 3, "at": [FORGED]})
    shown = str(structlog.dev.ConsoleRenderer(colors=False)(None, "info", line))
    assert not set(shown) & set(BAD) and "\\n2026" in shown


def test_a_message_of_a_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(OneLine("%(levelname)s %(name)s %(message)s"))
    log = logging.Logger("driver")
    log.addHandler(handler)
    log.warning("Cluster %s is away", FORGED)
    assert not set(out.getvalue().rstrip("\n")) & set(BAD)
