"""The page of declared state has a tab for every kind that can be declared."""

from __future__ import annotations

import re
from pathlib import Path

from api.joins.declared import KINDS

PAGE = Path(__file__).resolve().parents[4] / "ui/src/lib/kinds.ts"


def test_every_kind_has_its_tab() -> None:
    assert set(re.findall(r'"(\w+)"', PAGE.read_text())) == set(KINDS)
