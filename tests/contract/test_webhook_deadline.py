"""A receiver of a webhook that sends a byte now and then, against real sockets: the whole call has an end."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from api.webhooks.deliver import Webhooks
from api.webhooks.ssrf_guard import Guard
from catalog.event_model import DeliveryFailed, Event
from catalog.records import DeclaredDocument
from catalog.settings import EventSettings
from tests.twins.catalog.store import MemoryCatalogStore

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVENT = Event("e-1", "weir.schema.changed", "prod/orders", NOW, {"added": ["x" * 2_000_000]}, 7)


def drips_headers(connection: socket.socket, over: threading.Event) -> None:
    connection.recv(1000)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not over.wait(0.05):
        connection.sendall(b"a")


def drinks_slowly(connection: socket.socket, over: threading.Event) -> None:
    while not over.wait(0.02) and connection.recv(10):
        pass


def says_nothing(connection: socket.socket, over: threading.Event) -> None:
    over.wait(30)


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[socket.socket, threading.Event], None]], int]]:
    over, threads = threading.Event(), []
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def start(answer: Callable[[socket.socket, threading.Event], None]) -> int:
        def run() -> None:
            connection, _ = listening.accept()
            with connection:
                try:
                    answer(connection, over)
                except OSError:
                    return  # the caller has gone, as it is to

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return int(listening.getsockname()[1])

    yield start
    over.set()
    for thread in threads:
        thread.join(5)
    listening.close()


@pytest.mark.parametrize("receiver", [drips_headers, drinks_slowly, says_nothing])
def test_a_call_ends_though_its_receiver_does_not(
    serve: Callable[[Callable[[socket.socket, threading.Event], None]], int],
    receiver: Callable[[socket.socket, threading.Event], None],
) -> None:
    store = MemoryCatalogStore()
    url = f"http://localhost:{serve(receiver)}/hook"
    store.put_document(DeclaredDocument("Webhook", "ours", {"name": "ours"}, {"url": url}, NOW))
    settings = EventSettings(webhook_timeout_s=20, webhook_deadline_s=0.5, webhook_attempts=1)
    guard = Guard(["localhost"], lambda host, port: ["127.0.0.1"])
    (hook,) = Webhooks(store, lambda given, _: str(given), settings, guard).receivers()
    begun = time.monotonic()
    with pytest.raises(DeliveryFailed, match=r"^localhost did not answer in time\.$"):
        hook.tell([EVENT])
    assert time.monotonic() - begun < 5
