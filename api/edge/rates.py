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
from functools import lru_cache

from cachetools import TTLCache
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.config.http_settings import AUTHENTICATED, SESSION_COOKIES
from api.edge import errors
from api.edge.answer_headers import PAGE_POLICY
from catalog.errors import LimitExceeded

_KEPT = 20_000
"""Buckets kept; of more, those used longest ago begin full again."""
_BURST_SECONDS = 10
"""A bucket holds what comes in so long."""
_GOOD_SECONDS, _BAD_SECONDS = 3600.0, 60.0
_LIMITED = ("/api/", "/scim/", "/mcp")
_WAY_IN = "/api/v1/auth/"
_FAILED = "this address with tokens that are not good"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Weir: too many requests</title>
<style>body{{font:16px/1.5 system-ui;max-width:36rem;margin:4rem auto;padding:0 1rem}}</style>
<h1>Too many requests</h1><p>Your browser, or others at the same network address, asked too often in a short time. Nothing is
lost and nobody is locked out. Wait {seconds} s, then load this page again.</p></html>"""


@dataclass(frozen=True, slots=True)
class Rates:
    """Requests a second, by class of route: for each token or session, and for each person. `address` for each address.
    0: no limit.

    sign_in   for each address, of requests that sign in or try to. It counts by address and never by name: nobody can
              keep another person out
    failed    for each address, of requests whose bearer token is not good. A good token is never slowed down by the failures
              of others behind the same address: one that was not seen yet is looked at once. Cookies do not count, since a
              page with a dead one asks again by itself; nor does anything below /auth, which is the way back in
    """

    ingest: float
    query: float
    other: float
    address: float
    sign_in: float = 0.0
    search: float = 0.0
    tokens: float = 0.0
    failed: float = 0.0
    rows: float = 0.0

    def of(self, kind: str) -> float:
        rates = {
            "ingest": self.ingest,
            "query": self.query,
            "other": self.other,
            "address": self.address,
            "search": self.search or self.other,
            "tokens": self.tokens or self.other,
            "rows": self.rows or self.other,
        }
        return rates[kind]


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

    def wait(self, key: tuple[str, str], rate: float) -> float:
        """The seconds until one more may pass; takes nothing."""
        with self._lock:
            left, at = self._kept.get(key, (1.0, 0.0))
            left = left + (self._clock() - at) * rate
        return 0.0 if left >= 1 else (1 - left) / rate


class RateLimit:
    """Refuses what comes too often, before anything is read or looked up."""

    def __init__(self, app: ASGIApp, rates: Rates, buckets: Buckets | None = None) -> None:
        self.app, self._rates, self._buckets = app, rates, buckets or Buckets()
        self._good: TTLCache[str, bool] = TTLCache(_KEPT, _GOOD_SECONDS)
        self._bad: TTLCache[str, bool] = TTLCache(_KEPT, _BAD_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_LIMITED):
            await self.app(scope, receive, send)
            return
        token, host = self._counted(scope)
        wait, whose = self._wait(scope, token, host)
        if wait > 0:
            await refuse(wait, whose, scope, receive, send)
            return
        if token is None or host is None:
            await self.app(scope, receive, send)
            return
        state, refused = scope.setdefault("state", {}), False

        async def noted(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                wait = self._note(message["status"], bool(state.get(AUTHENTICATED)), token, host)
                if wait > 0:
                    refused = True
                    await refuse(wait, _FAILED, scope, receive, send)
            if not refused:
                await send(message)

        await self.app(scope, receive, noted)

    def _counted(self, scope: Scope) -> tuple[str | None, str | None]:
        """(digest of the bearer token, address) of a request that counts when its token is not good."""
        token = _bearer(scope)
        if not self._rates.failed or token is None or scope["path"].startswith(_WAY_IN):
            return None, None
        return _digest(token), _host(scope)

    def _note(self, status: int, authenticated: bool, token: str, host: str) -> float:
        """The seconds that the address has to wait, after one failure too many."""
        if authenticated:
            self._good[token] = True
            self._bad.pop(token, None)
        elif status == 401:
            self._good.pop(token, None)
            self._bad[token] = True
            return self._buckets.take(("failed", host), self._rates.failed)
        return 0.0

    def _wait(self, scope: Scope, token: str | None, counted: str | None) -> tuple[float, str]:
        """Seconds to wait, and who has to. `token`, `counted`: see `_counted`."""
        host = _host(scope)
        credential = _credential(scope)
        digest = _digest(credential) if credential is not None else None
        if self._rates.address and host is not None:
            wait = self._buckets.take(("address", host), self._rates.address)
            if wait == 0 and self._rates.sign_in and _signs_in(scope["path"]):
                wait = self._buckets.take(("sign-in", host), self._rates.sign_in)
            if wait > 0:
                return wait, "this address"
        if token is not None and counted is not None and token in self._bad:
            wait = self._buckets.wait(("failed", counted), self._rates.failed)
            if wait > 0:
                return wait, _FAILED
        kind = class_of(scope["method"], scope["path"])
        rate = self._rates.of(kind)
        if not rate or digest is None:
            return 0.0, ""
        return self._buckets.take((kind, digest), rate), "this token or session"


class PersonRates:
    """The same rates for a person, over all their tokens and sessions: asked once it is known who calls."""

    def __init__(self, rates: Rates, buckets: Buckets | None = None) -> None:
        self._rates, self._buckets = rates, buckets or Buckets()

    def require(self, user: str, method: str, path: str) -> None:
        """Raises LimitExceeded, whose answer is 429 with Retry-After."""
        kind = class_of(method, path)
        rate = self._rates.of(kind)
        wait = self._buckets.take((kind, user), rate) if rate else 0.0
        if wait > 0:
            seconds = math.ceil(wait)
            raise LimitExceeded(
                _words(f"{user}, by all tokens and sessions together", seconds), details={"retryAfter": seconds}
            )


async def refuse(wait: float, whose: str, scope: Scope, receive: Receive, send: Send) -> None:
    """429: a page for a browser that opens an address, SCIM's form for SCIM, else the one error body."""
    seconds = math.ceil(wait)
    headers: Mapping[str, str] = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
    message = _words(whose, seconds)
    accepts = dict(scope["headers"]).get(b"accept", b"")
    if b"text/html" in accepts:
        policy = {"Content-Security-Policy": PAGE_POLICY, "X-Content-Type-Options": "nosniff"}
        answer: Response = HTMLResponse(_PAGE.format(seconds=seconds), 429, headers={**headers, **policy})
    elif scope["path"].startswith("/scim/"):
        scim = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"], "status": "429", "detail": message}
        answer = JSONResponse(scim, 429, headers=headers, media_type="application/scim+json")
    else:
        answer = JSONResponse(errors.body("too_many_requests", message, {"retryAfter": seconds}), 429, headers=headers)
    await answer(scope, receive, send)


