"""What any `TokenStore` must do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from catalog_stores import postgres_server  # noqa: F401
from policies.adapters.stores.memory import MemoryTokenStore
from policies.adapters.stores.sql import SqlTokenStore
from policies.ports import TokenRecord, TokenStore
from policy_stores import STORES, database

T0 = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[TokenStore]:
    if request.param == "memory":
        yield MemoryTokenStore()
        return
    with database(request.param, request) as made:
        yield SqlTokenStore(made)


def token(number: int, user: str = "ana", **more: datetime) -> TokenRecord:
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
    found = store.find(token(1).digest)
    assert found is not None and found.revoked_at == T0 + timedelta(days=5)
    assert not store.revoke("tok_9", T0)
