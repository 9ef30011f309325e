"""Datasets, their schema versions and field notes on SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.orm import Session

from catalog.adapters.sql.base import SqlPart, find_row, need_row
from catalog.adapters.sql.tables import ClassificationRow, DatasetRow, LabelRow, NoteRow, SchemaRow
from catalog.model import DatasetId, Owner, ReviewState, SchemaVersion
from catalog.records import DatasetFilter, DatasetOutline, DatasetRecord, FieldNote, Page, StoredSchema

_PLAIN = (
    "cluster",
    "description",
    "declared_ddl",
    "created_at",
    "updated_at",
    "last_seen_at",
    "scanned_at",
    "deleted_at",
    "source",
)
_ROWS_AT_ONCE = 500  # below SQLite's limit of bound values


class SqlDatasets(SqlPart):
    def put_dataset(self, dataset: DatasetRecord, quiet: bool = False) -> DatasetRecord:
        with self._database.begin() as session:
            row = find_row(session, dataset.id)
            if row is None:
                row = DatasetRow(
                    namespace=dataset.id.namespace,
                    name=dataset.id.name,
                    usage=dataset.usage,
                    revision=0,
                    indexed_revision=0,
                    indexed_documents=0,
                )
                session.add(row)
            for name in _PLAIN:
                setattr(row, name, getattr(dataset, name))
            row.format, row.topic, row.scan = dict(dataset.format), dict(dataset.topic), dict(dataset.scan)
            row.reported, row.curation = dict(dataset.reported), dict(dataset.curation)
            row.revision += not quiet or row.revision == 0
            session.flush()
            _put_labels(session, row.id, dataset)
            return self._records(session, [row])[0]

    def delete_dataset(self, dataset: DatasetId) -> None:
        with self._database.begin() as session:
            row = find_row(session, dataset)
            if row is not None:
                session.delete(row)

    def dataset(self, dataset: DatasetId) -> DatasetRecord | None:
        with self._database.read() as session:
            row = find_row(session, dataset)
            return self._records(session, [row])[0] if row else None

    def datasets(self, where: DatasetFilter, limit: int | None = None, offset: int = 0) -> Page:
        conditions = _conditions(where)
        with self._database.read() as session:
            total = session.scalar(select(func.count()).select_from(DatasetRow).where(*conditions)) or 0
            order = (func.coalesce(DatasetRow.cluster, ""), DatasetRow.namespace, DatasetRow.name)
            query: Select[Any] = select(DatasetRow).where(*conditions).order_by(*(self._exactly(c) for c in order))
            rows = session.scalars(query.limit(limit).offset(offset)).all()
            return Page(tuple(self._records(session, rows)), total)

    def _exactly(self, column: Any) -> ColumnElement[Any]:
        """Order by code point on both databases, whatever the server's language is."""
        return column.collate("BINARY" if self._database.is_sqlite else "C")  # type: ignore[no-any-return]

    def named(self, name: str) -> list[DatasetRecord]:
        with self._database.read() as session:
            rows = session.scalars(select(DatasetRow).where(DatasetRow.name == name, DatasetRow.deleted_at.is_(None)))
            return sorted(self._records(session, rows.all()), key=lambda d: d.id)

    def names(self) -> list[tuple[str, str]]:
        query = select(DatasetRow.cluster, DatasetRow.namespace, DatasetRow.name).where(DatasetRow.deleted_at.is_(None))
        with self._database.read() as session:
            return sorted((cluster or namespace, name) for cluster, namespace, name in session.execute(query))

    def outlines(self) -> list[DatasetOutline]:
        query = select(DatasetRow.id, DatasetRow.namespace, DatasetRow.name, DatasetRow.cluster)
        of_labels = select(LabelRow.dataset_id, LabelRow.kind, LabelRow.label).order_by(LabelRow.position)
        labels: dict[int, list[tuple[str, str]]] = {}
        with self._database.read() as session:
            for key, kind, label in session.execute(of_labels):
                labels.setdefault(key, []).append((kind, label))
            rows = session.execute(query).all()
        results = [_outline(DatasetId(space, name), cluster, labels.get(key, ())) for key, space, name, cluster in rows]
        return sorted(results, key=lambda each: each.id)

    def unindexed(self, limit: int) -> list[DatasetRecord]:
        query = select(DatasetRow).where(DatasetRow.indexed_revision < DatasetRow.revision)
        order = (self._exactly(DatasetRow.namespace), self._exactly(DatasetRow.name))
        with self._database.read() as session:
            return self._records(session, session.scalars(query.order_by(*order).limit(limit)).all())

    def claim_index(self, dataset: DatasetId, documents: int) -> int:
        with self._database.begin() as session:
            row = need_row(session, dataset)
            row.indexed_documents = max(row.indexed_documents, documents)
            return row.indexed_documents

    def mark_indexed(self, dataset: DatasetId, revision: int, documents: int) -> None:
        with self._database.begin() as session:
            row = find_row(session, dataset)
            if row is not None and revision >= row.indexed_revision:
                row.indexed_revision, row.indexed_documents = revision, documents

    def add_usage(self, dataset: DatasetId, reads: int) -> None:
        same = (DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
        with self._database.begin() as session:
            session.execute(
                update(DatasetRow).where(*same).values(usage=DatasetRow.usage + reads),
                execution_options={"synchronize_session": "fetch"},
            )

    def _records(self, session: Session, rows: Sequence[DatasetRow]) -> list[DatasetRecord]:
        labels: dict[int, list[LabelRow]] = {row.id: [] for row in rows}
        ids = list(labels)
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            some = ids[start : start + _ROWS_AT_ONCE]
            query = select(LabelRow).where(LabelRow.dataset_id.in_(some)).order_by(LabelRow.position)
            for label in session.scalars(query):
                labels[label.dataset_id].append(label)
        return [_record(row, labels[row.id]) for row in rows]

    # schema versions and notes
    def add_schema(self, dataset: DatasetId, schema: StoredSchema) -> None:
        baseline = schema.baseline.to_json()
        with self._database.begin() as session:
            session.add(
                SchemaRow(
                    dataset_id=need_row(session, dataset).id,
                    version=schema.baseline.version,
                    baseline=baseline,
                    current=baseline if schema.current is schema.baseline else schema.current.to_json(),
                    changes=[dict(change) for change in schema.changes],
                )
            )

    def clear_schemas(self, dataset: DatasetId) -> None:
        with self._database.begin() as session:
            row = find_row(session, dataset)
            if row is not None:
                session.execute(delete(SchemaRow).where(SchemaRow.dataset_id == row.id))

    def set_current_schema(self, dataset: DatasetId, version: int, current: SchemaVersion) -> None:
        with self._database.begin() as session:
            row = session.get_one(SchemaRow, (need_row(session, dataset).id, version))
            row.current = current.to_json()

    def schema(self, dataset: DatasetId, version: int | None = None) -> StoredSchema | None:
        query = _of(dataset, SchemaRow).order_by(SchemaRow.version.desc()).limit(1)
        if version is not None:
            query = query.where(SchemaRow.version == version)
        with self._database.read() as session:
            row = session.scalars(query).first()
            return _schema(row) if row else None

    def current_schema(self, dataset: DatasetId) -> SchemaVersion | None:
        # The columns of a wide topic are much to read, and the row has them once more.
        query = _of(dataset, SchemaRow).with_only_columns(SchemaRow.current).order_by(SchemaRow.version.desc()).limit(1)
        with self._database.read() as session:
            current = session.scalars(query).first()
            return SchemaVersion.from_json(current) if current is not None else None

    def schemas(self, dataset: DatasetId) -> list[StoredSchema]:
        with self._database.read() as session:
            return [_schema(row) for row in session.scalars(_of(dataset, SchemaRow).order_by(SchemaRow.version))]

    def notes(self, dataset: DatasetId) -> list[FieldNote]:
        with self._database.read() as session:
            rows = session.scalars(_of(dataset, NoteRow))
            notes = (FieldNote(r.path, r.description, tuple(r.terms), r.properties) for r in rows)
            return sorted(notes, key=lambda n: n.path)

    def put_notes(self, dataset: DatasetId, notes: Iterable[FieldNote]) -> None:
        with self._database.begin() as session:
            key = need_row(session, dataset).id
            session.execute(delete(NoteRow).where(NoteRow.dataset_id == key))
            session.add_all(
                NoteRow(
                    dataset_id=key,
                    path=n.path,
                    description=n.description,
                    terms=list(n.terms),
                    properties=dict(n.properties),
                )
                for n in notes
            )

    def schema_versions(self) -> dict[DatasetId, int]:
        newest = (
            select(DatasetRow.namespace, DatasetRow.name, func.max(SchemaRow.version))
            .join(SchemaRow, SchemaRow.dataset_id == DatasetRow.id)
            .group_by(DatasetRow.id, DatasetRow.namespace, DatasetRow.name)
        )
        with self._database.read() as session:
            return {DatasetId(namespace, name): version for namespace, name, version in session.execute(newest)}

    def noted(self) -> set[DatasetId]:
        names = select(DatasetRow.namespace, DatasetRow.name).where(DatasetRow.id.in_(select(NoteRow.dataset_id)))
        with self._database.read() as session:
            return {DatasetId(namespace, name) for namespace, name in session.execute(names)}

    def term_carriers(self, terms: Collection[str]) -> list[DatasetId]:
        wanted = set(terms)
        own = (
            select(DatasetRow.namespace, DatasetRow.name, LabelRow.label).join(LabelRow).where(LabelRow.kind == "term")
        )
        noted = select(DatasetRow.namespace, DatasetRow.name, NoteRow.terms).join(NoteRow)
        live = DatasetRow.deleted_at.is_(None)
        with self._database.read() as session:
            carried = [(DatasetId(ns, name), {term}) for ns, name, term in session.execute(own.where(live))]
            carried += [(DatasetId(ns, name), set(some)) for ns, name, some in session.execute(noted.where(live))]
        return sorted({dataset for dataset, some in carried if some & wanted})


def _of(dataset: DatasetId, table: Any) -> Select[Any]:
    return (
        select(table)
        .join(DatasetRow, DatasetRow.id == table.dataset_id)
        .where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
    )


def _conditions(where: DatasetFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if where.cluster is not None:
        conditions.append(DatasetRow.cluster == where.cluster)
    if where.namespace is not None:
        conditions.append(DatasetRow.namespace == where.namespace)
    if where.owner is not None:
        conditions.append(_labelled(("user", "group"), where.owner))
    if where.tag is not None:
        conditions.append(_labelled(("tag",), where.tag))
    if where.entity is not None:
        tagged = select(ClassificationRow.dataset_id).where(
            ClassificationRow.entity == where.entity, ClassificationRow.state != str(ReviewState.REJECTED)
        )
        conditions.append(DatasetRow.id.in_(tagged))
    if where.text is not None:
        conditions.append(func.lower(DatasetRow.name).contains(where.text.lower(), autoescape=True))
    if where.scanned is not None:
        conditions.append(DatasetRow.scanned_at.is_not(None) if where.scanned else DatasetRow.scanned_at.is_(None))
    if where.deleted is not None:
        conditions.append(DatasetRow.deleted_at.is_not(None) if where.deleted else DatasetRow.deleted_at.is_(None))
    return conditions


def _labelled(kinds: tuple[str, ...], label: str) -> ColumnElement[bool]:
    return DatasetRow.id.in_(select(LabelRow.dataset_id).where(LabelRow.kind.in_(kinds), LabelRow.label == label))


def _put_labels(session: Session, key: int, dataset: DatasetRecord) -> None:
    session.execute(delete(LabelRow).where(LabelRow.dataset_id == key))
    labels = [
        *((owner.kind, owner.name) for owner in dataset.owners),
        *((role, str(owner)) for owner in dataset.owners for role in owner.roles),
        *(("tag", tag) for tag in dataset.tags),
        *(("term", term) for term in dataset.terms),
    ]
    session.add_all(
        LabelRow(dataset_id=key, kind=kind, label=label, position=n)
        for n, (kind, label) in enumerate(dict.fromkeys(labels))
    )
    session.flush()


def _record(row: DatasetRow, labels: Sequence[LabelRow]) -> DatasetRecord:
    return DatasetRecord(
        id=DatasetId(row.namespace, row.name),
        owners=_owners(labels),
        tags=tuple(label.label for label in labels if label.kind == "tag"),
        terms=tuple(label.label for label in labels if label.kind == "term"),
        format=row.format,
        topic=row.topic,
        scan=row.scan,
        reported=row.reported,
        curation=row.curation,
        usage=row.usage,
        revision=row.revision,
        indexed_revision=row.indexed_revision,
        **{name: getattr(row, name) for name in _PLAIN},
    )


def _owners(labels: Sequence[LabelRow]) -> tuple[Owner, ...]:
    roles: dict[str, list[str]] = {}
    for label in labels:
        if label.kind in ("business", "technical"):
            roles.setdefault(label.label, []).append(label.kind)
    owners = (Owner(label.kind, label.label) for label in labels if label.kind in ("user", "group"))
    return tuple(replace(each, roles=tuple(sorted(roles.get(str(each), ())))) for each in owners)


def _outline(dataset: DatasetId, cluster: str | None, labels: Sequence[tuple[str, str]]) -> DatasetOutline:
    def of(*kinds: str) -> tuple[str, ...]:
        return tuple(label for kind, label in labels if kind in kinds)

    owners = tuple(Owner(kind, label) for kind, label in labels if kind in ("user", "group"))
    return DatasetOutline(dataset, cluster, owners, of("tag"), of("term"))


def _schema(row: SchemaRow) -> StoredSchema:
    baseline = SchemaVersion.from_json(row.baseline)
    current = baseline if row.current == row.baseline else SchemaVersion.from_json(row.current)
    return StoredSchema(baseline, current, tuple(row.changes))
