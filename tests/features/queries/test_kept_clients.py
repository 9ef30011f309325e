"""What a process keeps of clusters and topics it read is bounded, however many there were and whatever secrets they had."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import confluent_kafka.admin
import pytest

from api.joins import query_tables
from api.joins.query_tables import QueryOffsets, Tables
from policies.adapters.kafka import offsets
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.sql.windows import NEWEST
from scanners.model import ClusterConnection
from scanners.ports import RegistryAnswer

KAFKA = {"kafka.bootstrap.servers": "localhost:9092"}


class Client:
    """In the place of an admin client, which starts threads."""

    def __init__(self, living: weakref.WeakSet[Any]) -> None:
        living.add(self)

    def window(self, *_: Any) -> str:
        return "a window"


def alive(living: weakref.WeakSet[Any]) -> int:
    gc.collect()
    return len(living)


def test_clusters_whose_secrets_change_leave_no_clients_behind() -> None:
    living: weakref.WeakSet[Any] = weakref.WeakSet()
    secrets = iter(range(1000))
    connections = SimpleNamespace(client_settings=lambda _: {"sasl.password": str(next(secrets))})
    window = QueryOffsets(cast(Any, connections), lambda _: cast(Any, Client(living)))
    for _ in range(200):
        assert cast(Any, window.window(KAFKA, "orders", NEWEST, 10)) == "a window"
    assert alive(living) <= query_tables._CLUSTERS_KEPT


def test_admin_clients_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    living: weakref.WeakSet[Any] = weakref.WeakSet()
    monkeypatch.setattr(confluent_kafka.admin, "AdminClient", lambda _: Client(living))
    kept = KafkaOffsets()
    first = kept._client({**KAFKA, "kafka.sasl.username": "0"})
    assert kept._client({**KAFKA, "kafka.sasl.username": "0"}) is first
    for number in range(200):
        kept._client({**KAFKA, "kafka.sasl.username": str(number)})
    assert alive(living) <= offsets._CLIENTS_KEPT + 1  # `first` is held here


def test_registered_schemas_of_topics_are_bounded() -> None:
    asked: list[str] = []

    class Registry:
        def for_topics(self, _: ClusterConnection, topics: list[str], __: Any) -> RegistryAnswer:
            asked.extend(topics)
            return RegistryAnswer({})

    tables = Tables(*(cast(Any, None),) * 4, cast(Any, Registry()), lambda: None)
    cluster = ClusterConnection("prod", "kafka://localhost:9092", "localhost:9092")
    schemas: list[Mapping[str, object]] = [tables._registered(cluster, f"t{number}", ())[0] for number in range(1000)]
    assert len(tables._schemas) <= query_tables._TOPICS_KEPT
    assert tables._registered(cluster, "t999", ())[0] is schemas[-1] and len(asked) == 1000
    tables._registered(cluster, "t0", ())
    assert len(asked) == 1001
