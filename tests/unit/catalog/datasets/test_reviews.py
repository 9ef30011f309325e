"""Reviews across datasets, what a second look finds against the first, and the events of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from catalog.datasets.datasets import Datasets
from catalog.datasets.reviews import Decision, DetectionFilter, Reviews
from catalog.errors import InvalidInput
from catalog.event_model import Event
from catalog.model import Classification, DatasetId, DatasetScan, ReviewState
from tests.catalog_samples import NAMESPACE, ORDERS, World, email, scan

EMAIL = "value.email"
OTHER = DatasetId(NAMESPACE, "payments")


class Sink:
    def __init__(self) -> None:
        self.told: list[tuple[str, str, Mapping[str, Any]]] = []

    def emit(self, type: str, subject: str, data: Mapping[str, Any] | None = None) -> Event:
        self.told.append((type, subject, data or {}))
        return None  # type: ignore[return-value]

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [data for type, _, data in self.told if type == kind]


class Reviewed(World):
    def __init__(self) -> None:
        super().__init__()
        self.sink = Sink()
        self.datasets = Datasets(self.store, self.search, self.clock, self.clusters, self.sink)
        self.reviews = Reviews(self.store, self.datasets)

    def look(
        self, *classification: Classification, version: str = "1", dataset: DatasetId = ORDERS, **more: Any
    ) -> None:
        scan_result: DatasetScan = scan(dataset, ["key", EMAIL], classification, **more)
        self.datasets.record_scan(replace(scan_result, recognizers={"weir:email": version, "weir:card": version}))

    def one(self) -> Any:
        return self.datasets.classifications(ORDERS)[0]


@pytest.fixture
def world() -> Reviewed:
    return Reviewed()


def found(version: str = "1", matched: int = 98, name: str = "weir:email") -> Classification:
    plain = email(EMAIL, matched=matched, recognizer=name)
    return replace(plain, evidence={**plain.evidence, "recognizers": [{"name": name, "version": version}]})


def test_a_list_over_all_datasets_with_counts(world: Reviewed) -> None:
    world.look(found())
    world.look(found(), dataset=OTHER)
    world.datasets.review(OTHER, EMAIL, "EMAIL_ADDRESS", ReviewState.CONFIRMED, None, "petra")
    page = world.reviews.page(DetectionFilter(), 1)
    assert page.total == 2 and len(page.items) == 1
    assert page.counts["state"] == {"confirmed": 1, "suggested": 1} and page.counts["entity"] == {"EMAIL_ADDRESS": 2}
    first = page.items[0]
    assert (first.record.path, first.record.entity) == (EMAIL, "EMAIL_ADDRESS")
    assert first.dataset in (ORDERS, OTHER) and first.reference.endswith(f"/{first.dataset.name}")
    assert first.record.evidence and 0 < first.record.score <= 1
    assert world.reviews.page(DetectionFilter(state=ReviewState.SUGGESTED), 10).total == 1
    assert world.reviews.page(DetectionFilter(entity="PII"), 10).total == 2
    assert world.reviews.page(DetectionFilter(entity="PERSON"), 10).total == 0
    assert world.reviews.page(DetectionFilter(dataset="*/pay*"), 10).total == 1
    assert world.reviews.page(DetectionFilter(path="value.*"), 10).total == 2
    assert world.reviews.page(DetectionFilter(recognizer="weir:card"), 10).total == 0
    assert world.reviews.page(DetectionFilter(), 10, offset=5).items == ()


def test_many_reviews_are_taken_each_for_itself(world: Reviewed) -> None:
    world.look(found())
    world.look(found(), dataset=OTHER)
    yes = ReviewState.CONFIRMED
    asked = [
        Decision(ORDERS, EMAIL, "EMAIL_ADDRESS", yes, "seen"),
        Decision(DatasetId("nowhere", "x"), EMAIL, "EMAIL_ADDRESS", yes),
        Decision(OTHER, "nonsense", "EMAIL_ADDRESS", yes),
        Decision(OTHER, EMAIL, "EMAIL_ADDRESS", ReviewState.REJECTED),
    ]
    outcomes = world.reviews.review(asked, "petra")
    assert [o.record.state if o.record else None for o in outcomes] == [yes, None, None, ReviewState.REJECTED]
    assert "no dataset" in str(outcomes[1].problem) and "must start with" in str(outcomes[2].problem)
    assert world.one().reason == "seen" and world.one().reviewed_by == "petra"
    assert [d["state"] for d in world.sink.of("classification.reviewed")] == ["confirmed", "rejected"]
    with pytest.raises(InvalidInput, match="too many"):
        world.reviews.review(asked * 2501, "petra")


def test_a_first_find_is_told_once(world: Reviewed) -> None:
    world.look(found())
    world.look(found())
    events = world.sink.of("classification.suggested")
    assert len(events) == 1 and events[0]["classifications"][0]["path"] == EMAIL
    assert world.sink.of("classification.changed") == []


def test_a_rejection_holds_against_a_new_version_which_is_shown(world: Reviewed) -> None:
    world.look(found())
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.REJECTED, "stock", "petra")
    world.look(found())
    assert world.one().state is ReviewState.REJECTED and "change" not in world.one().evidence
    world.look(found("2"), version="2")
    assert world.one().state is ReviewState.REJECTED
    assert world.one().evidence["change"]["recognizers"] == [{"name": "weir:email", "before": "1", "now": "2"}]
    assert world.reviews.page(DetectionFilter(changed=True), 10).total == 1
    world.look(found("2"), version="2")
    assert "change" in world.one().evidence, "it waits for a reviewer"
    assert len(world.sink.of("classification.changed")) == 1
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.REJECTED, "still", "petra")
    assert "change" not in world.one().evidence
    world.look(found("1", name="custom"))
    assert world.one().state is ReviewState.SUGGESTED, "another recognizer was not rejected"


@pytest.mark.parametrize("complete", [False, True])
def test_what_was_confirmed_never_vanishes_and_says_when_it_is_not_found_again(world: Reviewed, complete: bool) -> None:
    world.look(found())
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.CONFIRMED, None, "petra")
    world.look(version="2", complete=complete)
    record = world.one()
    assert record.state is ReviewState.CONFIRMED and record.evidence["change"]["found"] is False
    assert record.evidence["change"]["recognizers"] == [{"name": "weir:email", "before": "1", "now": "2"}]
    assert record.evidence["matched"] == 98, "what was known stays"
    again = record.evidence["change"]["at"]
    world.look(version="2", complete=complete)
    assert world.one().evidence["change"]["at"] == again
    assert len(world.sink.of("classification.changed")) == 1
    world.look(found("2"), version="2")
    assert world.one().evidence["change"].get("found", True) is True


def test_a_sample_too_small_to_tell_says_nothing(world: Reviewed) -> None:
    world.look(found(matched=1))
    world.look(records=100)
    assert "change" not in world.one().evidence


def test_what_could_not_be_looked_at_is_not_missed(world: Reviewed) -> None:
    world.look(found())
    world.look(unscanned=[EMAIL])
    assert "change" not in world.one().evidence


def test_a_share_that_moved_is_shown(world: Reviewed) -> None:
    world.look(found(matched=98))
    world.look(found(matched=40))
    assert world.one().evidence["change"]["rate"] == {"before": 0.98, "now": 0.4}


def test_a_suggestion_that_ended_is_told(world: Reviewed) -> None:
    world.look(found())
    world.look(complete=True)
    assert world.datasets.classifications(ORDERS) == []
    assert world.sink.of("classification.changed")[0]["classifications"][0]["ended"] is True
