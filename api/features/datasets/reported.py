"""What producers report of a dataset."""

from __future__ import annotations

from datetime import UTC, datetime

from api.features.datasets.reported_answers import Reported
from api.visibility.producers import Producers
from catalog.datasets.reported import newest
from catalog.records import DatasetRecord, rfc3339
from catalog.report_store import Fact, hour
from lineage.producers.facts import COLUMNS, NAMED, OTHER, SYMLINK, SYMLINK_OF, WAYS


def of_dataset(producers: Producers, record: DatasetRecord) -> Reported:
    """All that is reported of a dataset; empty where nothing is."""
    facts = producers.facts_of(record.id)
    if not facts:
        return Reported.model_validate(record.reported)
    kept = newest(facts)
    written = {(fact.subject.namespace, fact.subject.name) for fact in facts}
    written |= {(fact.value[0], fact.value[1]) for key, fact in kept.items() if key.startswith(SYMLINK)}
    schema = kept.get("schema")
    facets = {key: {**fact.value, "at": _at(fact)} for key, fact in kept.items() if _is_facet(key)}
    return Reported.model_validate(
        {
            **record.reported,
            "facets": facets,
            "schemaAt": _at(schema) if schema else None,
            "names": [{"namespace": namespace, "name": name} for namespace, name in sorted(written)],
            "logOnly": [key.removeprefix(OTHER) for key in kept if key.startswith(OTHER)],
        }
    )


def _is_facet(key: str) -> bool:
    return key not in (NAMED, "schema") and not key.startswith((COLUMNS, WAYS, SYMLINK, SYMLINK_OF, OTHER))


def _at(fact: Fact) -> str | None:
    try:
        return rfc3339(datetime.fromtimestamp(hour(fact.time) / 1000, UTC))
    except (OverflowError, ValueError, OSError):
        return None
