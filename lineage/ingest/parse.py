"""Raw JSON -> RunEvent, JobEvent or DatasetEvent, as lenient as real producers need.

Refused is only what cannot be placed in a graph: no job and no dataset, a run without an id, no time, a name that is
missing or too long. Facets of any shape are taken: readers of facets check what they read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from catalog.errors import InvalidInput
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, JobEvent, JobRef, Name, ParentRef, RunEvent

# Neo4j indexes keys of up to about 8,000 bytes; a field's id holds all three.
MAX_NAMESPACE_BYTES = 1500
MAX_NAME_BYTES = 2000
MAX_FIELD_BYTES = 4000

_TYPES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,9})\d*)?\s*(Z|z|[+-]\d{2}:?\d{2}|[+-]\d{2})?"
    r"(?:\[[^\]]*\])?)?\Z"
)


def parse(raw: Any) -> Event:
    """Read one event. Raises InvalidInput, and nothing else, which names the wrong part."""
    try:
        return _event(raw)
    except RecursionError:
        raise InvalidInput("The event is nested too deeply to be read.") from None


def _event(raw: Any) -> Event:
    if not isinstance(raw, Mapping):
        raise InvalidInput(f"An OpenLineage event is a JSON object, not {_kind(raw)}.")
    producer = raw.get("producer")
    producer = producer if isinstance(producer, str) else None
    if raw.get("job") is None:
        if raw.get("dataset") is None:
            raise InvalidInput("An OpenLineage event has a job (with or without a run) or a dataset; this has neither.")
        return DatasetEvent(_time(raw), _dataset(raw["dataset"], "dataset"), producer)
    job = JobRef(_name(raw["job"], "job"), _facets(raw["job"]))
    inputs, outputs = _datasets(raw, "inputs"), _datasets(raw, "outputs")
    if raw.get("run") is None:
        return JobEvent(_time(raw), job, inputs, outputs, producer)
    run = raw["run"]
    run_id = run.get("runId") if isinstance(run, Mapping) else None
    if not isinstance(run_id, str) or not run_id:
        what = "is missing" if run_id in (None, "") else f"is {_kind(run_id)}"
        raise InvalidInput(f"run.runId {what}: a run event names its run by a UUID.", details={"field": "run.runId"})
    _check_length(run_id, MAX_NAME_BYTES, "run.runId")
    kind = raw.get("eventType")
    facets = _facets(run)
    return RunEvent(
        time=_time(raw),
        run_id=run_id_of(run_id),
        job=job,
        type=kind.upper() if isinstance(kind, str) and kind.upper() in _TYPES else None,
        inputs=inputs,
        outputs=outputs,
        parent=_parent(facets.get("parent") or facets.get("parentRun")),
        facets=facets,
        producer=producer,
    )


def run_id_of(text: str) -> str:
    """The id of a run as it is kept: a UUID is the same in upper and in lower case; any other text is as it is."""
    return text.lower() if _UUID.match(text) else text


def parse_time(text: Any) -> int | None:
    """Milliseconds since 1970 of an ISO 8601 time; without an offset it is UTC, a date alone is its midnight."""
    if not isinstance(text, str):
        return None
    match = _TIME.match(text.strip())
    if match is None:
        return None
    day, clock, fraction, offset = match.groups()
    zone = "+00:00" if offset in (None, "Z", "z") else offset
    try:
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00:00'}{zone}")
        seconds = int((moment.astimezone(UTC) - _EPOCH).total_seconds())
    except (ValueError, OverflowError):
        return None
    return seconds * 1000 + int((fraction or "0").ljust(3, "0")[:3])


_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _time(raw: Mapping[str, Any]) -> int:
    value = raw.get("eventTime")
    time = parse_time(value)
    if time is None:
        what = "is missing" if value is None else "is not a time"
        raise InvalidInput(
            f"eventTime {what}: write it as ISO 8601, as in 2026-03-01T12:00:00.000Z.", details={"field": "eventTime"}
        )
    return time


def _datasets(raw: Mapping[str, Any], side: str) -> tuple[DatasetRef, ...]:
    entries = raw.get(side)
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise InvalidInput(f"{side} is a list of datasets, not {_kind(entries)}.", details={"field": side})
    return tuple(_dataset(item, f"{side}[{at}]") for at, item in enumerate(entries) if item is not None)


def _dataset(raw: Any, where: str) -> DatasetRef:
    side = "inputFacets" if where.startswith("inputs") else "outputFacets"
    return DatasetRef(_name(raw, where), _facets(raw), _facets(raw, side), _is_partial(raw))


def _is_partial(raw: Mapping[str, Any]) -> bool:
    """Whether a subset facet limits what is written."""
    output = raw.get("outputFacets")
    return isinstance(output, Mapping) and isinstance(output.get("subset"), Mapping)


def _name(raw: Any, where: str) -> Name:
    if not isinstance(raw, Mapping):
        raise InvalidInput(f"{where} is an object with namespace and name, not {_kind(raw)}.", details={"field": where})
    for key, limit in (("namespace", MAX_NAMESPACE_BYTES), ("name", MAX_NAME_BYTES)):
        value = raw.get(key)
        if not isinstance(value, str) or not value:
            raise InvalidInput(f"{where}.{key} is missing or empty.", details={"field": f"{where}.{key}"})
        _check_length(value, limit, f"{where}.{key}")
    return Name(raw["namespace"], raw["name"])


def _check_length(text: str, limit: int, where: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidInput(f"{where} is not valid Unicode text.", details={"field": where}) from None
    if size > limit:
        raise InvalidInput(f"{where} is {size} bytes long; at most {limit} can be kept.", details={"field": where})


def optional_name(raw: Any) -> Name | None:
    """A namespace and a name from inside a facet, or None where they are not usable."""
    if not isinstance(raw, dict) and not isinstance(raw, Mapping):
        return None
    namespace, name = raw.get("namespace"), raw.get("name")
    return _usable(namespace, name) if isinstance(namespace, str) and isinstance(name, str) else None


@lru_cache(maxsize=8192)
def _usable(namespace: str, name: str) -> Name | None:
    """Column lineage repeats the same few datasets for each of its fields."""
    try:
        return _name({"namespace": namespace, "name": name}, "")
    except InvalidInput:
        return None


def _parent(raw: Any) -> ParentRef | None:
    if not isinstance(raw, Mapping):
        return None
    run, root = raw.get("run"), raw.get("root")
    run_id = run.get("runId") if isinstance(run, Mapping) else None
    parent = ParentRef(
        run_id=run_id_of(run_id) if isinstance(run_id, str) and run_id else None,
        job=optional_name(raw.get("job")),
        root=optional_name(root.get("job")) if isinstance(root, Mapping) else None,
    )
    return parent if parent != ParentRef() else None


def _facets(raw: Any, key: str = "facets") -> Mapping[str, Any]:
    facets = raw.get(key) if isinstance(raw, Mapping) else None
    return facets if isinstance(facets, Mapping) else {}


def _kind(raw: Any) -> str:
    match raw:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return type(raw).__name__
