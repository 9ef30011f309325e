"""Which addresses may be called: what a host resolves to, and what of it is link-local or a cloud's metadata service.

Someone who may declare a server must not thereby have Weir call the machine's own metadata service. Private networks and
this machine may be called: companies run Kafka there. Webhooks have a stricter rule (`api.webhooks.ssrf_guard`).
"""

from __future__ import annotations

import fnmatch
import ipaddress
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from catalog.bounded_calls import BoundedCalls, GaveUp
from catalog.errors import SettingsError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Lookup = Callable[[str, int], list[str]]
"""Addresses of a host name. Raises OSError for an unknown host."""

SETTING = "WEIR_CATALOG__ALLOWED_LINK_LOCAL"
_SERVERS = ("schemaRegistry", "connect", "ksqldb", "flink")
_NAT64 = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48")))
_COMPATIBLE = ipaddress.ip_network("::/96")
_NEVER_A_SERVER = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",  # this machine, by another name
            "169.254.0.0/16",  # link-local, and the metadata service of most clouds
            "100.100.100.200/32",  # metadata of Alibaba Cloud
            "168.63.129.16/32",  # metadata of Azure
            "192.0.0.192/32",  # metadata of Oracle Cloud
            "224.0.0.0/4",
            "255.255.255.255/32",
            "::/128",
            "fe80::/10",
            "fd00:ec2::/32",  # metadata of Amazon: fd00:ec2::254, and its other local services
            "fd20:ce::254/128",  # metadata of Google Cloud
            "ff00::/8",
        ),
    )
)
_lookups = BoundedCalls("lookup", 3.0, seconds_frozen=0.5, threads=16)


def lookup(host: str, port: int) -> list[str]:
    """Addresses of a host as the system resolves it. Raises OSError."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError(f"{host!r} is not a host name") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in rows))


def written_address(text: str) -> Address | None:
    """The address that a host is, in any spelling that the system takes (`0xA9FEA9FE`, `2852039166`, `169.254.1`); None
    for a name."""
    bare = text.strip("[]").partition("%")[0]
    try:
        return ipaddress.ip_address(bare)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(bare)) if bare.isascii() and " " not in bare else None
    except OSError:
        return None


def carried(address: Address) -> Address:
    """The IPv4 address that an IPv6 one maps to, when it maps to one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped or address.sixtofour:
            return address.ipv4_mapped or address.sixtofour or address
        if address.teredo:
            return address.teredo[1]
        in_low_bits = any(address in network for network in _NAT64) or (address in _COMPATIBLE and int(address) > 1)
        if in_low_bits:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


class AllowList:
    """Host names (`*.corp` too), addresses and networks."""

    def __init__(self, entries: Sequence[str]) -> None:
        self._names: list[str] = []
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            try:
                self._networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                self._names.append(entry.lower())

    def has_name(self, host: str) -> bool:
        return any(fnmatch.fnmatchcase(host.lower(), name) for name in self._names)

    def has(self, address: Address) -> bool:
        return any(address in network for network in self._networks if network.version == address.version)


class ServerAddresses:
    """Which addresses a declared server may have. `allowed`: host names (`*.corp` too), addresses, networks. `find`
    replaces `lookup` in tests."""

    def __init__(self, allowed: Sequence[str] = (), find: Lookup | None = None) -> None:
        self._allowed, self._find = AllowList(allowed), find

    def addresses(self, host: str, port: int, field: str = "The address") -> list[str]:
        """Where a host may be reached. Raises SettingsError when one of its addresses is not allowed, OSError for an
        unknown host."""
        written = written_address(host)
        resolved = [str(written)] if written is not None else (self._find or lookup)(host, port)
        self._check(host, resolved, field)
        return [host.strip("[]")] if written is not None and ":" in host else resolved

    def require(self, host: str, port: int, field: str) -> None:
        """Raises SettingsError naming the field when the host is, or resolves to, an address that is not allowed. A name
        that has no address yet, or whose name server does not answer in time, is checked again when it is called."""
        try:
            _lookups.call(lambda: self.addresses(host, port, field))
        except (OSError, GaveUp):
            return

    def require_url(self, url: str, field: str) -> None:
        """As `require`, of an http address."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            raise SettingsError(
                f"{field} is not an address such as https://HOST:PORT.", details={"field": field}
            ) from None
        if host:
            self.require(host, port, field)

    def require_brokers(self, addresses: Iterable[str], field: str = "bootstrapServers") -> None:
        """As `require`, of each HOST:PORT."""
        for each in addresses:
            host, _, port = each.rpartition("://")[2].rpartition(":")
            self.require(host, int(port) if port.isdigit() else 0, field)

    def require_cluster(self, spec: Mapping[str, Any], bootstrap: Sequence[str]) -> None:
        """As `require`, of every address in a declared cluster's spec."""
        self.require_brokers(bootstrap)
        for what in _SERVERS:
            if url := (spec.get(what) or {}).get("url"):
                self.require_url(str(url), f"{what}.url")

    def _check(self, host: str, resolved: Sequence[str], field: str) -> None:
        if self._allowed.has_name(host):
            return
        for text in resolved:
            address = written_address(text)
            if address is None or not self._may(address):
                leads = "" if written_address(host) else f", which resolves to {text}"
                raise SettingsError(
                    f"{field} names {host}{leads}: Weir does not call link-local addresses and metadata services of clouds."
                    f" Name another address, or add this one to {SETTING}.",
                    details={"field": field, "address": host},
                )

    def _may(self, address: Address) -> bool:
        inside = carried(address)
        if self._allowed.has(inside) or self._allowed.has(address):
            return True
        return not any(inside in network for network in _NEVER_A_SERVER if network.version == inside.version)
