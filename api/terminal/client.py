"""Requests to a Weir, by the standard library: a client of more abilities takes longer to import than most commands run.

Proxies of the environment are used; redirects are not followed, since the token must not reach another server.
"""

from __future__ import annotations

import http.client
import json
import ssl
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode

from api import VERSION

_PIECE = 65_536
"""Bytes that are read at once, at most."""


class CallFailed(Exception):
    """A request got no whole answer. Its cause is the error of the network or of TLS."""


class NotConnected(CallFailed):
    """No connection was made."""


class TimedOut(CallFailed):
    """No connection, or no answer, in time."""


class BrokenOff(CallFailed):
    """A connection ended before the answer did."""


class Answer:
    """One answer, whole (`read`) or as it comes (`iter_bytes`, `iter_lines`). Reading raises BrokenOff, TimedOut."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status_code = response.status
        self._response = response
        self._content: bytes | None = None

    @property
    def is_error(self) -> bool:
        return not 200 <= self.status_code < 300

    @property
    def content(self) -> bytes:
        return self.read()

    @property
    def text(self) -> str:
        return self.read().decode("utf-8", "replace")

    def read(self) -> bytes:
        if self._content is None:
            self._content = b"".join(self.iter_bytes())
        return self._content

    def json(self) -> Any:
        return json.loads(self.read())

    def iter_bytes(self) -> Iterator[bytes]:
        packed = self._response.headers.get("Content-Encoding", "").lower() == "gzip"
        unpacked = zlib.decompressobj(wbits=31) if packed else None
        with _failures():
            while piece := self._response.read1(_PIECE):
                if content := unpacked.decompress(piece) if unpacked else piece:
                    yield content
            if self._response.length or (unpacked is not None and not unpacked.eof and self._response.length is None):
                raise http.client.IncompleteRead(b"", self._response.length)

    def iter_lines(self) -> Iterator[str]:
        begun = b""
        for piece in self.iter_bytes():
            *lines, begun = (begun + piece).split(b"\n")
            for line in lines:
                yield line.rstrip(b"\r").decode("utf-8", "replace")
        if begun:
            yield begun.decode("utf-8", "replace")


class Client:
    """`connect` and `timeout`: seconds for a connection, and for each wait on an answer."""

    def __init__(
        self,
        *,
        base_url: str,
        headers: Mapping[str, str],
        timeout: float,
        connect: float,
        verify: ssl.SSLContext | None,
    ) -> None:
        self._base = base_url
        self._headers = {"Accept-Encoding": "gzip", "User-Agent": f"weir/{VERSION}", **headers}
        self._timeout = timeout
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler(), _Http(connect), _Https(connect, verify)):
            self._opener.add_handler(handler)

    def request(self, method: str, path: str, **given: Any) -> Answer:
        """The whole answer. `given`: as for `stream`. Raises CallFailed."""
        with self.stream(method, path, timeout=self._timeout, **given) as answer:
            answer.read()
            return answer

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Iterator[Answer]:
        """An answer that is read while it comes. Without `timeout` it may take any time. Raises CallFailed."""
        url = f"{self._base}{path}" + (f"?{_query(params)}" if params else "")
        body, kind = (content, {}) if json is None else (_json(json), {"Content-Type": "application/json"})
        request = urllib.request.Request(  # noqa: S310 - the address of WEIR_URL, which is http or https
            url, data=body, headers={**self._headers, **kind, **(headers or {})}, method=method
        )
        with _failures():
            response = self._opener.open(request, timeout=timeout)
        assert isinstance(response, http.client.HTTPResponse)
        with response:
            yield Answer(response)


@contextmanager
def _failures() -> Iterator[None]:
    """Errors of the network as CallFailed."""
    try:
        yield
    except (OSError, http.client.HTTPException, zlib.error) as error:
        cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, OSError) else error
        kind = (
            TimedOut if isinstance(cause, TimeoutError) else NotConnected if isinstance(cause, _Refused) else BrokenOff
        )
        raise kind(str(cause)) from cause


class _Refused(OSError):
    """No connection; see its cause."""


class _Http(urllib.request.HTTPHandler):
    def __init__(self, connect: float) -> None:
        super().__init__()
        self._connect = connect

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_patient(http.client.HTTPConnection, self._connect), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, connect: float, context: ssl.SSLContext | None) -> None:
        super().__init__(context=context)
        self._connect, self._verify = connect, context

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_patient(http.client.HTTPSConnection, self._connect), req, context=self._verify)


def _patient(kind: type[http.client.HTTPConnection], connect: float) -> Any:
    """A connection that is made within `connect` seconds and waits for answers as long as the request allows."""

    class Connection(kind):  # type: ignore[misc,valid-type]  # one class for either scheme
        timeout: float | None

        def connect(self) -> None:
            answering, self.timeout = self.timeout, connect
            try:
                super().connect()
            except TimeoutError:
                raise
            except (OSError, UnicodeError) as error:
                raise _Refused(str(error)) from error
            self.timeout = answering
            self.sock.settimeout(answering)

    return Connection


def _query(params: Mapping[str, Any]) -> str:
    pairs = ((name, each) for name, value in params.items() for each in _each(value))
    return urlencode([(name, _text(each)) for name, each in pairs])


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
