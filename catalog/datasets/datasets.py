"""The dataset record: what changes it. Listings, scans, reviews and declarations meet here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from catalog.curation.stated import curation
from catalog.datasets.carry_over import carry_over
from catalog.datasets.classification_events import review_event, scan_events
from catalog.datasets.clusters import Clusters
from catalog.datasets.description_versions import described, versions
from catalog.datasets.diff import differences
from catalog.datasets.merge import merge_declared, merge_scan, review
from catalog.datasets.queries import DatasetReader
from catalog.datasets.reported import is_reported
from catalog.datasets.schema_events import discovery_event, schema_events
from catalog.declared.kinds import ClusterSpec, DatasetSpec, tag_word
from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotFound
from catalog.event_model import EventDraft
from catalog.model import DatasetId, DatasetScan, Owner, ReviewState, SchemaVersion
from catalog.paths import FieldPath
from catalog.ports import CatalogStore, Clock, EventSink, ScanChecks
from catalog.records import (
    KEY_TYPE,
    ClassificationRecord,
    ClusterRecord,
    DatasetFilter,
    DatasetRecord,
    FieldNote,
    StoredSchema,
    rfc3339,
)
from catalog.signals import MOST_TOGETHER
from catalog.topics import ClusterDescription, TopicFacts


class Indexer(Protocol):
    """Called after a change was committed. Must not fail when the index is away: the record stays the truth."""

    def changed(self, datasets: Iterable[DatasetId]) -> None: ...


@dataclass(frozen=True, slots=True)
class TopicChanges:
    """What a listing showed: topics not known before (or back again), and known ones that are gone."""

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Datasets(DatasetReader):
    """Everything that reads or changes the record of datasets. Every dataset id may be given in any alias."""

    def __init__(
        self,
        store: CatalogStore,
        index: Indexer,
        clock: Clock,
        clusters: Clusters | None = None,
        events: EventSink | None = None,
        checks: ScanChecks | None = None,
    ) -> None:
        super().__init__(store, clusters or Clusters(store, clock))
        self._events = events
        self._checks = checks
        self._index = index
        self._clock = clock

    def register_cluster(
        self, name: str, spec: ClusterSpec, description: ClusterDescription | None = None
    ) -> ClusterRecord:
        """See `Clusters.register`."""
        cluster, moved = self.clusters.register(name, spec, description)
        self._changed([dataset for pair in moved for dataset in pair])
        return cluster

    def rename_cluster(self, old: str, new: str) -> None:
        """The datasets of one name of a cluster go by the other, of the same namespace; the old name ends."""
        with self._store.transaction():
            records = self._store.datasets(DatasetFilter(cluster=old, deleted=None)).items
            for record in records:
                self._store.put_dataset(replace(record, cluster=new))
            self.clusters.delete(old)
            self._changed(record.id for record in records)

    def forget_cluster(self, name: str) -> int:
        """Take away a cluster that no document declares; its datasets are marked as gone. Gives how many they were.

        Where the same brokers have another name too, the datasets go by that one instead.

        Raises NotFound; Conflict while documents declare datasets of it.
        """
        declared = [d.key for d in self._store.documents("Dataset") if d.metadata.get("cluster") == name]
        if declared:
            raise Conflict(
                f"Cluster {name!r} still has declared datasets ({declared[0]}...); delete them first.",
                details={"cluster": name, "datasets": declared},
            )
        with self._store.transaction():
            namespace = self.clusters.get(name).namespace
            twins = [c.name for c in self.clusters.all() if c.namespace == namespace and c.name != name]
            records = self._store.datasets(DatasetFilter(cluster=name)).items
            for record in records:
                after = replace(record, cluster=twins[0]) if twins else replace(record, deleted_at=self._clock())
                self._store.put_dataset(after)
            self.clusters.delete(name)
            self._changed(record.id for record in records)
        return len(records)

    def record_topics(self, cluster: str, topics: Collection[TopicFacts]) -> TopicChanges:
        """Take note of a full listing of a cluster: new topics, topics that are gone, and the facts of each."""
        holder = self.clusters.get(cluster)
        now = self._clock()
        with self._store.transaction():
            known = {
                d.id.name: d
                for d in self._store.datasets(DatasetFilter(namespace=holder.namespace, deleted=None)).items
            }
            new = []
            touched: list[DatasetId] = []
            for topic in topics:
                before = known.get(topic.name)
                start = before or DatasetRecord(DatasetId(holder.namespace, topic.name), created_at=now)
                fresh = (
                    before is None
                    or before.deleted_at is not None
                    or before.cluster is None
                    or before.source == "lineage"
                )
                after = replace(
                    start,
                    cluster=start.cluster or cluster,
                    topic=topic.to_json(),
                    last_seen_at=now,
                    deleted_at=None,
                    source="catalog",
                )
                # Offsets move all the time; only what search shows is worth indexing again.
                self._store.put_dataset(after, quiet=not fresh)
                if fresh:
                    self._tell(after, [discovery_event(before, topic)])
                    new.append(topic.name)
                    touched.append(after.id)
            listed = {topic.name for topic in topics}
            gone = []
            for name, record in known.items():
                # Only what a listing once showed can be missed by one: a declared topic may not exist yet.
                if name not in listed and record.deleted_at is None and record.last_seen_at is not None:
                    self._store.put_dataset(replace(record, deleted_at=now))
                    self._tell(record, [("dataset.gone", {})])
                    gone.append(name)
                    touched.append(record.id)
        self._changed(touched)
        return TopicChanges(tuple(sorted(new)), tuple(sorted(gone)))

    def record_scan(self, scan: DatasetScan) -> SchemaVersion:
        """Take in what a scan learned. Gives the schema as stored: a new version only when it differs in what matters.

        Reviews outlive scans (see `catalog.datasets.merge`). A dataset not known before is recorded. One that is unchanged
        keeps what is known of it.
        """
        dataset = self.resolve(scan.dataset.namespace, scan.dataset.name)
        now = self._clock()
        if scan.unchanged:
            return self.record_unchanged(dataset)[1]
        with self._store.transaction():
            record = self._store.dataset(dataset) or self._new(dataset, now)
            stored = self._store.schema(dataset)
            scanned = scan.schema
            record = self._store.put_dataset(
                replace(
                    record,
                    format={**record.format, **scanned.format, **self._declared_format(record)},
                    scan=_scan_facts(scan, now),
                    scanned_at=now,
                    last_seen_at=now,
                    deleted_at=None,
                    source="catalog",
                )
            )
            if stored is not None and is_reported(stored.current) and scanned.fields:
                self._store.clear_schemas(dataset)  # what is scanned comes before what producers report
                stored = None
            schema = self._keep_schema(dataset, stored, scanned, now)
            self._tell(record, schema_events(stored, self._store.schema(dataset)))
            known = self._store.classifications(dataset)
            merged = merge_scan(
                known,
                scan.classifications,
                complete=scanned.window.complete,
                unscanned=scan.unscanned,
                now=now,
                looked={profile.path: profile.count for profile in scanned.fields} if scan.recognizers else None,
                versions=scan.recognizers,
            )
            if merged.changed or merged.ended:
                self._store.put_classifications(dataset, merged.changed, merged.ended, now)
                self._tell(record, scan_events(known, merged))
            if self._checks is not None:
                began = stored is not None and stored.baseline.version != schema.version
                looked_at = replace(scanned, version=schema.version)
                self._checks.scanned(record, looked_at, stored.baseline if began and stored is not None else None)
        self._changed([dataset])
        return schema

    def record_unchanged(self, dataset: DatasetId) -> tuple[DatasetRecord, SchemaVersion]:
        """Take in that a scan did not read a dataset, as nothing of it changed. Gives what is known of it, and its schema.

        Raises DatasetNotFound for one that was removed, or lost its schema, meanwhile.
        """
        dataset, now = self.resolve(dataset.namespace, dataset.name), self._clock()
        with self._store.transaction():
            record, schema = self._fresh(dataset), self._store.current_schema(dataset)
            if schema is None:
                raise DatasetNotFound(f"{record.reference} lost its schema meanwhile; scan it again.")
            scan = {**record.scan, "unchangedAt": rfc3339(now)}
            record = self._store.put_dataset(replace(record, scan=scan, scanned_at=now, last_seen_at=now), quiet=True)
            if self._checks is not None:  # what was promised or usual may depend on the time
                self._checks.scanned(record, schema, None)
        return record, schema

    def _keep_schema(
        self, dataset: DatasetId, stored: StoredSchema | None, scanned: SchemaVersion, now: datetime
    ) -> SchemaVersion:
        if stored is None:
            if not scanned.fields:
                return replace(scanned, version=0)
            first = replace(scanned, version=1, created_at=rfc3339(now))
            self._store.add_schema(dataset, StoredSchema(first, first))
            return first
        if not scanned.window.records and not scanned.fields:
            return stored.current
        current = carry_over(stored.current, scanned)
        changes = differences(stored.baseline, current)
        version = stored.baseline.version
        if changes:
            current = replace(current, version=version + 1, created_at=rfc3339(now))
            self._store.add_schema(dataset, StoredSchema(current, current, tuple(c.to_json() for c in changes)))
            return current
        current = replace(current, version=version, created_at=stored.baseline.created_at)
        self._store.set_current_schema(dataset, version, current)
        return current

    def record_scan_failure(self, dataset: DatasetId, problem: str) -> None:
        """A scan of the dataset failed; `problem` is a sentence. What is known stays, and reports name the gap."""
        dataset = self.resolve(dataset.namespace, dataset.name)
        now = self._clock()
        with self._store.transaction():
            record = self._store.dataset(dataset) or self._new(dataset, now)
            failure = {"at": rfc3339(now), "message": problem}
            self._store.put_dataset(replace(record, scan={**record.scan, "error": failure}), quiet=True)

    def review(
        self, dataset: DatasetId, path: str, entity: str, state: ReviewState, reason: str | None, by: str
    ) -> ClassificationRecord:
        """Confirm or reject a classification, or add one by confirming it; SUGGESTED withdraws a review.

        Raises InvalidInput for a path that cannot be read and for an entity that can be no tag, NotFound when there is nothing
        to reject or withdraw.
        """
        record = self.get(dataset)
        place = str(FieldPath.parse(path))
        if not entity.strip():
            raise InvalidInput("A review needs the entity it is about, such as EMAIL_ADDRESS.")
        now = self._clock()
        with self._store.transaction():
            known = {c.key: c for c in self._store.classifications(record.id)}
            before = known.get((place, entity))
            if before is None and state is not ReviewState.CONFIRMED:
                raise NotFound(
                    f"{record.reference} has no classification {entity} at {place}; its classifications are listed at"
                    " /classifications.",
                    details={"path": place, "entity": entity},
                )
            if before is None:
                _require_tag(entity)
            after = review(before, place, entity, state, by=by, reason=reason, now=now)
            self._store.put_classifications(record.id, [after], [], now)
            self._tell(record, [review_event(before, after)])
            self._store.put_dataset(replace(self._fresh(record.id), updated_at=now))
        self._changed([record.id])
        return after

    def declare(self, dataset: DatasetId, spec: DatasetSpec, by: str | None) -> DatasetRecord:
        """Make a dataset what its declared document states. What the document leaves out is reset."""
        dataset = self.resolve(dataset.namespace, dataset.name)
        now = self._clock()
        with self._store.transaction():
            record = self._store.dataset(dataset) or self._new(dataset, now)
            was = described(record, self._store.notes(dataset))
            declared_format = spec.format.model_dump(exclude_none=True) if spec.format else {}
            if spec.columns and spec.columns.key:
                declared_format[KEY_TYPE] = spec.columns.key
            record = self._store.put_dataset(
                replace(
                    record,
                    description=spec.description,
                    owners=tuple(
                        Owner("user" if o.user else "group", o.user or o.group or "", tuple(sorted(set(o.roles))))
                        for o in spec.owners
                    ),
                    tags=tuple(spec.tags),
                    terms=tuple(spec.terms),
                    format={**record.scan.get("format", {}), **declared_format},
                    declared_ddl=spec.columns.spark if spec.columns else None,
                    source="catalog",
                    curation=curation(spec),
                    updated_at=now,
                )
            )
            notes = [FieldNote(f.path, f.description, tuple(f.terms), f.properties) for f in spec.fields_]
            self._store.put_notes(dataset, [n for n in notes if n.description or n.terms or n.properties])
            for version in versions(dataset, was, described(record, notes), by, now):
                self._store.add_description(version)
            merged = merge_declared(
                self._store.classifications(dataset),
                [(f.path, tag) for f in spec.fields_ for tag in f.tags],
                by=by,
                now=now,
            )
            if merged.changed or merged.ended:
                self._store.put_classifications(dataset, merged.changed, merged.ended, now)
        self._changed([dataset])
        return record

    def count_reads(self, dataset: DatasetId, reads: int = 1) -> None:
        """A query read it: search lists datasets with more reads higher."""
        self._store.add_usage(self.resolve(dataset.namespace, dataset.name), reads)

    def count_query(self, datasets: Iterable[DatasetId]) -> None:
        """One query read these: each was read once more, and they are related when they are few."""
        read = list(dict.fromkeys(self.resolve(each.namespace, each.name) for each in datasets))
        with self._store.transaction():
            for each in read:
                self._store.add_usage(each, 1)
            if 1 < len(read) <= MOST_TOGETHER:
                self._store.add_together(read, self._clock())

    def _tell(self, record: DatasetRecord, events: Iterable[EventDraft]) -> None:
        """Emit what became of a dataset, in the transaction that changed it."""
        if self._events is not None:
            for kind, data in events:
                self._events.emit(kind, record.reference, {**_named(record), **data})

    def _changed(self, datasets: Iterable[DatasetId]) -> None:
        ids = list(datasets)
        self._store.after_commit(lambda: self._index.changed(ids))

    def _new(self, dataset: DatasetId, now: datetime) -> DatasetRecord:
        cluster = self.clusters.of_namespace(dataset.namespace)
        return DatasetRecord(dataset, cluster=cluster.name if cluster else None, created_at=now)

    def _declared_format(self, record: DatasetRecord) -> dict[str, str]:
        """The format that people declared, which a scan does not change."""
        document = self._store.document("Dataset", record.reference)
        declared = (document.spec.get("format") if document else None) or {}
        return {part: name for part, name in declared.items() if name}

    def _fresh(self, dataset: DatasetId) -> DatasetRecord:
        record = self._store.dataset(dataset)
        if record is None:
            raise DatasetNotFound(f"{dataset} was removed meanwhile.")
        return record


def _named(record: DatasetRecord) -> dict[str, str]:
    return {"dataset": record.reference, "namespace": record.id.namespace, "name": record.id.name}


def _scan_facts(scan: DatasetScan, now: datetime) -> Mapping[str, Any]:
    window = scan.schema.window
    return {
        "at": rfc3339(now),
        "records": window.records,
        "format": dict(scan.schema.format),
        "complete": window.complete,
        "strategy": window.strategy,
        "timeFrom": window.time_from,
        "timeTo": window.time_to,
        "basis": scan.basis,
        "unscanned": list(scan.unscanned),
        "problems": [dict(problem) for problem in scan.problems],
    }


def _require_tag(entity: str) -> None:
    """Raises InvalidInput."""
    try:
        tag_word(entity)
    except ValueError as error:
        raise InvalidInput(f"The entity cannot be added: {error}.") from None
