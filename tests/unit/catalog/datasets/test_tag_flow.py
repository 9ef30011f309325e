"""Tags follow column lineage, stop at masks, and a mask that leaks is reported."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

import pytest

from api.processes.tag_sweep import MOST_S, TagSweep
from catalog.datasets.datasets import Datasets
from catalog.datasets.tag_propagation import Swept, TagFlow
from catalog.model import DatasetId, ReviewState
from tests.catalog_samples import NAMESPACE, ORDERS, World, email, scan

COPY = DatasetId(NAMESPACE, "copy")
EMAIL = "value.email"


class Followed(World):
    """Orders flow into a copy; `raw`: whether as they are. The events that were sent are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.flows: dict[tuple[DatasetId, str], list[dict[str, Any]]] = {}
        self.datasets = Datasets(self.store, self.search, self.clock, self.clusters, self)  # type: ignore[arg-type]
        self.flow = TagFlow(self.store, self.clusters, self, self.clock, self, self.search.changed)  # type: ignore[arg-type]
        self.datasets.record_scan(scan(ORDERS, ["key", EMAIL], [email(EMAIL)]))
        self.datasets.record_scan(scan(COPY, ["key", "value.mail"]))

    def emit(self, type: str, subject: str, data: Mapping[str, Any] | None = None) -> None:
        self.told.append((type, data or {}))

    def downstream_of_each(
        self, fields: Collection[tuple[DatasetId, str]], as_of: datetime | None
    ) -> Mapping[tuple[DatasetId, str], Iterable[Mapping[str, Any]]]:
        return {field: self.flows[field] for field in fields if field in self.flows}

    def link(self, raw: bool, target: str = COPY.field_node_id("value.mail")) -> None:
        self.flows[ORDERS, EMAIL] = [{"id": target, "raw": raw}]

    def copied(self) -> dict[str, str]:
        return {c.path: str(c.state) for c in self.datasets.classifications(COPY)}


@pytest.fixture
def world() -> Followed:
    return Followed()


def test_a_tag_follows_the_data_as_a_suggestion_with_its_source(world: Followed) -> None:
    world.link(raw=True)
    assert world.flow.sweep().inherited == 1
    tag = world.datasets.classifications(COPY)[0]
    assert (tag.path, tag.entity, tag.state) == ("value.mail", "EMAIL_ADDRESS", ReviewState.SUGGESTED)
    assert tag.evidence["from"] == [ORDERS.field_node_id(EMAIL)]
    assert tag.evidence["recognizers"] == [{"name": "lineage", "version": "1"}]
    assert world.flow.sweep().inherited == 0
    facts = {f.path: f.tags for f in world.datasets.facts(COPY).fields}
    assert "EMAIL_ADDRESS" in facts["value.mail"], "policies see it"


def test_a_full_scan_that_finds_nothing_does_not_end_it_but_the_end_of_the_flow_does(world: Followed) -> None:
    world.link(raw=True)
    world.flow.sweep()
    world.datasets.record_scan(scan(COPY, ["key", "value.mail"], complete=True))
    assert world.copied() == {"value.mail": "suggested"}
    world.flows.clear()
    assert world.flow.sweep().ended == 1
    assert world.copied() == {}


def test_nothing_passes_a_mask(world: Followed) -> None:
    world.link(raw=False)
    assert world.flow.sweep() == world.flow.sweep()
    assert world.copied() == {}


def test_a_rejection_of_an_inherited_tag_holds(world: Followed) -> None:
    world.link(raw=True)
    world.flow.sweep()
    world.datasets.review(COPY, "value.mail", "EMAIL_ADDRESS", ReviewState.REJECTED, "hashed before", "petra")
    world.flow.sweep()
    assert world.copied() == {"value.mail": "rejected"}


def test_a_rejected_source_passes_nothing_on(world: Followed) -> None:
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.REJECTED, None, "petra")
    world.link(raw=True)
    assert world.flow.sweep().inherited == 0


def test_raw_data_below_a_mask_is_a_leak_told_once(world: Followed) -> None:
    world.link(raw=False)
    world.datasets.record_scan(scan(COPY, ["key", "value.mail"], [email("value.mail")]))
    assert world.flow.sweep().leaks == 1
    leaks = [data for kind, data in world.told if kind == "mask.leak"]
    assert len(leaks) == 1 and leaks[0]["path"] == "value.mail" and leaks[0]["from"] == [ORDERS.field_node_id(EMAIL)]
    assert "leak" in world.datasets.classifications(COPY)[0].evidence
    world.datasets.record_scan(scan(COPY, ["key", "value.mail"], [email("value.mail")]))
    assert world.flow.sweep().leaks == 0, "the same leak is not reported again"
    world.link(raw=True)
    world.flow.sweep()
    assert "leak" not in world.datasets.classifications(COPY)[0].evidence, "it is meant to be raw now"


def test_what_arrives_raw_by_another_way_is_no_leak(world: Followed) -> None:
    world.datasets.record_scan(scan(COPY, ["key", "value.mail"], [email("value.mail")]))
    other = DatasetId(NAMESPACE, "other")
    world.datasets.record_scan(scan(other, [EMAIL], [email(EMAIL)]))
    world.link(raw=False)
    world.flows[other, EMAIL] = [{"id": COPY.field_node_id("value.mail"), "raw": True}]
    assert world.flow.sweep().leaks == 0


@pytest.mark.parametrize(
    "target",
    [
        "dataset:x:y",
        "datasetField:kafka://localhost:9092:gone:value.a",
        "job:a:b",
        COPY.field_node_id("no[path"),
        COPY.field_node_id("value.unknown"),
        "nonsense",
    ],
)
def test_what_the_catalog_does_not_hold_is_left_alone(world: Followed, target: str) -> None:
    world.link(raw=True, target=target)
    assert world.flow.sweep().inherited == 0


def test_tags_are_followed_where_something_changed_and_seldom_without(world: Followed) -> None:
    asked: list[str] = []
    folded, now = [0], [0.0]
    sweep = world.flow.sweep

    def counted() -> Swept:
        asked.append("sweep")
        return sweep()

    world.flow.sweep = counted  # type: ignore[method-assign]
    duty = TagSweep(world.flow, lambda: folded[0], lambda: now[0])
    for _ in range(3):
        duty.step()
    assert len(asked) == 1, "nothing changed since"
    world.link(raw=True)
    folded[0] += 1
    duty.step()
    assert world.copied() == {"value.mail": "suggested"}
    duty.step()
    assert len(asked) == 3, "what the sweep passed on may go further"
    duty.step()
    assert len(asked) == 3
    now[0] += MOST_S
    duty.step()
    assert len(asked) == 4, "another process may have written to the graph"
