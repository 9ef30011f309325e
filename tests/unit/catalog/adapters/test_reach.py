"""A Spark that is not there is reported at once, by host and port, without its token."""

from __future__ import annotations

import pytest
from pytest_socket import enable_socket

from catalog.adapters.port_check import require_spark
from catalog.errors import SettingsError, Unavailable


def test_a_closed_port_is_named_and_the_token_is_not() -> None:
    enable_socket()
    with pytest.raises(Unavailable) as caught:
        require_spark("sc://127.0.0.1:1/;token=hidden")
    assert "127.0.0.1:1" in caught.value.message and "hidden" not in caught.value.message


@pytest.mark.parametrize("wrong", ["", "localhost:15002", "http://localhost:15002", "sc://", "sc://host:port"])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    with pytest.raises(SettingsError):
        require_spark(wrong)
