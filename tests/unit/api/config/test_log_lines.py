"""A text of somebody else in the log: one line, and nothing that moves the cursor or turns the writing."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog

from api.config.logs import JsonLine, OneLine, on_one_line

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


def test_with_json_lines_a_message_of_a_library_is_an_object_without_the_text_of_its_error() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLine())
    log = logging.Logger("driver")
    log.addHandler(handler)
    try:
        raise ValueError("ana@example.com")
    except ValueError:
        log.warning("Cluster %s is away", FORGED, exc_info=True)
    (line,) = out.getvalue().splitlines()
    shown = json.loads(line)
    assert (shown["level"], shown["logger"], shown["kind"]) == ("warning", "driver", "ValueError")
    assert shown["event"] == f"Cluster {FORGED} is away" and "timestamp" in shown
    assert "ana@example.com" not in line