def _words(whose: str, seconds: int) -> str:
    return f"Too many requests from {whose}; send the next in {seconds} s, or raise WEIR_API__RATE_*."


def _host(scope: Scope) -> str | None:
    """The address to count by; None for this machine's own. Of version 6 the network of 64 bits, since each machine in it
    takes addresses as it likes."""
    client = scope.get("client")
    # Clients of the same machine share one address; so do those of a socket file, which have none.
    return _counted_by(client[0]) if client else None


@lru_cache(_KEPT)
def _counted_by(text: str) -> str | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback:
        return None
    return str(address) if address.version == 4 else str(ipaddress.ip_network((int(address), 64), strict=False))


def class_of(method: str, path: str) -> str:
    """Of which rate a request is: lineage events, queries, searches, tokens, rows of views, or anything else."""
    room, *rest = path.removeprefix("/api/v1/").split("/")
    if path.startswith("/scim/"):
        return "other"
    if room in ("query", "search", "tokens"):
        return room
    if room == "views" and rest[1:] == ["rows"]:
        return "rows"
    return "ingest" if method == "POST" and path in ("/api/v1/lineage", "/api/v1/lineage/batch") else "other"


def _signs_in(path: str) -> bool:
    """Routes that are open to all and sign in; looking at one's own sessions is not among them."""
    room = path.removeprefix("/api/v1/auth/") if path.startswith("/api/v1/auth/") else ""
    return room.split("/")[0] in ("login", "callback", "device", "backchannel")


def _credential(scope: Scope) -> bytes | None:
    """The Authorization header with its scheme in small letters, else the cookie of a session."""
    token = _bearer(scope)
    if token is not None:
        return token
    headers = dict(scope["headers"])
    pairs = (pair.strip() for pair in headers.get(b"cookie", b"").split(b";"))
    return next((pair for pair in pairs if pair.partition(b"=")[0].decode("latin-1") in SESSION_COOKIES), None)


def _bearer(scope: Scope) -> bytes | None:
    header: bytes | None = dict(scope["headers"]).get(b"authorization")
    if header is None:
        return None
    scheme, _, token = header.strip().partition(b" ")
    return scheme.lower() + b" " + token.strip()


def _digest(credential: bytes) -> str:
    return hashlib.sha256(credential).hexdigest()
