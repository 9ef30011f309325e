"""Classifications and their history on SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import select

from catalog.adapters.sql.base import SqlPart, need_row
from catalog.adapters.sql.tables import ClassificationEventRow, ClassificationRow, DatasetRow
from catalog.model import DatasetId, ReviewState
from catalog.records import ClassificationEvent, ClassificationRecord, FieldTag, Source

_COLUMNS = tuple(ClassificationRecord.__dataclass_fields__)
_TIMES = ("reviewed_at", "first_at", "seen_at")


class SqlTags(SqlPart):
    def classifications(self, dataset: DatasetId) -> list[ClassificationRecord]:
        query = (
            select(ClassificationRow)
            .join(DatasetRow, DatasetRow.id == ClassificationRow.dataset_id)
            .where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
        )
        with self._database.read() as session:
            return sorted((_record(row) for row in session.scalars(query)), key=lambda r: r.key)

    def all_classifications(
        self, entities: Collection[str] | None = None
    ) -> list[tuple[DatasetId, ClassificationRecord]]:
        # Columns, not rows of the mapper: there may be hundreds of thousands.
        query = (
            select(DatasetRow.namespace, DatasetRow.name, *(getattr(ClassificationRow, name) for name in _COLUMNS))
            .join(DatasetRow, DatasetRow.id == ClassificationRow.dataset_id)
            .where(DatasetRow.deleted_at.is_(None))
        )
        if entities is not None:
            query = query.where(ClassificationRow.entity.in_(list(entities)))
        with self._database.read() as session:
            pairs = [
                (DatasetId(namespace, name), _typed(dict(zip(_COLUMNS, columns, strict=True))))
                for namespace, name, *columns in session.execute(query)
            ]
        return sorted(pairs, key=lambda pair: (pair[0], pair[1].key))

    def field_tags(self, entities: Collection[str] | None = None) -> list[FieldTag]:
        tag = ClassificationRow
        query = select(tag.dataset_id, tag.path, tag.entity, tag.score, tag.state)
        if entities is not None:
            query = query.where(tag.entity.in_(list(entities)))
        live = select(DatasetRow.id, DatasetRow.namespace, DatasetRow.name).where(DatasetRow.deleted_at.is_(None))
        with self._database.read() as session:
            datasets = {key: DatasetId(namespace, name) for key, namespace, name in session.execute(live)}
            return [
                FieldTag(datasets[key], path, entity, score, ReviewState(state))
                for key, path, entity, score, state in session.execute(query)
                if key in datasets
            ]

    def put_classifications(
        self,
        dataset: DatasetId,
        records: Iterable[ClassificationRecord],
        ended: Iterable[tuple[str, str]],
        at: datetime,
    ) -> None:
        with self._database.begin() as session:
            key = need_row(session, dataset).id
            for record in records:
                session.merge(ClassificationRow(dataset_id=key, **_columns(record)))
                session.add(_event(key, record.path, record.entity, at, _frozen(record)))
            for path, entity in ended:
                row = session.get(ClassificationRow, (key, path, entity))
                if row is not None:
                    session.delete(row)
                    session.add(_event(key, path, entity, at, None))

    def classification_history(
        self, dataset: DatasetId | None, until: datetime
    ) -> list[tuple[DatasetId, ClassificationEvent]]:
        query = (
            select(DatasetRow.namespace, DatasetRow.name, ClassificationEventRow)
            .join(DatasetRow, DatasetRow.id == ClassificationEventRow.dataset_id)
            .where(ClassificationEventRow.at <= until)
            .order_by(ClassificationEventRow.at, ClassificationEventRow.id)
        )
        if dataset is not None:
            query = query.where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
        with self._database.read() as session:
            return [
                (
                    DatasetId(namespace, name),
                    ClassificationEvent(row.path, row.entity, row.at, _thawed(row.record) if row.record else None),
                )
                for namespace, name, row in session.execute(query)
            ]


def _columns(record: ClassificationRecord) -> dict[str, object]:
    columns = {name: getattr(record, name) for name in ClassificationRecord.__dataclass_fields__}
    columns |= {
        "state": str(record.state),
        "source": str(record.source),
        "evidence": dict(record.evidence),
        "rejected_recognizers": list(record.rejected_recognizers),
    }
    return columns


def _record(row: ClassificationRow) -> ClassificationRecord:
    return _typed({name: getattr(row, name) for name in _COLUMNS})


def _typed(columns: dict[str, Any]) -> ClassificationRecord:
    columns |= {
        "state": ReviewState(columns["state"]),
        "source": Source(columns["source"]),
        "rejected_recognizers": tuple(columns["rejected_recognizers"]),
    }
    return ClassificationRecord(**columns)


def _frozen(record: ClassificationRecord) -> dict[str, object]:
    moments = {name: getattr(record, name) for name in _TIMES}
    return _columns(record) | {name: moment.isoformat() if moment else None for name, moment in moments.items()}


def _thawed(stored: dict[str, Any]) -> ClassificationRecord:
    columns = dict(stored)
    for name in _TIMES:
        columns[name] = datetime.fromisoformat(columns[name]) if columns[name] else None
    return _typed(columns)


def _event(key: int, path: str, entity: str, at: datetime, record: dict[str, object] | None) -> ClassificationEventRow:
    return ClassificationEventRow(dataset_id=key, path=path, entity=entity, at=at, record=record)
