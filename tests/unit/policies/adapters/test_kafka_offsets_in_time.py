"""Brokers that take connections and answer nothing: the question for offsets ends in time, with a sentence."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_socket import enable_socket

from catalog.errors import Unavailable
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.sql.windows import AsOf


@pytest.fixture
def silent() -> Iterator[str]:
    enable_socket()  # on the loopback address
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_silent_brokers_are_given_up(silent: str) -> None:
    begun = time.monotonic()
    with pytest.raises(Unavailable):
        KafkaOffsets(seconds=0.5).window({"kafka.bootstrap.servers": silent}, "orders", AsOf(), 10)
    assert time.monotonic() - begun < 5


def test_brokers_that_fall_silent_between_two_questions_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Falling:
        def list_topics(self, topic: str, timeout: float) -> Any:
            return SimpleNamespace(topics={topic: SimpleNamespace(error=None, partitions={0: None})})

        def list_offsets(self, asked: dict[Any, Any], **_: Any) -> dict[Any, Future[Any]]:
            return {place: Future() for place in asked}

    offsets = KafkaOffsets(seconds=0.3)
    monkeypatch.setattr(offsets, "_client", lambda kafka: Falling())
    begun = time.monotonic()
    with pytest.raises(Unavailable):
        offsets.window({}, "orders", AsOf(), 10)
    assert time.monotonic() - begun < 5
