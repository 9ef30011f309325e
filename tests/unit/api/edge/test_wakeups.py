"""A duty waits for writes, begins soon after one, and looks at the clock now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from api.processes.wakeups import Wakeups
from catalog.errors import Unavailable


class Store:
    """A record store that counts its writes, or is away."""

    def __init__(self) -> None:
        self.version = 0
        self.away = False

    def read(self) -> int:
        if self.away:
            raise Unavailable("The record store does not answer.")
        return self.version


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


class Duty:
    def __init__(self) -> None:
        self.steps: list[float] = []
        self.left = 0
        self.stepped = threading.Event()

    def step(self) -> bool:
        self.steps.append(time.monotonic())
        self.stepped.set()
        self.left -= 1
        return self.left > 0

    def waited(self, seconds: float = 20) -> bool:
        """Whether there was a step since the last call, or is one in time."""
        done = self.stepped.wait(seconds)
        self.stepped.clear()
        return done


def started(store: Store, stop: threading.Event, duty: Duty, idle_s: float, waits: bool = False) -> None:
    wakeups = Wakeups(store.read, stop)
    for target in (wakeups.run, lambda: wakeups.repeat(0.01, idle_s, duty.step, lambda: waits)):
        threading.Thread(target=target, daemon=True).start()


def quiet(duty: Duty) -> None:
    """Until the first looks are over: a duty is woken by the first, as it may have begun before."""
    assert duty.waited()
    while duty.waited(1.5):
        pass


def test_a_duty_at_rest_is_woken_by_a_write(stop: threading.Event) -> None:
    store, duty = Store(), Duty()
    started(store, stop, duty, idle_s=3600)
    quiet(duty)
    before = len(duty.steps)
    store.version += 1
    assert duty.waited()
    assert len(duty.steps) == before + 1


def test_a_duty_at_rest_looks_at_the_clock(stop: threading.Event) -> None:
    duty = Duty()
    started(Store(), stop, duty, idle_s=2.5)
    quiet(duty)
    assert duty.waited()


def test_what_is_left_is_done_at_once(stop: threading.Event) -> None:
    store, duty = Store(), Duty()
    started(store, stop, duty, idle_s=3600)
    quiet(duty)
    before = len(duty.steps)
    duty.left = 5
    store.version += 1
    while len(duty.steps) < before + 5:
        assert duty.waited()


def test_what_is_postponed_is_looked_at_soon(stop: threading.Event) -> None:
    duty = Duty()
    started(Store(), stop, duty, idle_s=3600, waits=True)
    while len(duty.steps) < 20:
        assert duty.waited()


def test_duties_go_on_while_the_store_is_away(stop: threading.Event) -> None:
    store, duty = Store(), Duty()
    started(store, stop, duty, idle_s=3600)
    quiet(duty)
    store.away = True
    before = len(duty.steps)
    while len(duty.steps) < before + 3:
        assert duty.waited()


def test_a_write_during_a_step_is_not_missed(stop: threading.Event) -> None:
    wakeups = Wakeups(lambda: 0, stop)
    seen = wakeups.writes
    wakeups._wake()
    begun = time.monotonic()
    wakeups.wait(seen, 60)
    assert time.monotonic() - begun < 30


def test_stopping_ends_a_wait(stop: threading.Event) -> None:
    store, duty = Store(), Duty()
    wakeups = Wakeups(store.read, stop)
    looks = threading.Thread(target=wakeups.run)
    duties = threading.Thread(target=lambda: wakeups.repeat(0.01, 3600, duty.step))
    looks.start()
    duties.start()
    assert duty.waited()
    stop.set()
    duties.join(20)
    looks.join(20)
    assert not duties.is_alive() and not looks.is_alive()
