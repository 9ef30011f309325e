"""Command lines that wait to be let in: anybody may begin one, so their number has an end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from catalog.errors import LimitExceeded
from policies.access.device_logins import DeviceLogins
from tests.twins.policies.sessions import MemorySessionStore


def test_no_more_wait_than_the_limit_and_those_that_expired_make_room() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    store = MemorySessionStore()
    devices = DeviceLogins(store, lambda: now, most=3)
    first = devices.begin("a")
    now += timedelta(minutes=5)
    for _ in range(2):
        devices.begin("b")
    with pytest.raises(LimitExceeded, match="Too many"):
        devices.begin("c")
    assert devices.poll(first.secret) == ("pending", None)  # nobody who waits is thrown out
    now += timedelta(minutes=5)
    devices.begin("c")
    with pytest.raises(LimitExceeded):
        devices.begin("d")
    assert devices.poll(first.secret) == ("expired", None)
