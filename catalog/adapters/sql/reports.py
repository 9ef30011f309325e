"""Facts of producers on SQL; see `catalog.report_store.ReportStore`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_reports import FactRow, ReportedRow
from catalog.model import DatasetId
from catalog.report_store import DATASET, Fact, Subject

_AT_ONCE = 500  # below SQLite's limit of bound values


class SqlReports(SqlPart):
    def put_facts(self, facts: Sequence[Fact], stamp: int, since: int | None = None) -> None:
        newest: dict[str, Fact] = {}
        for fact in facts:
            before = newest.get(fact.id)
            if before is None or fact.newer_than(before):
                newest[fact.id] = fact
        if not newest:
            return
        rows = [_row(newest[key], stamp) for key in sorted(newest)]
        written = {fact.subject for fact in newest.values() if fact.subject.kind == DATASET}
        insert: Any = sqlite_insert if self._database.is_sqlite else postgres_insert
        table: Any = FactRow.__table__
        upsert = insert(table)
        incoming = upsert.excluded
        newer = or_(incoming.time > table.c.time, and_(incoming.time == table.c.time, incoming.digest > table.c.digest))
        upsert = upsert.on_conflict_do_update(
            index_elements=[table.c.id],
            set_={"time": incoming.time, "digest": incoming.digest, "stamp": incoming.stamp, "value": incoming.value},
            where=newer if since is None else or_(newer, table.c.stamp < since),
        )
        reported: Any = ReportedRow.__table__
        mark = insert(reported)
        mark = mark.on_conflict_do_update(index_elements=[reported.c.id], set_={"changes": reported.c.changes + 1})
        with self._database.begin() as session:
            # Past the session's own bookkeeping of rows, which costs more than the rows.
            connection = session.connection()
            connection.execute(upsert, rows)
            if written:
                connection.execute(mark, [_mark(subject) for subject in sorted(written)])

    def facts(self, subjects: Collection[Subject], prefix: str = "") -> dict[Subject, list[Fact]]:
        by_id = {subject.id: subject for subject in subjects}
        by_subject: dict[Subject, list[Fact]] = {}
        with self._database.read() as session:
            for some in _parts(list(by_id)):
                query = select(FactRow).where(FactRow.subject.in_(some))
                if prefix:
                    query = query.where(FactRow.key.startswith(prefix, autoescape=True))
                for row in session.scalars(query):
                    subject = by_id[row.subject]
                    by_subject.setdefault(subject, []).append(Fact(subject, row.key, row.time, row.value, row.part))
        return {subject: sorted(rows, key=lambda fact: (fact.part, fact.key)) for subject, rows in by_subject.items()}

    def changed_reports(self, limit: int) -> list[tuple[DatasetId, int]]:
        query = select(ReportedRow).where(ReportedRow.changes > ReportedRow.taken).order_by(ReportedRow.id).limit(limit)
        with self._database.read() as session:
            return [(DatasetId(row.namespace, row.name), row.changes) for row in session.scalars(query)]

    def settle_reports(self, homes: Mapping[DatasetId, DatasetId], taken: Iterable[tuple[DatasetId, int]]) -> None:
        table: Any = ReportedRow.__table__
        home = update(table).where(table.c.id == bindparam("of"))
        moves = [
            {"of": _id(written), "to": _id(dataset), "namespace_": dataset.namespace, "name_": dataset.name}
            for written, dataset in homes.items()
        ]
        done = [{"of": _id(written), "until": changes} for written, changes in taken]
        with self._database.begin() as session:
            if moves:
                names: dict[str, object] = {"home_namespace": bindparam("namespace_"), "home_name": bindparam("name_")}
                session.connection().execute(home.values(home=bindparam("to"), **names), moves)
            if done:
                session.connection().execute(home.values(taken=bindparam("until")), done)

    def report_homes(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        homes = {}
        with self._database.read() as session:
            for some in _parts([_id(name) for name in written]):
                for row in session.scalars(select(ReportedRow).where(ReportedRow.id.in_(some))):
                    if row.home_namespace and row.home_name:
                        homes[DatasetId(row.namespace, row.name)] = DatasetId(row.home_namespace, row.home_name)
        return homes

    def report_members(self, homes: Collection[DatasetId]) -> dict[DatasetId, list[DatasetId]]:
        ids = {_id(home): home for home in homes}
        members: dict[DatasetId, list[DatasetId]] = {home: [] for home in homes}
        with self._database.read() as session:
            for some in _parts(list(ids)):
                for row in session.scalars(select(ReportedRow).where(ReportedRow.home.in_(some))):
                    members[ids[row.home or ""]].append(DatasetId(row.namespace, row.name))
        return {home: sorted(names) for home, names in members.items()}

    def report_namespaces(self) -> set[str]:
        with self._database.read() as session:
            return {name for name in session.scalars(select(ReportedRow.home_namespace).distinct()) if name}

    def touch_reports(self, namespace: str) -> None:
        with self._database.begin() as session:
            session.execute(
                update(ReportedRow)
                .where(ReportedRow.home_namespace == namespace)
                .values(changes=ReportedRow.changes + 1)
            )

    def forget_reports(self, before: int) -> int:
        with self._database.begin() as session:
            subjects = select(FactRow.subject).where(FactRow.stamp < before).distinct()
            session.execute(
                update(ReportedRow).where(ReportedRow.id.in_(subjects)).values(changes=ReportedRow.changes + 1)
            )
            done: Any = session.execute(delete(FactRow).where(FactRow.stamp < before))
            return int(done.rowcount)

    def forget_runs(self, job: Subject, kept: int) -> None:
        newest = (
            select(FactRow.part)
            .where(FactRow.subject == job.id)
            .group_by(FactRow.part)
            .order_by(func.max(FactRow.time).desc(), FactRow.part.desc())
            .limit(kept)
        )
        with self._database.begin() as session:
            runs = set(session.scalars(newest))
            if len(runs) == kept:
                session.execute(delete(FactRow).where(FactRow.subject == job.id, FactRow.part.not_in(runs)))


def _row(fact: Fact, stamp: int) -> dict[str, object]:
    return {
        "id": fact.id,
        "subject": fact.subject.id,
        "kind": fact.subject.kind,
        "namespace": fact.subject.namespace,
        "name": fact.subject.name,
        "part": fact.part,
        "key": fact.key,
        "time": fact.time,
        "digest": fact.digest,
        "stamp": stamp,
        "value": fact.value,
    }


def _mark(subject: Subject) -> dict[str, str | int]:
    return {"id": subject.id, "namespace": subject.namespace, "name": subject.name, "changes": 1, "taken": 0}


def _id(dataset: DatasetId) -> str:
    return Subject(DATASET, dataset.namespace, dataset.name).id


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]
