"""What `weir apply` writes to the search index before it answers: datasets whose visibility changes, and no others."""

from __future__ import annotations

from pathlib import Path

from catalog.datasets.clusters import Clusters
from catalog.ports import CatalogStore
from tests.api_world import orders, world

ROLE = """
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "*"}]}
"""
VISIBILITY = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: vault}
spec: {match: {datasets: [prod/orders]}, existence: {users: [otto]}}
"""


def test_an_edit_does_not_wait_for_datasets_that_a_scan_left_to_the_index(tmp_path: Path) -> None:
    with world(tmp_path, {"orders": orders(10)}) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        store = weir.services[CatalogStore]
        store.put_dataset(weir.services[Clusters].find("prod/orders"))
        assert [each.id.name for each in store.unindexed(10)] == ["orders"]
        weir.apply(ROLE)
        assert [each.id.name for each in store.unindexed(10)] == ["orders"]
        weir.apply(VISIBILITY)
        assert list(store.unindexed(10)) == []
