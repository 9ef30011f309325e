"""A scan does not read a topic again of which nothing changed, and states that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog.datasets.datasets import Datasets
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from tests.api_world import ApiWorld, orders, world

CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
"""
CONTRACT = """
apiVersion: weir/v1
kind: Contract
metadata: {name: prod.orders}
spec:
  apiVersion: v3.1.0
  kind: DataContract
  id: prod.orders
  version: 1.0.0
  status: active
  schema:
    - name: orders
      properties: [{name: order_id, logicalType: string}]
      customProperties: [{property: dataset, value: prod/orders}]
  slaProperties: [{property: latency, value: 30, unit: m}]
"""


@pytest.fixture
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(30)}) as weir:
        weir.apply(CLUSTER)
        yield weir


def scan(weir: ApiWorld, **more: Any) -> dict[str, Any]:
    """The only row of a scan that is over."""
    done = weir.scan(cluster="prod", topics=["orders"], **more)
    assert done["state"] == "done", done
    [row] = done["datasets"]
    assert isinstance(row, dict)
    return row


def dataset(weir: ApiWorld) -> dict[str, Any]:
    answer = weir.admin.get("/api/v1/datasets/kafka%3A%2F%2Flocalhost%3A9092/orders")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def test_the_row_has_the_figures_of_the_scan_that_read(weir: ApiWorld) -> None:
    first, before = scan(weir), dataset(weir)
    again, after = scan(weir), dataset(weir)
    assert "unchanged" not in first and first["records"] == 30 and first["entities"]
    assert again == {**first, "unchanged": True}
    assert "unchangedAt" not in before["scan"] and "basis" not in after["scan"]
    assert after["scan"] == {**before["scan"], "unchangedAt": after["scannedAt"]}
    assert after["scannedAt"] > before["scannedAt"]


def test_reread_reads(weir: ApiWorld) -> None:
    scan(weir)
    assert "unchanged" not in scan(weir, reread=True)
    assert "unchangedAt" not in dataset(weir)["scan"]


def test_after_a_failure_it_is_read(weir: ApiWorld) -> None:
    scan(weir)
    weir.services[Datasets].record_scan_failure(DatasetId("kafka://localhost:9092", "orders"), "Spark was away.")
    assert "unchanged" not in scan(weir)
    assert "error" not in dataset(weir)["scan"]


def test_promises_are_checked_all_the_same(weir: ApiWorld) -> None:
    scan(weir)
    weir.apply(CONTRACT)
    store = weir.services[CatalogStore]
    [before] = store.contract_checks_of(["prod/orders"])
    assert scan(weir)["unchanged"]
    [after] = store.contract_checks_of(["prod/orders"])
    assert before.checked_at is not None and after.checked_at is not None and after.checked_at > before.checked_at
