"""What scans could not do or found wrong, in sentences for people. The words `part` and `reason` stay for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_WORDS = {
    "empty": "The topic holds no record; scan it again when it does.",
    "nothing_new": "Nothing is new since the last scan.",
    "topic_gone": "The topic was deleted while the scan ran.",
    "topic_recreated": "The topic was deleted and created again while the scan ran; scan it again.",
    "byte_limit": "{count} records were not looked at: the limit of bytes was reached; scan with a higher --max-bytes.",
    "time_limit": "{count} records were not looked at: the limit of time was reached; scan with a higher --max-seconds.",
    "offsets_without_record": "{count} offsets{partition} have no record: compaction, retention or transactions.",
    "partitions_unreadable": "Nothing was read of {count} partitions ({partitions}): {why}. Check the brokers, and scan again.",
    "dead_letters": "{count} parts of records that cannot be read: those records were sent to the topic {topic}.",
    "registry_unavailable": "The schema registry does not answer; schemas known from before were used. Check"
    " schemaRegistry.url of the cluster and scan again.",
    "schema_ids_not_found": "The schema registry has no schema with the ids {ids}; point schemaRegistry.url to the registry"
    " that the records were written with.",
    "schema_not_found": "The schema registry has no schema with the ids {ids}.",
    "reference_not_found": "The registered schema {ids} refers to one that the registry does not have; register that too.",
    "duplicate_key": "{times} a key occurs twice in an object{within}; the last one counts{first}.",
    "header_record": "{count} records are a header of column names{first}.",
    "too_many_fields": "There are more fields than a profile keeps; the rarest were left out. If their names are data,"
    " declare the object as a map (kind: Dataset, spec.schema).",
    "too_many_headers": "There are more headers than a profile keeps; some were left out.",
    "unknown_schema_id": "{times}{part} names a schema id that the registry does not have{first}.",
    "guids_not_supported": "The schema registry knows no GUIDs, by which headers name the schemas {ids}; those records were not"
    " read. Confluent's registry has them from version 8.0 on.",
    "several_documents": "{times}{part} holds several JSON documents, which were read as an array{first}.",
    "several_formats": "{times}{part} is not {main}: {formats}{first}.{tried} Declare the format (kind: Dataset,"
    " spec.format.{of}: {main}) to have what does not fit it counted as unreadable.",
    "not_in_envelope": "{times}{part} is not in the envelope ({layers}) that the others are in; what it holds is listed"
    " behind the payload's fields.",
    "other_encoding": "{times}{part} is text in ISO 8859-1 and not in UTF-8; it was read as that{first}.",
    "too_deep": "{times}{part} is nested too deep; what is further down was not looked at{first}.",
    "profile_failed": "{count} records could not be profiled by a fault of Weir; their fields count as not scanned. Please"
    " report it with the log of the scan.",
}

_PACKED = "packed_"
_PACKED_WORDS = (
    "{times}{part} is packed as {name}, which most records are not; the scan read it{first}. A query of JSON or text"
    " reads such a record as NULL."
)

_LOST = {"unknown_schema_id", "profile_failed", "too_deep"}
"""Of the known reasons, those that leave records unread. A reason with no words of its own is one of decoding."""


def unread(problems: Iterable[Mapping[str, Any]]) -> int:
    """How many keys, values and headers could not be read."""
    return sum(
        problem.get("unread", 0) or (problem.get("count", 1) if _is_lost(str(problem.get("reason"))) else 0)
        for problem in problems
        if "source" not in problem
    )


def _is_lost(reason: str) -> bool:
    return reason in _LOST or (reason not in _WORDS and not reason.startswith(_PACKED))


def sentence(problem: Mapping[str, Any]) -> str:
    """One sentence, of the problem's own words when it has some."""
    if problem.get("message"):
        return str(problem["message"])
    reason = str(problem.get("reason", "problem"))
    first = problem.get("first") or {}
    part = problem.get("part", "")
    named = f"the {part}" if part not in ("", "record", "registry") else ""
    words = {
        "count": f"{problem.get('count', 'Some')}",
        "times": _times(problem.get("count")),
        "part": f" {named}" if named else "",
        "within": f" of {named}" if named else "",
        "partition": f" in partition {problem['partition']}" if "partition" in problem else "",
        "first": f", first in partition {first['partition']} at offset {first['offset']}" if first else "",
        "partitions": ", ".join(str(number) for number in problem.get("partitions", ())),
        "why": str(problem.get("why", "")),
        "topic": str(problem.get("topic", "")),
        "name": reason.removeprefix(_PACKED),
        "main": str(problem.get("main", "")),
        "of": str(part),
        "layers": ", ".join(map(str, problem.get("layers") or ())),
        "formats": ", ".join(f"{name} {count:,}" for name, count in dict(problem.get("formats") or {}).items()),
        "tried": f" {problem['unread']} are bytes that no format reads (tried: {', '.join(problem['tried'])})."
        if problem.get("tried")
        else "",
        "ids": ", ".join(map(str, problem.get("ids") or [problem.get("id", "?")])),
    }
    reading = (
        f"{{times}}{{part}} cannot be read ({reason.replace('_', ' ')}){{first}}. Scan with --dead-letter to copy such"
        " records to a topic."
    )
    return _WORDS.get(reason, _PACKED_WORDS if reason.startswith(_PACKED) else reading).format(**words)


def _times(count: int | None) -> str:
    return "Sometimes" if count is None else "Once" if count == 1 else f"{count} times"
