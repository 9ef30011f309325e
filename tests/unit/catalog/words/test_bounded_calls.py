"""Calls of a server that is frozen in the middle are given up in time, and taken up again when it continues."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from catalog.bounded_calls import BoundedCalls, GaveUp


def test_answers_and_errors_come_through() -> None:
    calls = BoundedCalls("t", 5)
    assert calls.call(lambda: 3) == 3
    with pytest.raises(TimeoutError, match="its own"):
        calls.call(lambda: (_ for _ in ()).throw(TimeoutError("its own")))
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda n: calls.call(lambda: n), range(500))) == list(range(500))


def test_a_frozen_server_is_waited_for_once() -> None:
    calls, going_on = BoundedCalls("t", 0.3, 0.05, threads=3), threading.Event()

    def seconds() -> float:
        begun = time.monotonic()
        with pytest.raises(GaveUp):
            calls.call(going_on.wait)
        return time.monotonic() - begun

    assert seconds() >= 0.3
    later = [seconds() for _ in range(6)]
    assert max(later) < 0.3 and later[-1] < 0.05  # the last ones were not even begun
    going_on.set()
    for _ in range(100):
        try:
            assert calls.call(lambda: "again") == "again"
            return
        except GaveUp:
            time.sleep(0.01)
    pytest.fail("the calls did not recover")
