"""What producers send by mistake or on purpose: counted by reason, never silent, never endless, bounded in memory."""

from __future__ import annotations

import gzip
import io
import json
import random
import time
import tracemalloc
import zlib

import fastavro
import httpx
import pytest

from catalog.model import ScanWindow
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.containers.packed import MAX_UNPACKED
from scanners.model import ClusterConnection, RawRecord
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed


def profile(values, partitions=1):
    profiler = TopicProfiler("t", Schemas(), "s")
    rows = [RawRecord(None, v, [], i % partitions, i // partitions, 1000 + i) for i, v in enumerate(values)]
    for start in range(0, len(rows), 2000):
        profiler.add(rows[start : start + 2000])
    version = schema_of(sealed("t", [profiler.sketch]), ScanWindow())
    return version, {f.path: f for f in version.fields}, {p["reason"]: p for p in version.problems if "count" in p}


def order(i):
    return json.dumps(
        {"id": i, "name": f"n{i}", "customer": {"mail": f"u{i}@example.com"}, "tags": ["a", "b"]}
    ).encode()


BROKEN = (b"{oops", b'{"a":', b"\xff\xfe{", b"[1,2", b"not json at all", b"", b'{"a":tru}')


def test_one_in_a_hundred_broken_does_not_send_the_others_the_slow_way():
    """Which takes several times as long as the quick one."""
    clean = [order(i) for i in range(8000)]
    mixed = [BROKEN[i // 100 % len(BROKEN)] if i % 100 == 0 else v for i, v in enumerate(clean)]
    _, fields, problems = profile(mixed)
    assert fields["value.id"].count == 7920
    assert problems["not_json"]["count"] >= 60

    def seconds(values):
        begun = time.process_time()
        profile(values)
        return time.process_time() - begun

    # The least of several, in turn: other work on the machine only ever adds.
    times = [(seconds(clean), seconds(mixed)) for _ in range(5)]
    assert min(t for t, _ in times) / min(t for _, t in times) > 0.5


def test_a_partition_of_poison_does_not_hide_the_others():
    draw = random.Random(1)
    values = [order(i) if i % 4 else draw.choice(BROKEN) for i in range(4000)]
    version, fields, problems = profile(values, partitions=4)
    assert fields["value.id"].count == 3000 and fields["value.id"].presence == 1.0
    assert problems["not_json"]["first"]["partition"] == 0
    assert version.format["value"] == "json"


def test_a_record_of_five_megabytes():
    text = json.dumps({"id": 1, "blob": "x" * 5_000_000, "items": [{"n": i} for i in range(1000)]}).encode()
    _, fields, problems = profile([order(1), text, order(2)])
    assert fields["value.blob"].lengths == (5_000_000, 5_000_000)
    assert fields["value.items[].n"].count == 1000
    assert not problems


def test_a_record_of_a_million_keys_stays_bounded():
    text = json.dumps({f"k{'abcdefghij'[i % 10]}{i:x}z": i for i in range(200_000)}).encode()
    tracemalloc.start()
    _, fields, _ = profile([text, order(1)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400_000_000
    assert sum(f.path.startswith("value.") for f in fields.values()) < 2000


@pytest.mark.parametrize("levels", [10_000, 100_000])
@pytest.mark.parametrize(("opens", "closes"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_ten_thousand_levels(levels, opens, closes):
    _, fields, problems = profile([order(1), opens * levels + b"1" + closes * levels, opens * levels])
    assert fields["value.id"].count == 1
    assert sum(p["count"] for p in problems.values()) == 2


def test_bombs_are_not_unpacked():
    schema = {"type": "record", "name": "R", "fields": [{"name": "b", "type": "bytes"}]}
    out = io.BytesIO()
    fastavro.writer(out, schema, [{"b": bytes(MAX_UNPACKED + 1000)}], codec="deflate")
    small = io.BytesIO()
    fastavro.writer(small, schema, [{"b": b"x"}], codec="deflate")
    bomb = gzip.compress(bytes(200_000_000), 9)
    tracemalloc.start()
    _, _, problems = profile([small.getvalue()] * 5 + [out.getvalue()])
    _, fields, packed = profile([bomb, zlib.compress(bytes(10_000_000))])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert problems["unpacks_too_large"]["count"] == 1
    assert packed["unpacks_too_large"]["count"] == 2 and fields["value"].types == {}
    assert peak < 3 * MAX_UNPACKED


def test_an_avro_array_of_a_billion_nothings_is_refused():
    """A container may claim any number of elements that take no bytes."""
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]}
    out = io.BytesIO()
    fastavro.writer(out, schema, [{"a": [None]}])
    body = out.getvalue()
    sync = body[-16:]
    head = body[: body.index(sync) + 16]
    count = bytearray()
    number = 2_000_000_000 << 1
    while number > 127:
        count.append(number & 127 | 128)
        number >>= 7
    block = bytes([*count, number, 0])
    begun = time.monotonic()
    _, _, problems = profile([head + bytes([2, len(block) << 1]) + block + sync])
    assert sum(p["count"] for p in problems.values()) == 1
    assert time.monotonic() - begun < 5


# --- the registry ---------------------------------------------------------------------------------------------------

CLUSTER = ClusterConnection("c", "kafka://c", "c:9092", registry="http://registry")
SCHEMA = {"schema": '"string"', "id": 1}


def registry(answer):
    asked: list[str] = []

    def handle(request):
        asked.append(request.url.path)
        return answer(request.url.path)

    registry = HttpSchemaRegistry(ScannerSettings(), httpx.MockTransport(handle), sleep=lambda _: None)
    return registry, asked


def test_a_registry_that_fails_for_one_id_is_asked_a_few_times_and_the_others_go_on():
    def answer(path):
        return httpx.Response(500) if path.endswith("/7") else httpx.Response(200, json=SCHEMA)

    client, asked = registry(answer)
    matches = client.by_ids(CLUSTER, [6, 7, 8])
    assert sorted(matches.schemas) == [6, 8]
    assert matches.problems == ({"part": "registry", "reason": "registry_unavailable", "id": 7},)
    assert asked.count("/schemas/ids/7") == ScannerSettings().registry_attempts


def test_ids_that_were_known_go_on_when_the_registry_is_down():
    up = True

    def answer(path):
        if not up:
            raise httpx.ConnectError("refused")
        if path == "/subjects":
            return httpx.Response(200, json=["t-value"])
        if path.endswith("/versions"):
            return httpx.Response(200, json=[1])
        return httpx.Response(200, json={**SCHEMA, "subject": "t-value", "version": 1})

    client, _ = registry(answer)
    assert sorted(client.for_topics(CLUSTER, ["t"]).schemas) == [1]
    up = False
    down = client.for_topics(CLUSTER, ["t"])
    assert sorted(down.schemas) == [1]
    assert down.problems == ({"part": "registry", "reason": "registry_unavailable"},)
    assert sorted(client.by_ids(CLUSTER, [1]).schemas) == [1]


def test_a_registry_that_is_down_does_not_hold_a_scan_up_for_every_id():
    def answer(path):
        raise httpx.ConnectTimeout("no answer")

    client, asked = registry(answer)
    matches = client.by_ids(CLUSTER, list(range(1, 500)))
    assert len(asked) <= 5 * ScannerSettings().registry_attempts
    assert {p["reason"] for p in matches.problems} == {"registry_unavailable"}
    assert sum(len(p.get("ids", [p.get("id")])) for p in matches.problems) == 499


def test_a_registry_that_answers_nonsense():
    for body in (b"<html>", b"[]", b'{"schema": 5}', b'{"id": "x"}', b"null"):
        client, _ = registry(lambda path, body=body: httpx.Response(200, content=body))
        assert client.for_topics(CLUSTER, ["t"]) is not None
        assert client.by_ids(CLUSTER, [1]) is not None


def test_references_that_go_round_end():
    ring = {**SCHEMA, "references": [{"name": "a", "subject": "a", "version": 1}], "subject": "a", "version": 1}
    client, asked = registry(lambda path: httpx.Response(200, json=ring))
    client.by_ids(CLUSTER, [1])
    assert len(asked) < 50
