"""What answers at WEIR_URL is not always Weir's API: a proxy's page, a sign-in page, Weir's own pages below /ui."""

from __future__ import annotations

import http.client
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from weir_client import Weir, WeirError

from api.config.home import Home
from api.terminal.client import Answer, Client
from api.terminal.http import Api, ApiRefused

PAGE = b"<!doctype html><title>Sign in</title>"


class _Connection:
    """Of a socket what a response reads."""

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(PAGE), PAGE)
        )


@contextmanager
def page(*_: object, **__: object) -> Iterator[Answer]:
    response = http.client.HTTPResponse(_Connection())  # type: ignore[arg-type]  # it asks a socket for its file alone
    response.begin()
    yield Answer(response)


def test_a_page_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIR_URL", "http://weir.example/ui")
    monkeypatch.setenv("WEIR_TOKEN", "t")
    monkeypatch.setattr(Client, "stream", page)
    api = Api(Home(tmp_path))
    calls: tuple[tuple[Any, tuple[Any, ...]], ...] = (
        (api.get, ("/api/v1/search",)),
        (api.post, ("/api/v1/query", {"sql": "SELECT 1"})),
        (api.post_text, ("/api/v1/apply", "kind: Role")),
        (api.put, ("/api/v1/me/delegation", {})),
        (api.patch, ("/api/v1/datasets/prod/orders", {})),
        (api.delete, ("/api/v1/grants/x",)),
    )
    for call, given in calls:
        with pytest.raises(
            ApiRefused, match=r"^What answers at http://weir.example/ui is not Weir's API; check WEIR_URL\.$"
        ):
            call(*given)


def test_a_page_is_an_error_of_the_client() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=PAGE))
    with (
        Weir("http://weir.example/ui", "t", transport=transport) as weir,
        pytest.raises(WeirError, match="not Weir's API"),
    ):
        weir.search("email")
