import json
import random
import uuid
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.model import ScanWindow
from scanners.model import RawRecord, TopicFormat
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import MAX_FIELDS
from scanners.sketch.shapes import MAX_SHAPES
from scanners.sketch.topic import Sketch
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed


def record(value, offset=0, partition=0, key=None, headers=(), timestamp=1000):
    body = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    return RawRecord(key, body, list(headers), partition, offset, timestamp + offset)


def sketch(records, salt="s"):
    profiler = TopicProfiler("t", Schemas(), salt)
    profiler.add(records)
    return profiler.sketch


def schema(*batches):
    return schema_of(sealed("t", [sketch(b) for b in batches]), ScanWindow())


def fields(*batches):
    return {f.path: f for f in schema(*batches).fields}


def of(values):
    return [record(v, i) for i, v in enumerate(values)]


names = st.sampled_from(["a", "b", "c", "user", "type", "x.y", ""])
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "x", "2026-01-01", "é"])
)
values = st.recursive(leaves, lambda t: st.lists(t, max_size=3) | st.dictionaries(names, t, max_size=4), max_leaves=10)
documents = st.dictionaries(names, values, max_size=4)


@settings(deadline=None, max_examples=60)
@given(st.lists(documents | st.none() | st.just(b"{broken"), max_size=20), st.randoms(use_true_random=False))
def test_merging_gives_the_same_in_whatever_order_and_grouping(docs, draw):
    records = of(docs)
    whole = schema(records)
    parts: list[list[RawRecord]] = [[] for _ in range(4)]
    for r in records:
        draw.choice(parts).append(r)
    sketches = [sketch(p) for p in parts]
    draw.shuffle(sketches)
    left = Sketch.from_bytes(sketches[0].to_bytes())
    left.merge(Sketch.from_bytes(sketches[1].to_bytes()))
    right = Sketch.from_bytes(sketches[2].to_bytes())
    right.merge(Sketch.from_bytes(sketches[3].to_bytes()))
    right.merge(left)
    assert schema_of(sealed("t", [right]), ScanWindow()) == whole


@pytest.mark.parametrize("count", [30, 60, 300, 2000])
def test_many_values_are_estimated_alike_by_however_many_tasks(count):
    records = of([{"id": number, "name": f"n{number}"} for number in range(count)])
    whole = schema(records)
    assert all(schema(*[records[at::tasks] for at in range(tasks)]) == whole for tasks in (2, 3, 8))
    assert abs(fields(records)["value.name"].distinct - count) < 0.15 * count


@settings(deadline=None, max_examples=60)
@given(st.lists(documents, min_size=1, max_size=20))
def test_counts_are_those_of_a_plain_walk(docs):
    by_path = fields(of(docs))
    for name in {n for d in docs for n in d}:
        values = [d[name] for d in docs if name in d]
        path = next(p for p, f in by_path.items() if f.field_path.names == (name,) and len(f.field_path.steps) == 1)
        profile = by_path[path]
        assert profile.count == len(values)
        assert abs(profile.presence - len(values) / len(docs)) < 1e-5
        assert abs(profile.null_share - sum(v is None for v in values) / len(values)) < 1e-5
        assert abs(sum(profile.types.values()) - 1) < 1e-4


def test_types_with_widths_and_magnitudes():
    by_path = fields(of([{"n": n} for n in (1, -(2**31), 2**31, 2**63, 1.5)]))["value.n"]
    assert by_path.types == {"int32": 0.4, "int64": 0.2, "integer": 0.2, "double": 0.2}
    assert by_path.details["magnitude"] == [0, 18] and by_path.details["negative"]
    exact = fields([record(b'{"d":12345678901234567890.123456}')])["value.d"]
    assert exact.types == {"decimal": 1.0}
    assert (exact.details["precision"], exact.details["scale"]) == (26, 6)


