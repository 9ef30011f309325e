"""Whether anybody listens at an address, asked before a client that would retry for minutes."""

from __future__ import annotations

import socket
import ssl
import struct
from urllib.parse import urlsplit

from catalog.errors import SettingsError, Unavailable


def require_spark(remote: str, timeout_s: float = 2.0) -> None:
    """Return when the port of a Spark Connect URL (`sc://host:port/;token=...`) is open.

    Raises Unavailable naming host and port, never the token; SettingsError for any other URL.
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


_API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)
"""Kafka's first request, length included: api key 18 in version 0, correlation id 1, no client. Brokers answer before sign-in."""


def port_state(address: str, timeout_s: float = 2.0) -> str:
    """What HOST:PORT is: `kafka` (answers without TLS), `tls`, `open`, `refused`, `unknown host` or `no answer`."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        with socket.create_connection((host, int(port)), timeout_s) as connection:
            if _answers_kafka(connection):
                return "kafka"
        return "tls" if _shakes_hands(host, int(port), timeout_s) else "open"
    except ConnectionRefusedError:
        return "refused"
    except socket.gaierror:
        return "unknown host"
    except (OSError, ValueError):
        return "no answer"


def _answers_kafka(connection: socket.socket) -> bool:
    """Whether the other side answers Kafka's first request with its correlation id."""
    try:
        connection.sendall(_API_VERSIONS)
        answer = b""
        while len(answer) < 8 and (more := connection.recv(8 - len(answer))):
            answer += more
    except OSError:
        return False
    return len(answer) == 8 and answer[4:] == struct.pack(">i", 1)


def _shakes_hands(host: str, port: int, timeout_s: float) -> bool:
    """Whether the port does TLS. Nothing is sent over it, so no certificate is checked; one asked of us comes later."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout_s) as connection,
            context.wrap_socket(connection, server_hostname=host),
        ):
            return True
    except OSError:
        return False
