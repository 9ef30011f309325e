"""The slivers of one room that another asks for, in the asker's words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.columns import column_of, path_of
from catalog.datasets.clusters import Clusters
from catalog.datasets.queries import DatasetReader
from catalog.errors import InvalidInput, NotFound, WeirError
from catalog.field_names import FieldNames
from catalog.model import DatasetId
from catalog.paths import FieldPath, StepKind
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter
from catalog.search.related import Step
from lineage.model import Direction, Kind, Level
from lineage.questions.answers import Reader
from lineage.questions.queries import Lineage
from lineage.questions.traversal import hops
from lineage.sql.model import Columns, SqlLineage
from lineage.sql.separate_process import SqlApart
from policies.access.grants import Grants
from policies.access.mentions import people_in
from policies.declared.state import GovernanceState
from policies.spellings import name_key

References = Callable[[DatasetId], str | None]
"""`CLUSTER/TOPIC` of a dataset; None for one the catalog does not hold."""

_FRESH_S = 5.0


def names_cluster(state: GovernanceState, cluster: str) -> bool:
    """Whether policies, roles, grants or workflows name `CLUSTER/...`."""
    return any(f'"{cluster}/' in json.dumps(document.spec, default=str) for document in state.documents())


class ReportFlows:
    """Where a field goes, for the where-is report (`catalog.where_is.report.Flows`). Lineage is asked as it is now."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage

    def downstream_of_each(
        self, fields: Collection[tuple[DatasetId, str]], as_of: datetime | None
    ) -> Mapping[tuple[DatasetId, str], Sequence[Mapping[str, Any]]]:
        columns = {(dataset, path): (dataset, column_of(dataset, path)) for dataset, path in fields}
        flows = self._lineage.downstream_of_each(set(columns.values()))
        return {
            field: [flow.to_json() for flow in flows[column]] for field, column in columns.items() if column in flows
        }


class ReportReaders:
    """Jobs that read a dataset (`catalog.where_is.report.Readers`)."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage

    def readers_of(self, dataset: DatasetId, as_of: datetime | None) -> Sequence[Mapping[str, Any]]:
        return self.readers_of_each([dataset], as_of).get(dataset, ())

    def readers_of_each(
        self, datasets: Collection[DatasetId], as_of: datetime | None
    ) -> Mapping[DatasetId, Sequence[Mapping[str, Any]]]:
        known = self._lineage.in_graph(datasets)
        readers = self._lineage.readers_of_each(set(known.values()), as_of.isoformat() if as_of else None)
        return {
            dataset: [_reader(each) for each in readers[name]] for dataset, name in known.items() if name in readers
        }


def _reader(reader: Reader) -> dict[str, object]:
    return {
        "kind": reader.kind,
        "origin": reader.origin,
        "name": f"{reader.namespace}/{reader.name}",
        "id": reader.job,
        "lastSeen": reader.seen,
        "owners": list(reader.owners),
    }


class ReportAccess:
    """Who may read a place (`catalog.where_is.report.Access`)."""

    def __init__(self, grants: Grants, reference: References) -> None:
        self._grants = grants
        self._reference = reference

    def who_may_read(
        self, dataset: DatasetId, paths: Sequence[str], as_of: datetime | None
    ) -> Sequence[Iterable[Mapping[str, Any]]]:
        """Empty for a dataset known from lineage only: nothing of it can be queried here."""
        reference = self._reference(dataset)
        try:
            access = None if reference is None else self._grants.access_of(reference, as_of)
        except NotFound:
            access = None
        if access is None:
            return [[] for _ in paths]
        return [[{each.kind: each.subject, **each.to_json()} for each in access.at(FieldPath.parse(p))] for p in paths]


class LineageNear:
    """Datasets that are near in lineage (`catalog.search.related.Near`)."""

    def __init__(self, lineage: Lineage, clusters: Clusters) -> None:
        self._lineage = lineage
        self._clusters = clusters

    def near(self, dataset: DatasetId, steps: int) -> dict[DatasetId, Step]:
        """As the last runs have it; of two ways to a dataset, the shorter. Raises Unavailable."""
        steps_to: dict[DatasetId, Step] = {}
        for way in (Direction.UPSTREAM, Direction.DOWNSTREAM):
            try:
                graph = self._lineage.lineage(dataset.node_id, way, steps, Level.DATASET)
            except NotFound:
                return {}
            distances = hops([graph.root], (edge for edge in graph.edges if edge.kind is Kind.FEEDS), way, steps)
            for node in graph.nodes:
                distance = distances.get(node.id)
                if node.type == "dataset" and distance:
                    of = self._clusters.resolve(node.namespace, node.name)
                    if of not in steps_to or steps_to[of].distance > distance:
                        steps_to[of] = Step(way.value, distance)
        return steps_to


def held_elsewhere(store: CatalogStore, name: str) -> list[str]:
    """What the catalog has of a person's name: datasets, data products and clusters they own, views and connectors they own
    or that run as them, queries that they saved or that are shared with them."""
    owned = store.datasets(DatasetFilter(owner=name)).items
    own = [
        f"Dataset {each.reference}" for each in owned if any(o.kind == "user" and o.name == name for o in each.owners)
    ]
    key = name_key(name)
    documents = [each for kind in ("View", "Connector", "DataProduct", "Cluster") for each in store.documents(kind)]
    kept = [
        each for each in store.saved_queries(name) if each.owner == name or name in (each.shared or {}).get("users", ())
    ]
    return (
        own
        + [f"{each.kind} {each.key}" for each in documents if key in people_in(each.spec)]
        + [f"SavedQuery {each.id}" for each in kept]
    )


class CatalogSliver:
    """What lineage asks of the catalog: owners, and what exists."""

    def __init__(self, store: CatalogStore, clusters: Clusters) -> None:
        self._store = store
        self._clusters = clusters
        self._columns: dict[DatasetId, tuple[float, Columns | None, FieldNames | None]] = {}

    def dataset(self, dataset: DatasetId) -> Sequence[str]:
        """Owners as texts; none for a dataset the catalog does not hold."""
        record = self._store.dataset(self._clusters.resolve(dataset.namespace, dataset.name))
        return [str(owner) for owner in record.owners] if record is not None else []

    def known(self, dataset: DatasetId, path: str | None) -> bool:
        """Whether the catalog has the dataset, and its field, though no job has reported it yet."""
        record = self._store.dataset(self._clusters.resolve(dataset.namespace, dataset.name))
        if record is None or path is None:
            return record is not None
        schema = self._store.current_schema(record.id)
        path = path_of(record.id, path)
        return schema is not None and any(profile.path == path for profile in schema.fields)

    def columns(self, dataset: DatasetId) -> Columns | None:
        """The columns of a dataset as its newest schema knows them, nested; None for one without a schema.

        Kept for a few seconds: the fold asks for the same datasets with every batch.
        """
        return self._known_fields(dataset)[1]

    def fields(self, dataset: DatasetId) -> FieldNames | None:
        """The fields of a dataset as its newest schema knows them, kept as `columns`; None for one without a schema."""
        return self._known_fields(dataset)[2]

    def learned(self) -> Mapping[DatasetId, tuple[int, object]]:
        """Dataset with a schema -> its version, and the store's state as of now: other fields may be known by another one."""
        state = self._store.changes()
        return {dataset: (version, state) for dataset, version in self._store.schema_versions().items()}

    def _known_fields(self, dataset: DatasetId) -> tuple[float, Columns | None, FieldNames | None]:
        known = self._columns.get(dataset)
        if known is None or time.monotonic() - known[0] > _FRESH_S:
            if len(self._columns) > 5000:
                self._columns.clear()
            known = self._columns[dataset] = (
                time.monotonic(),
                *self._read_fields(dataset, known[2] if known else None),
            )
        return known

    def _read_fields(self, dataset: DatasetId, before: FieldNames | None) -> tuple[Columns | None, FieldNames | None]:
        record = self._store.dataset(self._clusters.resolve(dataset.namespace, dataset.name))
        schema = self._store.current_schema(record.id) if record is not None else None
        if schema is None:
            return None, None
        fields = FieldNames(profile.path for profile in schema.fields)
        columns = columns_of_paths(profile.field_path for profile in schema.fields)
        return columns, before if fields == before else fields


