"""Which field, header or subject distinguishes the shapes of a topic, and when none does."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import fastavro
import pytest

from catalog.model import ScanWindow
from scanners.model import RawRecord, RegisteredSchema
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed

BODIES: dict[str, dict[str, Any]] = {
    "placed": {"cart": 1, "sum": 2},
    "paid": {"card": "x"},
    "sent": {"van": 1, "at": "y", "to": "z"},
}


def shapes(records: list[RawRecord], schemas: Schemas | None = None):
    sketches = []
    for part in (records[: len(records) // 2], records[len(records) // 2 :]):
        profiler = TopicProfiler("t", schemas or Schemas(), "s")
        profiler.add(part)
        sketches.append(profiler.sketch)
    return schema_of(sealed("t", sketches), ScanWindow()).shapes


def rows(make, count: int = 300) -> list[RawRecord]:
    draw = random.Random(5)
    raw_records = []
    for i in range(count):
        kind = draw.choice(sorted(BODIES))
        value, headers = make(kind, i, draw)
        raw_records.append(
            RawRecord(None, value if isinstance(value, bytes) else json.dumps(value).encode(), headers, 0, i, i)
        )
    return raw_records


def told(shapes_of) -> set[tuple[str, Any]]:
    return {item for shape in shapes_of for item in (shape.when or {}).items()}


@pytest.mark.parametrize(
    ("path", "make"),
    [
        ("value.kind", lambda k, i, d: ({"kind": k, "id": i, **BODIES[k]}, [])),
        ("value.status", lambda k, i, d: ({"status": k, "id": i, **BODIES[k]}, [])),
        ("value.meta.type", lambda k, i, d: ({"meta": {"type": k, "v": 1}, **BODIES[k]}, [])),
        ("value.data.event", lambda k, i, d: ({"data": {"event": k, "body": BODIES[k]}, "id": i}, [])),
        ("headers.event", lambda k, i, d: ({"id": i, **BODIES[k]}, [("event", k.encode())])),
        ("value.type", lambda k, i, d: ({"type": k, **BODIES[k], **({"note": 1} if d.random() < 0.4 else {})}, [])),
        ("value.type", lambda k, i, d: ({"type": k, "lang": d.choice(["en", "de"]), **BODIES[k]}, [])),
    ],
)
def test_one_field_tells(path, make):
    assert told(shapes(rows(make))) == {(path, kind) for kind in BODIES}


def test_a_boolean_tells():
    shape_list = shapes(
        rows(
            lambda k, i, d: (
                {"deleted": True, "id": i} if k == "paid" else {"deleted": False, "id": i, "body": "x"},
                [],
            )
        )
    )
    assert told(shape_list) == {("value.deleted", True), ("value.deleted", False)}


@pytest.mark.parametrize("space", ["shop", "com.acme.shop_20241105.v1", f"com.{'a' * 80}.events"])
def test_the_record_names_of_registered_schemas_tell(space):
    schemas = {}
    for number, (kind, body) in enumerate(sorted(BODIES.items()), 1):
        text = {
            "type": "record",
            "name": kind.title(),
            "namespace": space,
            "fields": [
                {"name": name, "type": "int" if isinstance(value, int) else "string"} for name, value in body.items()
            ],
        }
        schemas[kind] = RegisteredSchema(number, "AVRO", json.dumps(text), (), f"t-{space}.{kind.title()}", 1)

    def make(kind, i, draw):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, json.loads(schemas[kind].text), BODIES[kind])
        return b"\x00" + schemas[kind].id.to_bytes(4, "big") + out.getvalue(), []

    shape_list = shapes(rows(make), Schemas({s.id: s for s in schemas.values()}))
    assert told(shape_list) == {("subject", f"{space}.{kind.title()}") for kind in BODIES}


@pytest.mark.parametrize(
    "make",
    [
        # A field that is independent of the shapes, however telling its name.
        lambda k, i, d: ({"type": d.choice(["x", "y"]), **BODIES[k]}, []),
        # A field that is almost always the same.
        lambda k, i, d: ({"type": "order" if i % 50 else "other", **BODIES[k]}, []),
        # An identifier is no kind, though it determines everything.
        lambda k, i, d: ({"type": f"order-{i:06}", **BODIES[k]}, []),
        # Right in seven of ten records is not enough.
        lambda k, i, d: ({"type": k if d.random() < 0.7 else d.choice(sorted(BODIES)), **BODIES[k]}, []),
        # Numbers and texts that are data.
        lambda k, i, d: ({"price": i * 1.5, "name": f"Some Body {i}", **BODIES[k]}, []),
        # Two fields together would tell; neither does alone.
        lambda k, i, d: (lambda a, b: ({"a": a, "b": b, **BODIES["paid" if a == b else "sent"]}, []))(
            *d.choices("xy", k=2)
        ),
    ],
)
def test_none_is_invented(make):
    assert told(shapes(rows(make))) == set()


def test_shapes_that_all_differ_have_no_discriminator():
    shape_list = shapes(rows(lambda k, i, d: ({"type": k, **{f"f{n}": 1 for n in d.sample(range(20), 6)}}, [])))
    assert told(shape_list) <= {("others", str(n)) for n in range(400)} or all(
        set(s.when or ()) <= {"others"} for s in shape_list
    )
