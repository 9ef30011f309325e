"""A plugin for pytest: after WEIR_TEST_SECONDS no further test starts, and those that are left are reported as skipped."""

from __future__ import annotations

import os
import time

import pytest

_UNTIL = time.monotonic() + float(os.environ["WEIR_TEST_SECONDS"])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose turn comes too late."""
    if time.monotonic() > _UNTIL:
        pytest.skip(f"{os.environ['WEIR_TEST_SECONDS']} seconds are over; `weir test` runs it")
