"""Connections of clients that send too slowly, or no end of headers: answered 408 or 431, and closed.

uvicorn bounds the time between requests only. Its protocol is extended here by a time for the head of a request, a
length of it, and a least rate for the body. Each request gets the client certificate of its connection.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.config.tls_settings import CLIENT_CERTIFICATE
from api.edge import peer_certificates
from policies.access.certificates import PeerCertificate


@dataclass(frozen=True, slots=True)
class Patience:
    """`head_seconds` from the first byte of a request (or the opening of the connection) to the end of its headers;
    `body_rate`: bytes a second, measured over `body_seconds`; `head_bytes`: request line and headers together."""

    head_seconds: float = 20.0
    body_seconds: float = 20.0
    body_rate: int = 500
    head_bytes: int = 64 * 1024


def patient_protocol(patience: Patience) -> type[asyncio.Protocol]:
    """The protocol class for `uvicorn.Config(http=...)`."""

    class Patient(_PatientProtocol):
        limits = patience

    return Patient


_ANSWERS = {
    408: ("408 Request Timeout", "timeout", "The request came too slowly; send its headers and body without pauses."),
    431: ("431 Request Header Fields Too Large", "too_large", "The headers of the request are too long."),
}


class _PatientProtocol(HttpToolsProtocol):
    limits = Patience()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None
        self._in_head, self._head, self._body = True, 0, 0
        self._completed = False
        """A message ended within the piece that is read now."""
        self._certificate: PeerCertificate | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._certificate = peer_certificates.of_transport(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._in_head:
            self._body += len(data)
        self._completed = False
        super().data_received(data)
        # A piece may end a head and carry the body, or be the end of a body: only the pieces after it are of the next head.
        if self._in_head and not self._completed:
            self._head += len(data)
            if self._head > self.limits.head_bytes:
                self._refuse(431)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope[CLIENT_CERTIFICATE] = self._certificate  # type: ignore[literal-required]
        self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._in_head, self._head, self._body = False, 0, 0
        self._wait(self.limits.body_seconds, self._body_is_late)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop()
        super().on_message_complete()
        self._in_head = self._completed = True

    def _wait_for_head(self) -> None:
        self._in_head, self._head = True, 0
        self._wait(self.limits.head_seconds, self._head_is_late)

    def _wait(self, seconds: float, late: Any) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _head_is_late(self) -> None:
        if self.flow.read_paused:  # we do not read: not the client's fault
            self._wait(self.limits.head_seconds, self._head_is_late)
        else:
            self._refuse(408)

    def _body_is_late(self) -> None:
        came, self._body = self._body, 0
        slow = came < self.limits.body_rate * self.limits.body_seconds
        # While we do not read, or have answered already, the client owes nothing.
        if slow and not self.flow.read_paused and not self.cycle.response_complete:
            self._refuse(408)
        else:
            self._wait(self.limits.body_seconds, self._body_is_late)

    def _refuse(self, status: int) -> None:
        self._stop()
        if self.transport.is_closing():
            return
        cycle = self.cycle
        answering = cycle is not None and not cycle.response_complete
        if not (answering and cycle.response_started):
            line, code, message = _ANSWERS[status]
            body = f'{{"error": {{"code": "{code}", "message": "{message}", "details": {{}}}}}}'.encode()
            head = f"HTTP/1.1 {line}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            self.transport.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        if answering:
            cycle.disconnected = True
            cycle.message_event.set()
        self.transport.close()
