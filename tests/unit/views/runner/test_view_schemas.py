"""The registered schema of an output topic: whose it is, and when it may change."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import Conflict
from tests.view_twins import TwinRegistry
from views.avro import AvroRows, full_name, name_of, schema_of
from views.declared import ViewSpec
from views.model import Registered
from views.runner.result import columns_of
from views.runner.schemas import avro_text, refuse_foreign, register

COLUMNS = [("id", "string"), ("who", "struct<name:string,born:date>"), ("price", "decimal(12,2)")]


def spec(form: str = "avro") -> ViewSpec:
    sink = {"cluster": "prod", "topic": "copy", "format": form}
    return ViewSpec.model_validate({"sql": "SELECT 1", "runAs": {"user": "rep"}, "sink": sink})


def test_a_schema_has_a_name_of_its_view_and_every_field_may_be_null() -> None:
    text = avro_text("shop.9-live", spec(), COLUMNS)
    assert text is not None and full_name(text) == "weir.views.shop._9_live" == name_of("shop.9-live")
    assert [field["default"] for field in json.loads(text)["fields"]] == [None] * 3
    assert avro_text("shop.9-live", spec("json"), COLUMNS) is None
    fastavro.parse_schema(json.loads(text))


@pytest.mark.parametrize("kind", ["struct<`user-id`:string>", "array<struct<`1`:int>>"])
def test_a_name_that_avro_does_not_take_is_named(kind: str) -> None:
    with pytest.raises(Conflict, match="who"):
        avro_text("v", spec(), [("who", kind)])


def test_a_subject_of_something_else_is_refused_and_its_own_may_follow() -> None:
    registry = TwinRegistry()
    text = avro_text("v", spec(), COLUMNS)
    assert text is not None and spec().sink is not None
    refuse_foreign("v", spec(), registry)
    assert register(spec().sink, text, registry) == Registered(1, text)  # type: ignore[arg-type]
    refuse_foreign("v", spec(), registry)
    for view, form in (("other", "avro"), ("v", "json")):
        with pytest.raises(Conflict, match="copy-value"):
            refuse_foreign(view, spec(form), registry)
    wider = avro_text("v", spec(), [*COLUMNS, ("n", "int")])
    assert wider is not None
    registry.agrees = False
    with pytest.raises(Conflict, match="compatibility"):
        register(spec().sink, wider, registry)  # type: ignore[arg-type]
    assert len(registry.schemas["copy-value"]) == 1
    registry.agrees = True
    assert register(spec().sink, wider, registry).id == 2  # type: ignore[arg-type]


def test_a_cluster_without_a_registry_takes_json_only() -> None:
    refuse_foreign("v", spec("json"), TwinRegistry(there=False))
    with pytest.raises(Conflict, match="schemaRegistry"):
        refuse_foreign("v", spec(), TwinRegistry(there=False))


@given(st.dates(), st.datetimes(), st.decimals(-(10**9), 10**9, places=2), st.binary(), st.floats(width=32))
def test_dates_times_and_decimals_are_read_as_they_are(day, at, price, raw, small) -> None:
    columns = columns_of(
        [("d", "date"), ("t", "timestamp_ntz"), ("p", "decimal(38,2)"), ("b", "binary"), ("f", "float")]
    )
    text = schema_of(columns, "weir.views.v")
    out = io.BytesIO()
    row = {"d": day, "t": at, "p": price, "b": raw, "f": small}
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(text)), row)
    read: dict[str, Any] = AvroRows(Registered(5, text), columns).read(b"\0\0\0\0\5" + out.getvalue())
    assert read["d"] == day.isoformat() and read["t"] == at.isoformat()
    assert read["p"] == format(price, "f") or price == 0
    # The shortest number of those bits, as Spark writes it in JSON.
    assert struct.pack(">f", float(read["f"])) == struct.pack(">f", small) or read["f"] == "NaN"


@pytest.mark.parametrize("value", [b"", b"\0\0\0\0\6x", b"\1\0\0\0\5", b"{}", b"\0\0\0\0\5\2\xff"])
def test_bytes_of_another_schema_are_no_row(value: bytes) -> None:
    columns = columns_of([("id", "string")])
    with pytest.raises(ValueError, match="schema"):
        AvroRows(Registered(5, schema_of(columns, "weir.views.v")), columns).read(value)
