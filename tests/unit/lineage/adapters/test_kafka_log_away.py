"""A broker that takes connections and answers nothing: no sender of events waits for another's attempt."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytest_socket import enable_socket

from catalog.errors import Unavailable
from lineage.adapters.kafka.log import KafkaEventLog
from lineage.settings import KafkaClientSettings, LineageSettings


@pytest.mark.tail
def test_senders_share_the_failure_to_reach_kafka() -> None:
    enable_socket()  # on the loopback address
    with socket.create_server(("127.0.0.1", 0)) as server:
        kafka = KafkaClientSettings(bootstrap_servers=f"127.0.0.1:{server.getsockname()[1]}")
        log = KafkaEventLog(kafka, LineageSettings())

        def sent(number: int) -> bool:
            try:
                log.append("key", b"{}")
            except Unavailable:
                return False
            return True

        begun = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            assert not any(pool.map(sent, range(8)))
        assert time.monotonic() - begun < 10
        log.close()


def test_an_event_waits_less_than_an_answer_may_take() -> None:
    assert LineageSettings().delivery_timeout_seconds + 1 < 10
