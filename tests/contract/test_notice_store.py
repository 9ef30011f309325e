"""What any `NoticeStore` must do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from policies.adapters.stores.notices import SqlNoticeStore
from policies.notify.notices import Channel, ChatKind, Digest, Notice, NoticeState, NoticeStore, Preference, Topic
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.notices import MemoryNoticeStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[NoticeStore]:
    if request.param == "memory":
        yield MemoryNoticeStore(lambda: T0)
        return
    with own_database(request.param, request) as opened:
        yield SqlNoticeStore(opened, lambda: T0)


def notice(number: int, user: str = "ana", **more: object) -> Notice:
    created = Notice(
        f"n-{number}",
        f"e-{number}",
        "weir.access.requested",
        "req-1",
        user,
        Channel.MAIL,
        Topic.REQUESTS,
        "decide",
        T0 + number * MINUTE,
        f"n-{number}",
        T0 + number * MINUTE,
        {"dataset": "prod/größe\x00"},
    )
    return replace(created, **more)  # type: ignore[arg-type]


def ids(batches: list[list[Notice]]) -> list[list[str]]:
    return [[n.id for n in batch] for batch in batches]


def test_a_notice_is_kept_once_and_comes_back_as_it_was(store: NoticeStore) -> None:
    assert store.add([notice(1), notice(2), notice(1)]) == 2
    assert store.add([notice(1, user="otto"), notice(3)]) == 1
    assert store.add([]) == 0
    assert store.notices("ana", 10) == [notice(3), notice(2), notice(1)]
    assert [n.id for n in store.notices("ana", 1)] == ["n-3"] and store.notices("otto", 10) == []


def test_what_is_due_is_claimed_by_batch_and_by_one_worker(store: NoticeStore) -> None:
    store.add([notice(1, batch="d"), notice(2), notice(3, batch="d", due_at=T0 + MINUTE), notice(9)])
    now, until = T0 + 5 * MINUTE, T0 + 10 * MINUTE
    assert ids(store.claim("w1", T0, until, 9)) == []
    assert ids(store.claim("w1", now, until, 1)) == [["n-1", "n-3"]]
    assert ids(store.claim("w2", now, until, 9)) == [["n-2"]]
    assert ids(store.claim("w2", now, until, 9)) == []
    store.finish(["n-1", "n-3"], "w2", NoticeState.SENT, now)  # another worker's
    assert ids(store.claim("w3", until, until + MINUTE, 9)) == [["n-1", "n-3"], ["n-2"], ["n-9"]]
    store.finish(["n-2"], "w3", NoticeState.SENT, until)
    store.release(["n-9"], "w3")
    store.postpone(["n-1", "n-3"], "w3", until + MINUTE, "away")
    assert ids(store.claim("w4", until, until + MINUTE, 9)) == [["n-9"]]
    again = store.claim("w5", until + 2 * MINUTE, until + 9 * MINUTE, 9)
    assert ids(again) == [["n-1", "n-3"], ["n-9"]]
    assert [(n.attempts, n.problem) for n in again[0]] == [(1, "away")] * 2 and again[1][0].attempts == 0


def test_all_of_a_person_by_one_channel_are_deferred(store: NoticeStore) -> None:
    store.add([notice(1), notice(2), notice(3, channel=Channel.CHAT), notice(4, user="otto")])
    now = T0 + 9 * MINUTE
    store.claim("w", now, now + MINUTE, 1)
    store.defer("ana", Channel.MAIL, now + 5 * MINUTE)
    store.release(["n-1"], "w")
    store.defer("ana", Channel.MAIL, now + 2 * MINUTE)  # never earlier
    assert ids(store.claim("w", now + 2 * MINUTE, now + 3 * MINUTE, 9)) == [["n-3"], ["n-4"]]
    assert ids(store.claim("w", now + 5 * MINUTE, now + 6 * MINUTE, 9, [Channel.CHAT])) == [["n-1"], ["n-2"], ["n-4"]]
    assert all(n.attempts == 0 for n in store.notices("ana", 9))


def test_channels_can_be_left_out(store: NoticeStore) -> None:
    store.add([notice(1), notice(2, channel=Channel.CHAT)])
    assert ids(store.claim("w", T0 + 9 * MINUTE, T0 + 20 * MINUTE, 9, [Channel.MAIL])) == [["n-2"]]
    assert ids(store.claim("w", T0 + 9 * MINUTE, T0 + 20 * MINUTE, 9, [Channel.MAIL, Channel.CHAT])) == []


def test_two_workers_never_get_the_same(store: NoticeStore) -> None:
    store.add([notice(n) for n in range(40)])

    def take(worker: str) -> list[str]:
        claimed = []
        while batches := store.claim(worker, T0 + 99 * MINUTE, T0 + 200 * MINUTE, 3):
            claimed += [n.id for batch in batches for n in batch]
        return claimed

    with ThreadPoolExecutor(4) as pool:
        every = [each for part in pool.map(take, "abcd") for each in part]
    assert sorted(every) == sorted(f"n-{n}" for n in range(40))


def test_figures(store: NoticeStore) -> None:
    store.add(
        [
            notice(1),
            notice(2),
            notice(3, user="otto", state=NoticeState.UNADDRESSED, done_at=T0),
            notice(4, channel=Channel.CHAT),
            notice(5, user="otto", state=NoticeState.UNADDRESSED, done_at=T0),
        ]
    )
    store.claim("w", T0 + 9 * MINUTE, T0 + 20 * MINUTE, 9)
    store.finish(["n-1"], "w", NoticeState.FAILED, T0 + MINUTE, "refused")
    store.postpone(["n-2", "n-4"], "w", T0 + MINUTE, "away")
    assert [(c.channel, c.state, c.notices, c.oldest) for c in store.counts()] == [
        (Channel.CHAT, NoticeState.WAITING, 1, T0 + 4 * MINUTE),
        (Channel.MAIL, NoticeState.FAILED, 1, T0 + MINUTE),
        (Channel.MAIL, NoticeState.UNADDRESSED, 2, T0 + 3 * MINUTE),
        (Channel.MAIL, NoticeState.WAITING, 1, T0 + 2 * MINUTE),
    ]
    assert sorted(store.problems(9)) == [
        (Channel.CHAT, "away", 1),
        (Channel.MAIL, "away", 1),
        (Channel.MAIL, "refused", 1),
    ]
    assert store.unaddressed(9) == (1, ["otto"])
    assert store.sent_since("ana", Channel.MAIL, T0) == 2 and store.sent_since("ana", Channel.MAIL, T0 + MINUTE) == 0


def test_ended_notices_are_forgotten_and_waiting_ones_are_not(store: NoticeStore) -> None:
    store.add([notice(1), notice(2)])
    store.claim("w", T0 + 9 * MINUTE, T0 + 20 * MINUTE, 1)
    store.finish(["n-1"], "w", NoticeState.SENT, T0 + MINUTE)
    assert store.prune(T0 + MINUTE) == 0
    assert store.prune(T0 + 2 * MINUTE) == 1
    assert [n.id for n in store.notices("ana", 9)] == ["n-2"]


def test_preferences(store: NoticeStore) -> None:
    full = Preference(
        "ana",
        frozenset(Channel),
        frozenset({Topic.DATA}),
        Digest.DAILY,
        "07:30",
        "Europe/Berlin",
        ChatKind.TEAMS,
        "sealed",
        "host",
        T0,
    )
    assert store.preference("ana") is None
    store.put_preference(full)
    store.put_preference(Preference("otto"))
    assert store.preference("ana") == full and store.preference("otto") == Preference("otto")
    store.put_preference(Preference("ana", frozenset()))
    assert store.preferences([f"u{n}" for n in range(1200)] + ["ana", "otto"]).keys() == {"ana", "otto"}
    assert store.preference("ana") == Preference("ana", frozenset())