@pytest.mark.parametrize("values", [(0.0, 0.5), (0.0, 5e9), (-0.0, 1e-9, 7.5), (0.0, 0.0), (1e-9, 1e9)])
def test_the_magnitudes_of_doubles_do_not_hang_on_how_batches_are_cut(values):
    records = of([{"n": n} for n in values])
    assert fields(records)["value.n"].details == fields(*([one] for one in records))["value.n"].details


def test_unions_and_first_places():
    by_path = fields(of([{"id": i} for i in range(7)] + [{"id": "x"}] * 3))["value.id"]
    assert by_path.types == {"int32": 0.7, "string": 0.3}
    assert by_path.details["typesFirstSeen"]["string"] == {
        "time": "1970-01-01T00:00:01.007Z",
        "partition": 0,
        "offset": 7,
    }


def test_formats_of_texts_are_shares():
    texts = [str(uuid.uuid4()), "2026-01-01", "2026-01-01T00:00:00Z", "007", "plain"]
    by_path = fields(of([{"t": t} for t in texts]))["value.t"]
    assert by_path.types == {"string": 1.0}
    assert by_path.details["formats"] == {"date": 0.2, "integer": 0.2, "timestamp": 0.2, "uuid": 0.2}


def test_a_map_keyed_by_ids_is_a_map():
    docs = [{"by_user": {str(uuid.uuid4()): {"n": i}, f"user-{i}00000": {"n": 1}}} for i in range(50)]
    by_path = fields(of(docs[:25]), of(docs[25:]))
    assert by_path["value.by_user"].types == {"map": 1.0}
    assert set(by_path) == {"value", "value.by_user", "value.by_user@keys", "value.by_user{}", "value.by_user{}.n"}
    assert by_path["value.by_user{}"].count == 100


def test_a_small_map_keeps_its_keys_and_a_struct_stays_one():
    draw = random.Random(1)
    docs = [
        {
            "attributes": {k: "v" for k in ("color", "size", "contact") if draw.random() < 0.5},
            "customer": {"name": "a", "mail": "b"},
        }
        for _ in range(100)
    ]
    by_path = fields(of(docs))
    assert by_path["value.attributes"].types == {"map": 1.0}
    assert {"value.attributes{color}", "value.attributes{}", "value.attributes@keys"} <= set(by_path)
    assert by_path["value.customer"].types == {"object": 1.0}
    assert "value.customer.mail" in by_path


def test_ten_thousand_keys_stay_bounded():
    letters = "abcdefghijklmnop"
    docs = [{"k": {"".join(letters[int(c, 16)] for c in f"{i:x}"): i}} for i in range(10_000)]
    topic_sketch = sketch(of(docs))
    assert len(topic_sketch.parts["value"].fields["k"].fields) <= MAX_FIELDS
    by_path = fields(of(docs))
    assert by_path["value.k"].types == {"map": 1.0}
    assert by_path["value.k{}"].count == 10_000
    assert 9_000 < by_path["value.k@keys"].distinct < 11_000


def test_odd_names_and_keys_that_differ_in_case():
    by_path = fields(of([{"": 1, "a.b": 2, "c`d": 3, "Id": 4, "id": 5}]))
    assert {"value.``", "value.`a.b`", "value.`c``d`", "value.Id", "value.id"} <= set(by_path)


def test_arrays_of_arrays_and_empty_ones():
    by_path = fields(of([{"m": [[1, 2], []]}, {"m": []}]))
    assert by_path["value.m"].lengths == (0, 2)
    assert by_path["value.m[]"].presence == 0.5
    assert by_path["value.m[][]"].count == 2


def test_five_shapes_with_their_discriminator():
    kinds = {"opened": ["cart"], "added": ["cart", "sku"], "paid": ["sum"], "sent": ["van", "at"], "back": ["why"]}
    draw = random.Random(2)
    docs = []
    for i in range(300):
        kind = draw.choice(sorted(kinds))
        docs.append(
            {"type": kind, "id": i, **dict.fromkeys(kinds[kind], "x"), **({"note": "y"} if draw.random() < 0.3 else {})}
        )
    shapes = schema(of(docs[:100]), of(docs[100:])).shapes
    assert {s.when["value.type"] for s in shapes} == set(kinds)
    added = next(s for s in shapes if s.when["value.type"] == "added")
    assert {"value.cart", "value.sku", "value.note"} <= set(added.paths)
    assert abs(sum(s.share for s in shapes) - 1) < 1e-4


