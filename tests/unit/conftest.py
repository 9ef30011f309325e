"""Unit tests reach no network: a socket to anywhere is an error, and no host name but this machine's has an address."""

from collections.abc import Iterator

import pytest
from pytest_socket import disable_socket, enable_socket

from catalog.declared import server_addresses


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(server_addresses, "lookup", _no_name_server)
    disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


def _no_name_server(host: str, port: int) -> list[str]:
    if host == "localhost":
        return ["127.0.0.1"]
    raise OSError("no name server is here")
