"""The client of the command line against servers that misbehave: redirects, silence, answers that end early, proxies."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from api.terminal.client import Answer, BrokenOff, Client, NotConnected, TimedOut


@contextmanager
def answering(reply: bytes, heard: list[bytes] | None = None, wait: Callable[[], Any] = lambda: None) -> Iterator[str]:
    """A server that gives every connection the same bytes, and ends it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked = connection.recv(65_536)
                if asked.startswith(b"POST") and asked.endswith(b"\r\n\r\n"):
                    asked += connection.recv(65_536)
                if heard is not None:
                    heard.append(asked)
                wait()
                connection.sendall(reply)

    Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def client(url: str, timeout: float = 20) -> Client:
    headers = {"Authorization": "Bearer secret"}
    return Client(base_url=url, headers=headers, timeout=timeout, connect=5, verify=None)


def reply(body: bytes, *more: bytes, length: int | None = None) -> bytes:
    size = b"Content-Length: %d" % (len(body) if length is None else length)
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"Connection: close", size, *more, b"", body])


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_what_is_sent_is_what_was_given() -> None:
    heard: list[bytes] = []
    with answering(reply(b'{"a": 1}'), heard) as url:
        answer = client(url).request(
            "POST", "/api/v1/x%2Fy", json={"name": "Zoë"}, params={"all": True, "job": ["a b", "c"]}
        )
    assert isinstance(answer, Answer) and answer.json() == {"a": 1} and not answer.is_error
    assert heard[0].startswith(b"POST /api/v1/x%2Fy?all=true&job=a+b&job=c HTTP/1.1\r\n")
    assert b"Authorization: Bearer secret" in heard[0] and b"Content-Type: application/json" in heard[0]
    assert '{"name": "Zoë"}'.encode() in heard[0]


def test_a_redirect_is_not_followed_so_the_token_stays() -> None:
    heard: list[bytes] = []
    with answering(reply(b"{}"), heard) as other:
        away = f"HTTP/1.1 302 Found\r\nLocation: {other}/x\r\nContent-Length: 0\r\n\r\n".encode()
        with answering(away) as url:
            answer = client(url).request("GET", "/api/v1/me")
    assert (answer.status_code, answer.is_error, heard) == (302, True, [])


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_that_ends_early_is_no_answer(packed: bool) -> None:
    body = gzip.compress(b"x" * 50_000) if packed else b"x" * 50_000
    kind = (b"Content-Encoding: gzip",) if packed else ()
    with answering(reply(body, *kind)) as url:
        assert client(url).request("GET", "/x").content == b"x" * 50_000
    with answering(reply(body[:-10], *kind, length=len(body))) as url, pytest.raises(BrokenOff):
        client(url).request("GET", "/x")
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort"
    with answering(chunked) as url, pytest.raises(BrokenOff):
        client(url).request("GET", "/x")


def test_a_packed_answer_without_a_length_that_ends_early_is_no_answer() -> None:
    body = gzip.compress(b"x" * 50_000)[:-10]
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n"
    with answering(head + body) as url, pytest.raises(BrokenOff):
        client(url).request("GET", "/x")


def test_no_server_silence_and_nonsense_are_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        silent = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(TimedOut):
            client(silent, timeout=0.2).request("GET", "/x")
    with pytest.raises(NotConnected):
        client(silent).request("GET", "/x")
    with answering(b"no HTTP\r\n\r\n") as url, pytest.raises(BrokenOff):
        client(url).request("GET", "/x")
    with answering(b"") as url, pytest.raises(BrokenOff):
        client(url).request("GET", "/x")


def test_lines_come_as_they_are_written() -> None:
    body = "event: a\r\ndata: Zoë\n\ndata: end".encode()
    with answering(reply(body)) as url, client(url).stream("GET", "/x") as answer:
        assert list(answer.iter_lines()) == ["event: a", "data: Zoë", "", "data: end"]


def test_a_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    with answering(reply(b"{}"), heard) as proxy:
        monkeypatch.setenv("http_proxy", proxy)
        monkeypatch.setenv("no_proxy", "")
        assert client("http://weir.example.com").request("GET", "/x").json() == {}
    assert heard[0].startswith(b"GET http://weir.example.com/x HTTP/1.1\r\n")