def test_a_header_may_tell_and_a_random_field_does_not():
    draw = random.Random(3)
    records = []
    for i in range(200):
        sensor = draw.choice(["gps", "acc"])
        doc = {"lat": 1.0} if sensor == "gps" else {"ax": 1.0}
        records.append(
            record({**doc, "t": i, "tone": draw.choice(["dark", "light"])}, i, headers=[("sensor", sensor.encode())])
        )
    shapes = schema(records).shapes
    assert {s.when["headers.sensor"] for s in shapes} == {"gps", "acc"}
    plain = schema([r._replace(headers=[]) for r in records]).shapes
    assert [s.when for s in plain] == [None, None]


def test_more_shapes_than_are_kept():
    draw = random.Random(4)
    letters = "abcdefghij"
    docs = [{f"{a}{b}": 1 for a, b in zip(draw.sample(letters, 6), letters, strict=False)} for _ in range(2000)]
    topic_sketch = sketch(of(docs))
    assert len(topic_sketch.shapes) == MAX_SHAPES
    shapes = schema(of(docs)).shapes
    assert shapes[-1].when["others"] > 0
    assert abs(sum(s.share for s in shapes) - 1) < 1e-3


def test_tombstones_keys_and_headers_are_counted():
    records = [record(None, 0, key=b"k"), record({"a": 1}, 1, headers=[("h", b"x"), ("h", b"y")]), record({"a": 2}, 2)]
    by_path = fields(records)
    assert by_path["value"].presence == round(2 / 3, 6)
    assert by_path["key"].presence == round(1 / 3, 6)
    assert by_path["headers.h"].count == 2 and by_path["headers.h"].presence == round(1 / 3, 6)


def test_broken_records_are_counted_by_reason_with_their_first_place():
    version = schema(of([{"a": 1}] * 50 + [b"{oops", b'{"a":1,"a":2}', b"[" * 5000 + b"]" * 5000]))
    problems = {p["reason"]: p for p in version.problems}
    assert {k: v["count"] for k, v in problems.items()} == {"not_json": 1, "duplicate_key": 1, "too_deep": 1}
    assert problems["not_json"]["first"]["offset"] == 50
    assert {f.path: f.count for f in version.fields}["value.a"] == 51


def test_what_is_too_deep_is_named_with_its_own_part_and_offset():
    deep = b'{"d":' * 100 + b"1" + b"}" * 100
    records = [record({"a": i}, i, key=deep if i == 30 else b"{}") for i in range(50)]
    version = schema([*records, record(deep, 50), record({"a": 1}, 51), record(deep, 52)])
    by_part = {p["part"]: (p["count"], p["first"]["offset"]) for p in version.problems if p["reason"] == "too_deep"}
    assert by_part == {"key": (1, 30), "value": (2, 50)}


EVENTS = {"sent": ["ok", "fast", "vip"], "paid": ["vip", "card"], "left": ["refund", "vip"], "seen": ["app", "ok"]}


def of_types(make, events=EVENTS):
    return {f.path: f for f in schema(of([make(i, list(events)[i % len(events)]) for i in range(200)])).fields}


def test_flags_that_come_with_the_type_of_an_event_are_fields():
    version = of_types(lambda i, t: {"type": t, "properties": dict.fromkeys(EVENTS[t], bool(i % 3))})
    assert version["value.properties"].types == {"object": 1.0}
    assert version["value.properties.vip"].presence == 0.75 and "value.properties{}" not in version


