"""Leniency of the parser: real producers are taken, what is not an event is refused with a reason, nothing else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from lineage.fold.facts import facts_of
from lineage.ingest.codec import decode, encode
from lineage.ingest.events import DatasetEvent, JobEvent, RunEvent, message_key
from lineage.ingest.parse import parse, parse_time
from tests.lineage_samples import real_rows, run


def test_every_valid_real_event_is_taken(shared_data: Path) -> None:
    refused = []
    for row in real_rows(shared_data):
        try:
            facts_of(parse(row["event"]))
        except InvalidInput as error:
            refused.append((row["id"], error.message))
    assert refused == [("negative-06", "run.runId is missing: a run event names its run by a UUID.")]


def test_the_three_kinds() -> None:
    event = run(0, ["a"], ["b"])
    assert isinstance(parse(event), RunEvent)
    del event["run"]
    assert isinstance(parse(event), JobEvent)
    assert isinstance(
        parse({"eventTime": event["eventTime"], "dataset": {"namespace": "n", "name": "d"}}), DatasetEvent
    )


def test_null_where_something_may_be() -> None:
    event = run(0, ["a"], None, kind=None)
    event |= {"outputs": None, "producer": None, "schemaURL": None}
    event["inputs"][0]["facets"] = {"schema": None, "columnLineage": None}
    event["run"]["facets"] = {"nominalTime": {"nominalEndTime": "2026-01-02"}, "parent": None}
    read = parse(event)
    assert isinstance(read, RunEvent)
    assert (read.type, len(read.inputs), read.outputs, read.parent) == (None, 1, (), None)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (None, "JSON object, not null"),
        ([], "JSON object, not a list"),
        ({}, "a job (with or without a run) or a dataset"),
        ({"eventTime": "2026-01-01", "job": {"name": "x"}}, "job.namespace is missing"),
        ({"eventTime": "2026-01-01", "job": {"namespace": "n", "name": ""}}, "job.name is missing or empty"),
        ({"eventTime": "2026-01-01", "job": {"namespace": "n", "name": "j"}, "run": {}}, "run.runId is missing"),
        ({"job": {"namespace": "n", "name": "j"}}, "eventTime is missing"),
        ({"eventTime": "yesterday", "job": {"namespace": "n", "name": "j"}}, "eventTime is not a time"),
        ({"eventTime": "2026-13-01", "job": {"namespace": "n", "name": "j"}}, "eventTime is not a time"),
        ({"eventTime": "2026-01-01", "job": {"namespace": "n", "name": "j"}, "inputs": {}}, "inputs is a list"),
        (
            {"eventTime": "2026-01-01", "job": {"namespace": "n", "name": "j"}, "outputs": [3]},
            "outputs[0] is an object",
        ),
        (
            {"eventTime": "2026-01-01", "dataset": {"namespace": "n" * 1501, "name": "d"}},
            "dataset.namespace is 1501 bytes",
        ),
        ({"eventTime": "2026-01-01", "dataset": {"namespace": "n", "name": "\ud800"}}, "not valid Unicode"),
    ],
)
def test_what_is_no_event_is_refused_with_the_reason(broken: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse(broken)
    assert says in refused.value.message


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01", 0),
        ("1970-01-01T00:00", 0),
        ("1970-01-01T01:00:00.5+01:00", 500),
        ("1970-01-01T01:00:00+0100", 0),
        ("1970-01-01T00:00:00.123456789Z", 123),
        ("1970-01-01 00:00:01.1", 1100),
        ("1969-12-31T23:59:59Z", -1000),
        ("2025-01-01T00:00:00Z[UTC]", 1735689600000),
        ("1970-01-01T00:00:00+99:00", None),
        ("soon", None),
        ("", None),
        (5, None),
    ],
)
def test_times(text: Any, milliseconds: int | None) -> None:
    assert parse_time(text) == milliseconds


@pytest.mark.parametrize(
    ("parent", "key"),
    [
        (None, "run:jobs/etl"),
        ({"run": {"runId": "p"}, "job": {"namespace": "n", "name": "dag"}}, "run:n/dag"),
        ({"job": {"namespace": "n", "name": "dag"}, "root": {"job": {"namespace": "r", "name": "top"}}}, "run:r/top"),
        ({"job": {"name": "no namespace"}}, "run:jobs/etl"),
    ],
)
def test_keys_are_those_of_openlineage_itself(parent: Any, key: str) -> None:
    event = run(0)
    event["run"]["facets"]["parent"] = parent
    assert message_key(parse(event)) == key


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_WORDS = [
    "eventTime",
    "eventType",
    "run",
    "runId",
    "job",
    "dataset",
    "namespace",
    "name",
    "facets",
    "inputs",
    "outputs",
    "columnLineage",
    "fields",
    "inputFields",
    "field",
    "transformations",
    "type",
    "masking",
    "lineage",
    "entries",
    "symlinks",
    "identifiers",
    "parent",
    "root",
    "lifecycleStateChange",
    "tags",
    "ownership",
    "owners",
    "jobType",
    "emissionPattern",
    "sourceCodeLocation",
]
WORDS = st.sampled_from(_WORDS)
SHAPED = st.recursive(
    JSON | st.just("2026-01-01T00:00:00Z"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=40,
)


@given(SHAPED)
@settings(max_examples=400, deadline=None)
def test_parse_raises_invalid_input_and_nothing_else(raw: Any) -> None:
    try:
        event = parse(raw)
    except InvalidInput:
        return
    facts_of(event)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_real_shape_with_any_part_broken_is_read_or_refused(data: st.DataObject) -> None:
    """Some part of a full event is replaced by anything at all: facts are still a set of texts, or it is refused."""
    event: Any = run(0, ["a"], ["b"], parent=("dag", "p"), processing="STREAMING")
    event["outputs"][0]["facets"] = {
        "columnLineage": {"fields": {"x": {"inputFields": [{"namespace": "n", "name": "a", "field": "y"}]}}},
        "symlinks": {"identifiers": [{"namespace": "n", "name": "b", "type": "TABLE"}]},
        "lineage": {"inputs": [{"namespace": "n", "name": "a", "type": "DATASET"}], "fields": {}},
        "lifecycleStateChange": {
            "lifecycleStateChange": "RENAME",
            "previousIdentifier": {"namespace": "n", "name": "o"},
        },
    }
    here = event
    for _ in range(data.draw(st.integers(1, 7))):
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(here[key], dict | list) or data.draw(st.booleans()):
            here[key] = data.draw(JSON)
            break
        here = here[key]
    try:
        facts = facts_of(parse(event))
    except InvalidInput:
        return
    assert all(isinstance(part, str) for fact in facts for part in fact)


@given(JSON)
def test_codec_round_trip_or_refusal(value: Any) -> None:
    try:
        data = encode(value)
    except InvalidInput:
        return
    once = encode(decode(data))  # numbers beyond 64 bits become floating
    assert encode(decode(once)) == once


@pytest.mark.parametrize("data", [None, b"", b"{", b"\xff\xfe", b'"\\ud800"', b"[" * 100_000])
def test_what_is_not_json_is_refused(data: bytes | None) -> None:
    with pytest.raises(InvalidInput):
        decode(data)


def test_numbers_that_are_not_json_read_as_null() -> None:
    assert decode(b'{"a": NaN, "b": [-Infinity]}') == {"a": None, "b": [None]}


def test_a_run_is_one_whether_its_uuid_is_written_large_or_small() -> None:
    upper = "0190F5B6-0A1B-7000-8000-ABCDEFABCDEF"
    read = parse(run(0, run_id=upper, parent=("app", upper)))
    assert isinstance(read, RunEvent) and read.parent is not None
    assert read.run_id == read.parent.run_id == upper.lower()
    other = parse(run(0, run_id="Nightly-2026"))
    assert isinstance(other, RunEvent) and other.run_id == "Nightly-2026", "any other text is as it is"


def test_a_run_id_that_is_no_text_is_named_as_such() -> None:
    with pytest.raises(InvalidInput, match=r"run.runId is a number"):
        parse(run(0) | {"run": {"runId": 12}})


def test_a_byte_order_mark_is_no_part_of_the_event() -> None:
    assert decode(b"\xef\xbb\xbf" + encode({"a": "ü"})) == {"a": "ü"}
