"""What any `TokenStore` must do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from policies.adapters.stores.sql import SqlTokenStore
from policies.model import Agent
from policies.ports import TokenRecord, TokenStore
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.stores import MemoryTokenStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[TokenStore]:
    if request.param == "memory":
        yield MemoryTokenStore()
        return
    with own_database(request.param, request) as database:
        yield SqlTokenStore(database)


def token(number: int, user: str = "ana", **more: Any) -> TokenRecord:
    return TokenRecord(f"tok_{number}", user, "laptop", f"{number:064d}", T0 + timedelta(days=number), **more)


def test_a_token_is_found_by_its_digest_alone(store: TokenStore) -> None:
    given = token(1, expires_at=T0 + timedelta(days=9))
    store.add(given)
    assert store.find(given.digest) == given
    assert store.find("0" * 64) is None
    assert store.find("") is None


def test_tokens_are_listed_oldest_first(store: TokenStore) -> None:
    for number, user in ((3, "ana"), (1, "ana"), (2, "otto")):
        store.add(token(number, user))
    assert [t.id for t in store.tokens()] == ["tok_1", "tok_2", "tok_3"]
    assert [t.id for t in store.tokens("ana")] == ["tok_1", "tok_3"]
    assert store.tokens("petra") == []


def test_a_revocation_is_written_once(store: TokenStore) -> None:
    store.add(token(1))
    assert store.revoke("tok_1", T0 + timedelta(days=5))
    assert store.revoke("tok_1", T0 + timedelta(days=6))
    hit = store.find(token(1).digest)
    assert hit is not None and hit.revoked_at == T0 + timedelta(days=5)
    assert not store.revoke("tok_9", T0)


def test_limits_and_use_of_a_token_are_kept(store: TokenStore) -> None:
    given = replace(token(1), scopes=("query", "read"))
    store.add(given)
    store.add(token(2))
    store.used("tok_1", T0 + timedelta(days=3))
    stored = store.find(given.digest)
    assert stored == replace(given, used_at=T0 + timedelta(days=3))
    assert store.tokens()[0] == stored and store.tokens()[1].scopes is None
    store.used("tok_9", T0)


def test_a_token_is_rotated_once(store: TokenStore) -> None:
    store.add(token(1, expires_at=T0 + timedelta(days=90)))
    until = T0 + timedelta(days=2)
    assert store.rotate("tok_1", token(2), until)
    assert not store.rotate("tok_1", token(3), until)
    assert not store.rotate("tok_9", token(4), until)
    old = store.find(token(1).digest)
    assert old is not None and (old.rotated, old.expires_at) == ("tok_2", until)
    assert [each.id for each in store.tokens()] == ["tok_1", "tok_2"]
    store.revoke("tok_2", T0)
    assert not store.rotate("tok_2", token(5), until)


def test_two_rotations_at_once_make_one_token(store: TokenStore) -> None:
    store.add(token(1, expires_at=T0 + timedelta(days=90)))
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda n: store.rotate("tok_1", token(n), T0), range(2, 6)))
    assert sorted(done) == [False, False, False, True] and len(store.tokens()) == 2


def test_what_a_token_of_an_agent_narrows_is_kept(store: TokenStore) -> None:
    limits = Agent("tok_7", "helper", "support", ("prod/orders", "prod/c*"), 10, 100, True)
    record = TokenRecord("tok_7", "ana", "helper", "d7", T0, T0 + timedelta(days=1), scopes=("read",), agent=limits)
    store.add(record)
    assert store.find("d7") == record
    assert store.tokens("ana") == [record]
