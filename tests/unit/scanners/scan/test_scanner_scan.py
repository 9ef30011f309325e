"""The service over the memory twins: which topics, what is reported, what is promised about values."""

import io
import json
import random

import fastavro
import pytest

from catalog.errors import InvalidInput, NotFound, Unavailable
from catalog.model import DatasetScan, SchemaVersion
from scanners.model import (
    ClusterConnection,
    PartFormat,
    RawRecord,
    RegisteredSchema,
    SampleRequest,
    ScanProgress,
    Strategy,
    TopicFormat,
)
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.twins.scanners import DownOffsets, MemoryOffsets, MemoryRegistry, MemorySampler

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092", {"sasl.password": "hunter2"}, "http://registry")
PLAIN = ScannerSettings(detect=False)


def rows(n, make=lambda i: {"id": i}, partitions=2):
    return [
        RawRecord(str(i).encode(), json.dumps(make(i)).encode(), [], i % partitions, i // partitions, 1000 + i)
        for i in range(n)
    ]


def scanner(topics, schemas=None, hidden=(), settings=PLAIN):
    return Scanner(MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(schemas, hidden), settings)


def test_names_patterns_and_what_is_hidden():
    service = scanner({n: rows(1) for n in ("shop.orders", "shop.clicks", "vans", "_internal")})
    assert service.resolve(CLUSTER, []) == ["shop.clicks", "shop.orders", "vans"]
    assert service.resolve(CLUSTER, ["shop.*"]) == ["shop.clicks", "shop.orders"]
    assert service.resolve(CLUSTER, ["vans|shop.clicks"]) == ["shop.clicks", "vans"]
    assert service.resolve(CLUSTER, ["_internal"]) == ["_internal"]
    assert service.resolve(CLUSTER, ["*"]) == ["shop.clicks", "shop.orders", "vans"]
    with pytest.raises(NotFound, match=r"no topic 'shop\.order'.*'shop\.orders'"):
        service.resolve(CLUSTER, ["shop.order"])
    with pytest.raises(NotFound, match="matches 'bank"):
        service.resolve(CLUSTER, ["bank.*"])
    with pytest.raises(InvalidInput, match="pattern"):
        service.resolve(CLUSTER, ["shop.(("])


def test_a_scan_yields_every_dataset_with_its_window_and_progress():
    seen: list[ScanProgress] = []
    service = scanner(
        {"a": rows(3000), "b": rows(10), "none": []}, settings=ScannerSettings(detect=False, topics_per_job=2)
    )
    scans = {
        s.dataset.name: s for s in service.scan(CLUSTER, [], SampleRequest(max_records=100), on_progress=seen.append)
    }
    assert set(scans) == {"a", "b", "none"}
    window = scans["a"].schema.window
    assert window.records == 100 and not window.complete and window.strategy == "stratified"
    assert [p["read"] for p in window.partitions] == [50, 50]
    assert window.time_from == "1970-01-01T00:00:01.000Z" and window.time_to == "1970-01-01T00:00:03.999Z"
    assert scans["b"].schema.window.complete
    assert scans["none"].problems == ({"part": "record", "reason": "empty"},)
    assert scans["none"].schema.fields == ()
    assert (seen[0].done, seen[0].total, seen[-1].done, seen[-1].records) == (0, 3, 3, 110)


def test_gaps_are_reported():
    kept = [r for r in rows(100, partitions=1) if r.offset % 10 == 0 or r.offset == 99]
    (scan_result,) = scanner({"a": kept}).scan(CLUSTER, ["a"])
    gap = next(p for p in scan_result.problems if p["reason"] == "offsets_without_record")
    assert (gap["partition"], gap["planned"], gap["read"], gap["count"]) == (0, 100, 11, 89)


def test_since_last_goes_on_where_the_last_scan_ended():
    topics = {"a": rows(2000)}
    service = scanner(topics)
    (first,) = service.scan(CLUSTER, ["a"])
    last = SchemaVersion.from_json(json.loads(json.dumps(first.schema.to_json()))).window
    request = SampleRequest(Strategy.SINCE_LAST)
    (same,) = service.scan(CLUSTER, ["a"], request, last_windows={"a": last})
    assert all(0 < p["read"] <= 100 for p in same.schema.window.partitions), "only the re-check"
    topics["a"] = rows(2060, lambda i: {"id": i} if i < 2000 else {"id": i, "new": 1})
    (second,) = service.scan(CLUSTER, ["a"], request, last_windows={"a": last})
    fresh = next(f for f in second.schema.fields if f.path == "value.new")
    assert fresh.count == 60 and fresh.details["firstSeen"]["offset"] == 1000


def test_cancelling_ends_early_without_error():
    service = scanner({n: rows(10) for n in "abcdef"}, settings=ScannerSettings(detect=False, topics_per_job=1))
    scans: list[DatasetScan] = []
    for scan in service.scan(CLUSTER, [], cancelled=lambda: len(scans) >= 2):
        scans.append(scan)
    assert len(scans) == 2


class LosingSampler(MemorySampler):
    """Fails at the topic `gone`, as Spark does when one is deleted while it reads; notes what it was asked to read."""

    def __init__(self, topics, gone):
        super().__init__(topics)
        self.topics, self.gone, self.asked = topics, gone, []

    def profile(self, job, cancelled):
        self.asked.append(sorted({r.topic for r in job.ranges}))
        for topic, sketch in super().profile(job, cancelled):
            if topic == self.gone and topic in self.topics:
                del self.topics[topic]
                raise Unavailable("Spark could not finish the scan job.")
            yield topic, sketch


def test_a_topic_is_given_before_the_next_is_read():
    topics = {"a": rows(5), "b": rows(5)}
    sampler = LosingSampler(topics, "none")
    scan_result = Scanner(sampler, MemoryOffsets(topics), MemoryRegistry(), PLAIN).scan(CLUSTER)
    assert next(scan_result).dataset.name == "a"
    topics["b"] = rows(9)
    assert next(scan_result).schema.window.records == 5, "offsets are planned once"
    assert next(scan_result, None) is None


def test_topics_done_before_one_was_lost_are_not_read_again():
    topics = {name: rows(5) for name in "abcd"}
    sampler = LosingSampler(topics, "c")
    scan_result = list(Scanner(sampler, MemoryOffsets(topics), MemoryRegistry(), PLAIN).scan(CLUSTER))
    assert [(s.dataset.name, s.schema.window.records) for s in scan_result] == [("a", 5), ("b", 5), ("d", 5), ("c", 0)]
    assert scan_result[-1].problems == ({"part": "record", "reason": "topic_gone"},)
    assert sampler.asked == [["a", "b", "c", "d"], ["d"]]


def test_kafka_down_says_so_without_secrets():
    service = Scanner(MemorySampler({}), DownOffsets(), MemoryRegistry(), PLAIN)
    with pytest.raises(Unavailable) as error:
        list(service.scan(CLUSTER, ["a"]))
    assert "k:9092" in error.value.message and "hunter2" not in str(error.value.message) + repr(CLUSTER)


def avro_records(schema, schema_id, records):
    raw_records = []
    for i, record in enumerate(records):
        out = io.BytesIO(b"")
        out.write(b"\x00" + schema_id.to_bytes(4, "big"))
        fastavro.schemaless_writer(out, schema, record)
        raw_records.append(RawRecord(None, out.getvalue(), [], 0, i, 1))
    return raw_records


SCHEMA = {"type": "record", "name": "P", "fields": [{"name": "id", "type": "long"}, {"name": "sum", "type": "double"}]}


@pytest.mark.parametrize("hidden", [(), (7,)])
def test_schemas_by_subject_and_those_found_only_by_their_id(hidden):
    topics = {"pay": avro_records(SCHEMA, 7, [{"id": i, "sum": 1.5} for i in range(20)]), "other": rows(5)}
    service = scanner(topics, {7: RegisteredSchema(7, "AVRO", json.dumps(SCHEMA))}, hidden)
    scans = {s.dataset.name: s for s in service.scan(CLUSTER)}
    assert scans["pay"].schema.format["value"] == "avro"
    assert {f.path for f in scans["pay"].schema.fields} == {"value", "value.id", "value.sum"}
    assert scans["pay"].problems == ()
    assert set(scans) == {"pay", "other"}


def test_a_schema_that_nobody_has_is_reported():
    topics = {"pay": avro_records(SCHEMA, 7, [{"id": i, "sum": 1.5} for i in range(20)])}
    (scan,) = scanner(topics).scan(CLUSTER)
    reasons = {p["reason"]: p for p in scan.problems}
    assert reasons["unknown_schema_id"]["count"] == 20
    assert reasons["schema_ids_not_found"]["ids"] == [7]


def test_a_declared_format_wins():
    topics = {"a": [RawRecord(None, f"{i};x;y".encode(), [], 0, i, 1) for i in range(5)]}
    form = TopicFormat(
        PartFormat("null"), PartFormat("csv", {"delimiter": ";", "columns": ["n", "p", "q"], "width": 3})
    )
    (scan,) = scanner(topics).scan(CLUSTER, formats={"a": form})
    assert {f.path for f in scan.schema.fields} == {"value", "value.n", "value.p", "value.q"}


CANARIES = ("canary-mail@kanarie.net", "Zebedee Canarybird", "4111111111111111", "canary free words here", "kanariekey")


def test_no_value_leaves_the_worker():
    rng = random.Random(5)

    def make(i):
        return {
            "mail": CANARIES[0],
            "name": CANARIES[1],
            "card": int(CANARIES[2]),
            "text": CANARIES[3],
            "by": {CANARIES[0]: {"n": CANARIES[1]}, f"{CANARIES[4]}{rng.randrange(10**6)}": 1},
            "people": {"".join(chr(97 + (i * 7 + j * 11) % 26) for j in range(5)) + CANARIES[4]: {"n": 1}},
            "doc": json.dumps({"m": CANARIES[0]}),
            "kind": rng.choice(["created", "deleted"]),
            "list": [CANARIES[1]],
        }

    topics = {
        "a": [r._replace(key=CANARIES[1].encode(), headers=[("h", CANARIES[0].encode())]) for r in rows(300, make)]
    }
    topics["broken"] = [RawRecord(None, b'{"x":"' + CANARIES[0].encode(), [], 0, i, 1) for i in range(9)]
    sampler = MemorySampler(topics)
    sealed: list[bytes] = []

    class Spy:
        def profile(self, job, cancelled):
            for topic, body in sampler.profile(job, cancelled):
                sealed.append(body)
                yield topic, body

    import zlib

    service = Scanner(Spy(), MemoryOffsets(topics), MemoryRegistry(), ScannerSettings())
    results = list(service.scan(CLUSTER))
    shown = json.dumps([[s.schema.to_json(), [c.to_json() for c in s.classifications], s.problems] for s in results])
    raw = b"".join(map(zlib.decompress, sealed))
    for canary in CANARIES:
        assert canary not in shown
        assert canary.encode() not in raw
    assert {c.entity for c in results[0].classifications} >= {"EMAIL_ADDRESS", "CREDIT_CARD"}


class GapsRegistry(MemoryRegistry):
    """Does not get the versions of one subject, nor what one schema refers to."""

    def for_topics(self, cluster, topics, seen=()):
        answer = super().for_topics(cluster, topics, seen)
        problems = (
            {"part": "registry", "reason": "registry_unavailable", "subject": "a-value"},
            {"part": "registry", "reason": "reference_not_found", "id": 7},
            {"part": "registry", "reason": "guids_not_supported"},
        )
        return type(answer)(answer.schemas, problems)


def test_a_problem_of_one_topic_is_reported_for_that_topic_alone():
    schemas = {7: RegisteredSchema(7, "JSON", "{}", subject="b-value", version=1)}
    topics = {"a": rows(3), "b": rows(3), "a-b": rows(3)}
    service = Scanner(MemorySampler(topics), MemoryOffsets(topics), GapsRegistry(schemas), PLAIN)
    by_topic = {s.dataset.name: {p["reason"] for p in s.problems} for s in service.scan(CLUSTER, [])}
    for_all = {"guids_not_supported"}
    assert {name: reasons & {"registry_unavailable", "reference_not_found"} for name, reasons in by_topic.items()} == {
        "a": {"registry_unavailable"},
        "b": {"reference_not_found"},
        "a-b": set(),
    }
    assert all(for_all <= reasons for reasons in by_topic.values())
