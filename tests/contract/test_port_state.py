"""What a port is, by real sockets of this machine."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from catalog.adapters.port_check import port_state
from tests.tls_world import Authority


@contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """An address whose connections `answer` gets, one after the other."""

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:  # closed
                return
            with connection:
                try:
                    answer(connection)
                except OSError:
                    continue

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def as_kafka(connection: socket.socket) -> None:
    """The broker's answer to ApiVersions: length, the request's correlation id, no error, no versions."""
    (length, key, version, correlation) = struct.unpack(">ihhi", connection.recv(14)[:12])
    assert (length, key, version) == (10, 18, 0)
    connection.sendall(struct.pack(">iihi", 10, correlation, 0, 0))


def test_a_broker_without_tls_and_a_server_with_it_are_distinguished(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued = authority.server()
    context.load_cert_chain(issued.certificate, issued.key)

    def as_tls(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(1)

    with listening(as_kafka) as address:
        assert port_state(address) == "kafka"
    with listening(as_tls) as address:
        assert port_state(address) == "tls"
    with listening(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as address:
        assert port_state(address) == "open"


def test_a_port_is_open_refused_or_unknown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert port_state(f"127.0.0.1:{port}", 0.2) == "open"
    assert port_state(f"127.0.0.1:{port}") == "refused"
    assert port_state("no-such-host.invalid:9092") == "unknown host"
    assert port_state("nonsense") in ("no answer", "unknown host")
