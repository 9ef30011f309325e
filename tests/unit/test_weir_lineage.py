"""The plan reader of `weir_lineage` on plans as Spark 4.0 wrote them (see tests/fixtures/spark)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from weir_lineage.plan import PlanReader, WrittenColumns
from weir_lineage.plan_values import Source
from weir_lineage.report import KEPT, Reporter, text_of
from weir_lineage.spark_names import path

ROOT = Path(__file__).resolve().parents[2]
ORDERS = Source("kafka://broker:9092", "orders", kafka=True)


def plan(name: str) -> list[dict[str, Any]]:
    plans: list[dict[str, Any]] = json.loads((ROOT / "tests" / "fixtures" / "spark" / f"{name}.json").read_text())
    return plans


def columns(written: WrittenColumns) -> dict[str, set[tuple[str, str, bool]]]:
    by_name = {}
    for name, value in written.columns:
        parts = value.fields or {"": value}
        for part, inner in parts.items():
            by_name[f"{name}.{part}".rstrip(".")] = {
                (text_of(place[1]), way.subtype, way.masking) for place, ways in inner.ways.items() for way in ways
            }
    return by_name


def test_a_stream_from_topic_to_topic() -> None:
    written = PlanReader().read(plan("stream"), [[ORDERS]])
    assert columns(written) == {
        "key": {("key", "IDENTITY", False)},
        "value.mail": {("value.customer.email", "TRANSFORMATION", False)},
        "value.id": {("value.id", "TRANSFORMATION", False)},
    }
    assert written.known and written.sources == {ORDERS}


def test_a_batch_with_a_mask_and_a_filter() -> None:
    written = PlanReader().read(plan("batch"), [[ORDERS]])
    assert columns(written)["value.h"] == {("value.customer.email", "TRANSFORMATION", True)}
    assert [(text_of(place[1]), {way.subtype for way in ways}) for place, ways in written.conditions.items()] == [
        ("value.id", {"FILTER"})
    ]


def test_what_foreach_batch_writes_is_found_in_the_plan_of_its_stream() -> None:
    reader = PlanReader()
    alone = PlanReader().read(plan("each-write"), [[]])
    assert not alone.known  # rows of which nothing is known: no columns are claimed
    reader.read(plan("each"), [[ORDERS]])
    written = reader.read(plan("each-write"), [[]])
    assert written.known
    assert {(place[0], text_of(place[1])) for _, value in written.columns for place in value.ways} == {
        (ORDERS, "key"),
        (ORDERS, "value.customer.email"),
    }


def test_several_topics_are_several_sources() -> None:
    users = Source("kafka://broker:9092", "users", kafka=True)
    written = PlanReader().read(plan("stream"), [[ORDERS, users]])
    (mail,) = [part for name, value in written.columns if name == "value" for part in [(value.fields or {})["mail"]]]
    assert {(source.name, text_of(place)) for source, place in mail.ways} == {
        ("orders", "value.customer.email"),
        ("users", "value.customer.email"),
    }


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("file:/data/out/", ("file", "/data/out")),
        ("/data/out", ("file", "/data/out")),
        ("s3a://lake/raw/orders", ("s3a://lake", "raw/orders")),
        ("hdfs://nn:8020/x", ("hdfs://nn:8020", "x")),
    ],
)
def test_paths(text: str, named: tuple[str, str]) -> None:
    address = path(text)
    assert (address.namespace, address.name) == named


class Told:
    """A client that keeps what it is given."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, int]] = []

    def emit(self, event: Any) -> None:
        self.events.append((event.eventType.value, event.run.runId, len(event.outputs or ())))


def reporter() -> tuple[Reporter, Told]:
    notices = Told()
    return Reporter(notices, "shop", "app"), notices


SINK = Source("kafka://broker:9092", "mails", kafka=True)


def test_a_stream_is_one_run_told_once_and_ended() -> None:
    report, events = reporter()
    query, written = str(uuid4()), PlanReader().read(plan("stream"), [[ORDERS]])
    report.micro_batch(written, SINK, query, "mails")
    report.micro_batch(written, SINK, query, "mails")
    report.ended(query, failed=True)
    (run,) = {run for _, run, _ in events.events}
    assert events.events == [("RUNNING", run, 1), ("FAIL", run, 0)]


def test_a_write_told_after_its_stream_ended_is_told_as_ended() -> None:
    """Spark reports the end in one queue and of the writes in another."""
    report, events = reporter()
    query, written = str(uuid4()), PlanReader().read(plan("stream"), [[ORDERS]])
    report.ended(query, failed=False)
    report.micro_batch(written, SINK, query, None)
    assert [(state, outputs) for state, _, outputs in events.events] == [("COMPLETE", 1)]


def test_ended_streams_are_forgotten_in_time() -> None:
    report, events = reporter()
    query, written = str(uuid4()), PlanReader().read(plan("stream"), [[ORDERS]])
    report.ended(query, failed=False)
    for _ in range(KEPT):
        report.ended(str(uuid4()), failed=False)
    report.micro_batch(written, SINK, query, None)
    assert [state for state, _, _ in events.events] == ["RUNNING"]
