"""Servers that freeze in the middle of a call, or are not there: an error in time, never an empty answer."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from catalog.errors import Unavailable
from lineage.adapters.kafka.consumer_groups import KafkaGroups
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.adapters.rest.connect import ConnectRest
from lineage.settings import Neo4jSettings
from tests.conftest import Stack

pytestmark = pytest.mark.integration

LIMIT = 10.0


class Valve:
    """A way to a server that can be closed: then connections stay open and nothing comes through, as of a frozen one."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.is_open = threading.Event()
        self.is_open.set()
        self._address = address
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._address)
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self.is_open.wait()
                sink.sendall(data)
        except OSError:
            pass
        finally:
            source.close()
            sink.close()

    def close(self) -> None:
        self.is_open.set()
        self._listener.close()


@contextmanager
def in_time() -> Iterator[None]:
    begun = time.monotonic()
    with pytest.raises(Unavailable):
        yield
    assert time.monotonic() - begun < LIMIT


@pytest.mark.tail
def test_a_graph_that_freezes_in_the_middle_is_waited_for_once(stack: Stack) -> None:
    host, _, port = stack.neo4j.removeprefix("bolt://").rpartition(":")
    valve = Valve((host, int(port)))
    user, password = stack.neo4j_auth
    settings = Neo4jSettings(uri=f"bolt://127.0.0.1:{valve.port}", user=user, password=password)
    driver = connect(settings)
    graph = Neo4jGraph(driver, settings, "frozen")
    try:
        graph.prepare()
        graph.node("dataset:a:b")
        valve.is_open.clear()
        with in_time():
            try:
                graph.node("dataset:a:b")
            except Unavailable:
                graph.node("dataset:a:c")  # another question of the same request
        valve.is_open.set()
        deadline = time.monotonic() + 30
        while True:
            try:
                assert graph.node("dataset:a:b") is None
                break
            except Unavailable:
                assert time.monotonic() < deadline
    finally:
        valve.close()
        driver.close()


@pytest.mark.tail
def test_consumer_groups_of_a_broker_that_is_not_there_are_not_none() -> None:
    with in_time():
        KafkaGroups({"bootstrap.servers": "127.0.0.1:1"}).names()


def test_topics_of_connectors_are_not_empty_when_connect_goes_away() -> None:
    class Half(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.endswith("/topics"):
                self.send_response(500)
                self.end_headers()
                return
            body = b'{"a": {"info": {"type": "sink", "config": {}}, "status": {}}}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Half)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with in_time():
            ConnectRest(f"http://127.0.0.1:{server.server_port}").connectors()
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.tail
def test_a_server_that_sends_a_byte_now_and_then_is_left_in_time() -> None:
    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.3)  # the slowness is what is tried
            except OSError:
                pass

        def log_message(self, *_: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with in_time():
            ConnectRest(f"http://127.0.0.1:{server.server_port}").connectors()
    finally:
        server.server_close()
