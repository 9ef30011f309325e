"""`weir scan` names the cause when nothing was scanned, and names it once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.features.scans.runner import ScanRunner
from catalog.errors import Unavailable
from scanners.ports import Cancelled, ProfileJob
from tests.api_world import ApiWorld, orders, world
from tests.twins.scanners import MemorySampler
from tests.unit.api.cli.test_cli import Weir, home, weir  # noqa: F401

AWAY = "The Spark Connect server does not answer; see `weir status`."
TOPICS = {"orders": orders(20)}


class AwaySampler(MemorySampler):
    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        raise Unavailable(AWAY)


@pytest.fixture(params=[MemorySampler, AwaySampler])
def sampler(request: Any) -> Any:
    return request.param(TOPICS)


@pytest.fixture
def served(home: Path, sampler: Any) -> Iterator[ApiWorld]:  # noqa: F811
    """A world whose scans are done by a thread, as the worker does them."""
    home.mkdir()
    with world(home, TOPICS, sampler=sampler) as running:
        over = threading.Event()

        def work() -> None:
            while not over.is_set():
                if not running.services[ScanRunner].run_next():
                    time.sleep(0.02)

        thread = threading.Thread(target=work)
        thread.start()
        yield running
        over.set()
        thread.join()


@pytest.mark.parametrize("sampler", [AwaySampler], indirect=True)
def test_spark_that_is_away_is_the_cause(weir: Weir) -> None:  # noqa: F811
    ended = weir("scan", "--bootstrap-servers", "localhost:9092", "--topics", "orders")
    assert ended.code != 0 and ended.out == ""
    assert ended.err.replace("\n", " ").count("does not answer") == 1
    assert "matches" not in ended.err


@pytest.mark.parametrize("sampler", [MemorySampler], indirect=True)
def test_a_pattern_without_a_topic_is_the_cause(weir: Weir) -> None:  # noqa: F811
    ended = weir("scan", "--bootstrap-servers", "localhost:9092", "--topics", "shop.*")
    assert (ended.code, ended.out) == (0, "")
    assert "matches shop.*; it has 1 other topic" in ended.err.replace("\n", " ")


@pytest.mark.parametrize("sampler", [MemorySampler], indirect=True)
def test_what_was_scanned_is_shown(weir: Weir) -> None:  # noqa: F811
    ended = weir("scan", "--bootstrap-servers", "localhost:9092", "--topics", "orders")
    assert ended.code == 0 and "orders" in ended.out
