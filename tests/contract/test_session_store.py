"""What any `SessionStore` must do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from policies.access.session_ports import DeviceLogin, SessionRecord, SessionStore
from policies.adapters.stores.sessions import SqlSessionStore
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.sessions import MemorySessionStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[SessionStore]:
    if request.param == "memory":
        yield MemorySessionStore()
        return
    with own_database(request.param, request) as opened:
        yield SqlSessionStore(opened)


def session(number: int, user: str = "ana", **more: object) -> SessionRecord:
    at = T0 + timedelta(minutes=number)
    record = SessionRecord(
        f"ses_{number}",
        f"{number:064d}",
        "browser",
        user,
        "company",
        "https://id.example",
        f"s-{user}",
        f"sid-{number}",
        "Firefox on Linux",
        at,
        at,
        at + 10 * HOUR,
        at,
        {"groups": ("a", "b")},
        "sealed",
    )
    return replace(record, **more)  # type: ignore[arg-type]


def test_a_session_is_found_by_its_digest(store: SessionStore) -> None:
    store.add(session(1))
    assert store.find(session(1).digest) == session(1)
    assert store.find("0" * 64) is None
    store.renew("ses_1", "9" * 64)
    assert store.find(session(1).digest) is None
    assert store.find("9" * 64) == session(1, digest="9" * 64)


def test_sessions_are_listed_oldest_first_without_ended_ones(store: SessionStore) -> None:
    for number, user in ((3, "ana"), (1, "ana"), (2, "otto"), (4, "ana")):
        store.add(session(number, user))
    assert store.end("ses_4", T0 + HOUR, "signed out")
    assert [s.id for s in store.sessions()] == ["ses_1", "ses_2", "ses_3"]
    assert [s.id for s in store.sessions("ana")] == ["ses_1", "ses_3"]


def test_an_end_is_once_and_takes_the_tokens(store: SessionStore) -> None:
    store.add(session(1))
    assert store.end("ses_1", T0 + HOUR, "signed out")
    assert not store.end("ses_1", T0 + 2 * HOUR, "again")
    assert not store.end("ses_9", T0, "x")
    ended = store.find(session(1).digest)
    assert ended is not None
    assert (ended.ended_at, ended.ended_because, ended.sealed) == (T0 + HOUR, "signed out", None)
    store.confirm("ses_1", T0 + 3 * HOUR, {"groups": ("x",)}, "tokens")
    later = store.find(session(1).digest)
    assert later is not None and later.sealed is None and later.ended_at == T0 + HOUR


def test_one_of_many_may_confirm(store: SessionStore) -> None:
    store.add(session(1))
    until = T0 + timedelta(seconds=15)
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: store.claim("ses_1", T0, until), range(8)))
    assert sorted(got) == [False] * 7 + [True]
    assert not store.claim("ses_1", T0 + timedelta(seconds=14), until)
    assert store.claim("ses_1", until, until + HOUR)  # the first never came back
    store.confirm("ses_1", until, {"groups": ()}, "newer")
    confirmed = store.find(session(1).digest)
    assert confirmed is not None
    assert (confirmed.confirmed_at, dict(confirmed.claims), confirmed.sealed) == (until, {"groups": ()}, "newer")
    assert store.claim("ses_1", until, until + HOUR)
    store.release("ses_1")
    assert store.claim("ses_1", until, until + HOUR)


def test_use_is_noted(store: SessionStore) -> None:
    store.add(session(1))
    store.used("ses_1", T0 + HOUR)
    noted = store.find(session(1).digest)
    assert noted is not None and noted.used_at == T0 + HOUR


def test_an_account_s_sessions_end_together(store: SessionStore) -> None:
    for number, user in ((1, "ana"), (2, "ana"), (3, "otto"), (4, "otto")):
        store.add(session(number, user))
    store.add(session(5, "ana", provider="other"))
    assert store.end_of_account("company", None, None, T0, "nobody named") == []
    assert [s.id for s in store.end_of_account("company", "s-otto", "sid-3", T0, "there")] == ["ses_3"]
    assert {s.id for s in store.end_of_account("company", "s-ana", None, T0, "there")} == {"ses_1", "ses_2"}
    assert store.end_of_account("company", "s-ana", None, T0, "there") == []
    assert [s.id for s in store.sessions()] == ["ses_4", "ses_5"]


def test_marks_are_good_once(store: SessionStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: store.once("state x", T0 + HOUR), range(8)))
    assert sorted(got) == [False] * 7 + [True]
    store.forget(T0)
    assert not store.once("state x", T0 + HOUR)
    store.forget(T0 + HOUR)
    assert store.once("state x", T0 + HOUR)


def test_what_is_over_is_forgotten(store: SessionStore) -> None:
    store.add(session(1))
    store.add(session(2, ends_at=T0 + 90 * HOUR))
    store.add(session(3, ends_at=T0 + 90 * HOUR))
    store.end("ses_3", T0 + HOUR, "signed out")
    assert store.forget(T0) == 0
    assert store.forget(T0 + 11 * HOUR) == 2
    assert [s.id for s in store.sessions()] == ["ses_2"]


def test_a_name_belongs_to_one_account(store: SessionStore) -> None:
    assert store.linked("https://id", "s-1") is None
    assert store.link("https://id", "s-1", "ana", T0) and store.link("https://id", "s-1", "ana", T0)
    assert not store.link("https://id", "s-2", "ana", T0)
    assert not store.link("https://id", "s-1", "otto", T0)
    assert not store.link("https://other", "s-1", "ana", T0)
    assert store.linked("https://id", "s-1") == "ana"
    assert store.unlink("ana") and not store.unlink("ana")
    assert store.link("https://id", "s-2", "ana", T0)


def test_command_lines_that_expired_are_removed_and_the_others_counted(store: SessionStore) -> None:
    for number in range(3):
        login = DeviceLogin(f"{number:064d}", f"CODE{number}", "weir on x", T0, T0 + number * HOUR)
        assert store.wait(login)
    assert store.waiting_count(T0 + HOUR / 2) == 2
    assert store.waiting(code="CODE0") is None and store.waiting(code="CODE1") is not None
    assert store.waiting_count(T0 + HOUR) == 1
    assert store.waiting_count(T0 + 3 * HOUR) == 0


def test_a_command_line_is_decided_once_and_done_once(store: SessionStore) -> None:
    login = DeviceLogin("d" * 64, "BCDFGHJK", "weir on x", T0, T0 + HOUR)
    assert store.wait(login)
    assert not store.wait(replace(login, digest="e" * 64))
    assert store.waiting(code="BCDFGHJK") == store.waiting(digest="d" * 64) == login
    assert store.decide("BCDFGHJK", "ses_1") and not store.decide("BCDFGHJK", "ses_2")
    assert not store.decide("BCDFGHJK", None)
    decided = store.waiting(code="BCDFGHJK")
    assert decided is not None and decided.session == "ses_1"
    assert store.done("d" * 64) and not store.done("d" * 64)
    assert store.waiting(code="BCDFGHJK") is None
    store.wait(login)
    assert store.decide("BCDFGHJK", None)
    refused = store.waiting(digest="d" * 64)
    assert refused is not None and refused.refused
    store.forget(T0 + HOUR)
    assert store.waiting(digest="d" * 64) is None
