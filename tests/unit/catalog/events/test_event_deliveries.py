"""Delivering events: order, at least once, pauses, giving up, and none waiting for another."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.event_model import DeliveryFailed, Event, EventFilter, type_matches
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.ports import Receiver
from catalog.settings import EventSettings
from tests.twins.catalog.store import MemoryCatalogStore

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


class Listener:
    """Takes events, or refuses while `away`; `breaks_after` answers so many of a call and then fails."""

    def __init__(self, name: str = "a", at_once: int = 1, lasting: bool = False, since: datetime | None = None) -> None:
        self.name, self.at_once, self.lasting, self.since = name, at_once, lasting, since
        self.heard: list[str] = []
        self.away = False
        self.breaks_after: int | None = None
        self.calls = 0

    def wants(self, event: Event) -> bool:
        return not event.type.startswith("weir.dull.")

    def tell(self, events: Sequence[Event]) -> None:
        self.calls += 1
        if self.away:
            raise DeliveryFailed("a answered 500.")
        if self.breaks_after is not None:
            some = self.breaks_after
            self.breaks_after = None
            self.heard += [e.subject for e in events[:some]]
            raise DeliveryFailed("a broke off.", taken=some)
        self.heard += [e.subject for e in events]


class World:
    def __init__(self, *receivers: Listener, settings: EventSettings | None = None) -> None:
        self.clock = Clock()
        self.store = MemoryCatalogStore()
        self.settings = settings or EventSettings()
        self.events = Events(self.store, self.clock, self.settings)
        self.receivers: list[Receiver] = list(receivers)
        self.deliveries = Deliveries(self.store, lambda: self.receivers, self.clock, self.settings, jitter=lambda: 0.5)

    def emit(self, *subjects: str, kind: str = "schema.changed") -> None:
        for subject in subjects:
            self.events.emit(kind, subject)

    def step(self, seconds: float = 0) -> None:
        self.clock.now += timedelta(seconds=seconds)
        self.deliveries.step(wait=True)


@given(st.lists(st.sampled_from(["emit", "dull", "away", "back", "break", "wait"]), max_size=40), st.integers(1, 4))
def test_whatever_happens_all_is_told_in_order(steps: list[str], at_once: int) -> None:
    listener = Listener(at_once=at_once, lasting=True)
    world = World(listener)
    wanted: list[str] = []
    for n, step in enumerate(steps):
        match step:
            case "emit":
                wanted.append(str(n))
                world.emit(str(n))
            case "dull":
                world.emit(str(n), kind="dull.thing")
            case "away":
                listener.away = True
            case "back":
                listener.away = False
            case "break":
                listener.breaks_after = min(1, at_once)
            case "wait":
                world.step(seconds=1000)
    listener.away, listener.breaks_after = False, None
    world.step(seconds=2000)
    world.deliveries.close()
    assert listener.heard == wanted


def test_a_failing_receiver_is_asked_with_growing_pauses_and_no_other_waits() -> None:
    broken, fine = Listener("broken"), Listener("fine")
    broken.away = True
    world = World(broken, fine)
    world.emit("1", "2")
    for _ in range(60):
        world.step(seconds=1)
    assert fine.heard == ["1", "2"]
    assert broken.calls == 5  # after 0, 2, 6, 14, 30 seconds
    (state,) = [each for each in world.events.deliveries() if each[0].name == "broken"]
    assert (state[0].failures, state[1], state[0].problem) == (5, 2, "a answered 500.")
    broken.away = False
    world.step(seconds=60)
    assert broken.heard == ["1", "2"]
    (state,) = [each for each in world.events.deliveries() if each[0].name == "broken"]
    assert (state[0].failures, state[1], state[0].problem) == (0, 0, None)


def test_what_a_webhook_refuses_for_a_day_is_dropped_so_that_the_rest_passes() -> None:
    listener = Listener()
    listener.away = True
    world = World(listener)
    world.emit("old")
    world.emit("dull", kind="dull.thing")
    world.step()
    world.step(seconds=25 * 3600)
    world.emit("new")
    listener.away = False
    world.step(seconds=3600)
    assert listener.heard == ["new"]
    assert world.events.deliveries()[0][0].dropped == 1


def test_the_topic_is_told_however_long_it_was_away() -> None:
    listener = Listener(lasting=True)
    listener.away = True
    world = World(listener)
    world.emit("old")
    world.step()
    world.step(seconds=25 * 3600)
    listener.away = False
    world.step(seconds=3600)
    assert listener.heard == ["old"]


def test_a_new_receiver_hears_what_happens_from_then_on_and_a_removed_one_is_forgotten() -> None:
    world = World()
    world.emit("before")
    world.clock.now += timedelta(seconds=1)
    listener = Listener(since=world.clock.now)
    world.emit("after")
    world.receivers.append(listener)
    world.step()
    assert listener.heard == ["after"]
    world.receivers.clear()
    world.step()
    assert world.events.deliveries() == []


def test_a_fault_of_ours_in_one_receiver_is_told_and_keeps_no_other_waiting() -> None:
    broken, fine = Listener("broken"), Listener("fine")
    broken.tell = lambda events: [][0]  # type: ignore[method-assign]
    world = World(broken, fine)
    world.emit("1")
    world.step()
    assert fine.heard == ["1"]
    assert world.events.deliveries()[0][0].problem == "Delivery failed inside Weir (IndexError)."


def test_a_retry_after_is_honoured_up_to_the_longest_pause() -> None:
    listener = Listener()
    world = World(listener, settings=EventSettings(webhook_longest_pause_s=100))

    def refuse(events: Sequence[Event]) -> None:
        listener.calls += 1
        raise DeliveryFailed("a answered 429.", retry_after_s=90 if listener.calls == 1 else 10_000_000)

    listener.tell = refuse  # type: ignore[method-assign]
    world.emit("1")
    world.step()
    world.step(seconds=89)
    assert listener.calls == 1
    world.step(seconds=2)
    assert listener.calls == 2
    world.step(seconds=101)
    assert listener.calls == 3


def test_retention_is_by_age_and_number() -> None:
    world = World(settings=EventSettings(keep_days=1, keep_events=3))
    world.emit("1", "2", "3", "4", "5")
    assert world.events.prune() == 2
    world.clock.now += timedelta(days=2)
    assert world.events.prune() == 3
    assert world.events.prune() == 0


def test_an_event_is_a_cloud_event_and_never_too_large() -> None:
    world = World()
    event = world.events.emit("schema.changed", "prod/orders", {"version": 3, "changes": ["x" * 1000] * 1000})
    document: Any = event.to_json("/weir")
    assert (
        document["specversion"] == "1.0"
        and document["type"] == "weir.schema.changed"
        and document["subject"] == "prod/orders"
    )
    assert (
        document["data"]["version"] == 3
        and "changes" not in document["data"]
        and "bytes" in document["data"]["leftOut"]
    )
    assert document["sequence"] < str(world.events.emit("a.b", "c").to_json("/weir")["sequence"])


@pytest.mark.parametrize(
    ("globs", "kind", "yes"),
    [
        (["*"], "weir.a.b", True),
        (["schema.*"], "weir.schema.changed", True),
        (["weir.schema.changed"], "weir.schema.changed", True),
        (["schema"], "weir.schema.changed", False),
        (["scan.*", "schema.changed"], "weir.schema.changed", True),
        ([], "weir.a", False),
    ],
)
def test_globs_of_types(globs: list[str], kind: str, yes: bool) -> None:
    assert type_matches(globs, kind) is yes


def test_people_s_doings_are_not_open() -> None:
    world = World()
    world.emit("a", kind="access.requested")
    world.emit("b", kind="schema.changed")
    world.emit("c", kind="secret.unheard.of")
    assert [e.subject for e in world.events.list(EventFilter(open_only=True))] == ["b"]


def test_old_events_are_kept_for_a_webhook_that_refused_for_less_than_a_day() -> None:
    listener = Listener()
    world = World(listener)
    world.emit("old")
    world.clock.now += timedelta(hours=30)
    listener.away = True
    world.step()
    listener.away = False
    world.step(seconds=3600)
    assert listener.heard == ["old"]
    assert world.events.deliveries()[0][0].dropped == 0


def test_slow_webhooks_do_not_keep_the_topic_waiting() -> None:
    free, heard = threading.Event(), threading.Event()
    slow = [Listener(f"slow-{n}") for n in range(20)]

    def wait(events: Sequence[Event]) -> None:
        free.wait(10)

    for listener in slow:
        listener.tell = wait  # type: ignore[method-assign]
    topic = Listener("topic", lasting=True)
    topic.tell = lambda events: heard.set()  # type: ignore[method-assign]
    world = World(*slow, topic)
    world.emit("1")
    try:
        world.deliveries.step()
        assert heard.wait(5)
    finally:
        free.set()
        world.deliveries.close()
