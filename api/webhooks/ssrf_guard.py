"""Which addresses a webhook may call: what a host name resolves to, and what of it is inside the network."""

from __future__ import annotations

import fnmatch
import ipaddress
import socket
from collections.abc import Callable, Sequence

from catalog.event_model import DeliveryFailed

Lookup = Callable[[str, int], list[str]]
"""Addresses of a host name."""

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NEVER_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        ("fec0::/10", "3fff::/20", "64:ff9b:1::/48", "5f00::/16", "192.0.0.0/24", "192.88.99.0/24"),
    )
)
"""Local, for documents, or out of use by IANA's special-purpose registries; not all known to `ipaddress` as such."""


def lookup(host: str, port: int) -> list[str]:
    """Addresses of a host as the system resolves it. Raises DeliveryFailed."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryFailed(f"The host {host} is not known.") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in rows))


class Guard:
    """Which addresses may be called. `allowed`: host names (`*.corp` too), addresses, networks."""

    def __init__(self, allowed: Sequence[str], find: Lookup = lookup) -> None:
        self._find = find
        self._names = []
        self._networks = []
        for entry in allowed:
            try:
                self._networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                self._names.append(entry.lower())

    def addresses(self, host: str, port: int) -> list[str]:
        """Where a host may be reached. Raises DeliveryFailed when any of its addresses is not allowed."""
        addresses = [host] if _address(host) else self._find(host, port)
        self._check(host, addresses)
        return addresses

    def check_written(self, host: str) -> None:
        """As `addresses`, without asking anyone: an address as it is written, and `localhost`."""
        if _address(host) is not None or host.lower() == "localhost":
            self._check(host, [host if _address(host) else "127.0.0.1"])

    def _check(self, host: str, addresses: Sequence[str]) -> None:
        if any(fnmatch.fnmatchcase(host.lower(), name) for name in self._names):
            return
        for text in addresses:
            address = _address(text)
            if address is None or not self._may(address):
                raise DeliveryFailed(
                    f"{host} is an address inside the network; add it to WEIR_EVENTS__WEBHOOK_ALLOWED_HOSTS to allow it."
                )

    def _may(self, address: _Address) -> bool:
        inside = _carried(address)
        if any(inside in network for network in self._networks if network.version == inside.version):
            return True
        if any(inside in network for network in _NEVER_PUBLIC if network.version == inside.version):
            return False
        return inside.is_global and not inside.is_multicast and not inside.is_reserved


def _address(text: str) -> _Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


def _carried(address: _Address) -> _Address:
    """The IPv4 address that an IPv6 one maps to, when it maps to one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped or address.sixtofour:
            return address.ipv4_mapped or address.sixtofour or address
        if address.teredo:
            return address.teredo[1]
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address
