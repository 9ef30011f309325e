"""PostgreSQL ends without a word and starts again beneath a Weir: one sentence meanwhile, nothing lost, nothing doubled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from catalog.adapters.sql.database import Database
from tests.api_world import ApiWorld, world
from tests.catalog_stores import PostgresServer, controlled_postgres
from tests.contract.test_lease_processes import MOST_S, pair
from tests.effort import pace

pytestmark = pytest.mark.timeout(300)
ROLE = "apiVersion: weir/v1\nkind: Role\nmetadata: {name: role-%d}\nspec: {read: [{dataset: 'prod/*'}]}\n"


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with controlled_postgres() as started:
        yield started


def url(server: PostgresServer) -> str:
    return f"postgresql+psycopg://weir@127.0.0.1:{server.port}/postgres"


@pytest.fixture
def weir(server: PostgresServer, tmp_path: Path) -> Iterator[ApiWorld]:
    with closing(Database(url(server))) as database:
        database.migrate()
        with world(tmp_path, database=database) as opened:
            yield opened


def roles(weir: ApiWorld) -> set[str]:
    answer = weir.admin.get("/api/v1/declared/Role")
    assert answer.status_code == 200, answer.text
    return {each["metadata"]["name"] for each in answer.json()["documents"]}


def test_requests_get_a_sentence_and_come_again(weir: ApiWorld, server: PostgresServer) -> None:
    weir.apply(ROLE % 1)
    assert {"role-1"} <= roles(weir)
    server.crash()
    for answer in (
        weir.admin.get("/api/v1/declared/Role"),
        weir.admin.post("/api/v1/apply", content=(ROLE % 2).encode()),
    ):
        assert answer.status_code == 503, answer.text
        assert "record store" in answer.json()["error"]["message"]
    server.start()
    weir.apply(ROLE % 3)
    assert {"role-1", "role-3"} <= roles(weir) and "role-2" not in roles(weir)
    assert weir.admin.get("/api/v1/audit/verify").json()["holds"]


def test_a_duty_goes_on_and_nothing_of_it_is_doubled(server: PostgresServer) -> None:
    with pair(url(server)) as two:
        for _ in range(3):
            before = len(two.counted())
            server.crash()
            server.start()
            assert two.moves_on(before + 1, MOST_S * pace()) < MOST_S * pace()
        counted = two.counted()
    assert counted == list(range(1, len(counted) + 1)), "one was doubled or left out"
