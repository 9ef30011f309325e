"""A schema registry that is frozen keeps nobody who waits longer than ten seconds, however often a scan would ask it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from api.joins.query_tables import Tables
from catalog.call_deadline import patience
from scanners.model import ClusterConnection
from scanners.ports import RegistryAnswer
from tests.api_world import world
from tests.twins.scanners import MemoryRegistry

LONGEST = 9.0


def test_a_test_of_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(MemoryRegistry, "newest", lambda *_: waits.append(patience(1000)))
    spec = {"bootstrapServers": "localhost:9092", "schemaRegistry": {"url": "http://localhost:8081"}}
    with world(tmp_path) as weir:
        answer = weir.admin.post("/api/v1/clusters/test", json={"name": "prod", "spec": spec})
    assert answer.status_code == 200, answer.text
    assert len(waits) == 1 and waits[0] < LONGEST


def test_a_query() -> None:
    waits: list[float] = []

    class Registry:
        def for_topics(self, *_: Any) -> RegistryAnswer:
            waits.append(patience(1000))
            return RegistryAnswer({})

    tables = Tables(*(cast(Any, None),) * 4, cast(Any, Registry()), lambda: None)
    tables._registered(ClusterConnection("prod", "kafka://localhost:9092", "localhost:9092"), "orders", ())
    assert len(waits) == 1 and waits[0] < LONGEST
