"""JSON by compiled code: it has the values that orjson has, leaves the rest alone, and profiles as Python does."""

from __future__ import annotations

import gzip
import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import datasketches
import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.demo.generator import topic_plans
from api.demo.plan import TopicPlan
from scanners.columns.profiler import Profiler
from scanners.model import RawRecord
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import Node
from scanners.sketch.topic import Sketch
from scanners.tape import compiled_parts
from scanners.tape.opcodes import (  # fmt: skip
    ARRAY,
    DOUBLE,
    ESCAPED,
    FALSE,
    INT32,
    INT64,
    LONG_DOUBLE,
    NULL,
    OBJECT,
    TEXT,
    TRUE,
)
from scanners.tape.reader import Paths, Reader, Walked, scratch
from scanners.worker.profile import TopicProfiler


class Tree:
    """Values put together again from a tape."""

    def __init__(self, paths: Paths, walked: Walked, record: int) -> None:
        self._paths, self._walked = paths, walked
        self._places: Iterator[int] = iter([at for at, row in enumerate(walked.rows.tolist()) if row == record])

    def value(self) -> Any:
        walked, at = self._walked, next(self._places)
        kind, size, place = int(walked.kinds[at]), int(walked.sizes[at]), int(walked.places[at])
        if kind in (NULL, FALSE, TRUE):
            return {NULL: None, FALSE: False, TRUE: True}[kind]
        if kind in (INT32, INT64):
            number = int(walked.numbers[at])
            assert (kind == INT32) == (-(2**31) <= number < 2**31)
            return number
        if kind == DOUBLE:
            return float(walked.doubles[at])
        raw = walked.body[place : place + size].tobytes()
        if kind == LONG_DOUBLE:
            return float(raw)
        if kind in (TEXT, ESCAPED):
            return self.text(raw, kind == ESCAPED)
        if kind == ARRAY:
            return [self.value() for _ in range(size)]
        assert kind == OBJECT
        return dict(self._field() for _ in range(size))

    def text(self, raw: bytes, escaped: bool) -> str:
        assert escaped == (b"\\" in raw)
        text: str = orjson.loads(b'"' + raw + b'"')
        return text

    def _field(self) -> tuple[str, Any]:
        at = next(self._places)
        self._places = chain([at], self._places)
        return self._paths.names[int(self._walked.nodes[at])][-1], self.value()


def read(bodies: Sequence[bytes]) -> tuple[Reader, Walked]:
    reader = Reader(Paths(Node(), Profiler("salt")))
    return reader, reader.read(bodies, range(len(bodies)))


def same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(value, other[key]) for key, value in one.items())
    return bool(one == other)


def check(bodies: Sequence[bytes]) -> list[bool]:
    """Each body is left alone or has orjson's value; gives which are left alone."""
    reader, walked = read(bodies)
    for record, body in enumerate(bodies):
        if not walked.odd[record]:
            assert same(Tree(reader.paths, walked, record).value(), orjson.loads(body)), body
    left_alone: list[bool] = walked.odd.tolist()
    return left_alone


KEYS = st.sampled_from(["id", "a", "b", "name", "größe", "", "x.y", "ID", "a b", 'q"q', "tab\t"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**64), 2**65) | st.integers(-3, 300)
    | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12)
    | st.sampled_from(["a@b.de", "2024-01-02", "true", "12", "{}", '{"in": [1]}', "é" * 9, "\U0001f600"])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=5) | st.lists(VALUES, max_size=3)


@st.composite
def bodies(draw: Any) -> bytes:
    """A document as some writer writes it, at times damaged."""
    document = draw(DOCUMENTS)
    indent, ascii_only = draw(st.sampled_from([None, None, 1])), draw(st.booleans())
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", "\t:\r\n")]))
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only, separators=separators)
    body: bytes = text.encode("utf-8", "surrogatepass") + draw(st.sampled_from([b"", b"", b"\n", b" x", b"\x00"]))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        at = draw(st.integers(0, len(body)))
        damage = draw(
            st.sampled_from([b"", b'"', b",", b"}", b"]", b"{", b"\\", b"0", b"-", b".", b"e", b"\xff", b"\xc3", b"u"])
        )
        body = body[:at] + damage + body[at + draw(st.integers(0, 2)) :]
    return body


@settings(max_examples=200, deadline=None)
@given(st.lists(bodies(), min_size=1, max_size=6))
def test_a_document_has_the_value_that_orjson_gives(some: list[bytes]) -> None:
    check(some)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=24).map(lambda b: b'{"a":"' + b + b'"}'), min_size=1, max_size=6))
@example(
    [
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xf4\x90\x80\x80"}',
        b'{"a":"\xe0\x80\x80"}',
        b'{"a":"\xc0\x80"}',
        b'{"a":"\xf0\x80\x80\x80"}',
    ]
)
def test_texts_of_any_bytes(some: list[bytes]) -> None:
    check(some)


NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,21})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8))
@example(
    [
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-0",
        "-0.0",
        "0e5",
        "1E400",
        "5e-324",
        "0.1",
        "1.7976931348623157e308",
    ]
)
@example(
    [
        "9007199254740993",
        "9007199254740993.0",
        "123456789012345.67",
        "0.00001234567890123456",
        "1e22",
        "1e23",
        "2147483648",
    ]
)
def test_numbers(texts: list[str]) -> None:
    check([b'{"n":' + text.encode() + b"}" for text in texts])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("0123456789-+.eE \ttrufalsn[]{},:\"'\\/", max_size=10), min_size=1, max_size=6))
def test_whatever_stands_for_a_value(texts: list[str]) -> None:
    check([b'{"a":' + text.encode() + b"}" for text in texts])
    check([b"[" + text.encode() + b"]" for text in texts])


@pytest.mark.parametrize("body", [
    b'{"a":1,"a":2}', b'{"a":{"b":1,"b":1}}', b'[{"a":1},{"b":{"c":1,"d":2,"c":3}}]', b'{"a\\u0062":1}', b'{"a":"\\ud800"}',
    b'{"a":1}{"a":2}', b'\xef\xbb\xbf{"a":1}', b"", b"1", b'"text"', b"{", b"[", b'{"a', b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,',
    b"[" * 70 + b"]" * 70, b'{"a":18446744073709551615}', b'{"a":0.1234567890123456789}', b'{"a":NaN}', b'{"a":01}', b"{} {}",
])  # fmt: skip
def test_what_needs_a_second_look_is_left_alone(body: bytes) -> None:
    assert check([b'{"a":1}', body, b'{"a":2}']) == [False, True, False]


def test_ordinary_documents_are_not_left_alone() -> None:
    some = [
        b'{"a":1,"b":[1,2.5,"x",null,true,false,{"c":{}}],"d":"\\n\\u00e9\xc3\xa9"}',
        b" [1]",
        b'{"id":9223372036854775807}',
    ]
    assert check(some) == [False, True, False]  # what begins with a blank may be another format


def test_keys_met_in_one_batch_are_not_twice_in_the_next() -> None:
    reader = Reader(Paths(Node(), Profiler("salt")))
    for _ in range(3):
        assert not reader.read([b'{"a":{"b":1}}'], [0]).odd.any()


def test_keys_of_what_is_no_document_are_no_fields() -> None:
    reader, walked = read([b'{"a":1}', b'{"secret":1', b'{"b":[{"other":tru}]}'])
    assert walked.odd.tolist() == [False, True, True]
    assert list(reader.paths.nodes[0].fields) == ["a"]


def test_many_keys_long_tapes_and_wide_documents_grow_the_tables() -> None:
    wide = {f"field number {n}": {"x": n, "y": [n, str(n)]} for n in range(400)}
    big = {"all": list(range(len(scratch().columns[0]) + 10))}
    some = [orjson.dumps(wide), orjson.dumps(big), orjson.dumps(wide)]
    assert check(some) == [False, False, False]


# --- profiles ---------------------------------------------------------------------------------------------------------


def profiled(batches: Sequence[Sequence[bytes]], compiled: bool) -> tuple[Sketch, Any]:
    """The sketch of a topic, and what detectors were shown: path -> text -> how often."""
    shown: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_parts, "WORTH", 0 if compiled else 10**12)
        patch.setattr(compiled_parts, "FEW", 1)
        patch.setattr(compiled_parts, "MOST_ODD", 1)
        profiler = TopicProfiler("t", Schemas(), "salt", lambda node, names, counts: shown[names].update(counts))
        offset = 0
        for batch in batches:
            # Partitions take turns, so that records do not come in the order of their places.
            profiler.add([
                RawRecord(None, body, [("kind", b"x")] if at % 3 == 0 else [], at % 2, offset + at, 1_700_000_000_000 - at % 5)
                for at, body in enumerate(batch)
            ])  # fmt: skip
            offset += len(batch)
    return profiler.sketch, dict(shown)


def plain(node: Node | None, of_keys: bool = False) -> Any:
    """What a node has, its distinct values by what a merged sketch holds, since their order makes a difference else.

    Where a key was first met is that of one of its first records: those of a batch are met in another order.
    """
    if node is None:
        return None
    count, types, *packed = node.pack()
    if of_keys:
        types = [(name, state) for name, state, _ in types]
    estimate = None
    if node.hll is not None:
        union = datasketches.hll_union(9)
        union.update(node.hll)
        union.update(node.hll)
        estimate = union.get_result(datasketches.tgt_hll_type.HLL_8).get_estimate()
    children = [plain(node.elements), plain(node.values), plain(node.keys, of_keys=True), plain(node.embedded)]
    fields = {name: plain(child) for name, child in sorted(node.fields.items())}
    return [count, types, packed[:9], packed[10], estimate, children, fields]


