"""Where there is no browser, the browser tests name what to install."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import browser


def test_without_a_browser_the_reason_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "_MAC", ())
    assert "apt-get install chromium" in (browser.browser_missing() or "")


def test_a_named_browser_must_be_a_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nothing"))
    assert browser.browser_missing() == f"CHROMIUM names {tmp_path / 'nothing'}, which is not a program"


def test_the_first_browser_on_path_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert browser.browser_missing() is None
    assert browser.find_chromium() == str(program)
