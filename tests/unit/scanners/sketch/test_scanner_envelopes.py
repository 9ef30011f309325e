"""Envelopes of real tools: recognised by their structure, shown once, the payload first, nothing hidden that is data."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.datasets.facts import leaf_paths
from catalog.datasets.learned_types import from_profile
from catalog.model import DatasetScan
from scanners.model import ClusterConnection, RawRecord, RegisteredSchema
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092")
N = 80
Headers = list[tuple[str, bytes | None]]


def scan(values: Sequence[Any], keys: Sequence[Any] = (), headers: Sequence[Headers] = ()) -> DatasetScan:
    records = [
        RawRecord(
            json.dumps(keys[i]).encode() if keys else None,
            None if value is None else json.dumps(value).encode(),
            headers[i] if headers else [],
            i % 2,
            i // 2,
            1000 + i,
        )
        for i, value in enumerate(values)
    ]
    topics = {"t": records}
    (scan_result,) = Scanner(MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(), ScannerSettings()).scan(
        CLUSTER
    )
    return scan_result


def row(i: int) -> dict[str, Any]:
    return {"id": i, "email": f"anna.schmidt{i}@example.org", "note": "ok"}


def change(i: int, **row_: Any) -> dict[str, Any]:
    """As Debezium writes it."""
    op, mine = "crud"[i % 4], row_ or row(i)
    return {
        "before": mine if op in "ud" else None,
        "after": None if op == "d" else mine,
        "op": op,
        "ts_ms": 1_700_000_000_000 + i,
        "source": {"connector": "postgresql", "db": "shop", "table": "users", "lsn": i},
        "transaction": None,
    }


COLUMNS = [
    {"type": "int32", "optional": False, "field": "id"},
    {"type": "string", "optional": True, "field": "email", "default": "", "parameters": {"length": "80"}},
]
ROW = {"type": "struct", "fields": COLUMNS, "optional": True, "name": "shop.users.Value"}
SCHEMA = {
    "type": "struct",
    "optional": False,
    "name": "shop.users.Envelope",
    "version": 1,
    "fields": [
        {**ROW, "field": "before"},
        {**ROW, "field": "after"},
        {"type": "string", "optional": False, "field": "op"},
    ],
}


def connected(payload: Any, schema: Any = None) -> dict[str, Any]:
    """As Kafka Connect's JSON converter writes it."""
    return {"schema": schema or SCHEMA, "payload": payload}


def paths(dataset_scan: DatasetScan) -> list[str]:
    return [f.path for f in dataset_scan.schema.fields]


def whens(dataset_scan: DatasetScan) -> list[dict[str, Any]]:
    return [dict(s.when) for s in dataset_scan.schema.shapes if s.when]


def envelope(dataset_scan: DatasetScan, part: str = "value") -> dict[str, Any]:
    return dict(dataset_scan.schema.envelopes.get(part, {}))


def test_changes_of_debezium_are_shown_by_operation_with_the_row_first() -> None:
    scan_result = scan([change(i) for i in range(N)] + [None] * 3)
    assert envelope(scan_result)["layers"] == ["debezium"]
    assert envelope(scan_result)["payload"] == ["value.after", "value.before"]
    assert paths(scan_result)[:6] == [f"value.{r}.{n}" for r in ("after", "before") for n in ("email", "id", "note")]
    assert sorted(w["value.op"] for w in whens(scan_result)) == ["c", "d", "r", "u"]
    assert {v.path for v in scan_result.classifications} == {"value.after.email", "value.before.email"}
    assert not scan_result.problems


def test_the_schema_of_connect_is_no_thousand_fields_and_is_still_decided_for() -> None:
    scan_result = scan([connected(change(i)) for i in range(N)], keys=[connected({"id": i}, ROW) for i in range(N)])
    assert envelope(scan_result)["layers"] == ["connect", "debezium"]
    assert envelope(scan_result)["payload"] == ["value.payload.after", "value.payload.before"]
    assert envelope(scan_result, "key")["payload"] == ["key.payload"]
    assert not [p for p in paths(scan_result) if p.startswith(("value.schema", "key.schema"))]
    assert sorted(w["value.payload.op"] for w in whens(scan_result)) == ["c", "d", "r", "u"]
    # No column of a query, and a place that a decision on the whole record rests on.
    assert [name for name, _ in from_profile(scan_result.schema.fields).fields] == ["payload"]  # type: ignore[union-attr]
    assert {"value.schema.fields[].fields[].field", "key.schema.type"} <= leaf_paths(scan_result.schema)


