"""Topics that a scan need not read: nothing that its result depends on changed since the last one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from catalog.model import DatasetId, DatasetScan, SchemaVersion
from scanners.model import RegisteredSchema, Strategy, Topic
from scanners.scan.order import ScanOrder, Tools
from scanners.scan.recognizer_versions import package_version, presidio_version, versions
from scanners.schemas.registered import of_topic


def basis(tools: Tools, order: ScanOrder, topic: Topic, schemas: Mapping[int, RegisteredSchema]) -> str:
    """What the result of a scan of a topic depends on, as a digest; two scans of one basis read the same records alike.

    The id of the topic and its offsets, how it is sampled, its formats, declared columns and registered schemas, and what looks
    for personal data. Empty where the next scan must read: the broker gives no id, a partition cannot be read, or records that
    cannot be decoded are to be sent on.
    """
    request = order.request
    if not topic.id or topic.unreadable or not topic.retained or request.dead_letter is not None:
        return ""
    settings = tools.settings
    form = order.formats.get(topic.name)
    parts: dict[str, object] = {
        "weir": package_version("weir-catalog"),
        "topic": [topic.id, *([p.partition, p.begin, p.end] for p in topic.partitions)],
        "sample": [request.strategy, request.max_bytes, request.seed],
        "records": None if request.strategy is Strategy.FULL else request.max_records,
        "windows": settings.windows,
        "format": form.to_mapping() if form is not None else None,
        "declared": order.declared.get(topic.name),
        "registry": order.cluster.registry,
        "schemas": sorted(
            [number, subject, part]
            for number, schema in schemas.items()
            for subject, part in schema.subjects.items()
            if of_topic(subject, topic.name)
        ),
        "detect": [settings.detect, *settings.phone_regions, settings.free_text_limit, settings.regex_seconds],
        "recognizers": [versions(()), presidio_version(), *(asdict(each) for each in order.recognizers)],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def repeatable(scan: DatasetScan, problems: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a scan read all that it planned, with an answer of the registry to all it asked. `problems`: the registry's."""
    skipped = sum(int(each.get("skipped") or 0) for each in scan.schema.window.partitions)
    unknown = any(each.get("reason") == "schema_ids_not_found" for each in scan.problems)
    return not (problems or skipped or unknown or scan.unscanned)


def unchanged(tools: Tools, order: ScanOrder, names: Sequence[str]) -> list[DatasetScan]:
    """The topics among these that the last scan read on the same basis. Raises Unavailable where Kafka does not answer."""
    kept = [name for name in names if order.last_bases.get(name)]
    topics = tools.offsets.offsets(order.cluster, kept) if kept else []
    answer = tools.registry.for_topics(order.cluster, [topic.name for topic in topics])
    if answer.problems:
        return []
    return [
        _as_before(order, topic, now)
        for topic in topics
        if (now := basis(tools, order, topic, answer.schemas)) and now == order.last_bases[topic.name]
    ]


def _as_before(order: ScanOrder, topic: Topic, now: str) -> DatasetScan:
    nothing = SchemaVersion(format={}, fields=())
    return DatasetScan(DatasetId(order.cluster.namespace, topic.name), nothing, basis=now, unchanged=True)


def with_basis(
    scan: DatasetScan,
    tools: Tools,
    order: ScanOrder,
    topic: Topic,
    schemas: Mapping[int, RegisteredSchema],
    problems: Sequence[Mapping[str, Any]],
) -> DatasetScan:
    """The result with what it depends on, where the next scan may rely on it."""
    return replace(scan, basis=basis(tools, order, topic, schemas)) if repeatable(scan, problems) else scan
