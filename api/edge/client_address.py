"""The address a request comes from: the peer's, or what a declared proxy names in X-Forwarded-For.

A header that anybody else sends counts for nothing: with it one could take any address, and have others limited.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """`10.0.0.0/8`, `192.168.1.7`. Raises ValueError."""
    return tuple(ipaddress.ip_network(each, strict=False) for each in texts)


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The last address of the way that is not a declared proxy.

    `forwarded` are the values of X-Forwarded-For in their order. Proxies add at the right, so it is read from there; what
    is left of the first address that is not a proxy was written by that client itself.
    """
    way = [part.strip() for value in forwarded for part in value.split(",") if part.strip()]
    client = peer
    while _among(client, proxies) and way:
        address = _plain(way.pop())
        if address is None or ipaddress.ip_address(address).is_loopback:
            break  # programs of this machine are not limited, so nobody else may name it
        client = address
    return client


def _among(text: str, proxies: Sequence[Network]) -> bool:
    address = _parsed(text)
    return address is not None and any(address.version == network.version and address in network for network in proxies)


def _parsed(text: str) -> _Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _plain(text: str) -> str | None:
    """An address without a port; None for what is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    address = _parsed(text)
    return str(address) if address is not None else None


class ClientAddress:
    """Gives everything behind it the address of the client, in place of the proxy's."""

    def __init__(self, app: ASGIApp, proxies: Sequence[Network]) -> None:
        self.app, self._proxies = app, tuple(proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope.get("client")
        if scope["type"] == "http" and peer and self._proxies:
            values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
            scope = {**scope, "client": (client_address(peer[0], values, self._proxies), peer[1])}
        await self.app(scope, receive, send)
