"""What an instance reports, and what it does, where an optional package is missing."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from api.config import extras
from api.config.home import Home
from api.config.settings import load
from api.terminal.output import Format
from api.wiring.given import GivenAdapters
from api.wiring.server_parts import ServerParts
from catalog.adapters.sql.database import Database
from catalog.errors import SettingsError
from scanners.detectors.core.quick_pass import QuickSet

ROOT = Path(__file__).resolve().parents[4]


def parts_of(folder: Path) -> ServerParts:
    home = Home(folder)
    return ServerParts(load(home), home, GivenAdapters())


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has the core alone."""
    optional = {package for extra in extras.EXTRAS for package in extra.packages}

    def installed(package: str) -> str:
        if package in optional:
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(extras, "version", installed)


def test_nothing_is_reported_where_everything_is_installed() -> None:
    assert extras.notices() == []


@pytest.mark.usefixtures("bare")
def test_each_missing_extra_is_one_sentence_with_its_fix() -> None:
    fast, meaning = extras.notices()
    assert "slower" in fast
    assert "numba, hyperscan, sqlglotc are not installed: pip install 'weir-catalog[fast]'." in fast
    assert "Search by meaning is off" in meaning
    assert "pip install 'weir-catalog[meaning]'." in meaning


@pytest.mark.usefixtures("bare")
def test_the_status_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from api.cli.servers import status

    monkeypatch.setenv("WEIR_HOME", str(tmp_path))
    status(Format.JSON)
    assert "weir-catalog[meaning]" in capsys.readouterr().out
    status(Format.TABLE)
    assert "weir-catalog[fast]" in capsys.readouterr().err


@pytest.mark.usefixtures("bare")
def test_search_asks_words_alone_without_the_model(tmp_path: Path) -> None:
    assert parts_of(tmp_path).meaning is None


def test_the_model_is_used_where_it_is_installed(tmp_path: Path) -> None:
    assert parts_of(tmp_path).meaning is not None


def test_a_postgresql_without_its_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name == "psycopg" else find(name, package)

    monkeypatch.setattr("catalog.adapters.sql.database.find_spec", without)
    with pytest.raises(SettingsError, match=r"weir-catalog\[postgres\]"):
        Database("postgresql://localhost/weir")


def test_no_text_is_missed_without_hyperscan(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = [rb"\b\d{3}-\d{2}\b", rb"@[a-z]+"]
    texts = ["an 123-45", "none", "a@b é", "1234-56"]
    compiled = QuickSet(patterns).find(texts)
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    plain = QuickSet(patterns).find(texts)
    assert compiled[0] == [0]
    assert all(set(where) <= set(plain[number]) for number, where in compiled.items())


def test_the_wheel_and_the_notices_have_the_same_names() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    assert f'name = "{extras.DISTRIBUTION}"' in project
    for extra in extras.EXTRAS:
        assert (ROOT / "requirements" / f"{extra.name}.in").exists()