def told(pair: tuple[Sketch, Any]) -> Any:
    sketch, shown = pair
    return [
        {root: plain(node) for root, node in sketch.parts.items()}, sketch.records, sketch.size, sketch.present, sketch.formats,
        {key: [None if key[1].startswith("format") else count, place] for key, (count, place) in sketch.problems.items()},
        sketch.shapes, sketch.coarse, sketch.telling.tables, sketch.telling_coarse.tables, sketch.shaped, shown,
    ]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(bodies(), min_size=1, max_size=12), min_size=1, max_size=3))
def test_profiles_are_those_of_python(batches: list[list[bytes]]) -> None:
    assert told(profiled(batches, compiled=True)) == told(profiled(batches, compiled=False))


def test_columns_of_many_different_values() -> None:
    """Far more of each than a distinct estimate holds exactly, some with escapes, some columns of texts and integers."""
    draw = random.Random(5)

    def record(number: int) -> dict[str, Any]:
        document: dict[str, Any] = {
            "id": f"{draw.getrandbits(128):032x}", "number": draw.randrange(-(2**63), 2**63), "size": draw.random() * 1e6,
            "name": draw.choice(["é", "€uro", "\U0001f600", "plain", 'quo"te', "tab\t"]) * draw.randrange(4) + str(number % 90),
            "either": draw.choice([number, f"n{number}", number / 8]), "page": f"/p/{draw.randrange(5000)}",
            "at": f"2024-01-{number % 28 + 1:02}T10:00:00.{number:03}Z", "flag": draw.random() < 0.5,
            "lang": draw.choice(["en", "de"]),
        }  # fmt: skip
        return document if number % 7 else {**document, "kind": "other", "more": {"type": draw.choice(["a", "b"])}}

    batches = [[orjson.dumps(record(number)) for number in range(700)] for _ in range(4)]
    batches[2][5] = b"no document"
    assert told(profiled(batches, compiled=True)) == told(profiled(batches, compiled=False))


def test_real_topics(shared_data: Path) -> None:
    """GitHub's webhooks, some of them damaged, and the demo's topics."""
    rows = [
        line.strip() for line in gzip.decompress((shared_data / "github-webhooks.jsonl.gz").read_bytes()).splitlines()
    ]
    rows[::50] = [row[:-7] for row in rows[::50]]
    batches = [rows[:300], rows[300:]]
    compiled, python = profiled(batches, compiled=True), profiled(batches, compiled=False)
    # Texts of 16 to 23 signs are looked into only beside longer ones, and some records are left alone here.
    name = ("payload", "issue", "milestone", "node_id")
    for sketch, shown in (compiled, python):
        assert sum(shown.pop(name).values()) == 48
        node_of(sketch.parts["value"], name).traits.clear()
    assert told(compiled) == told(python)


def node_of(node: Node, names: tuple[str, ...]) -> Node:
    return node_of(node.fields[names[0]], names[1:]) if names else node


@pytest.mark.parametrize("plan", topic_plans(7), ids=lambda plan: plan.name)
def test_the_topics_of_the_demo(plan: TopicPlan) -> None:
    bodies = [record.value or b"" for record in plan.make(random.Random(plan.seed))]
    batches = [bodies[:700], bodies[700:1400]]
    assert told(profiled(batches, compiled=True)) == told(profiled(batches, compiled=False))


def test_a_topic_of_maps_is_soon_read_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that are data leave their records to Python, and a topic of such records is not read twice for long."""
    monkeypatch.setattr(compiled_parts, "WORTH", 0)
    profiler = TopicProfiler("t", Schemas(), "salt")
    for batch in range(3):
        profiler.add([
            RawRecord(None, orjson.dumps({"id": at, "by": {f"{at:08d}-{batch}": 1}}), [], 0, batch * 100 + at, 1)
            for at in range(100)
        ])  # fmt: skip
    assert profiler._json.read([b'{"id":1}'] * 100, range(100)) is None
    assert profiler.sketch.parts["value"].fields["id"].count == 300


def _missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scanners.tape.reader", None)


def _not_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanners.tape.reader.walk", lambda *_: 1 / 0)


@pytest.mark.parametrize("fault", [_missing, _not_compiling])
def test_without_a_compiler_a_scan_goes_on(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiled_parts, "WORTH", 0)
    monkeypatch.setattr(compiled_parts.Process, "broken", set())
    monkeypatch.setattr(compiled_parts.Process, "compiled", set())
    fault(monkeypatch)
    profiler = TopicProfiler("t", Schemas(), "salt")
    for batch in range(2):
        profiler.add([RawRecord(None, b'{"id":%d}' % at, [], 0, batch * 100 + at, 1) for at in range(100)])
    assert profiler.sketch.parts["value"].fields["id"].count == 200
    assert caplog.text.count("without compiled code") == 1
    assert not profiler.sketch.problems.keys() - {("value", "format\x1fjson")}
