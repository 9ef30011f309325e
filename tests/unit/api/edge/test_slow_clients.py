"""Clients that send slowly or without end, over a real server on a socket file."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from api.edge.slow_clients import Patience, patient_protocol


async def echo(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message["body"]), message["more_body"]
    text = str(length).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = str(tmp_path_factory.mktemp("s") / "s")
    http = patient_protocol(Patience(head_seconds=0.5, body_seconds=0.5, body_rate=2000, head_bytes=20_000))
    server = uvicorn.Server(uvicorn.Config(echo, uds=path, http=http, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield path
    server.should_exit = True
    thread.join()


def opened(address: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.settimeout(10)
    listener.connect(address)
    return listener


def rest(connection: socket.socket) -> bytes:
    body = b""
    try:
        while piece := connection.recv(65536):
            body += piece
    except ConnectionError:
        pass
    return body


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HEAD, HEAD + b"X: " + b"a" * 1000])
def test_a_head_that_does_not_end_is_left(address: str, sent: bytes) -> None:
    with opened(address) as connection:
        connection.sendall(sent)
        assert rest(connection).startswith(b"HTTP/1.1 408")


def test_a_head_that_comes_byte_by_byte_is_left(address: str) -> None:
    with opened(address) as connection:
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < 8:
                connection.sendall(b"G" if time.monotonic() == begun else b"E")
                time.sleep(0.1)
        except ConnectionError:
            pass
        assert time.monotonic() - begun < 5


def test_a_second_request_has_the_same_time(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200" in connection.recv(1000)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert rest(connection).startswith(b"HTTP/1.1 408")


def test_headers_without_end_are_refused(address: str) -> None:
    with opened(address) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(HEAD + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 100) for n in range(400)))
        assert rest(connection).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize("size", [21_000, 100_000, 200_000, 3_000_000])
def test_the_last_piece_of_a_body_is_no_head(address: str, size: int) -> None:
    for head_and_body_at_once in (True, False):
        with opened(address) as connection:
            head = HEAD + b"Content-Length: %d\r\n\r\n" % size
            if head_and_body_at_once:
                connection.sendall(head + b"x" * size)
            else:
                connection.sendall(head)
                connection.sendall(b"x" * size)
            assert b"200 OK" in (answer := connection.recv(65536)), answer
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in rest(connection)


def test_headers_without_end_after_a_body_are_refused(address: str) -> None:
    with opened(address) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(HEAD + b"Content-Length: 30000\r\n\r\n" + b"x" * 30_000)
            connection.recv(1000)
            connection.sendall(HEAD + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 100) for n in range(400)))
        assert rest(connection).startswith(b"HTTP/1.1 431")


def test_a_body_that_trickles_is_left(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < 8:
                connection.sendall(b"x")
                time.sleep(0.05)
        except ConnectionError:
            pass
        assert time.monotonic() - begun < 5


def test_honest_clients_are_not_cut(address: str) -> None:
    with opened(address) as connection:
        connection.sendall(HEAD + b"Content-Length: 300000\r\n\r\n")
        for _ in range(30):  # 1.5 seconds in all, at twenty times the least rate
            connection.sendall(b"x" * 10_000)
            time.sleep(0.05)
        assert b"300000" in connection.recv(1000)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200" in connection.recv(1000)
