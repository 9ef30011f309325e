"""The navigation of the documentation site names every page. The links and the build itself are checked by `.ci/docs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
        return
    for child in entry.values() if isinstance(entry, dict) else entry:
        yield from pages(child)


def test_navigation_names_every_page_once() -> None:
    named = sorted(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    written = sorted(page.name for page in (ROOT / "docs").glob("*.md"))
    assert named == written, "a page of docs/ needs its place in the `nav` of mkdocs.yml"


def test_every_decision_has_a_number() -> None:
    """`.ci/docs_hook.py` lists the numbered files."""
    without = [
        p.name for p in (ROOT / "docs/decisions").glob("*.md") if not p.name[:4].isdigit() and p.name != "index.md"
    ]
    assert without == []
