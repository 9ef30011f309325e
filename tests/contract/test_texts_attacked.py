"""Texts of callers: none that a store cannot keep, and no name that looks like another or moves the cursor of a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.edge.answer import RequestBody
from catalog.adapters.sql.database import Database
from catalog.errors import InvalidInput
from tests.api_world import ApiWorld, orders, world
from tests.catalog_stores import own_postgres

USER = "apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {}\n"
JSON = {"Content-Type": "application/json"}
UNSTORABLE = ["a\x00b", "\x00", "a\ud800"]
UNSEEN = ["a\u202eb", "a\u200bb", "a\u2066b", "a\x1b[31mb", "a\nb", "a\r\nb", "a\u3164b", "a\ufeff"]


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(3)}) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(USER)
        yield weir


def _bodies(text: str) -> list[tuple[str, dict[str, Any], str]]:
    return [
        ("/api/v1/saved-queries", {"name": text, "sql": "SELECT 1"}, "body.name"),
        ("/api/v1/saved-queries", {"name": "x", "sql": "SELECT 1", "shared": {"users": [text]}}, "body.shared.users"),
        ("/api/v1/tokens", {"user": "ana", "name": text}, "body.name"),
        ("/api/v1/auth/device", {"label": text}, "body.label"),
    ]


@pytest.mark.parametrize("text", [*UNSTORABLE, *UNSEEN])
def test_a_name_that_others_read_has_no_character_that_cannot_be_seen(weir: ApiWorld, text: str) -> None:
    for path, body, field in _bodies(text):
        answer = weir.admin.post(path, content=json.dumps(body), headers=JSON)
        assert answer.status_code == 400, (path, answer.text)
        assert answer.json()["error"]["message"].startswith(field), answer.text


@pytest.mark.parametrize("text", UNSTORABLE)
def test_no_text_reaches_a_store_that_cannot_keep_it(weir: ApiWorld, text: str) -> None:
    for path, body in [
        ("/api/v1/scans", {"cluster": text}),
        ("/api/v1/scans", {"cluster": "prod", "topics": ["orders", text]}),
        ("/api/v1/clusters/test", {"name": "x", "spec": {"bootstrapServers": "b:1", "kafka": {"client.id": text}}}),
        ("/api/v1/clusters/test", {"name": "x", "spec": {"bootstrapServers": "b:1", text: "a"}}),
        ("/api/v1/saved-queries", {"name": "x", "sql": f"SELECT '{text}'"}),
        ("/api/v1/query", {"sql": f"SELECT '{text}'"}),
    ]:
        answer = weir.admin.post(path, content=json.dumps(body), headers=JSON)
        assert answer.status_code == 400, (path, body, answer.text)


def test_names_in_addresses_are_of_nothing_or_refused(weir: ApiWorld) -> None:
    for path in ("/api/v1/saved-queries/a%00b", "/api/v1/audit?actor=a%00b", "/api/v1/datasets/kafka/%00"):
        assert weir.admin.get(path).status_code in (200, 400, 404), path


@pytest.mark.parametrize(
    "text", ["Bestellungen je Region", "注文", "طلبات", "été 🙂", "=1+1", "<b>x</b>", "O'Brien; --"]
)
def test_other_names_are_names(weir: ApiWorld, text: str) -> None:
    answer = weir.admin.post("/api/v1/saved-queries", json={"name": text, "sql": "SELECT 1"})
    assert answer.status_code == 201 and answer.json()["name"] == text


def test_every_body_is_looked_through() -> None:
    """By the class that all bodies have in common."""

    class Body(RequestBody):
        free: dict[str, Any]

    for given in ({"a": "\x00"}, {"a": [{"b": "\ud800"}]}, {"\x00": 1}):
        with pytest.raises(ValueError, match="NUL character or half"):
            Body(free=given)


def test_a_name_that_postgresql_cannot_keep_is_refused_in_one_sentence(tmp_path: Path, postgres_server: str) -> None:
    with own_postgres(postgres_server) as url, closing(Database(url)) as database:
        database.migrate()
        with pytest.raises(InvalidInput, match="has a NUL character"), database.read() as session:
            session.execute(text("SELECT CAST(:given AS TEXT)"), {"given": "a\x00b"})
        with world(tmp_path, database=database) as weir:
            for path in ("contracts/a%00b", "saved-queries/a%00b", "declared/Role?name=a%00b", "datasets/prod/a%00b"):
                assert weir.admin.get(f"/api/v1/{path}").status_code < 500, path
