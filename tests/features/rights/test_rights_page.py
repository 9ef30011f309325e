"""The documents of the how-to apply without a change."""

from __future__ import annotations

import re
from pathlib import Path

from tests.api_world import world

PAGES = Path(__file__).resolve().parents[3] / "docs/how-to"


def test_the_documents_of_the_pages_apply(tmp_path: Path) -> None:
    texts = [(PAGES / name).read_text() for name in ("rights.md", "rights-kept.md")]
    blocks = [block for text in texts for block in re.findall(r"```yaml\n(.*?)```", text, re.S)]
    assert len(blocks) == 3
    with world(tmp_path) as weir:
        for block in blocks:
            assert weir.apply(block, allowUnknown="true")
        kept = weir.admin.get("/api/v1/declared/Principal").json()
        assert "orders-app" in str(kept) and "people" in str(kept)
