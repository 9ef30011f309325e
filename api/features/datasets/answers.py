"""Answers of `/datasets` and `/datasets/{namespace}/{name}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from api.edge.answer import Answer, Time, about, absent
from api.features.datasets.curated_answers import Curated, FieldNote, ResponsibleFor
from api.features.datasets.problem_answers import Problem
from api.features.datasets.reported_answers import Reported, ReportedSummary
from api.formats.readable_places import Access
from api.visibility.knowledge import DatasetAudiences
from catalog import records
from catalog.model import SchemaVersion
from catalog.records import KEY_TYPE, DatasetRecord, rfc3339
from policies.decision.visibility import DatasetKnowledge


class PartitionOffsets(Answer):
    """The records that a partition retains: [begin, end)."""

    partition: int
    begin: int
    end: int


class TopicState(Answer):
    """What the brokers report of a topic; empty for a dataset that no listing of a cluster has shown."""

    partitions: int = absent()
    replication: int = absent()
    cleanup_policy: str | None = absent()
    retention_ms: int | None = absent("Milliseconds; -1: for ever.")
    retention_bytes: int | None = absent("Bytes; -1: no limit.")
    retained: int | None = absent("Offsets between begin and end; an upper bound of the records there.")
    offsets: list[PartitionOffsets] = absent()
    size: int = absent("Bytes of one copy on disk, as compressed as its producers sent it.")


class ScanFailure(Answer):
    """Why the last scan failed."""

    at: Time
    message: str


class LastScan(Answer):
    """How the last scan ended; empty for a dataset that was never scanned."""

    at: Time = absent()
    format: dict[str, str] = absent("Part (key, value) -> json, avro, ... as it was found.")
    strategy: str = absent("latest, earliest, random, stratified, full or since-last.")
    records: int = absent("Records read.")
    complete: bool = absent("Every retained record was read.")
    time_from: Time | None = absent("Kafka's timestamp of the first record read.")
    time_to: Time | None = absent("Kafka's timestamp of the last record read.")
    unchanged_at: Time = absent(
        "A later scan met the same offsets, settings, schemas and recognizers, and read nothing."
    )
    unscanned: list[str] = absent("Paths that no detector finished.")
    problems: list[Problem] = absent()
    error: ScanFailure = absent()

    @classmethod
    def of(cls, scan: Mapping[str, Any]) -> LastScan:
        """As it is kept."""
        problems = {"problems": [Problem.of(each) for each in scan["problems"] or ()]} if "problems" in scan else {}
        shown = {name: value for name, value in scan.items() if name != "basis"}
        return cls.model_validate({**shown, **problems})


class DatasetBase(Answer):
    """What every answer about a dataset holds."""

    namespace: str
    name: str
    cluster: str | None = about("Null for a dataset of no registered cluster.")
    reference: str = about("CLUSTER/TOPIC, as people write it.")
    source: Literal["lineage", "catalog"] = about("lineage: known from producers alone.")
    description: str
    description_source: Literal["user", "producer"] | None
    owners: list[str] = about("Users, and groups as group:NAME.")
    tags: list[str]
    terms: list[str] = about("Glossary terms.")
    format: dict[str, str] = about("Part (key, value) -> json, avro, ...")
    declared_schema: str | None = about("Spark DDL of the value's columns.")
    declared_key: str | None = about("Spark DDL of the key's type.")
    topic: TopicState
    usage: int = about("How often it was read.")
    created_at: Time | None
    updated_at: Time | None
    last_seen_at: Time | None = about("When a listing of its cluster last showed it.")
    scanned_at: Time | None
    deleted_at: Time | None
    withheld: list[Literal["rows"]] = about("rows: counts and positions of records are left out.")


def _base(record: DatasetRecord, withheld: list[Literal["rows"]]) -> dict[str, object]:
    return {
        "namespace": record.id.namespace,
        "name": record.id.name,
        "cluster": record.cluster,
        "reference": record.reference,
        "source": record.source,
        "description": record.known_description,
        "description_source": "user" if record.description else "producer" if record.known_description else None,
        "owners": [str(owner) for owner in record.owners],
        "tags": list(record.tags),
        "terms": list(record.terms),
        "format": {part: name for part, name in record.format.items() if part != KEY_TYPE},
        "declared_schema": record.declared_ddl,
        "declared_key": record.declared_key,
        "topic": TopicState.model_validate(record.topic),
        "usage": record.usage,
        "created_at": rfc3339(record.created_at),
        "updated_at": rfc3339(record.updated_at),
        "last_seen_at": rfc3339(record.last_seen_at),
        "scanned_at": rfc3339(record.scanned_at),
        "deleted_at": rfc3339(record.deleted_at),
        "withheld": withheld,
    }


class Dataset(DatasetBase):
    """A dataset in a list."""

    reported: ReportedSummary
    scan: LastScan

    @classmethod
    def of(cls, record: DatasetRecord, withheld: list[Literal["rows"]]) -> Dataset:
        return cls(
            **_base(record, withheld),
            reported=ReportedSummary.model_validate(record.reported),
            scan=LastScan.of(record.scan),
        )


class DatasetName(Answer):
    """A dataset by its names."""

    namespace: str
    name: str
    cluster: str | None = about("Null where only producers of lineage know it.")
    reference: str = about("CLUSTER/TOPIC, or namespace and name.")

    @classmethod
    def of(cls, record: DatasetRecord) -> DatasetName:
        return cls(
            namespace=record.id.namespace, name=record.id.name, cluster=record.cluster, reference=record.reference
        )


class Datasets(Answer):
    """A page of datasets."""

    datasets: list[Dataset]
    total: int


class Knows(Answer):
    """What the caller may know of a dataset; what they may not is left out, as if it was not there."""

    existence: bool
    schema_: bool = Field(alias="schema")
    evidence: bool = about("Its personal data: kinds, and how they were found.")
    lineage: bool

    @classmethod
    def of(cls, known: DatasetKnowledge) -> Knows:
        return cls(existence=known.existence, schema_=known.schema, evidence=known.evidence, lineage=known.lineage)


class AudienceOf(Answer):
    """Whom a document lets know. Owners always may."""

    name: str = about("Of the document.")
    everyone: bool
    users: list[str]
    groups: list[str]
    roles: list[str]


class AspectAudience(Answer):
    """Who may know one thing of a dataset."""

    aspect: Literal["existence", "schema", "evidence", "lineage"]
    documents: list[AudienceOf] = about("A person must be named by each of them; none: the default holds.")


class DatasetVisibility(Answer):
    """Who may know of a dataset."""

    dataset: str
    default: Literal["open", "closed"] = about("open: everybody; closed: who owns it, or may read of it.")
    aspects: list[AspectAudience]
    unreadable: list[str] = about("Documents that cannot be read: until they can, they close everything.")

    @classmethod
    def of(cls, reference: str, audiences: DatasetAudiences) -> DatasetVisibility:
        return cls(
            dataset=reference,
            default="closed" if audiences.closed else "open",
            aspects=[
                AspectAudience(
                    aspect=aspect.value,
                    documents=[
                        AudienceOf(
                            name=name,
                            everyone=audience.everyone,
                            users=sorted(audience.people.users),
                            groups=sorted(audience.people.groups),
                            roles=sorted(audience.people.roles),
                        )
                        for name, audience in documents
                    ],
                )
                for aspect, documents in audiences.by_aspect.items()
            ],
            unreadable=list(audiences.unreadable),
        )


class MayDo(Answer):
    """What the caller may do with a dataset."""

    edit: bool = about("Change what is declared.")
    curate: bool = about("Change its description, terms, certification, deprecation, announcements and properties.")
    review: bool = about("Confirm or reject its personal data.")
    access: bool = about("See who has access.")
    scan: bool


class DatasetDetails(DatasetBase):
    """One dataset."""

    may: MayDo
    knows: Knows
    reported: Reported
    scan: LastScan
    fields: int = about("How many fields its newest schema has.")
    shapes: int
    schema_version: int = about("0 where there is none.")
    entities: list[str] = about("Kinds of personal data in its fields.")
    notes: list[FieldNote]
    curated: Curated
    responsible: ResponsibleFor

    @classmethod
    def of(
        cls,
        record: DatasetRecord,
        withheld: list[Literal["rows"]],
        schema: SchemaVersion,
        *,
        may: MayDo,
        knows: Knows,
        reported: Reported,
        entities: Iterable[str],
        notes: Iterable[records.FieldNote],
        curated: Curated,
        responsible: ResponsibleFor,
    ) -> DatasetDetails:
        return cls(
            **_base(record, withheld),
            may=may,
            knows=knows,
            reported=reported,
            scan=LastScan.of(record.scan),
            fields=len(schema.fields),
            shapes=len(schema.shapes),
            schema_version=schema.version,
            entities=sorted(set(entities)),
            notes=[
                FieldNote(path=n.path, description=n.description, terms=list(n.terms), properties=dict(n.properties))
                for n in notes
            ],
            curated=curated,
            responsible=responsible,
        )


class DatasetAccess(Answer):
    """Who may read a dataset, or one field of it."""

    dataset: str = about("CLUSTER/TOPIC.")
    access: list[Access]
