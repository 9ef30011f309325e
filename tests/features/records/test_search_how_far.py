"""A search in records that finds nothing shows how many were looked at, whatever number of pages it took."""

from __future__ import annotations

from typing import Any

import pytest

from api.features.records import browsing


class Pages:
    """An API whose topic has so many records, of which none fits; a page looks at 100,000 of them."""

    def __init__(self, records: int) -> None:
        self.left = records

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        read = min(100_000, self.left)
        self.left -= read
        return {
            "records": [],
            "searched": {"records": read, "left": self.left},
            "older": "further" if self.left else None,
            "columns": [],
            "unreadableText": None,
        }


@pytest.mark.parametrize(("records", "read"), [(1_000_000, "1,000,000"), (250_001, "250,001"), (7, "7")])
def test_a_search_without_a_match_shows_what_was_read(
    records: int, read: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(browsing, "api", lambda user: Pages(records))
    browsing.browse("prod/orders", text="nothing", limit=10)
    assert f"{read} offsets read, 0 further on." in " ".join(capsys.readouterr().out.split())
