"""A condition or an encoding that no route reads is refused: a change must not be made in spite of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.api_world import ApiWorld

ROLE = b"apiVersion: weir/v1\nkind: Role\nmetadata: {name: reader}\nspec: {}\n"


@pytest.fixture
def weir(tmp_path: Path) -> ApiWorld:
    return ApiWorld(tmp_path)


@pytest.mark.parametrize(
    ("header", "value"), [("If-Match", '"of-before"'), ("If-Unmodified-Since", "Sun, 01 Mar 2026 00:00:00 GMT")]
)
def test_a_change_under_a_condition_is_not_made(weir: ApiWorld, header: str, value: str) -> None:
    refused = weir.admin.post("/api/v1/apply", content=ROLE, headers={header: value})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == (
        f"{header} is not looked at here, as answers have no ETag; send the request without it."
    )
    assert refused.json()["error"]["details"] == {"header": header}
    assert weir.admin.get("/api/v1/declared/Role").json()["documents"] == []
    assert weir.admin.get("/api/v1/declared/Role", headers={header: value}).status_code == 200
    assert weir.admin.post("/api/v1/apply", content=ROLE, headers={"If-Match": "*"}).status_code == 200


@pytest.mark.parametrize(("encoding", "sent"), [("gzip", gzip.compress(ROLE)), ("br", ROLE), ("GZIP", ROLE)])
def test_a_compressed_body_is_refused_by_its_header(weir: ApiWorld, encoding: str, sent: bytes) -> None:
    refused = weir.admin.post("/api/v1/apply", content=sent, headers={"Content-Encoding": encoding})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == (
        f"A body with Content-Encoding {encoding.lower()!r} is read for lineage events alone; send it as it is."
    )
    assert weir.admin.post("/api/v1/apply", content=ROLE, headers={"Content-Encoding": "identity"}).status_code == 200


def test_lineage_events_may_be_compressed(weir: ApiWorld) -> None:
    refused = weir.admin.post(
        "/api/v1/lineage",
        content=gzip.compress(b"{}"),
        headers={"Content-Encoding": "gzip", "Content-Type": "application/json"},
    )
    assert "Content-Encoding" not in refused.text
