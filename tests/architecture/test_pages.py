"""Pages of a feature are in a folder with the name that the feature has in the API."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_SEVERAL = {"admin"}
"""Pages that only hold those of several features together."""


def test_each_folder_of_pages_has_the_name_of_a_feature() -> None:
    pages = {each.name for each in (ROOT / "ui/src/features").iterdir() if each.is_dir()}
    features = {each.name for each in (ROOT / "api/features").iterdir() if each.is_dir()}
    assert len(pages) > 30
    assert pages - features == OF_SEVERAL
