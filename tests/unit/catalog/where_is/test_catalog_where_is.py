"""The where-is report: every place, and what was not looked at."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import pytest

from catalog.declared.dataset_specs import DatasetSpec
from catalog.errors import DatasetNotFound, InvalidInput, Unavailable
from catalog.model import Classification, DatasetId, ReviewState
from catalog.records import DeclaredDocument
from catalog.where_is.csv import COLUMNS, to_csv
from catalog.where_is.html import to_html
from catalog.where_is.places import Report, field_matches
from catalog.where_is.report import WhereIs
from tests.catalog_samples import NAMESPACE, ORDERS, World, email, profile, scan

USERS = DatasetId(NAMESPACE, "users")


class Rooms:
    """Lineage and policies, as far as the report asks them."""

    up = True

    def downstream_of_each(
        self, fields: Collection[tuple[DatasetId, str]], as_of: datetime | None
    ) -> Mapping[tuple[DatasetId, str], Sequence[Mapping[str, Any]]]:
        if not self.up:
            raise Unavailable("Neo4j does not answer.")
        return {
            (dataset, path): [
                {"id": f"datasetField:x:copy:{path}", "raw": True},
                {"id": "datasetField:x:hash:h", "raw": False},
            ]
            for dataset, path in fields
        }

    def readers_of_each(
        self, datasets: Collection[DatasetId], as_of: datetime | None
    ) -> Mapping[DatasetId, Sequence[Mapping[str, Any]]]:
        return {dataset: [{"kind": "job", "name": f"reader-of-{dataset.name}"}] for dataset in datasets}

    def who_may_read(
        self, dataset: DatasetId, paths: Sequence[str], as_of: datetime | None
    ) -> Sequence[Iterable[Mapping[str, Any]]]:
        return [[{"role": "analyst", "masked": True, "via": "mask-email"}] for _ in paths]


@pytest.fixture
def world() -> World:
    world = World()
    world.datasets.record_scan(
        scan(
            ORDERS,
            ["key", "value.customer.email", "value.customerEmail", "value.note"],
            [email("value.customer.email"), Classification("key", "PERSON", 0.7)],
            unscanned=["value.note"],
        )
    )
    world.datasets.record_scan(scan(USERS, ["value.email"], [email("value.email", 500, 1000)], complete=True))
    world.datasets.record_topics  # noqa: B018
    world.datasets.declare(DatasetId(NAMESPACE, "planned"), DatasetSpec.model_validate({}), None)
    return world


def where(world: World, **asked: Any) -> Report:
    rooms = Rooms()
    return WhereIs(world.store, world.clusters, world.clock, rooms, rooms, rooms).report(**asked)


def found(report: Report) -> list[tuple[str, str, str | None]]:
    return [(p.dataset.id.name, p.path, p.entity) for p in report.places]


def test_the_places_come_without_who_may_see_them_where_that_is_left_for_later(world: World) -> None:
    """It takes longer than the rest: nobody is asked for it, and the report does not read as "nobody"."""

    class NotAsked(Rooms):
        def who_may_read(self, *_: object) -> Sequence[Iterable[Mapping[str, Any]]]:
            raise AssertionError("who may see it was asked for")

    rooms = NotAsked()
    first = WhereIs(world.store, world.clusters, world.clock, rooms, rooms, rooms).report(
        entity="EMAIL_ADDRESS", access=False
    )
    whole = where(world, entity="EMAIL_ADDRESS")
    assert found(first) == found(whole) and found(first)
    assert first.gaps == whole.gaps
    for early, late in zip(first.to_json()["places"], whole.to_json()["places"], strict=True):
        assert early["access"] is None and late["access"]
        assert {**early, "access": late["access"]} == late


def test_an_entity_everywhere_with_flows_readers_and_access(world: World) -> None:
    report = where(world, entity="EMAIL_ADDRESS").to_json()
    assert report["asked"] == {"entity": "EMAIL_ADDRESS"}
    first, second = report["places"]
    assert (first["name"], first["path"], first["state"], first["share"]) == (
        "orders",
        "value.customer.email",
        "suggested",
        0.98,
    )
    assert first["flows"][0] == {"id": "datasetField:x:copy:value.customer.email", "raw": True}
    assert first["readers"] == [{"kind": "job", "name": "reader-of-orders"}]
    assert first["access"] == [{"role": "analyst", "masked": True, "via": "mask-email"}]
    assert (second["name"], second["share"], second["evidence"]["matched"]) == ("users", 0.5, 500)


def test_gaps_name_what_was_not_looked_at(world: World) -> None:
    world.datasets.record_scan_failure(USERS, "Its broker did not answer.")
    gaps = {(g.kind, g.dataset and g.dataset.name, g.path) for g in where(world, entity="PII").gaps}
    assert gaps == {
        ("never_scanned", "planned", None),
        ("unscanned_field", "orders", "value.note"),
        ("partial_window", "orders", None),
        ("scan_failed", "users", None),
    }


def test_pii_stands_for_all_and_rejected_ones_are_left_out(world: World) -> None:
    assert len(where(world, entity="PII").places) == 3
    world.datasets.review(ORDERS, "key", "PERSON", ReviewState.REJECTED, None, "petra")
    assert len(where(world, entity="PII").places) == 2
    assert where(world, entity="PERSON").places == ()


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        ("email", ["value.customer.email", "value.email"]),
        ("customer_email", ["value.customerEmail"]),
        ("customer.email", ["value.customer.email"]),
        ("value.customer.email", ["value.customer.email"]),
        ("value.*", ["value.customer.email", "value.customerEmail", "value.note", "value.email"]),
        ("*mail", ["value.customer.email", "value.customerEmail", "value.email"]),
        ("note", ["value.note"]),
        ("zebra", []),
    ],
)
def test_fields_are_found_by_path_end_name_or_pattern(world: World, wanted: str, paths: list[str]) -> None:
    assert [p for _, p, _ in found(where(world, field=wanted))] == paths


def test_a_field_of_one_dataset(world: World) -> None:
    assert found(where(world, field=f"{USERS}:value.email")) == [("users", "value.email", "EMAIL_ADDRESS")]
    with pytest.raises(DatasetNotFound):
        where(world, field="nowhere:value.email")


def test_terms_with_those_below_and_the_tags_they_give(world: World) -> None:
    world.store.put_document(DeclaredDocument("GlossaryTerm", "contact", {}, {"tags": ["PHONE_NUMBER"]}))
    world.store.put_document(DeclaredDocument("GlossaryTerm", "mail", {}, {"parent": "contact"}))
    spec = DatasetSpec.model_validate({"fields": [{"path": "value.note", "terms": ["mail"]}]})
    world.datasets.declare(ORDERS, spec, None)
    assert found(where(world, term="contact")) == [("orders", "value.note", None)]
    place = where(world, entity="PHONE_NUMBER").places[0]
    assert (place.path, place.state, place.evidence) == ("value.note", "confirmed", {"term": "mail"})
    with pytest.raises(InvalidInput, match="known: contact, mail"):
        where(world, term="nope")


def test_exactly_one_thing_is_asked(world: World) -> None:
    for asked in ({}, {"field": "a", "entity": "B"}, {"entity": ""}):
        with pytest.raises(InvalidInput, match="exactly one"):
            where(world, **asked)
    with pytest.raises(InvalidInput, match="future"):
        where(world, entity="PII", as_of=world.clock() + timedelta(days=1))


def test_how_it_was_known_then(world: World) -> None:
    before_review = world.clock()
    world.datasets.review(USERS, "value.email", "EMAIL_ADDRESS", ReviewState.REJECTED, None, "petra")
    world.datasets.record_scan(scan(ORDERS, ["key", "value.customer.email", "value.late"], [email("value.late")]))
    then = where(world, entity="EMAIL_ADDRESS", as_of=before_review)
    assert {p for _, p, _ in found(then)} == {"value.customer.email", "value.email"}
    assert {p for _, p, _ in found(where(world, entity="EMAIL_ADDRESS"))} == {"value.customer.email", "value.late"}
    assert found(where(world, field="late", as_of=before_review)) == []
    at_first = where(world, entity="PII", as_of=before_review - timedelta(days=1))
    assert at_first.places == ()


def test_rooms_that_do_not_answer_are_gaps(world: World) -> None:
    rooms = Rooms()
    rooms.up = False
    report = WhereIs(world.store, world.clusters, world.clock, rooms, rooms, None).report(entity="EMAIL_ADDRESS")
    assert len(report.places) == 2 and report.places[0].readers != ()
    messages = {g.kind: g.message for g in report.gaps}
    assert "Neo4j does not answer" in messages["lineage"] and "not connected" in messages["access"]
    assert sum(g.kind == "lineage" for g in report.gaps) == 1


def test_the_hash_changes_with_what_it_rests_on(world: World) -> None:
    one, two = where(world, entity="PII"), where(world, entity="PII")
    assert one.generated_at != two.generated_at and one.inputs_hash == two.inputs_hash
    world.datasets.record_scan(scan(USERS, ["value.email"], [email("value.email", 501, 1000)]))
    assert where(world, entity="PII").inputs_hash != one.inputs_hash


EVIL = DatasetId(NAMESPACE, "evil")
NASTY = "value.`=cmd|' /C calc'!A0`"


def nasty(world: World) -> Report:
    path = "value.`<script>alert(1)</script>`"
    world.datasets.record_scan(scan(EVIL, [path, NASTY], [email(path), email(NASTY)]))
    spec = {"owners": [{"user": "=HYPERLINK(1)"}, {"group": "<b>"}]}
    world.datasets.declare(EVIL, DatasetSpec.model_validate(spec), None)
    return where(world, entity="EMAIL_ADDRESS")


def test_csv_has_a_row_for_each_place_and_gap_and_no_formula(world: World) -> None:
    text = to_csv(nasty(world))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0]) == list(COLUMNS)
    assert [r["row"] for r in rows].count("place") == 4
    assert rows[-1]["row"] == "about" and "sha256:" in rows[-1]["message"]
    first = next(r for r in rows if r["path"] == "value.customer.email")
    assert (first["share"], first["matched"], first["recognizers"]) == ("0.98", "98", "EmailRecognizer")
    assert first["access"] == "role analyst (masked, via mask-email)"
    assert any(r["row"] == "gap: never_scanned" for r in rows)
    for row in rows:
        assert all(not value.startswith(("=", "+", "-", "@")) for value in row.values())
    assert any(r["owners"].startswith("'=HYPERLINK") for r in rows)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_escapes_everything_and_loads_nothing(world: World) -> None:
    page = to_html(nasty(world))
    parser = Tags()
    parser.feed(page)
    assert "script" not in parser.tags and "b" not in parser.tags and "link" not in parser.tags
    assert "<script>alert(1)</script>" in parser.text and "group:<b>" in parser.text
    assert "4 places" in parser.text and "sha256:" in parser.text
    assert "http://" not in page and "https://" not in page


def test_html_of_nothing_found_speaks_of_the_gaps(world: World) -> None:
    page = to_html(where(world, entity="US_SSN"))
    assert "No place was found" in page and "never scanned" in page


def test_a_field_without_a_tag_is_a_place_too(world: World) -> None:
    place = where(world, field="note").to_json()["places"][0]
    assert (place["entity"], place["state"], place["share"], place["evidence"]) == (None, None, None, {})


def test_matching_ignores_how_arrays_and_maps_are_written() -> None:
    assert field_matches("items.sku", "value.items[].sku")
    assert field_matches("attributes.contact", "value.attributes{contact}")
    assert not field_matches("ail", "value.email") and not field_matches("", "value.email")


def test_retention_is_told(world: World) -> None:
    from dataclasses import replace

    record = world.datasets.get(USERS)
    world.store.put_dataset(replace(record, topic={"cleanupPolicy": "compact", "retentionMs": 1}))
    assert "compacted: the newest of each key" in to_html(where(world, entity="EMAIL_ADDRESS"))
    world.store.put_dataset(replace(record, topic={"cleanupPolicy": "delete", "retentionMs": 7 * 86_400_000}))
    assert "7 days" in to_html(where(world, entity="EMAIL_ADDRESS"))
    assert profile("key").path == "key"


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("value.custmer.email", "; did you mean value.customer.email?"),
        ("custmer.email", "; did you mean customer.email?"),
        ("emial", "; did you mean email?"),
        ("nothing_like_it", "."),
        (f"{NAMESPACE}/orders:value.nte", "; did you mean value.note?"),
    ],
)
def test_a_name_that_no_field_has_is_a_gap(world: World, asked: str, near: str) -> None:
    """Without one it reads as if the field was nowhere."""
    report = WhereIs(world.store, world.clusters, world.clock).report(field=asked)
    assert not report.places
    name = asked.rpartition(":")[2]
    assert (report.gaps[0].kind, report.gaps[0].message) == (
        "field",
        f"No field in the catalog is called {name!r}{near}",
    )
    known = WhereIs(world.store, world.clusters, world.clock).report(field="email")
    assert known.places and not [gap for gap in known.gaps if gap.kind == "field"]
