"""Compatibility as it is judged, compared with what fastavro does with the schemas as they are written out."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.datasets.compatibility import compatibility
from catalog.datasets.diff import differences
from catalog.model import ScanWindow, SchemaVersion
from scanners.export.formats import export
from scanners.model import RawRecord
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed

Record = dict[str, Any]

NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = st.none() | st.booleans() | st.sampled_from([3, 2**40, 1.5, "x"])
TREES = st.recursive(LEAVES, lambda t: st.lists(t, max_size=2) | st.dictionaries(NAMES, t, max_size=2), max_leaves=4)
RECORDS = st.lists(st.dictionaries(NAMES, TREES, min_size=1), min_size=1, max_size=2)


def learned(records: list[Record]) -> SchemaVersion:
    profiler = TopicProfiler("t", Schemas())
    profiler.add([RawRecord(None, json.dumps(r).encode(), [], 0, n, n) for n, r in enumerate(records)])
    return schema_of(sealed("t", [profiler.sketch]), ScanWindow(complete=True, records=len(records)))


def read(records: list[Record], written: SchemaVersion, wanted: SchemaVersion) -> None:
    """Write records by one schema and read them by another. Raises where Avro's resolution fails."""
    writer, reader = (fastavro.parse_schema(json.loads(export("t", s, "avro")[0])) for s in (written, wanted))
    for record in records:
        body = io.BytesIO()
        fastavro.schemaless_writer(body, writer, record)
        body.seek(0)
        fastavro.schemaless_reader(body, writer, reader)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(RECORDS, RECORDS, st.booleans())
def test_what_is_judged_compatible_can_be_read(old: list[Record], more: list[Record], grows: bool) -> None:
    new = [*old, *more] if grows else more
    before, after = learned(old), learned(new)
    judged = compatibility(differences(before, after))
    if judged.backward:
        read(old, before, after)
    if judged.forward:
        read(new, after, before)


def test_what_cannot_be_read_is_judged_so() -> None:
    base: list[Record] = [{"a": 1, "b": "x", "l": [1]}]
    broken: dict[str, list[Record]] = {
        "type": [{"a": "1", "b": "x", "l": [1]}],
        "narrowed": [{"a": 1, "b": "x", "l": ["y"]}],
        "new and always there": [{"a": 1, "b": "x", "l": [1], "c": 1}],
    }
    for records in broken.values():
        assert not compatibility(differences(learned(base), learned(records))).backward
    assert not compatibility(differences(learned(base), learned([{"a": 1, "l": [1]}]))).forward
    assert not compatibility(differences(learned([{"a": None}, {"a": 1}]), learned([{"a": 1}]))).backward
