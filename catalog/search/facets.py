"""What filters find an entry by, and the factor by which its dataset comes before others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.curation.stated import is_certified, is_deprecated, property_words
from catalog.entities import is_personal
from catalog.model import PERSONAL_DATA_TAG
from catalog.records import DatasetRecord
from catalog.search.entry_words import with_personal_data
from catalog.tokens import split

_TRIAL = frozenset({"test", "tests", "testing", "tmp", "temp", "sandbox", "dummy", "scratch", "playground"})
_DEPRECATED = frozenset({"deprecated", "obsolete", "retired", "legacy"})
_CERTIFIED = frozenset({"certified", "verified", "endorsed", "trusted"})


def counts_as_deprecated(record: DatasetRecord) -> bool:
    """Whether a dataset is declared as deprecated, or its tags, its terms or its producer name it so."""
    dropped = str(record.reported.get("lifecycle") or "").upper() == "DROP"
    return is_deprecated(record.curation) or dropped or bool(_marks(record) & _DEPRECATED)


def _marks(record: DatasetRecord) -> set[str]:
    return {word for tag in (*record.tags, *record.terms) for word in split(tag)}


def rank_of(record: DatasetRecord) -> float:
    """Certified datasets come before their like; those of servers themselves, for trials, and deprecated ones after."""
    if counts_as_deprecated(record):
        return 0.7
    if _TRIAL & set(split(record.id.name)):
        return 0.8
    if record.id.name.startswith("_"):
        return 0.85
    return 1.05 if _marks(record) & _CERTIFIED or is_certified(record.curation) else 1.0


def properties_of(record: DatasetRecord) -> Mapping[str, Any]:
    """The declared properties of a dataset."""
    return record.curation.get("properties") or {}


def state_facets(
    record: DatasetRecord,
    described: str,
    tags: Sequence[str],
    terms: Sequence[str],
    types: Sequence[str],
    properties: Mapping[str, Any],
) -> dict[str, tuple[str, ...]]:
    """What filters as `has:description`, `is:deprecated`, `type:timestamp` and `dataset:orders` find."""
    has = {"description": described, "owner": record.owners, "tag": tags, "term": terms}
    personal = any(is_personal(tag) for tag in tags)
    states = {
        "certified": is_certified(record.curation),
        "deprecated": counts_as_deprecated(record),
        "personal": personal,
        "scanned": record.scanned_at is not None,
    }
    return {
        "has": tuple(name for name, value in has.items() if value),
        "is": tuple(name for name, holds in states.items() if holds),
        "type": tuple(dict.fromkeys(word for each in types for word in (each.lower(), each.lower().split("(")[0]))),
        "dataset": (record.id.name, record.reference),
        "term": tuple(terms),
        "property": tuple(property_words(properties)),
    }


def facets(
    record: DatasetRecord, kind: str, tags: Iterable[str], entities: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """What filters as `kind:dataset`, `tag:sensitive` and `owner:ana` find."""
    pii = (PERSONAL_DATA_TAG,) if entities else ()
    return {
        "kind": (kind,),
        "entity": with_personal_data(entities),
        "tag": tuple(sorted({*tags, *pii})),
        "owner": tuple(str(owner) for owner in record.owners),
        "namespace": (record.id.namespace,),
        "cluster": (record.cluster,) if record.cluster else (),
        "format": (record.format["value"],) if record.format.get("value") else (),
        "source": (record.source,),
    }
