"""Whether anybody listens at an address, asked before a client that would go on trying for minutes."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from catalog.errors import SettingsError, Unavailable


def require_spark(remote: str, timeout_s: float = 2.0) -> None:
    """Return when the port of a Spark Connect URL (`sc://host:port/;token=...`) is open.

    Raises Unavailable naming host and port, never the token; SettingsError when it is no such URL.
    """
    address = urlsplit(remote)
    try:
        host, port = address.hostname, address.port or 15002
    except ValueError:
        host, port = None, 0
    if address.scheme != "sc" or host is None:
        raise SettingsError("WEIR_SPARK__REMOTE is not an address such as sc://localhost:15002.")
    try:
        with socket.create_connection((host, port), timeout_s):
            return
    except OSError:
        raise Unavailable(
            f"Spark does not answer at {host}:{port}; start it with weir up, or set WEIR_SPARK__REMOTE.",
            details={"server": "spark"},
        ) from None


def port_state(address: str, timeout_s: float = 2.0) -> str:
    """Whether anybody listens at HOST:PORT: `open`, `refused`, `unknown host` or `no answer`."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout_s):
            return "open"
    except ConnectionRefusedError:
        return "refused"
    except socket.gaierror:
        return "unknown host"
    except (OSError, ValueError):
        return "no answer"
