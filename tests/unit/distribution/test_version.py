"""One version in everything that is handed out."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from api import VERSION

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("file", ["pyproject.toml", "client/pyproject.toml"])
def test_wheels_have_the_version(file: str) -> None:
    assert tomllib.loads((ROOT / file).read_text())["project"]["version"] == VERSION


def test_the_client_and_the_pages_have_the_version() -> None:
    assert f'__version__ = "{VERSION}"' in (ROOT / "client/weir_client/__init__.py").read_text()
    for file in ("package.json", "package-lock.json"):
        assert json.loads((ROOT / "ui" / file).read_text())["version"] == VERSION


def test_the_newest_release_of_the_changelog_is_this_version() -> None:
    releases = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert releases[0] == VERSION


@pytest.mark.parametrize("page", ["install.md", "systemd.md", "kubernetes.md"])
def test_pages_name_files_of_this_version(page: str) -> None:
    text = (ROOT / "docs" / "how-to" / page).read_text()
    named = re.findall(r"(?:weir_catalog-|weir_client-|weir:)(\d+\.\d+\.\d+)", text)
    assert named
    assert set(named) == {VERSION}