def test_personal_data_in_the_schema_of_connect_stays_a_field() -> None:
    def poisoned(i: int) -> dict[str, Any]:
        return {**SCHEMA, "doc": f"anna.schmidt{i}@example.org"}

    scan_result = scan([connected(row(i), poisoned(i)) for i in range(N)])
    assert "value.schema.doc" in paths(scan_result) and "value.schema.name" not in paths(scan_result)
    assert "value.schema.doc" in {v.path for v in scan_result.classifications}


def test_what_is_no_word_of_connect_stays_a_field() -> None:
    scan_result = scan([connected(row(i), {**SCHEMA, **({"secret": "x"} if i == 7 else {})}) for i in range(N)])
    assert "value.schema.secret" in paths(scan_result) and "value.schema.type" not in paths(scan_result)


def test_a_schema_beside_a_payload_that_is_none_of_connect_is_data() -> None:
    scan_result = scan([{"schema": {"colour": "red", "type": "x"}, "payload": row(i)} for i in range(N)])
    assert "value.schema.colour" in paths(scan_result) and "connect" not in envelope(scan_result).get("layers", [])


def test_cloud_events_are_told_by_type_in_the_value_or_in_headers() -> None:
    types = ["com.acme.order.created", "com.acme.order.paid"]
    documents = [
        {"specversion": "1.0", "id": str(i), "source": "/shop", "type": types[i % 2], "data": row(i)} for i in range(N)
    ]
    scan_result = scan(documents)
    assert (envelope(scan_result)["layers"], envelope(scan_result)["payload"]) == (["cloudevents"], ["value.data"])
    assert sorted(w["value.type"] for w in whens(scan_result)) == types
    assert paths(scan_result)[:3] == ["value.data.email", "value.data.id", "value.data.note"]
    attributes: list[Headers] = [
        [("ce_specversion", b"1.0"), ("ce_type", types[i % 2].encode()), ("ce_source", b"/shop"), ("ce_id", b"%d" % i)]
        for i in range(N)
    ]
    scan_result = scan([row(i) for i in range(N)], headers=attributes)
    assert (envelope(scan_result)["layers"], envelope(scan_result)["payload"]) == (["cloudevents"], ["value"])
    assert sorted(w["headers.ce_type"] for w in whens(scan_result)) == types
    assert paths(scan_result)[0] == "value.email"


def test_webhooks_are_told_by_the_header_of_the_event() -> None:
    def body(i: int) -> dict[str, Any]:
        common = {"sender": {"login": "x"}, "repository": {"id": 1}}
        return {"ref": "main", "commits": [], **common} if i % 2 else {"action": "opened", "issue": row(i), **common}

    hooks: list[Headers] = [[("X-GitHub-Event", b"push" if i % 2 else b"issues")] for i in range(N)]
    scan_result = scan([body(i) for i in range(N)], headers=hooks)
    assert envelope(scan_result)["layers"] == ["webhook"]
    assert sorted(w["headers.X-GitHub-Event"] for w in whens(scan_result)) == ["issues", "push"]
    assert envelope(scan([body(0) for _ in range(N)]))["layers"] == ["webhook"]


@pytest.mark.parametrize("wrap", ["plain", "debezium", "connect"])
def test_outbox_tables_are_told_by_type_and_their_documents_are_the_payload(wrap: str) -> None:
    def event(i: int) -> dict[str, Any]:
        kind = ["OrderCreated", "OrderPaid"][i % 2]
        return {
            "id": str(i),
            "aggregate_type": "order",
            "aggregate_id": "7",
            "type": kind,
            "payload": json.dumps(row(i)),
        }

    make = {
        "plain": event,
        "debezium": lambda i: change(0, **event(i)),
        "connect": lambda i: connected(change(0, **event(i))),
    }[wrap]
    at = {"plain": "value", "debezium": "value.after", "connect": "value.payload.after"}[wrap]
    scan_result = scan([make(i) for i in range(N)])
    assert envelope(scan_result)["layers"][-1] == "outbox" and envelope(scan_result)["payload"] == [f"{at}.payload"]
    assert paths(scan_result)[0] == f"{at}.payload.email"
    assert sorted(w[f"{at}.type"] for w in whens(scan_result)) == ["OrderCreated", "OrderPaid"]
    # What is inside a text is decided for the text, and named in the evidence.
    (verdict,) = [v for v in scan_result.classifications if v.path == f"{at}.payload"]
    assert verdict.evidence["insideText"] == [f"{at}.payload.email"]


