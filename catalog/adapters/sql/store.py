"""The record store on SQL: see `catalog.ports.CatalogStore`. Put together from one mix-in a subject."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from sqlalchemy import bindparam, delete, select, update

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.contracts import SqlContracts
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.datasets import SqlDatasets
from catalog.adapters.sql.events import SqlEvents
from catalog.adapters.sql.incidents import SqlIncidents
from catalog.adapters.sql.lags import SqlLags
from catalog.adapters.sql.origins import SqlOrigins
from catalog.adapters.sql.quality import SqlQuality
from catalog.adapters.sql.questions import SqlQuestions
from catalog.adapters.sql.reports import SqlReports
from catalog.adapters.sql.saved_queries import SqlSavedQueries
from catalog.adapters.sql.scans import SqlScans
from catalog.adapters.sql.signals import SqlSignals
from catalog.adapters.sql.tables import AliasRow, CatalogChangesRow, ClusterRow, DatasetRow, DocumentRow
from catalog.adapters.sql.tags import SqlTags
from catalog.model import DatasetId
from catalog.records import ClusterRecord, DeclaredDocument

_CHANGES = select(CatalogChangesRow.number).where(CatalogChangesRow.id == 1)


class SqlClusters(SqlPart):
    def put_cluster(self, cluster: ClusterRecord) -> None:
        with self._database.begin() as session:
            session.merge(
                ClusterRow(
                    name=cluster.name,
                    namespace=cluster.namespace,
                    cluster_id=cluster.cluster_id,
                    bootstrap=list(cluster.bootstrap),
                    registry_url=cluster.registry_url,
                    settings=dict(cluster.settings),
                    created_at=cluster.created_at,
                    updated_at=cluster.updated_at,
                )
            )

    def cluster(self, name: str) -> ClusterRecord | None:
        with self._database.read() as session:
            row = session.get(ClusterRow, name)
            return _cluster(row) if row else None

    def clusters(self) -> list[ClusterRecord]:
        with self._database.read() as session:
            return sorted(map(_cluster, session.scalars(select(ClusterRow))), key=lambda c: c.name)

    def delete_cluster(self, name: str) -> None:
        with self._database.begin() as session:
            row = session.get(ClusterRow, name)
            if row is None:
                return
            namespace = row.namespace
            session.delete(row)
            session.flush()
            if session.scalar(select(ClusterRow.name).where(ClusterRow.namespace == namespace).limit(1)) is None:
                session.execute(delete(AliasRow).where(AliasRow.namespace == namespace))
            session.execute(
                update(DatasetRow)
                .where(DatasetRow.cluster == name)
                .values(cluster=None, revision=DatasetRow.revision + 1)
                .execution_options(synchronize_session="fetch")
            )

    def put_aliases(self, namespace: str, aliases: Collection[str]) -> None:
        with self._database.begin() as session:
            for alias in aliases:
                session.merge(AliasRow(alias=alias, namespace=namespace))

    def aliases(self) -> dict[str, str]:
        with self._database.read() as session:
            return {row.alias: row.namespace for row in session.scalars(select(AliasRow))}

    def rename_namespace(self, old: str, new: str) -> list[DatasetId]:
        moved = []
        with self._database.begin() as session:
            taken = set(session.scalars(select(DatasetRow.name).where(DatasetRow.namespace == new)))
            for row in session.scalars(select(DatasetRow).where(DatasetRow.namespace == old)):
                if row.name not in taken:
                    row.namespace = new
                    row.revision += 1
                    moved.append(DatasetId(new, row.name))
        return moved


_DOCUMENTS = DocumentRow.__table__.c
# Made once: every scan asks for documents of its dataset.
_ONE = select(
    _DOCUMENTS.kind,
    _DOCUMENTS.key,
    _DOCUMENTS.metadata,
    _DOCUMENTS.spec,
    _DOCUMENTS.applied_at,
    _DOCUMENTS.applied_by,
).where(_DOCUMENTS.kind == bindparam("of_kind"), _DOCUMENTS.key == bindparam("of_key"))


class SqlDocuments(SqlPart):
    def put_document(self, document: DeclaredDocument) -> None:
        with self._database.begin() as session:
            session.merge(
                DocumentRow(
                    kind=document.kind,
                    key=document.key,
                    document_metadata=dict(document.metadata),
                    spec=dict(document.spec),
                    applied_at=document.applied_at,
                    applied_by=document.applied_by,
                )
            )

    def document(self, kind: str, key: str) -> DeclaredDocument | None:
        with self._database.read() as session:
            session.flush()
            row = session.connection().execute(_ONE, {"of_kind": kind, "of_key": key}).one_or_none()
            return DeclaredDocument(*row) if row else None

    def documents(self, kind: str | None = None) -> list[DeclaredDocument]:
        query = select(DocumentRow) if kind is None else select(DocumentRow).where(DocumentRow.kind == kind)
        with self._database.read() as session:
            return sorted(map(_document, session.scalars(query)), key=lambda d: (d.kind, d.key))

    def delete_document(self, kind: str, key: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(DocumentRow).where(DocumentRow.kind == kind, DocumentRow.key == key))


class SqlCatalogStore(
    SqlClusters,
    SqlDatasets,
    SqlTags,
    SqlDocuments,
    SqlScans,
    SqlEvents,
    SqlReports,
    SqlSignals,
    SqlLags,
    SqlSavedQueries,
    SqlContracts,
    SqlQuality,
    SqlIncidents,
    SqlQuestions,
    SqlOrigins,
):
    """The record store on the given database, which must have been migrated."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.begin():
            yield

    def after_commit(self, action: Callable[[], None]) -> None:
        self._database.after_commit(action)

    def changes(self) -> int | None:
        if self._database.is_writing:
            return None
        row = self._database.one(_CHANGES)
        return int(row[0]) if row is not None else None

    def ping(self) -> None:
        self._database.ping()


def _cluster(row: ClusterRow) -> ClusterRecord:
    return ClusterRecord(
        name=row.name,
        namespace=row.namespace,
        bootstrap=tuple(row.bootstrap),
        cluster_id=row.cluster_id,
        registry_url=row.registry_url,
        settings=row.settings,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _document(row: DocumentRow) -> DeclaredDocument:
    return DeclaredDocument(
        kind=row.kind,
        key=row.key,
        metadata=row.document_metadata,
        spec=row.spec,
        applied_at=row.applied_at,
        applied_by=row.applied_by,
    )
