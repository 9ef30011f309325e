"""The optional Kafka Connect worker: not started unless it is named, closed to strangers in a secured instance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.errors import Unavailable
from connectors.adapters.rest import ConnectRest
from stack import Instance, StackSettings

pytestmark = [pytest.mark.integration, pytest.mark.own_servers]
SETTINGS = StackSettings(kafka_port=0, registry_port=0, connect_port=0, secured=True, start_timeout=170)


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    one = Instance(tmp_path / "home", SETTINGS)
    yield one
    one.down(wipe=True)


def test_a_secured_worker_takes_its_own_user_alone(instance: Instance) -> None:
    assert instance.addresses().connect == ""
    addresses = instance.up(detach=True, only=["kafka", "connect"])
    assert {row["name"] for row in instance.status() if row["state"] == "ready"} == {"kafka", "connect"}
    assert addresses.connect_login is not None
    user, password = addresses.connect_login
    worker = ConnectRest(addresses.connect, (user, password))
    assert {plugin.name.rpartition(".")[2] for plugin in worker.plugins()} == {
        "FileStreamSinkConnector",
        "FileStreamSourceConnector",
        "PostgresConnector",
    }
    for login in (None, (user, "wrong")):
        with pytest.raises(Unavailable, match="refuses the credentials"):
            ConnectRest(addresses.connect, login).plugins()
    assert instance.environment()["WEIR_SECRET_STACK_CONNECT"] == password
    assert instance.addresses().as_dict()["connect_login"] == [user, password]
