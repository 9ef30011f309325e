"""What the record of a scan keeps of each topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.model import DatasetId, DatasetScan, ReviewState, SchemaVersion
from catalog.problems import sentence
from catalog.records import ClassificationRecord, DatasetRecord

Row = tuple[dict[str, object], list[dict[str, object]]]
"""A topic's row, see `api.features.scans.answers.ScannedDataset`, and its problems for the list of the whole scan."""

_NONE = ("empty", "nothing_new")
"""Reasons that a topic shows in its row alone, not in the list of the whole scan."""


def scan_row(scan: DatasetScan, schema: SchemaVersion) -> Row:
    """Of a topic that was read. `schema`: as it is stored."""
    entities = {each.entity for each in scan.classifications}
    return _row(scan.dataset, schema.version, scan.schema, entities, scan.problems)


def unchanged_row(record: DatasetRecord, schema: SchemaVersion, known: Iterable[ClassificationRecord]) -> Row:
    """Of a topic that was not read, since nothing changed: the figures of the scan that read it."""
    entities = {each.entity for each in known if each.state is not ReviewState.REJECTED}
    row, problems = _row(record.id, schema.version, schema, entities, record.scan.get("problems") or ())
    return {**row, "unchanged": True}, problems


def _row(
    dataset: DatasetId,
    version: int,
    schema: SchemaVersion,
    entities: Iterable[str],
    problems: Sequence[Mapping[str, Any]],
) -> Row:
    messages = [sentence(problem) for problem in problems]
    row: dict[str, object] = {
        "namespace": dataset.namespace,
        "name": dataset.name,
        "state": "done",
        "version": version,
        "format": dict(schema.format),
        "records": schema.window.records,
        "fields": len(schema.fields),
        "shapes": len(schema.shapes),
        "entities": sorted(entities),
        "problems": messages,
    }
    listed: list[dict[str, object]] = [
        {"dataset": dataset.name, "reason": problem.get("reason"), "message": text}
        for problem, text in zip(problems, messages, strict=True)
        if problem.get("reason") not in _NONE
    ]
    return row, listed
