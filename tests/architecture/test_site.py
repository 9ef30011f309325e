"""The navigation names every page, and pages name files that exist. Links and the build are checked by `.ci/docs`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = "|".join(path.name for path in sorted(ROOT.glob("[a-z]*/")) if path.name not in ("dist", "site"))
TEXTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MADE_LATER = {"ui/dist"}  # the build makes it


def pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
        return
    for child in entry.values() if isinstance(entry, dict) else entry:
        yield from pages(child)


def test_navigation_names_every_page_once() -> None:
    named = sorted(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    written = sorted(
        str(page.relative_to(ROOT / "docs"))
        for page in (ROOT / "docs").rglob("*.md")
        if page.parent.name != "decisions"
    )
    assert named == written, "a page of docs/ needs its place in the `nav` of mkdocs.yml"


@pytest.mark.parametrize("folder, most", [("how-to", 150), ("decisions", 60)])
def test_pages_are_short(folder: str, most: int) -> None:
    lengths = {page.name: len(page.read_text().splitlines()) for page in (ROOT / "docs" / folder).glob("*.md")}
    assert {name: length for name, length in lengths.items() if length >= most} == {}


def test_every_decision_has_a_number() -> None:
    """`.ci/docs_hook.py` lists the numbered files."""
    without = [
        p.name for p in (ROOT / "docs/decisions").glob("*.md") if not p.name[:4].isdigit() and p.name != "index.md"
    ]
    assert without == []


@pytest.mark.parametrize("page", TEXTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_named_in_a_page_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    named = set(re.findall(rf"`((?:{FOLDERS})/[\w./*-]*)`", text)) - MADE_LATER
    assert [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []
