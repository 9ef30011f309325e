"""Standard facets as they are kept: small, JSON, without data, each with a count of what was cut (`cut`).

Every function takes a facet (an object of a producer, of any shape) and gives what is kept of it, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from catalog.paths import quote
from lineage.ingest.error_text import without_data
from lineage.ingest.parse import parse_time

Json = dict[str, object]
Read = Callable[[Mapping[str, Any]], Json | None]

MAX_FIELDS = 2000
"""Fields of a schema that are kept, nested ones included."""
MAX_ITEMS = 500
"""Entries of any other list."""
MAX_TEXT = 2000
MAX_DESCRIPTION = 20_000
MAX_DEPTH = 30
"""Levels of nesting of a schema."""


def text(raw: Any, most: int = MAX_TEXT) -> str | None:
    """A text that is one and not empty, cut to a length; a number or truth as text."""
    if type(raw) is not str:
        if isinstance(raw, bool | int | float):
            raw = str(raw)
        if not isinstance(raw, str):
            return None
    if not raw or raw.isspace():
        return None
    beginning: str = raw[:most]
    return beginning if beginning.isascii() else beginning.encode(errors="replace").decode()


def whole(raw: Any) -> int | None:
    """A count: a number not below zero, without its fraction."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or raw != raw or not 0 <= raw < 2**63:
        return None
    return int(raw)


