"""The dataset record: what changes it. Listings, reviews, declarations and queries; scans do in `scan_results`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from catalog.curation.stated import curation
from catalog.datasets.classification_events import review_event
from catalog.datasets.description_versions import described, versions
from catalog.datasets.merge import merge_declared, review
from catalog.datasets.scan_results import ScanResults
from catalog.datasets.schema_events import discovery_event
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.dataset_specs import DatasetSpec
from catalog.declared.spec_parts import tag_word
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.model import DatasetId, Owner, ReviewState
from catalog.paths import FieldPath
from catalog.records import KEY_TYPE, ClassificationRecord, ClusterRecord, DatasetFilter, DatasetRecord, FieldNote
from catalog.signals import MOST_TOGETHER
from catalog.topics import ClusterDescription, TopicFacts


@dataclass(frozen=True, slots=True)
class TopicChanges:
    """What a listing showed: topics not known before (or back again), and known ones that are gone."""

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Datasets(ScanResults):
    """Everything that reads or changes the record of datasets. Every dataset id may be given in any alias."""

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

    def count_query(self, datasets: Iterable[DatasetId]) -> None:
        """One query read these: each was read once more, and they are related when they are few."""
        read = list(dict.fromkeys(self.resolve(each.namespace, each.name) for each in datasets))
        with self._store.transaction():
            for each in read:
                self._store.add_usage(each, 1)
            if 1 < len(read) <= MOST_TOGETHER:
                self._store.add_together(read, self._clock())


def _require_tag(entity: str) -> None:
    """Raises InvalidInput."""
    try:
        tag_word(entity)
    except ValueError as error:
        raise InvalidInput(f"The entity cannot be added: {error}.") from None
