"""A term of the glossary that names a hidden dataset is not listed, and its synonyms change no search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api_world import ApiWorld, world

DECLARED = """
apiVersion: weir/v1
kind: User
metadata: {name: out}
spec: {}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: customer-email}
spec: {definition: Where we write to., synonyms: [letterbox plate]}
"""
HIDDEN = """
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: zqxledger, cluster: prod}
spec: {owners: [{user: quillon}], fields: []}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: order-id}
spec: {definition: As in prod/zqxledger., synonyms: [moon tax]}
---
apiVersion: weir/v1
kind: Visibility
metadata: {name: vault}
spec: {match: {datasets: [prod/zqxledger]}, existence: {users: [quillon]}}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod")
        weir.apply(DECLARED + HIDDEN)
        yield weir


def test_its_synonyms_find_nothing(weir: ApiWorld) -> None:
    outsider = weir.user("out")
    listed = outsider.get("/api/v1/declared/GlossaryTerm").json()["documents"]
    assert [each["metadata"]["name"] for each in listed] == ["customer-email"]

    def first(client: object, q: str) -> list[str]:
        hits = client.get("/api/v1/search", params={"q": q}).json()["hits"]  # type: ignore[attr-defined]
        return [hit.get("path", "") for hit in hits][:1]

    assert first(weir.admin, "moon tax") == ["value.order_id"]
    assert first(outsider, "moon tax") == []
    assert first(outsider, "letterbox plate") == first(weir.admin, "letterbox plate") == ["value.customer.email"]
    assert outsider.get("/api/v1/search/suggest", params={"q": "moon tax"}).json() == {"suggestions": []}
