"""Discovery documents: one caller fetches for all, and an issuer that does not answer is left alone for a moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from catalog.errors import Unavailable
from policies.adapters import oidc_documents
from policies.adapters.oidc_documents import IssuerDocuments, unavailable

ISSUER = "https://id.example"


def test_one_caller_fetches_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    gate = threading.Event()

    def fetched(issuer: str, ca: str | None) -> Any:
        asked.append(issuer)
        gate.wait(4)
        return "document"

    monkeypatch.setattr(oidc_documents, "_fetched", fetched)
    documents = IssuerDocuments()
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(documents.get, ISSUER, None) for _ in range(6)]
        gate.set()
        assert {str(each.result()) for each in waiting} == {"document"}
    assert asked == [ISSUER]


def test_an_issuer_that_fails_is_not_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def fetched(issuer: str, ca: str | None) -> Any:
        asked.append(issuer)
        raise unavailable(issuer)

    monkeypatch.setattr(oidc_documents, "_fetched", fetched)
    documents = IssuerDocuments()
    for _ in range(3):
        with pytest.raises(Unavailable, match="does not answer"):
            documents.get(ISSUER, None)
    assert asked == [ISSUER]
    with pytest.raises(Unavailable):
        documents.get("https://other.example", None)
    assert asked == [ISSUER, "https://other.example"]
