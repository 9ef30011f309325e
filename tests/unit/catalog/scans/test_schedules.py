"""Schedules: what is due, what waits, what is left to a dataset's own schedule."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from catalog.apply.handlers import ClusterHandler, DatasetHandler
from catalog.declared.documents import load
from catalog.declared.kinds import KINDS
from catalog.errors import InvalidInput
from catalog.scan_store import ScanState
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from tests.catalog_samples import World

CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", scan: {every: %s, records: 500, deadLetter: true}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {scan: {every: 10m, strategy: latest}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: quiet, cluster: prod}
spec: {description: "no schedule of its own"}
"""


class Scheduled:
    def __init__(self, text: str = CLUSTER % "6h") -> None:
        self.world = World()
        self.scans = Scans(self.world.store, self.world.clock, self.world.clusters)
        self.schedules = Schedules(self.world.store, self.scans, self.world.clock, "_letters")
        store, clock, datasets = self.world.store, self.world.clock, self.world.datasets
        handlers = {
            "Cluster": ClusterHandler(store, clock, datasets, None),
            "Dataset": DatasetHandler(store, clock, datasets, self.world.clusters),
        }
        for document in load(text, KINDS):
            handlers[document.kind].put(document, "admin")

    def due(self, **later: int) -> list[dict[str, Any]]:
        self.world.clock.now += timedelta(**later)
        return [dict(s.request) for s in self.schedules.request_due()]

    def end_all(self) -> None:
        for scan in self.scans.list():
            if not scan.state.over:
                self.world.store.update_scan(scan.id, {"state": ScanState.DONE})


def test_schedules_ask_for_scans_when_they_are_due() -> None:
    scheduled = Scheduled()
    assert scheduled.due() == [
        {
            "cluster": "prod",
            "topics": ["*"],
            "exclude": ["orders"],
            "sample": {"strategy": "since-last", "maxRecords": 500, "deadLetter": "_letters"},
        },
        {"cluster": "prod", "topics": ["orders"], "sample": {"strategy": "latest"}},
    ]
    scheduled.end_all()
    assert scheduled.due(minutes=9) == []
    assert [r["topics"] for r in scheduled.due(minutes=2)] == [["orders"]]
    scheduled.end_all()
    assert [r["topics"] for r in scheduled.due(hours=6)] == [["*"], ["orders"]]
    assert {s.requested_by for s in scheduled.scans.list()} == {"schedule:prod", "schedule:prod/orders"}


def test_a_scan_that_takes_longer_than_its_schedule_is_not_asked_for_again() -> None:
    scheduled = Scheduled()
    assert len(scheduled.due()) == 2
    assert scheduled.due(days=30) == []
    scheduled.end_all()
    assert len(scheduled.due()) == 2


@pytest.mark.parametrize("every", ["0m", "6", "-1h", "1w", "'* * * * *'", "100000d"])
def test_bad_schedules_are_refused(every: str) -> None:
    with pytest.raises(InvalidInput, match="every"):
        Scheduled(CLUSTER % every)


def test_a_dead_letter_topic_is_hidden() -> None:
    with pytest.raises(InvalidInput, match="underscore"):
        Scheduled((CLUSTER % "6h").replace("deadLetter: true", "deadLetter: shop.dead"))


def test_a_schedule_that_cannot_be_followed_keeps_no_other_from_it() -> None:
    scheduled = Scheduled()
    store = scheduled.world.store
    stored = store.document("Cluster", "prod")
    assert stored is not None
    store.put_document(replace(stored, spec={**stored.spec, "scan": {"every": "6h", "topics": [""]}}))
    assert [r["topics"] for r in scheduled.due()] == [["orders"]]


@pytest.mark.parametrize("topics", ["['']", "['shop.*', ' ']"])
def test_a_topic_without_a_name_is_refused_when_declared(topics: str) -> None:
    with pytest.raises(InvalidInput, match="a topic has no name"):
        Scheduled(CLUSTER.replace("every: %s", f"every: 6h, topics: {topics}"))
