"""Who listens at a port, by real sockets of this machine."""

from __future__ import annotations

import socket

from catalog.adapters.port_check import port_state


def test_a_port_is_open_refused_or_unknown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert port_state(f"127.0.0.1:{port}") == "open"
    assert port_state(f"127.0.0.1:{port}") == "refused"
    assert port_state("no-such-host.invalid:9092") == "unknown host"
    assert port_state("nonsense") in ("no answer", "unknown host")
