"""How many requests a token, a session and an address may send: buckets that fill at a rate, 429 with Retry-After when empty."""

from __future__ import annotations

import hashlib
import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.config.settings import SESSION_COOKIES
from api.http.edge import errors

_KEPT = 20_000
"""Buckets kept; of more, those used longest ago begin full again."""
_BURST_SECONDS = 10
"""A bucket holds what comes in so long."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Requests a second, by class of route and for each token or session; `address` for each address. 0: no limit.

    sign_in   for each address, of requests that sign in or try to. It counts by address and never by name: nobody can
              keep another person out.
    """

    ingest: float
    query: float
    other: float
    address: float
    sign_in: float = 0.0

    def of(self, kind: str) -> float:
        return {"ingest": self.ingest, "query": self.query, "other": self.other, "address": self.address}[kind]


class Buckets:
    """Token buckets by key. Safe for many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def take(self, key: tuple[str, str], rate: float) -> float:
        """0.0 when one more may pass, which takes it; else the seconds until the next one may."""
        now, most = self._clock(), max(1.0, rate * _BURST_SECONDS)
        with self._lock:
            left, at = self._kept.pop(key, (most, now))
            left = min(most, left + (now - at) * rate)
            passes = left >= 1
            self._kept[key] = (left - 1 if passes else left, now)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return 0.0 if passes else (1 - left) / rate


class RateLimit:
    """Refuses what comes too often, before anything is read or looked up."""

    def __init__(self, app: ASGIApp, rates: Rates, buckets: Buckets | None = None) -> None:
        self.app, self._rates, self._buckets = app, rates, buckets or Buckets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            wait, whose = self._wait(scope)
            if wait > 0:
                await self._refuse(wait, whose, scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _wait(self, scope: Scope) -> tuple[float, str]:
        client = scope.get("client")
        if self._rates.address and client and not _is_local(client[0]):
            wait = self._buckets.take(("address", client[0]), self._rates.address)
            if wait > 0:
                return wait, "this address"
            if self._rates.sign_in and _signs_in(scope["path"]):
                wait = self._buckets.take(("sign-in", client[0]), self._rates.sign_in)
                if wait > 0:
                    return wait, "this address"
        given = _credential(scope)
        kind = class_of(scope["method"], scope["path"])
        rate = self._rates.of(kind)
        if not rate or given is None:
            return 0.0, ""
        wait = self._buckets.take((kind, hashlib.sha256(given).hexdigest()), rate)
        return wait, "this token or session"

    async def _refuse(self, wait: float, whose: str, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = math.ceil(wait)
        message = f"Too many requests from {whose}; send the next in {seconds} s, or raise WEIR_API__RATE_*."
        headers: Mapping[str, str] = {"Retry-After": str(seconds)}
        body = errors.body("too_many_requests", message, {"retryAfter": seconds})
        await JSONResponse(body, 429, headers=headers)(scope, receive, send)


def class_of(method: str, path: str) -> str:
    """Of which rate a request is: lineage events, queries, or anything else."""
    room = path.removeprefix("/api/v1/").split("/")[0]
    if room == "query":
        return "query"
    return "ingest" if method == "POST" and path in ("/api/v1/lineage", "/api/v1/lineage/batch") else "other"


def _signs_in(path: str) -> bool:
    """Routes that are open to all and sign in; looking at one's own sessions is not among them."""
    room = path.removeprefix("/api/v1/auth/") if path.startswith("/api/v1/auth/") else ""
    return room.split("/")[0] in ("login", "callback", "device", "backchannel")


def _credential(scope: Scope) -> bytes | None:
    """The Authorization header, else the cookie of a session."""
    headers = dict(scope["headers"])
    given: bytes | None = headers.get(b"authorization")
    if given is not None:
        return given
    pairs = (pair.strip() for pair in headers.get(b"cookie", b"").split(b";"))
    return next((pair for pair in pairs if pair.partition(b"=")[0].decode("latin-1") in SESSION_COOKIES), None)


def _is_local(host: str) -> bool:
    """Clients of the same machine share one address; so do those of a socket file, which have none."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True
