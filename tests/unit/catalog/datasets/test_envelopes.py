"""Envelopes in the catalog: order of fields, decisions on what is not listed, no change of schema by being recognised."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from catalog.datasets.carry_over import carry_over
from catalog.datasets.diff import differences
from catalog.datasets.facts import dataset_facts, leaf_paths
from catalog.envelopes import payload_first, payload_of, unlisted, unwrapped_payload
from catalog.model import ScanWindow, SchemaVersion
from catalog.records import DatasetRecord
from catalog.search.documents import entries
from tests.catalog_samples import ORDERS, profile, schema

ENVELOPE: dict[str, dict[str, Any]] = {
    "value": {
        "layers": ["connect", "debezium"],
        "payload": ["value.payload.after", "value.payload.before"],
        "discriminator": "value.payload.op",
        "fits": 10,
        "records": 10,
        "unlisted": ["value.schema", "value.schema.fields[].field", "value.schema.type"],
    }
}
PATHS = [
    "key",
    "value",
    "value.payload",
    "value.payload.after",
    "value.payload.after.id",
    "value.payload.before",
    "value.payload.before.id",
    "value.payload.op",
    "value.schema",
    "value.schema.fields[].field",
    "value.schema.type",
]


def scanned(detected: tuple[str, ...] = ()) -> SchemaVersion:
    return unwrapped_payload(replace(schema(PATHS), envelopes=ENVELOPE), detected)


def paths(version: SchemaVersion) -> list[str]:
    return [f.path for f in version.fields]


def test_the_payload_is_in_front_and_what_describes_it_is_not_listed() -> None:
    version = scanned()
    assert paths(version)[:3] == ["value.payload.after.id", "value.payload.before.id", "key"]
    assert unlisted(version) == set(ENVELOPE["value"]["unlisted"]) and not unlisted(version) & set(paths(version))
    assert payload_first(version.fields, {}) == version.fields
    assert str(payload_of(ENVELOPE)) == "value.payload.after"
    assert payload_of({"value": {"payload": ["value"]}}) is None and payload_of({}) is None


def test_what_is_not_listed_is_still_decided_for() -> None:
    version = scanned()
    assert {"value.schema.fields[].field", "value.schema.type"} <= leaf_paths(version)
    facts = dataset_facts(DatasetRecord(ORDERS), version, (), (), {})
    assert {"value.schema.fields[].field", "value.schema.type"} <= {f.path for f in facts.fields if f.classified}
    blind = dataset_facts(DatasetRecord(ORDERS, scan={"unscanned": ["value.schema"]}), version, (), (), {})
    assert "value.schema.type" not in {f.path for f in blind.fields if f.classified}


def test_where_personal_data_was_found_stays_a_field() -> None:
    version = scanned(("value.schema.type",))
    assert {"value.schema", "value.schema.type"} <= set(paths(version))
    assert unlisted(version) == {"value.schema.fields[].field"}


def test_being_recognised_is_no_change_of_the_schema() -> None:
    before, after = schema(PATHS), scanned()
    assert differences(before, after) == () and differences(after, before) == ()


def test_a_later_sample_keeps_order_and_leaves_out_what_describes() -> None:
    small = replace(
        scanned(), window=ScanWindow((), 20), fields=tuple(profile(p, records=20) for p in paths(scanned()))
    )
    old = replace(schema([*PATHS, profile("value.payload.after.rare", 0.01)]), envelopes={})
    kept = carry_over(old, small)
    assert "value.payload.after.rare" in paths(kept)[:2] and not [
        p for p in paths(kept) if p.startswith("value.schema")
    ]
    nothing = replace(schema([]), window=ScanWindow((), 0))
    assert carry_over(small, nothing).envelopes == ENVELOPE
    assert SchemaVersion.from_json(small.to_json()) == small
    assert SchemaVersion.from_json(before_envelopes(small)).envelopes == {}


def before_envelopes(version: SchemaVersion) -> dict[str, object]:
    """As an earlier release stored it."""
    return {name: value for name, value in version.to_json().items() if name != "envelopes"}


def test_a_field_of_the_payload_is_found_by_its_own_name() -> None:
    by_path = {e.source.get("path"): e for e in entries(DatasetRecord(ORDERS, cluster="prod"), scanned(), (), (), {})}
    assert {"id", "orders.id", "prod.orders.id"} <= set(by_path["value.payload.after.id"].exact)
    assert "id" not in by_path["value.payload.before.id"].exact
