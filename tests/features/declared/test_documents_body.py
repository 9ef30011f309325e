"""Declared documents sent as JSON are those of YAML, and what is neither is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld, world

ROLE = {
    "apiVersion": "weir/v1",
    "kind": "Role",
    "metadata": {"name": "readers"},
    "spec": {"read": [{"dataset": "prod/*"}]},
}
USER = {"apiVersion": "weir/v1", "kind": "User", "metadata": {"name": "jo"}, "spec": {"roles": ["readers"]}}


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as created:
        yield created


@pytest.mark.parametrize("body", [{"documents": [ROLE, USER]}, [ROLE, USER]], ids=["object", "list"])
def test_json_documents_are_applied(weir: ApiWorld, body: Any) -> None:
    answer = weir.admin.post("/api/v1/apply", json=body)
    assert answer.status_code == 200, answer.text
    assert [(each["kind"], each["name"]) for each in answer.json()["changes"]] == [("Role", "readers"), ("User", "jo")]
    kept = weir.admin.get("/api/v1/declared/Role", params={"name": "readers"}).json()["documents"]
    assert kept[0]["spec"]["read"] == ROLE["spec"]["read"]  # type: ignore[index]


def test_one_document_is_simulated(weir: ApiWorld) -> None:
    assert weir.admin.post("/api/v1/policies/simulate", json=ROLE).status_code == 200


def test_json_text_is_kept_to_the_letter(weir: ApiWorld) -> None:
    written = "an order \U0001f600 \u00e9\x7f\x85\u2028 \\ud83d \\\U0001f600 \t end"
    term = {"apiVersion": "weir/v1", "kind": "GlossaryTerm", "metadata": {"name": "order"}}
    answer = weir.admin.post("/api/v1/apply", json=term | {"spec": {"definition": written}})
    assert answer.status_code == 200, answer.text
    (kept,) = weir.admin.get("/api/v1/declared/GlossaryTerm").json()["documents"]
    assert kept["spec"]["definition"] == written


def test_half_a_character_is_refused(weir: ApiWorld) -> None:
    body = b'{"apiVersion": "weir/v1", "kind": "GlossaryTerm", "metadata": {"name": "a"}, "spec": {"definition": "\\ud83d"}}'
    answer = weir.admin.post("/api/v1/apply", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"documents": [', "not JSON"),
        (b'{"documents": [1]}', "does not hold documents"),
        (b'{"documents": [], "prune": true}', "has prune beside documents"),
        (b'"text"', "does not hold documents"),
    ],
)
def test_other_json_is_refused(weir: ApiWorld, body: bytes, problem: str) -> None:
    answer = weir.admin.post("/api/v1/apply", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert problem in answer.json()["error"]["message"]
    assert "application/yaml" in answer.json()["error"]["message"]
