"""Why a streaming query ended: one sentence of ours, nothing of the engine's text."""

from __future__ import annotations

import re

import pytest

from catalog.errors import Unavailable
from views.adapters.spark_failures import failure
from views.adapters.spark_progress import read_progress
from views.errors import ViewFailed

_ROW = {"values": [1, None], "schema": {}}
"""What was observed of a table, as PySpark's client gives it."""


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (
            "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host ana@example.org",
            "topic",
        ),
        ("[KAFKA_DATA_LOSS.OFFSETS_NOT_FOUND] Partition orders-3 ... aged out", "data-loss"),
        ("Caused by: TopicAuthorizationException: Not authorized to access topics: [secret]", "access"),
        ("RecordTooLargeException: The message is 1048600 bytes", "too-large"),
        ("java.io.IOException: No space left on device", "disk"),
        ("java.lang.OutOfMemoryError: Java heap space", "memory"),
        ("[STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE] Provided key schema ...", "sql"),
        ("Job aborted due to stage failure: value 'ana@example.org' at Foo.scala:12", "failed"),
    ],
)
def test_a_sentence_by_cause(text: str, condition: str) -> None:
    error = failure(text)
    assert isinstance(error, ViewFailed) and error.details["condition"] == condition
    assert "ana@" not in error.message and "Exception" not in error.message and ".scala" not in error.message


def test_a_broker_that_is_away_is_waited_for() -> None:
    assert isinstance(failure("TimeoutException: Timed out waiting for a node assignment"), Unavailable)


def test_the_place_of_lost_records_is_named() -> None:
    assert failure("Cannot find earliest offset of Partition orders-3").details["partition"] == "orders-3"


def test_progress_of_a_join_with_itself_has_what_all_sources_read() -> None:
    status = {
        "batchId": 4,
        "observedMetrics": {"weir_seen_weir_view_0": {"p0": 2, "p1": None}, "weir_seen_weir_view_1": _ROW},
        "durationMs": {"triggerExecution": 1500},
        "sink": {"numOutputRows": -1},
        "stateOperators": [{"numRowsTotal": 7, "memoryUsedBytes": 10, "numRowsDroppedByWatermark": 2}],
        "sources": [
            {"endOffset": {"orders": {"0": 10, "1": 4}}, "numInputRows": 3},
            {"endOffset": '{"orders":{"0":8,"1":9}}', "numInputRows": 2},
            {"endOffset": None, "numInputRows": 0},
        ],
    }
    read = read_progress(status)
    assert read.offsets == {"orders": {0: 8, 1: 4}} and (read.rows_in, read.rows_out, read.seconds) == (5, 0, 1.5)
    assert (read.state_rows, read.late_rows) == (7, 2) and read.unfit_values == 3


@pytest.mark.parametrize(
    ("field", "words"),
    [("id", "is not its id.*make the view's key of _key"), ("_key", "cannot be read.*declare the key as STRING")],
)
def test_a_record_whose_key_no_deletion_would_match(field: str, words: str) -> None:
    error = failure(
        f"Caused by: [USER_RAISED_EXCEPTION] weir-other-key prices 3 17 {field.encode().hex()} SQLSTATE: P0001"
    )
    assert re.search(words, error.message) and "compactedAs: stream" in error.message
    assert error.details == {"condition": "value", "topic": "prices", "partition": 3, "offset": 17, "field": field}
