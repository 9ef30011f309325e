"""Why a streaming query ended, as one sentence: no value, no plan, no Java."""

from __future__ import annotations

import re

from catalog.errors import Unavailable, WeirError
from policies.adapters.spark.by_key import OTHER_KEY
from policies.adapters.spark.reading import UNFIT
from views.errors import ViewFailed
from views.shape import errors

_PARTITION = re.compile(r"partition\s+([A-Za-z0-9._-]+-\d+)|Partition\s+([A-Za-z0-9._-]+-\d+)")
_SENTENCES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(r"UnknownTopicOrPartition|Topic\(s\) .* does not exist|is not available|UNKNOWN_TOPIC", re.I),
        "topic",
        "A topic of the view is not there any more; create it again, or delete the view.",
    ),
    (
        re.compile(
            r"Cannot find earliest offset|OffsetOutOfRange|data loss|aged out|offset was changed|KAFKA_DATA_LOSS", re.I
        ),
        "data-loss",
        "Records that the view had not read are gone from its source, by retention or because the topic was created again;"
        " rebuild the view to continue with what is there.",
    ),
    (
        re.compile(r"TopicAuthorization|GroupAuthorization|SaslAuthentication|AuthorizationException", re.I),
        "access",
        "The cluster does not let Weir read a source or write the view's topic; check its access rules.",
    ),
    (
        re.compile(r"RecordTooLarge|MESSAGE_TOO_LARGE", re.I),
        "too-large",
        "A row is larger than the view's topic takes; raise the topic's max.message.bytes (32 MiB is the most that"
        " Weir writes), or choose fewer columns.",
    ),
    (
        re.compile(r"No space left on device|disk.*full", re.I),
        "disk",
        "The disk with the state of the view is full; make room, and the view continues by itself.",
    ),
    (
        re.compile(r"OutOfMemoryError|Java heap space", re.I),
        "memory",
        "The state of the view does not fit into the engine's memory; give it a watermark or a shorter window.",
    ),
    (
        re.compile(
            r"STATE_STORE_.*(?:SCHEMA|INCOMPATIBLE)|Provided schema doesn't match|incompatible.*checkpoint", re.I
        ),
        "state",
        "The state of the view does not fit its SQL any more; rebuild the view.",
    ),
)
_UNFIT = re.compile(rf"{UNFIT} (\S+) (\d+) (\d+) ((?:[0-9a-f]{{2}})+)")
_OTHER_KEY = re.compile(rf"{OTHER_KEY} (\S+) (\d+) (\d+) ((?:[0-9a-f]{{2}})+)")
_AWAY = re.compile(
    r"TimeoutException|Connection .*refused|disconnected|NetworkException|BrokerNotAvailable|NotLeaderOrFollower|TimedOut",
    re.I,
)


def failure(text: str) -> WeirError:
    """From the text of Spark's exception, of which only names of topics, positions and names of fields are used."""
    if unfit := _UNFIT.search(text):
        return _refused(unfit)
    if other := _OTHER_KEY.search(text):
        return _other_key(other)
    refused = errors.sentence(_condition(text), text)
    if refused is not None:
        return ViewFailed(refused, details={"condition": "sql"})
    for pattern, kind, sentence in _SENTENCES:
        if pattern.search(text):
            return ViewFailed(sentence, details={"condition": kind, **_place(text)})
    if _AWAY.search(text):
        return Unavailable("A Kafka cluster of the view does not answer.", details={"server": "kafka"})
    return ViewFailed("The engine ended the view; its log has the reason.", details={"condition": _condition(text)})


def _refused(match: re.Match[str]) -> ViewFailed:
    topic, partition, offset, field = match[1], int(match[2]), int(match[3]), bytes.fromhex(match[4]).decode()
    return ViewFailed(
        f"The record at offset {offset} of partition {partition} of {topic} does not fit the type of {field}, and onError is"
        " stop; correct the type, or write onError: deadLetter, which reads such a value as NULL and reports the record.",
        details={"condition": "value", "topic": topic, "partition": partition, "offset": offset, "field": field},
    )


def _other_key(match: re.Match[str]) -> ViewFailed:
    topic, partition, offset, field = match[1], int(match[2]), int(match[3]), bytes.fromhex(match[4]).decode()
    instead = "write compactedAs: stream to take each record for itself"
    wrong = (
        "cannot be read as its type, or is written in another way than its value (01 for 1), so records of several keys of this"
        f" compacted topic would be one row; declare the key as STRING, or {instead}."
        if field == "_key"
        else f"is not its {field}, so a record that is deleted in this compacted topic could not be taken away from the view; make"
        f" the view's key of _key, or {instead}."
    )
    return ViewFailed(
        f"The key of the record at offset {offset} of partition {partition} of {topic} {wrong}",
        details={"condition": "value", "topic": topic, "partition": partition, "offset": offset, "field": field},
    )


def _place(text: str) -> dict[str, str]:
    match = _PARTITION.search(text)
    return {"partition": match[1] or match[2]} if match else {}


def _condition(text: str) -> str:
    match = re.search(r"\[([A-Z][A-Z0-9_.]{2,119})\]", text)
    return match[1] if match else "failed"