def columns_of_paths(paths: Iterable[FieldPath]) -> Columns:
    """Field paths of a topic as the columns SQL sees: the value's fields, nested, and what a record has beside them."""
    names = [
        [
            step.name or "" if step.kind is StepKind.FIELD else "[]"
            for step in path.steps
            if step.kind in (StepKind.FIELD, StepKind.ELEMENTS)
        ]
        for path in paths
        if path.root == "value"
    ]
    beside = dict.fromkeys(("_key", "_headers", "_partition", "_offset", "_timestamp"))
    return {**beside, **(_nested(names) or {})}


def _nested(paths: Iterable[Sequence[str]]) -> Columns | None:
    """Names of columns from the outermost on -> each name with those inside it; None where there are none."""
    inside: dict[str, list[Sequence[str]]] = {}
    for path in paths:
        if path:
            inside.setdefault(path[0], []).append(path[1:])
    return {name: _nested(rest) for name, rest in inside.items()} or None


@dataclass(frozen=True, slots=True)
class StatementLineage:
    """What a text of SQL shows. `datasets`: table -> `CLUSTER/TOPIC`, where the catalog has it."""

    lineage: SqlLineage
    datasets: Mapping[str, str]


class SqlLineageSliver:
    """Column lineage of a statement over what the catalog knows, for people who ask before they run it."""

    def __init__(self, datasets: DatasetReader, known: CatalogSliver, reader: SqlApart, longest: int) -> None:
        """`longest`: characters of a text that is read at all."""
        self._datasets = datasets
        self._known = known
        self._reader = reader
        self._longest = longest

    def explain(self, sql: str, dialect: str | None, cluster: str | None) -> StatementLineage:
        """Tables read and written, edges between columns, and what cannot be determined. `cluster`: where bare names are.

        Raises InvalidInput for a text that is too long.
        """
        if len(sql) > self._longest:
            raise InvalidInput(
                f"The text has {len(sql):,} characters; at most {self._longest:,} are read"
                " (WEIR_LINEAGE__SQL_CHARACTERS). Send its statements in several requests.",
                details={"limit": self._longest},
            )
        references: dict[str, str] = {}

        def columns(table: str) -> Mapping[str, Any] | None:
            for reference in (f"{cluster}/{table}", table) if cluster else (table,):
                try:
                    record = self._datasets.clusters.find(reference)
                except WeirError:
                    continue
                references[table] = record.reference
                return self._known.columns(record.id)
            return None

        return StatementLineage(self._reader.read(sql, dialect, columns), references)
