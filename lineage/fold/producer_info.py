"""What producers state *about* a job or a dataset: owners, description, tags, where its code is.

Values are small and JSON-ready. They are redacted here once more, for events that came by Kafka from others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lineage.fold.job_ledger import Book
from lineage.ingest.events import Facets, JobEvent, RunEvent, facet
from lineage.ingest.redact import redact
from lineage.model import rfc3339
from lineage.sql.redacted_text import hidden, without_values

MAX_TEXT = 20_000
"""Characters of a description or a statement that are kept."""

CLOCK_AHEAD = "clockAhead"
"""Key under which nodes and runs show that events about them were dated after they arrived."""

_LOCATION = ("type", "url", "repoUrl", "path", "version", "tag", "branch", "pullRequestNumber")


def dataset_info(facets: Facets) -> Iterator[tuple[str, Any]]:
    """(key, value) of what the facets of a dataset state: owners, description, tags, columnTags, datasetType."""
    for name, key, read in (
        ("ownership", "owners", _owners),
        ("documentation", "description", _description),
        ("tags", "tags", _tags),
        ("tags", "columnTags", _column_tags),
        ("datasetType", "datasetType", lambda content: _text(content.get("datasetType"))),
    ):
        if isinstance(facets.get(name), Mapping):
            content = facet(facets, name)
            value = redact(read(content)) if content is not None else None
            if value or content is None:  # a facet marked as deleted takes its value away
                yield key, value


def job_said(event: RunEvent | JobEvent) -> Iterator[tuple[str, Any]]:
    """(key, value) of what an event states of its job."""
    facets = event.job.facets
    kind = facet(facets, "jobType") or {}
    for key in ("integration", "jobType", "processingType"):
        if text := _text(kind.get(key)):
            yield key, text
    for name, key, read in (
        ("ownership", "owners", _owners),
        ("documentation", "description", _description),
        ("tags", "tags", _tags),
        ("sourceCodeLocation", "location", _location),
        ("sql", "sql", _statement),
        ("sql", "sqlDialect", lambda content: _text(content.get("dialect"))),
    ):
        if isinstance(facets.get(name), Mapping):
            content = facet(facets, name)
            value = redact({key: read(content)})[key] if content is not None else None
            if value or content is None:
                yield key, value
    if event.producer:
        yield "producer", redact(_text(event.producer))
    if isinstance(event, RunEvent):
        engine = facet(event.facets, "processing_engine") or {}
        engine_info = {"name": _text(engine.get("name")), "version": _text(engine.get("version"))}
        if any(engine_info.values()):
            yield "engine", engine_info


def job_info(book: Book) -> dict[str, object]:
    """What the job's node shows: all of the above, its newest run and state."""
    info = {key: value for key, (_, value) in sorted(book.info.items()) if value}
    newest = max(book.runs.values(), key=lambda run: (run.first, run.id), default=None)
    if newest is not None:
        claims = [run.claimed for run in book.runs.values() if run.claimed is not None]
        if claims:
            info[CLOCK_AHEAD] = clock_ahead(*max(claims, key=lambda claim: (claim[1], claim[0])))
        info |= {"state": newest.state(), "lastRun": newest.id, "lastSeen": rfc3339(newest.heard)}
    return info


def clock_ahead(claimed: int, arrived: int) -> dict[str, str | None]:
    """Both times of an event dated after its arrival; it counts from its arrival."""
    return {"claimed": rfc3339(claimed), "arrived": rfc3339(arrived)}


def _text(raw: Any) -> str | None:
    if not isinstance(raw, str) or not raw:
        return None
    return raw[:MAX_TEXT].encode(errors="replace").decode()


def _statement(content: Mapping[str, Any]) -> str | None:
    query = _text(content.get("query"))
    return hidden(without_values(query, _text(content.get("dialect")) or "")) if query else None


def _description(content: Mapping[str, Any]) -> str | None:
    return _text(content.get("description"))


def _owners(content: Mapping[str, Any]) -> list[dict[str, str | None]]:
    owners = content.get("owners")
    return [
        {"name": name, "type": _text(owner.get("type"))}
        for owner in (owners if isinstance(owners, list) else ())
        if isinstance(owner, Mapping) and (name := _text(owner.get("name")))
    ]


def _tags(content: Mapping[str, Any]) -> dict[str, str]:
    return {key: value for key, value, column in _all_tags(content) if column is None}


def _column_tags(content: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    columns: dict[str, dict[str, str]] = {}
    for key, value, column in _all_tags(content):
        if column is not None:
            columns.setdefault(column, {})[key] = value
    return columns


def _all_tags(content: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    tags = content.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, Mapping) and (key := _text(tag.get("key"))):
            value = tag.get("value")
            yield key, _text(value) or ("" if value is None else str(value)[:MAX_TEXT]), _text(tag.get("field"))


def _location(content: Mapping[str, Any]) -> dict[str, str]:
    return {key: value for key in _LOCATION if (value := _text(str(content[key])) if content.get(key) else None)}