def items(holder: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    entries = holder.get(key)
    for item in entries if isinstance(entries, list) else ():
        if type(item) is dict or isinstance(item, Mapping):  # the first is what JSON gives, and quick to see
            yield item


def texts(*names: str) -> Read:
    """These texts of a facet."""

    def read(facet: Mapping[str, Any]) -> Json | None:
        return _some({name: text(facet.get(name)) for name in names})

    return read


def _some(values: Json) -> Json | None:
    present = {key: value for key, value in values.items() if value not in (None, [], {})}
    return present or None


def _listed(facet: Mapping[str, Any], key: str, read: Read) -> Json | None:
    rows = [row for item in items(facet, key) if (row := read(item)) is not None]
    return _some({key: rows[:MAX_ITEMS], "cut": max(0, len(rows) - MAX_ITEMS) or None})


def schema(facet: Mapping[str, Any]) -> Json | None:
    """{fields: [[column, what is below it, type, description]], cut}: every field, nested ones after their parent."""
    rows: list[list[Any]] = []
    cut = 0
    for row in _fields(facet, "", "", 0):
        if len(rows) < MAX_FIELDS:
            rows.append(row)
        else:
            cut += 1
    return _some({"fields": rows, "cut": cut or None})


def _fields(holder: Mapping[str, Any], column: str, below: str, depth: int, kind: str = "") -> Iterator[list[Any]]:
    for item in items(holder, "fields"):
        name = item.get("name")
        if not isinstance(name, str) or not name or len(name) > 1000:
            continue
        name = name.encode(errors="replace").decode()
        top = column or name
        place = below + _step(name, kind) if column else ""
        of = text(item.get("type"), 200) or ""
        yield [top, place, of, text(item.get("description")) or ""]
        if depth < MAX_DEPTH:
            yield from _fields(item, top, place, depth + 1, of.lower())


def _step(name: str, kind: str) -> str:
    """One step down in the catalog's words: the spec names an array's elements `_element`, a map's `key` and `value`."""
    if kind.startswith(("array", "list")) and name in ("_element", "element", "array"):
        return "[]"
    if kind.startswith("map"):
        return {"key": "@keys", "_key": "@keys", "value": "{}", "_value": "{}"}.get(name, "." + quote(name))
    return "." + quote(name)


def documentation(facet: Mapping[str, Any]) -> Json | None:
    return _some(
        {"description": text(facet.get("description"), MAX_DESCRIPTION), "contentType": text(facet.get("contentType"))}
    )


def ownership(facet: Mapping[str, Any]) -> Json | None:
    return _listed(facet, "owners", lambda item: _named(item, "name", "type"))


def tags(facet: Mapping[str, Any]) -> Json | None:
    return _listed(facet, "tags", lambda item: _named(item, "key", "value", "source", "field"))


def _named(item: Mapping[str, Any], key: str, *others: str) -> Json | None:
    return _some({name: text(item.get(name)) for name in (key, *others)}) if text(item.get(key)) else None


def lifecycle(facet: Mapping[str, Any]) -> Json | None:
    state = text(facet.get("lifecycleStateChange"))
    previous = facet.get("previousIdentifier")
    return _some(
        {
            "state": state.upper() if state else None,
            "previous": texts("namespace", "name")(previous) if isinstance(previous, Mapping) else None,
        }
    )


def catalog(facet: Mapping[str, Any]) -> Json | None:
    return texts("framework", "type", "name", "source", "metadataUri", "warehouseUri")(facet)


def hierarchy(facet: Mapping[str, Any]) -> Json | None:
    return _listed(facet, "hierarchy", lambda item: _named(item, "name", "type"))


_COUNTS = ("rowCount", "bytes", "size", "fileCount")
_TIMES = ("lastUpdated", "captureDate")
_COLUMN_COUNTS = ("nullCount", "distinctCount", "count")


def statistics(facet: Mapping[str, Any]) -> Json | None:
    """Counts of rows, bytes and files."""
    return _some({name: whole(facet.get(name)) for name in _COUNTS})


def quality_metrics(facet: Mapping[str, Any]) -> Json | None:
    """Counts, of the whole and by column, and when. Smallest, largest, sums and quantiles are values of the data: left out."""
    by_column = facet.get("columnMetrics")
    columns = by_column if isinstance(by_column, Mapping) else {}
    counts, left_out = {}, 0
    for name, metrics in list(columns.items())[:MAX_ITEMS]:
        if not isinstance(name, str) or not isinstance(metrics, Mapping):
            continue
        counts[name] = _some({key: whole(metrics.get(key)) for key in _COLUMN_COUNTS}) or {}
        left_out += sum(metrics.get(key) is not None for key in ("min", "max", "sum", "quantiles"))
    return _some(
        {
            **(statistics(facet) or {}),
            **{name: facet[name] for name in _TIMES if parse_time(facet.get(name)) is not None},
            "columns": counts,
            "valuesLeftOut": left_out or None,
            "cut": max(0, len(columns) - MAX_ITEMS) or None,
        }
    )


def quality_assertions(facet: Mapping[str, Any]) -> Json | None:
    """Each assertion with its outcome; what was expected and what was found are values of the data: left out."""

    def read(item: Mapping[str, Any]) -> Json | None:
        row = _named(item, "assertion", "name", "column", "severity")
        success = item.get("success")
        return {**row, "success": success if isinstance(success, bool) else None} if row else None

    listing = _listed(facet, "assertions", read)
    left_out = sum(item.get(key) is not None for item in items(facet, "assertions") for key in ("expected", "actual"))
    return {**listing, "valuesLeftOut": left_out} if listing and left_out else listing


def tests(facet: Mapping[str, Any]) -> Json | None:
    return _listed(facet, "tests", lambda item: _named(item, "name", "status", "severity", "type"))


def error_message(facet: Mapping[str, Any]) -> Json | None:
    """The message without data; a stack trace stays in the log."""
    return _some(
        {
            "message": without_data(facet.get("message")),
            "programmingLanguage": text(facet.get("programmingLanguage")),
            "stackTraceLeftOut": True if facet.get("stackTrace") else None,
        }
    )


def extraction_error(facet: Mapping[str, Any]) -> Json | None:
    def read(item: Mapping[str, Any]) -> Json | None:
        return _some({"message": without_data(item.get("errorMessage")), "task": without_data(item.get("task"))})

    return _some(
        {
            "totalTasks": whole(facet.get("totalTasks")),
            "failedTasks": whole(facet.get("failedTasks")),
            **(_listed(facet, "errors", read) or {}),
        }
    )


def names_only(key: str, *called: str) -> Read:
    """The names in a list of settings; their values stay in the log."""

    def read(facet: Mapping[str, Any]) -> Json | None:
        names = sorted({name for item in items(facet, key) for word in called if (name := text(item.get(word), 200))})
        return _some({"names": names[:MAX_ITEMS], "cut": max(0, len(names) - MAX_ITEMS) or None})

    return read


def dependencies(facet: Mapping[str, Any]) -> Json | None:
    def read(item: Mapping[str, Any]) -> Json | None:
        job = item.get("job")
        job_name = texts("namespace", "name")(job) if isinstance(job, Mapping) else None
        return _some({"job": job_name, "type": text(item.get("dependency_type"))}) if job_name else None

    return _some(
        {
            **(_listed(facet, "upstream", read) or {}),
            **(_listed(facet, "downstream", read) or {}),
            "triggerRule": text(facet.get("trigger_rule")),
        }
    )


DATASET_FACETS: Mapping[str, Read] = {
    "schema": schema,
    "documentation": documentation,
    "ownership": ownership,
    "tags": tags,
    "datasetType": texts("datasetType", "subType"),
    "lifecycleStateChange": lifecycle,
    "version": texts("datasetVersion"),
    "dataSource": texts("name", "uri"),
    "storage": texts("storageLayer", "fileFormat"),
    "catalog": catalog,
    "hierarchy": hierarchy,
    "dataQualityMetrics": quality_metrics,
    "dataQualityAssertions": quality_assertions,
    "inputStatistics": statistics,
    "outputStatistics": statistics,
}
"""Facets of datasets, also those that come as `inputFacets` and `outputFacets`."""

RUN_FACETS: Mapping[str, Read] = {
    "nominalTime": texts("nominalStartTime", "nominalEndTime"),
    "errorMessage": error_message,
    "externalQuery": texts("externalQueryId", "source"),
    "extractionError": extraction_error,
    "environmentVariables": names_only("environmentVariables", "name"),
    "executionParameters": names_only("parameters", "key", "name"),
    "jobDependencies": dependencies,
    "tags": tags,
    "test": tests,
}

ELSEWHERE: Mapping[str, frozenset[str]] = {
    "dataset": frozenset({"columnLineage", "lineage", "symlinks"}),
    "job": frozenset({"jobType", "lineage", "sourceCodeLocation", "sql", "ownership", "documentation", "tags"}),
    "run": frozenset({"parent", "parentRun", "processing_engine"}),
}
"""Facets that the graph itself keeps. Whatever is neither here nor above is listed by name, and stays in the log."""
