"""Whether an address is this machine."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a host as it is written is this machine: `localhost`, 127.0.0.0/8, ::1. No name is looked up, so an answer
    of a name server cannot make another machine of it."""
    bare = host.strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return False
    return address.is_loopback
