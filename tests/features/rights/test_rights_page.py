"""The documents of the how-to apply without a change."""

from __future__ import annotations

import re
from pathlib import Path

from tests.api_world import world

PAGE = Path(__file__).resolve().parents[3] / "docs/how-to/rights.md"


def test_the_documents_of_the_page_apply(tmp_path: Path) -> None:
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 2
    with world(tmp_path) as weir:
        for block in blocks:
            assert weir.apply(block, allowUnknown="true")
        kept = weir.admin.get("/api/v1/declared/Principal").json()
        assert "orders-app" in str(kept) and "people" in str(kept)
