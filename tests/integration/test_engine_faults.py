"""An engine of queries that is killed, filled, or kept busy: honest clients are answered, and it comes back by itself.

An instance of its own, since the engine ends again and again. `weir test --bench engine` gives the figures at length.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import httpx
import psutil
import pytest

from benchmarks.engine import STATEMENTS, Door, beside
from tests.engine_door import answered, opened

pytestmark = [pytest.mark.integration, pytest.mark.own_servers, pytest.mark.timeout(900)]
SECONDS = 10.0
LONGEST = SECONDS + 20 + 5 + 3
"""The limit of a query, the longest wait for a turn, that for a starting engine, and what a busy machine adds."""
HOSTILE = tuple(STATEMENTS)
"""All twenty."""


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with opened(SECONDS) as query_door:
        yield query_door


def test_a_killed_engine_answers_at_once_and_comes_back_by_itself(door: Door) -> None:
    answered(door)
    before = door.engine_pid()
    assert before is not None
    answers: list[tuple[int, dict[str, object], dict[str, str], float]] = []

    def ask() -> None:
        status, body, headers = door.ask("mallory", STATEMENTS["product of ranges"], 60)
        answers.append((status, body["error"], headers, time.monotonic()))

    asked = threading.Thread(target=ask)
    asked.start()
    headers = {"Authorization": f"Bearer {door.tokens['mallory']}"}
    while not (listed := httpx.get(f"{door.url}/api/v1/queries", headers=headers, timeout=30).json()["queries"]):
        time.sleep(0.05)
    assert len(listed) == 1
    time.sleep(1)  # it has its turn by now, and is not yet at its limit
    psutil.Process(before).kill()
    killed = time.monotonic()
    asked.join(30)
    status, error, given, at = answers[0]
    assert status == 503 and "is starting again" in str(error["message"]), error
    assert at - killed < 2
    assert int(given["retry-after"]) >= 1
    ready = httpx.get(f"{door.url}/readyz", timeout=30).json()["servers"]["query"]
    assert not ready["up"] and "starting again" in ready["problem"]
    answered(door)
    assert door.engine_pid() not in (None, before)


def test_a_query_that_spark_may_go_on_with_makes_nobody_wait(door: Door) -> None:
    """Spark may answer that it was interrupted while its tasks run on; then the engine is replaced."""
    answered(door)
    begun = time.monotonic()
    status, body, _ = door.ask("mallory", STATEMENTS["product of ranges"], 60)
    assert time.monotonic() - begun < LONGEST
    assert (status, body["error"]["code"]) in ((429, "limit_exceeded"), (503, "unavailable")), body
    answered(door, 120)


def test_twenty_hostile_statements_beside_ten_honest_clients(door: Door) -> None:
    answered(door)
    met, answers = beside(door, HOSTILE, LONGEST + 30)
    print(met.line())
    for name, (status, seconds, message) in answers.items():
        print(f"{name:<26}{status:>4}{seconds:>7.1f} s  {message[:110]}")
    assert set(answers) == set(HOSTILE)
    assert max(seconds for _, seconds, _ in answers.values()) < LONGEST
    assert met.longest < LONGEST
    assert set(met.failed) <= {"503 unavailable", "429 limit_exceeded"}, met.line()
    # Each end costs those that run, and those who ask again while another engine starts.
    assert len(met.seconds) >= sum(met.failed.values()), met.line()
    answered(door)
    assert psutil.pid_exists(door.engine_pid() or 0)