def test_a_type_beside_data_is_an_envelope_and_a_type_among_fields_is_none() -> None:
    scan_result = scan([{"event": ["a", "b"][i % 2], "at": i, "properties": row(i)} for i in range(N)])
    assert (envelope(scan_result)["layers"], envelope(scan_result)["discriminator"]) == (["event"], "value.event")
    assert not scan([{"type": ["a", "b"][i % 2], **row(i)} for i in range(N)]).schema.envelopes


def test_what_is_not_in_the_envelope_is_counted_and_listed() -> None:
    scan_result = scan([change(i) for i in range(N)] + [{"heartbeat": i} for i in range(20)])
    assert (envelope(scan_result)["fits"], envelope(scan_result)["records"]) == (N, N + 20)
    (problem,) = [p for p in scan_result.problems if p["reason"] == "not_in_envelope"]
    assert (problem["part"], problem["count"]) == ("value", 20) and "value.heartbeat" in paths(scan_result)
    few = scan([change(i) for i in range(20)] + [{"heartbeat": i} for i in range(N)])
    assert not few.schema.envelopes and "value.op" in paths(few)


_DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["c", "u", "1.0", "opened", "struct", "/x"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "schema",
                    "payload",
                    "op",
                    "after",
                    "before",
                    "ts_ms",
                    "type",
                    "data",
                    "fields",
                    "optional",
                    "specversion",
                    "source",
                    "action",
                    "aggregatetype",
                    "aggregateid",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_DOCUMENTS, min_size=1, max_size=12))
def test_whatever_the_records_are_no_place_is_lost(documents: list[Any]) -> None:
    """Every place of the profile is a field, or one that decisions still know of and that only describes."""
    scan_result = scan(documents)
    unlisted = {p for e in scan_result.schema.envelopes.values() for p in e["unlisted"]}
    assert not unlisted & set(paths(scan_result))
    assert all(p.startswith(("value.schema", "value.payload.schema")) or ".schema" in p for p in unlisted)
    for part, result in scan_result.schema.envelopes.items():
        assert 0 < result["fits"] <= result["records"] and all(p.split(".")[0] == part for p in result["payload"])


def test_registered_avro_in_an_envelope_keeps_the_payload_first() -> None:
    """As Debezium writes with the Avro converter: the row is a branch of a union."""
    row_ = {
        "type": "record",
        "name": "Value",
        "fields": [{"name": "id", "type": "int"}, {"name": "email", "type": "string"}],
    }
    whole = {
        "type": "record",
        "name": "Envelope",
        "namespace": "shop.users",
        "fields": [
            {"name": "before", "type": ["null", row_]},
            {"name": "after", "type": ["null", "Value"]},
            {
                "name": "source",
                "type": {"type": "record", "name": "Source", "fields": [{"name": "db", "type": "string"}]},
            },
            {"name": "op", "type": "string"},
            {"name": "ts_ms", "type": ["null", "long"]},
        ],
    }
    records = []
    for i in range(N):
        out = io.BytesIO()
        fields_of = {
            name: value
            for name, value in change(i, id=i, email=f"anna{i}@example.org").items()
            if name != "transaction"
        }
        fastavro.schemaless_writer(out, fastavro.parse_schema(whole), {**fields_of, "source": {"db": "shop"}})
        records.append(RawRecord(None, b"\0" + (7).to_bytes(4, "big") + out.getvalue(), [], 0, i, 1000 + i))
    registry = MemoryRegistry({7: RegisteredSchema(7, "AVRO", json.dumps(whole), subject="t-value", version=1)})
    connection = ClusterConnection("prod", "kafka://k:9092", "k:9092", registry="http://registry")
    scanner = Scanner(MemorySampler({"t": records}), MemoryOffsets({"t": records}), registry, ScannerSettings())
    (scan_result,) = scanner.scan(connection)
    assert envelope(scan_result)["layers"] == ["debezium"] and not scan_result.problems
    assert paths(scan_result)[:4] == ["value.after.email", "value.after.id", "value.before.email", "value.before.id"]
    assert sorted(w["value.op"] for w in whens(scan_result)) == ["c", "d", "r", "u"]
