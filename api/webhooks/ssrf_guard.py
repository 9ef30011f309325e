"""Which addresses a webhook may call: what a host name resolves to, and what of it is inside the network."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from catalog.declared.server_addresses import Address, AllowList, Lookup, carried, lookup, written_address
from catalog.event_model import DeliveryFailed

_NEVER_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "::/96",
            "fec0::/10",
            "3fff::/20",
            "64:ff9b:1::/48",
            "5f00::/16",
            "192.0.0.0/24",
            "192.88.99.0/24",
            "168.63.129.16/32",
        ),
    )
)
"""Local, for documents, out of use by IANA's special-purpose registries, or of a cloud; not all known to `ipaddress` as such."""


class Guard:
    """Which addresses may be called. `allowed`: host names (`*.corp` too), addresses, networks."""

    def __init__(self, allowed: Sequence[str], find: Lookup = lookup) -> None:
        self._allowed, self._find = AllowList(allowed), find

    def addresses(self, host: str, port: int) -> list[str]:
        """Where a host may be reached. Raises DeliveryFailed when any of its addresses is not allowed."""
        written = written_address(host)
        try:
            addresses = [str(written)] if written is not None else self._find(host, port)
        except OSError:
            raise DeliveryFailed(f"The host {host} is not known.") from None
        self._check(host, addresses)
        return addresses

    def check_written(self, host: str) -> None:
        """As `addresses`, without asking anyone: an address in any spelling, and `localhost`."""
        written = written_address(host)
        if written is not None or host.lower() == "localhost":
            self._check(host, [str(written) if written is not None else "127.0.0.1"])

    def _check(self, host: str, addresses: Sequence[str]) -> None:
        if self._allowed.has_name(host):
            return
        for text in addresses:
            address = written_address(text)
            if address is None or not self._may(address):
                raise DeliveryFailed(
                    f"{host} is an address inside the network; add it to WEIR_EVENTS__WEBHOOK_ALLOWED_HOSTS to allow it."
                )

    def _may(self, address: Address) -> bool:
        inside = carried(address)
        if self._allowed.has(inside) or self._allowed.has(address):
            return True
        for each in (address, inside):
            if any(each in network for network in _NEVER_PUBLIC if network.version == each.version):
                return False
        return inside.is_global and not inside.is_multicast and not inside.is_reserved
