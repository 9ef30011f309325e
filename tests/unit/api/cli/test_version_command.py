"""`weir version`: what is asked for first by those who help."""

from __future__ import annotations

import json
import platform

import pytest

from api import VERSION
from api.cli import app, versions
from catalog.adapters.sql.schema import newest


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    app(list(words), prog_name="weir", standalone_mode=False)
    return capsys.readouterr().out


def test_programs_read_the_version_of_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(run(capsys, "version", "-o", "json"))
    assert answer["weir"] == VERSION
    assert answer["schema"] == newest()
    assert answer["python"] == platform.python_version()
    assert answer["spark"].startswith("4.")
    assert isinstance(answer["extras"], list)


def test_people_read_a_line_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "version").splitlines()
    assert [line.split()[0] for line in lines] == ["part", "weir", "schema", "python", "spark", "extras"]
    assert lines[1].split() == ["weir", VERSION]


def test_a_package_that_is_absent_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(versions, "_SPARK", "no-such-package-of-anybody")
    assert json.loads(run(capsys, "version", "-o", "json"))["spark"] is None
    assert run(capsys, "version").splitlines()[4].split() == ["spark", "none"]
