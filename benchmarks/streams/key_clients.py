"""Clients that read by key without a pause: one thread and plain sockets, so that they take little of the processors that they
share with what is measured."""

from __future__ import annotations

import random
import selectors
import socket
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass
class Reads:
    """`times`: seconds of each read; `wrong`: answers without the row of the key; `processor`: the clients' seconds."""

    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    processor: float = 0.0


class _Client:
    """One connection that is kept, with one request at a time."""

    def __init__(self, address: tuple[str, int], head: str, rng: random.Random, keys: int) -> None:
        self.socket = socket.create_connection(address, timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._head, self._rng, self._keys = head, rng, keys
        self._received, self._begun, self._key = b"", 0.0, 0

    def ask(self) -> None:
        self._key = self._rng.randrange(self._keys)
        self._received = b""
        self._begun = time.perf_counter()
        self.socket.sendall((self._head % self._key).encode())

    def receive(self, reads: Reads) -> bool:
        """Whether the answer is complete."""
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("the connection was closed")
        self._received += part
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return False
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return False
        reads.times.append(time.perf_counter() - self._begun)
        if not head.startswith(b"HTTP/1.1 200") or b"[%d," % self._key not in body:
            reads.wrong.append(f"{self._key}: {self._received[:300]!r}")
        return True


def read_by_key(url: str, token: str, view: str, keys: int, clients: int, seconds: float) -> Reads:
    """Reads of random keys 0..keys-1 by `clients` connections."""
    where = urlsplit(url)
    address = (where.hostname or "", where.port or 80)
    head = (
        f"GET /api/v1/views/{view}/rows?key=%d HTTP/1.1\r\nHost: {where.netloc}\r\nAccept-Encoding: identity\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    )
    reads, ready = Reads(), selectors.DefaultSelector()
    for number in range(clients):
        client = _Client(address, head, random.Random(number), keys)
        ready.register(client.socket, selectors.EVENT_READ, client)
        client.ask()
    before, end, waiting = time.process_time(), time.monotonic() + seconds, clients
    while waiting:
        for each, _ in ready.select(30):
            client = each.data
            if not client.receive(reads):
                continue
            if time.monotonic() < end:
                client.ask()
            else:
                waiting -= 1
                ready.unregister(client.socket)
                client.socket.close()
    reads.processor = time.process_time() - before
    return reads
