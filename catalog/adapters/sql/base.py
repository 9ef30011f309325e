"""What the parts of the SQL store share."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.tables import DatasetRow
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId


class SqlPart:
    _database: Database


def find_row(session: Session, dataset: DatasetId) -> DatasetRow | None:
    return session.scalars(
        select(DatasetRow).where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
    ).one_or_none()


def need_row(session: Session, dataset: DatasetId) -> DatasetRow:
    row = find_row(session, dataset)
    if row is None:
        raise DatasetNotFound(f"There is no dataset {dataset} in the catalog.", details={"dataset": str(dataset)})
    return row