def test_keys_that_do_not_come_with_the_type_stay_keys_of_a_map():
    draw = random.Random(1)
    version = of_types(lambda i, t: {"type": t, "labels": dict.fromkeys(draw.sample("abcdefghijkl", 3), "x")})
    assert version["value.labels"].types == {"map": 1.0}
    metrics = dict.fromkeys(["cpu", "memory", "disk", "net", "io", "gpu", "swap", "load"])
    version = of_types(lambda i, t: {"type": t, "values": {t: 1.5}}, metrics)
    assert version["value.values"].types == {"map": 1.0}


def test_json_and_base64_inside_texts_are_opened():
    import base64

    inner = json.dumps({"mail": "x", "n": 1})
    by_path = fields(of([{"p": inner, "b": base64.b64encode(inner.encode()).decode()} for _ in range(5)]))
    assert by_path["value.p"].types == {"string": 1.0}
    assert by_path["value.p.mail"].details["insideText"] == "value.p"
    assert by_path["value.b"].details["embedded"] == "base64 json"


def test_csv_columns_get_the_names_that_one_task_met():
    rows = [b"sku,stock,price"] + [f"A{i},{i},{i}.5".encode() for i in range(40)]
    records = [record(r, i) for i, r in enumerate(rows)]
    version = schema(records[:20], records[20:])
    by_path = {f.path: f for f in version.fields}
    assert by_path["value.stock"].types == {"int32": 1.0} and by_path["value.stock"].count == 40
    form = TopicFormat.from_mapping(version.format).value
    assert form.options["columns"] == ["sku", "stock", "price"]


def test_limits_of_bytes_and_time_are_reported():
    profiler = TopicProfiler("t", Schemas(), max_bytes=100)
    profiler.add(of([{"a": "x" * 40}] * 10))
    assert profiler.sketch.partitions[0].skipped > 0
    late = TopicProfiler("t", Schemas(), deadline=5.0, clock=lambda: 6.0)
    late.add(of([{"a": 1}] * 3))
    assert late.sketch.problems["record", "time_limit"][0] == 3


def test_a_sealed_sketch_is_small():
    docs = [{f"f{i}": {f"g{j}": str(uuid.uuid4()) for j in range(20)} for i in range(20)} for _ in range(300)]
    whole = sealed("t", [sketch(of(docs))])
    assert len(whole.to_bytes()) < 1_000_000


def test_decimals_of_registries():
    from scanners.columns.profiler import Profiler
    from scanners.sketch.nodes import Node

    node, profiler = Node(), Profiler("s")
    profiler.start([(0, 0, 0)] * 3)
    profiler.add(node, [Decimal("1.50"), Decimal("-1000"), Decimal("NaN")], [0, 1, 2], ())
    profiler.finish()
    assert node.numbers == [0, 3, 1, 4, 2, 1]


@pytest.mark.parametrize("first", [b"Jane Doe,Berlin,unknown", b"Jane Doe,Rome,unknown"])
def test_rows_of_a_table_amid_a_partition_name_no_columns(first):
    rows = [first] + [f"Al Fox,Rome,{i}".encode() for i in range(40)]
    version = schema([record(r, 500 + i) for i, r in enumerate(rows)])
    assert [f.path for f in version.fields if f.path.startswith("value.")] == ["value.c1", "value.c2", "value.c3"]
    assert "Jane Doe" not in str(version)


def test_a_row_whose_values_come_again_below_is_no_header():
    rows = [b"Jane Doe,Rome,unknown"] + [f"Al Fox,Rome,{i}".encode() for i in range(40)]
    version = schema([record(r, i) for i, r in enumerate(rows)])
    assert [f.path for f in version.fields if f.path.startswith("value.")] == ["value.c1", "value.c2", "value.c3"]
    assert "Jane Doe" not in str(version)


def test_the_same_few_rows_in_every_record_begin_with_no_header():
    rows = [b"Jane Doe;Berlin;gold\nAl Fox;Rome;7"] * 20
    assert "Jane Doe" not in str(schema([record(r, i) for i, r in enumerate(rows)]))
