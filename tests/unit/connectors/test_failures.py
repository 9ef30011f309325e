"""Why a task failed, from Java's stack traces as workers really give them: one sentence, no value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.failures import sentence

CANARY = "canary.person@example.org"


def trace(*chain: str) -> str:
    frames = "\tat org.apache.kafka.connect.runtime.WorkerTask.doRun(WorkerTask.java:217)\n\t... 7 more\n"
    return "".join(f"{'Caused by: ' if n else ''}{each}\n{frames}" for n, each in enumerate(chain))


CONNECT = "org.apache.kafka.connect.errors"
JSON = (
    f"{CONNECT}.ConnectException: Tolerance exceeded in error handler",
    f"{CONNECT}.DataException: Converting byte[] to Kafka Connect data failed due to serialization error of topic t: ",
    "org.apache.kafka.common.errors.SerializationException: com.fasterxml.jackson.core.JsonParseException: Unrecognized token"
    f" '{CANARY}': was expecting (JSON String, Number)\n at [Source: (byte[])\"no json: {CANARY}\"; line: 1, column: 4]",
)
BATCH = (
    f"{CONNECT}.ConnectException: Exiting WorkerSinkTask due to unrecoverable exception.",
    f"{CONNECT}.ConnectException: java.sql.SQLException: Exception chain:",
    f"java.sql.BatchUpdateException: Batch entry 0 INSERT INTO \"people\" VALUES ('{CANARY}') was aborted: ERROR: value too long",
    f"org.postgresql.util.PSQLException: ERROR: value too long for type character varying(5) Detail: {CANARY}",
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (trace(*JSON), "A record could not be converted or transformed (SerializationException); correct"),
        (trace(*BATCH), "It failed with PSQLException; the worker's log has the message"),
        (
            trace(
                f"{CONNECT}.ConnectException: Couldn't find or create file '/data/out' for FileStreamSinkTask",
                "java.nio.file.NoSuchFileException: /data/out",
            ),
            "It failed with ConnectException: Couldn't find or create file '/data/out' for FileStreamSinkTask.",
        ),
        (
            trace(
                f"{CONNECT}.ConnectException: Couldn't find or create file '/home/{CANARY}/x' for FileStreamSinkTask"
            ),
            "It failed with ConnectException: Couldn't find or create file … for FileStreamSinkTask.",
        ),
        (
            trace(
                "io.debezium.DebeziumException: An exception occurred in the change event producer. This connector will be"
                " stopped.",
                'org.postgresql.util.PSQLException: FATAL: password authentication failed for user "weir"',
            ),
            "The other side refused the user name or password;",
        ),
        (
            trace(
                "io.debezium.DebeziumException: Postgres server wal_level property must be 'logical' but is: 'replica'"
            ),
            "The PostgreSQL server writes no logical changes;",
        ),
        (
            trace(
                "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: This server does not host this topic-partition."
            ),
            "A topic does not exist",
        ),
        (
            trace("java.net.UnknownHostException: db.internal: Name or service not known"),
            "It failed with UnknownHostException: db.internal: Name or service not known.",
        ),
        (trace("java.lang.NullPointerException"), "It failed with NullPointerException; the worker's log"),
        (trace("java.lang.OutOfMemoryError: Java heap space"), "The worker has too little memory"),
        (
            trace(f"{CONNECT}.RetriableException: customer 4539148803436467 was refused"),
            "It failed with RetriableException; the worker's log",
        ),
        (
            trace(f"{CONNECT}.ConnectException: Failed to write row (canary Doe, Berlin, 1980) to table people"),
            "It failed with ConnectException; the worker's log",
        ),
        (
            trace(f"{CONNECT}.ConnectException: Couldn't find or create file '/data/out' for canary Doe, Berlin"),
            "It failed with ConnectException; the worker's log",
        ),
        (
            trace(
                "org.apache.kafka.common.config.ConfigException: Cannot open jdbc:postgresql://db/x?user=u&password=canary now"
            ),
            "It failed with ConfigException: Cannot open … now.",
        ),
        (
            trace(
                "org.apache.kafka.common.config.ConfigException: Invalid value a canary's word for configuration db.key: short"
            ),
            "It failed with ConfigException: Invalid value … for configuration db.key: short.",
        ),
        (
            trace("org.apache.kafka.common.config.ConfigException: Bad options user=weir;pass = canary"),
            "It failed with ConfigException: Bad options …",
        ),
        (trace("java.nio.file.NoSuchFileException: /home/canary/x"), "It failed with NoSuchFileException: …."),
        (trace("java.nio.file.NoSuchFileException: /data/out"), "It failed with NoSuchFileException: /data/out."),
        (
            trace("java.net.ConnectException: Connection refused"),
            "It failed with ConnectException: Connection refused.",
        ),
        (trace("com.example.ConnectException: canary"), "It failed with ConnectException; the worker's log"),
        ("", "It failed; the worker's log has the reason."),
        ("garbage\n\tat x", "It failed; the worker's log has the reason."),
    ],
)
def test_a_trace_is_one_sentence(text: str, wanted: str) -> None:
    result = sentence(text, {"/data/out"})
    assert result.startswith(wanted), result
    assert CANARY not in result and "canary" not in result and "\tat" not in result and "\n" not in result


@given(st.text(max_size=300), st.text(max_size=300))
def test_whatever_a_trace_holds_it_is_one_line(first: str, second: str) -> None:
    result = sentence(f"a.b.C: {first}\n\tat x.Y(Z.java:1)\nCaused by: d.e.JsonParseException: {second}")
    assert "\n" not in result and len(result) < 500 and result.endswith(".")


@given(
    st.from_regex(r"([a-z]{1,8}\.){1,4}[A-Z][A-Za-z]{0,20}(Exception|Error)", fullmatch=True),
    st.text(st.characters(categories=("L", "N")), min_size=12, max_size=30),
)
def test_no_message_is_shown_of_an_exception_that_is_not_listed(name: str, value: str) -> None:
    assert value not in sentence(f"{name}: got {value}\n\tat a\nCaused by: {name}: {value} (row)\n\tat b")
