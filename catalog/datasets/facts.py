"""What is known of every leaf field of a dataset, for those who decide about access. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from catalog.datasets.reported import is_reported
from catalog.datatypes import leaves, parse_ddl, parse_type
from catalog.envelopes import unlisted
from catalog.model import DatasetId, Owner, ReviewState, SchemaVersion
from catalog.paths import KEY, VALUE, FieldPath
from catalog.records import ClassificationRecord, DatasetRecord, FieldNote, Source


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """One field. `tags`: tag -> its evidence in words. `classified`: False when no scan or declaration covers it."""

    path: str
    tags: Mapping[str, str] = field(default_factory=dict)
    classified: bool = True


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """One dataset. `reference` is CLUSTER/TOPIC."""

    id: DatasetId
    reference: str
    fields: tuple[FieldFacts, ...]
    tags: frozenset[str] = frozenset()
    owners: tuple[Owner, ...] = ()


def evidence_text(record: ClassificationRecord) -> str:
    """`98% of 1,000 values, suggested`; never a value."""
    sampled = record.evidence.get("sampled")
    if record.state is ReviewState.CONFIRMED:
        who = "declared" if record.source is Source.DECLARED else f"confirmed by {record.reviewed_by or 'a reviewer'}"
    else:
        who = "suggested"
    if record.share is None or not sampled:
        return who
    return f"{record.share:.0%} of {sampled:,} values, {who}"


def dataset_facts(
    record: DatasetRecord,
    schema: SchemaVersion | None,
    classifications: Iterable[ClassificationRecord],
    notes: Iterable[FieldNote],
    term_tags: Mapping[str, Iterable[str]],
) -> DatasetFacts:
    """Every leaf of the declared schema and of the scanned one, and every place that carries a tag.

    A field of a declared schema counts as classified by what is declared of it. `term_tags`: glossary term -> tags.
    """
    declared = {str(p) for p, _ in leaves(parse_ddl(record.declared_ddl), VALUE)} if record.declared_ddl else set()
    if record.declared_key is not None:
        declared |= {str(p) for p, _ in leaves(parse_type(record.declared_key), KEY)}
    schema_leaves = leaf_paths(schema) if schema else set()
    # Columns that only producers of lineage report are named, and nobody has looked into them.
    scanned = schema_leaves if schema and not is_reported(schema) else set()
    tags: dict[str, dict[str, str]] = {}
    for classification in classifications:
        if classification.holds:
            tags.setdefault(classification.path, {})[classification.entity] = evidence_text(classification)
    for note in notes:
        for term in note.terms:
            for tag in term_tags.get(term, ()):
                tags.setdefault(note.path, {}).setdefault(tag, f"term {term}")
    blind = [FieldPath.parse(path) for path in record.unscanned]

    def classified(path: str) -> bool:
        if path in declared:
            return True
        place = FieldPath.parse(path)
        return path in scanned and not any(b.contains(place) or place.contains(b) for b in blind)

    paths = sorted(declared | schema_leaves | tags.keys())
    return DatasetFacts(
        id=record.id,
        reference=record.reference,
        fields=tuple(FieldFacts(path, tags.get(path, {}), path in tags or classified(path)) for path in paths),
        tags=frozenset(record.tags) | {tag for term in record.terms for tag in term_tags.get(term, ())},
        owners=record.owners,
    )


def leaf_paths(schema: SchemaVersion) -> set[str]:
    """Fields with no field inside them, and places that an envelope only describes its payload with. A registered field
    that no record had yet is none: nobody looked at its values."""
    inner = set()
    met = {profile.path for profile in schema.fields if profile.count or not profile.details.get("registered")}
    met |= unlisted(schema)
    for path in met:
        parent = FieldPath.parse(path).parent
        while parent is not None:
            inner.add(str(parent))
            parent = parent.parent
    return met - inner
