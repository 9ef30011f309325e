"""Values at and beyond the edges of what stores can take: refused with the parameter's name, never a failure inside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api import pages
from api.edge import errors
from catalog.search.service import Search
from tests.api_world import ApiWorld, world

GREAT = ("9223372036854775808", "9" * 30, "-9223372036854775809")
OUTSIDE = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00 00:01")
EDGES = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999+14:00", "0001-01-01")
NODE = {"nodeId": "dataset:kafka://localhost:9092:orders"}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        yield weir


@pytest.mark.parametrize("great", GREAT)
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("datasets", "offset"),
        ("datasets", "limit"),
        ("scans", "offset"),
        ("audit", "cursor"),
        ("audit", "limit"),
        ("events", "after"),
        ("search", "offset"),
        ("datasets/prod/orders/schema", "version"),
        ("datasets/prod/orders/schema/diff", "from"),
        ("namespaces", "offset"),
        ("classifications", "offset"),
    ],
)
def test_a_number_too_great_is_refused(weir: ApiWorld, path: str, name: str, great: str) -> None:
    answer = weir.admin.get(f"/api/v1/{path}", params={name: great})
    assert answer.status_code == 400 and name in answer.json()["error"]["message"], answer.text


@pytest.mark.parametrize(
    ("path", "name", "given"),
    [
        ("audit", "since", {}),
        ("audit", "until", {}),
        ("events", "since", {}),
        ("lineage", "asOf", NODE),
        ("impact", "asOf", NODE),
        ("lineage/reach", "at", {"from": NODE["nodeId"]}),
        ("reports/where-is", "asOf", {"entity": "PII"}),
        ("datasets/prod/orders/access", "asOf", {}),
        ("datasets/prod/orders/readers", "asOf", {}),
        ("jobs/a/b", "asOf", {}),
    ],
)
def test_times_at_the_edges_of_the_calendar(weir: ApiWorld, path: str, name: str, given: dict[str, str]) -> None:
    for outside in OUTSIDE:
        answer = weir.admin.get(f"/api/v1/{path}", params={**given, name: outside})
        assert answer.status_code == 400 and name in answer.json()["error"]["message"], answer.text
    for edge in EDGES:
        assert weir.admin.get(f"/api/v1/{path}", params={**given, name: edge}).status_code < 500


@pytest.mark.parametrize("until", [*OUTSIDE, *EDGES])
@pytest.mark.parametrize("began", [*OUTSIDE, *EDGES])
def test_times_of_bodies_at_the_edges(weir: ApiWorld, began: str, until: str) -> None:
    asked: dict[str, Any] = {"dataset": "prod/orders", "purpose": "p", "from": began, "until": until}
    assert weir.admin.post("/api/v1/access-requests", json=asked).status_code < 500
    asked = {"delegates": ["someone"], "from": began, "until": until}
    assert weir.admin.put("/api/v1/me/delegation", json=asked).status_code < 500


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("scans", {"cluster": "prod", "sample": {"records": 2**63}}),
        ("scans", {"cluster": "prod", "sample": {"maxBytes": 2**63}}),
        ("scans", {"cluster": "prod", "sample": {"seed": 2**63}}),
        ("query", {"sql": "SELECT 1", "limit": 2**63}),
        ("query/complete", {"sql": "SELECT ", "position": 2**63}),
    ],
)
def test_a_number_too_great_in_a_body_is_refused(weir: ApiWorld, path: str, body: Any) -> None:
    answer = weir.admin.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 400 and "it must be at most" in answer.json()["error"]["message"], answer.text


@pytest.mark.parametrize("path", ["assets/%00", "%00", "assets/" + "a" * 5000, "a" * 5000, "assets/%ff", "..%2f..%2fx"])
def test_no_path_of_a_page_reaches_the_file_system(tmp_path: Path, path: str) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("the application")
    (tmp_path / "assets" / "a.js").write_text("script")
    app = FastAPI()
    errors.install(app)
    pages.mount(app, tmp_path)
    client = TestClient(app, raise_server_exceptions=False)
    assert client.get("/assets/a.js").text == "script"
    answer = client.get(f"/{path}")
    assert answer.status_code == 404 if path.startswith("assets/") else answer.text == "the application", answer.text


def test_pages_built_later_are_served(tmp_path: Path) -> None:
    app = FastAPI()
    pages.mount(app, tmp_path)
    client = TestClient(app)
    assert "Weir is running" in client.get("/").text
    (tmp_path / "index.html").write_text("the application")
    assert client.get("/catalog/prod").text == "the application"


def test_after_a_failure_inside_the_connection_ends(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("no matter")

    monkeypatch.setattr(weir.services[Search], "search", broken)
    answer = weir.admin.get("/api/v1/search")
    assert answer.status_code == 500 and answer.headers["connection"] == "close"


@pytest.mark.parametrize("path", ["apply", "lineage", "lineage/batch", "query", "scans", "policies/simulate"])
def test_a_body_without_a_length_that_grows_too_large_is_refused(weir: ApiWorld, path: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"["
        for _ in range(70):
            yield b"x" * (1024 * 1024)

    answer = weir.admin.post(f"/api/v1/{path}", content=chunks(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413 and answer.headers["connection"] == "close"
    assert answer.json()["error"]["code"] == "too_large"
