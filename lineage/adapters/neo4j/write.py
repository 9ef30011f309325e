"""Writing one delta in one transaction: few statements, many rows each, rows sorted so that writers do not deadlock."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import neo4j
import orjson

from catalog.model import DatasetId
from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.bundles import COLUMN_KINDS, Bundle, Row, bundles_of, counted, pack, unpack
from lineage.adapters.neo4j.rows import usual_left_out
from lineage.adapters.neo4j.sent import sent
from lineage.graph_delta import GraphDelta
from lineage.model import Edge, Kind
from lineage.ports import StaleBook

_ROWS = 5000
"""Rows a statement; more would hold the whole of a large batch in one list on the server."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Edges, as (id, source, target), that have the same properties."""

    properties: Mapping[str, object]
    edges: list[tuple[str, str, str]] = field(default_factory=list)


class DeltaWriter:
    """A delta for one generation (`label`). `check`: the graph, the turn of this writer, the generation that must still
    be active.

    `again`: some of its edges may be there already; without it, the transaction fails where one is.
    """

    def __init__(self, delta: GraphDelta, label: str, check: tuple[str, str, int] | None, again: bool = False) -> None:
        self._delta, self._label, self._check = delta, label, check
        self._again = again
        self._edges = cypher.merge_edges if again else cypher.create_edges
        self._prefix = f"{label}|"

    def write(self, tx: neo4j.ManagedTransaction) -> None:
        delta = self._delta
        if self._check is not None:
            name, turn, active = self._check
            row = _run(tx, cypher.LOCK, name=name, turn=turn).single()
            if row is None or row["active"] != active:
                raise StaleBook(self._label)
        self._books(tx)
        self._removed(tx)
        changed = bundles_of(delta.upserts, delta.updates)
        self._nodes(tx, changed)
        self._columns(tx, changed)
        now = int(time.time() * 1000)
        for kind, groups in self._groups(delta.upserts).items():
            for part in _group_parts(groups):
                _run(tx, self._edges(kind), groups=part, now=now).consume()
        for kind, groups in self._groups(delta.updates).items():
            for part in _group_parts(groups):
                _run(tx, cypher.update_edges(kind), groups=part).consume()
        self._names(tx)
        if delta.retired:
            keys = sorted(self._prefix + key for key in delta.retired)
            _run(tx, cypher.RETIRE_DATASETS, keys=keys).consume()

    def _books(self, tx: neo4j.ManagedTransaction) -> None:
        rows = [
            {"key": self._prefix + b.owner, "owner": b.owner, "version": b.version, "document": bytearray(b.document)}
            for b in sorted(self._delta.books, key=lambda book: book.owner)
        ]
        if rows:
            result = _run(tx, cypher.WRITE_BOOKS, rows=rows, graph=self._label).single()
            if result is None or result["stale"]:
                raise StaleBook(self._label)

    def _removed(self, tx: neo4j.ManagedTransaction) -> None:
        ids: dict[Kind, list[str]] = defaultdict(list)
        for kind, edge_id, _ in self._delta.removed:
            if kind not in COLUMN_KINDS:
                ids[kind].append(self._prefix + edge_id)
        for kind, edge_ids in ids.items():
            for part in _parts(sorted(edge_ids)):
                _run(tx, cypher.remove_edges(kind), ids=part).consume()

    def _columns(self, tx: neo4j.ManagedTransaction, changed: Mapping[str, Bundle]) -> None:
        """Edges between columns: read the stored bundles, change them, and write them back. The book that this
        transaction wrote first keeps other writers of its owner out."""
        p, delta = self._prefix, self._delta
        new = {book.owner for book in delta.books if book.version == 0} if not self._again else set()
        removed = {edge_id: owner for kind, edge_id, owner in delta.removed if kind in COLUMN_KINDS}
        rows_before: dict[str, dict[str, Row]] = {}
        for part in _parts(sorted(p + key for key, bundle in changed.items() if bundle.owner not in new)):
            rows_before |= {
                row["id"][len(p) :]: unpack(bytes(row["rows"])) for row in _run(tx, cypher.BUNDLES, ids=part)
            }
        for part in _parts(sorted({p + owner for owner in removed.values()})):
            rows_before |= {
                row["id"][len(p) :]: unpack(bytes(row["rows"])) for row in _run(tx, cypher.BUNDLES_OF, books=part)
            }
        new_rows, changed_rows, empty = [], [], []
        for key in sorted(changed.keys() | rows_before.keys()):
            before = rows_before.get(key, {})
            bundle = changed.get(key)
            after = bundle.applied(before) if bundle is not None else before
            # An edge that is made again in the same delta stays.
            upserts = bundle.upserts if bundle is not None else {}
            after = {edge_id: row for edge_id, row in after.items() if edge_id not in removed or edge_id in upserts}
            if after == before:
                continue
            row: dict[str, object] = {"id": p + key, "rows": bytearray(pack(after)), **counted(after)}
            if not after:
                empty.append(p + key)
            elif key in rows_before:
                changed_rows.append(row)
            elif bundle is not None:
                row |= {"a": p + bundle.source.node_id, "b": p + bundle.target.node_id}
                new_rows.append({**row, "owner": bundle.owner, "book": p + bundle.owner})
        for part in _parts(new_rows):
            counters = _run(tx, cypher.CREATE_BUNDLES, rows=part).consume().counters
            if counters.relationships_created != len(part):
                raise StaleBook(self._label)  # an end was removed by another writer
        self._rows(tx, cypher.SET_BUNDLES, changed_rows)
        for part in _parts(empty):
            _run(tx, cypher.DELETE_BUNDLES, ids=part).consume()

    def _nodes(self, tx: neo4j.ManagedTransaction, changed: Mapping[str, Bundle]) -> None:
        delta, p = self._delta, self._prefix
        datasets = {p + key: _named(dataset) for key, dataset in delta.datasets.items()}
        for dataset in delta.dataset_info:
            datasets.setdefault(p + dataset.node_id, _named(dataset))
        for bundle in changed.values():
            for dataset in (bundle.source, bundle.target) if bundle.upserts else ():
                datasets.setdefault(p + dataset.node_id, _named(dataset))
        jobs = {p + key: {"namespace": namespace, "name": name} for key, (namespace, name) in delta.jobs.items()}
        for label, nodes in (("Dataset", datasets), ("Job", jobs)):
            rows = [{"key": key, "new": new} for key, new in sorted(nodes.items())]
            self._rows(tx, cypher.WRITE_NODES[label], rows, graph=self._label)
        self._rows(
            tx, cypher.WRITE_JOB_INFO, [{"key": p + k, "info": _json(v)} for k, v in sorted(delta.job_info.items())]
        )
        self._rows(
            tx,
            cypher.WRITE_DATASET_INFO,
            [{"key": p + dataset.node_id, "said": _json(info)} for dataset, info in sorted(delta.dataset_info.items())],
        )

    def _names(self, tx: neo4j.ManagedTransaction) -> None:
        delta, p = self._delta, self._prefix
        names = (
            {end for link in delta.links for end in (link.primary, link.other)} | set(delta.drops) | set(delta.clears)
        )
        rows = [{"key": p + name.node_id, "new": _named(name)} for name in sorted(names)]
        self._rows(tx, cypher.WRITE_NODES["Name"], rows, graph=self._label)
        links = [
            {
                "a": p + link.primary.node_id,
                "b": p + link.other.node_id,
                "type": link.type,
                "id": p + _digest(link.primary.node_id, link.other.node_id, link.type),
            }
            for link in sorted(delta.links)
        ]
        self._rows(tx, cypher.WRITE_LINKS, links)
        drops = [{"key": p + name.node_id, "drops": list(times)} for name, times in sorted(delta.drops.items())]
        self._rows(tx, cypher.WRITE_DROPS, drops)
        clears = [{"key": p + name.node_id, "clears": list(times)} for name, times in sorted(delta.clears.items())]
        self._rows(tx, cypher.WRITE_CLEARS, clears)

    def _groups(self, edges: Iterable[Edge]) -> dict[Kind, list[_Group]]:
        """Edges by kind and by all that they share."""
        p = self._prefix
        shared: dict[tuple[object, ...], _Group] = {}
        groups: dict[Kind, list[_Group]] = defaultdict(list)
        edges = (edge for edge in edges if edge.kind not in COLUMN_KINDS)
        for edge in sorted(edges, key=lambda edge: (edge.source, edge.target, edge.id)):
            key = (
                edge.kind,
                edge.owner,
                edge.job,
                edge.vf,
                edge.vt,
                edge.seen,
                edge.raw,
                edge.columns,
                edge.how,
                edge.origin,
                edge.ct,
                edge.unfinished,
            )
            group = shared.get(key)
            if group is None:
                properties = {
                    "owner": None if edge.owner == edge.job else edge.owner,
                    "job": edge.job,
                    "vf": edge.vf,
                    "vt": edge.vt,
                    "seen": edge.seen,
                    "ct": edge.ct,
                    **usual_left_out(edge),
                    "columns": edge.columns if edge.kind is Kind.FEEDS else None,
                }
                group = shared[key] = _Group(properties)
                groups[edge.kind].append(group)
            group.edges.append((p + edge.id, p + edge.source, p + edge.target))
        return groups

    def _rows(self, tx: neo4j.ManagedTransaction, statement: str, rows: Sequence[Any], **more: Any) -> None:
        for part in _parts(rows):
            _run(tx, statement, rows=part, **more).consume()


def _run(tx: neo4j.ManagedTransaction, statement: str, **parameters: Any) -> neo4j.Result:
    # Each begins at keys, whatever there is, so a plan need not be made again while the graph grows.
    return tx.run(*sent(cypher.PLANNED_ONCE + statement, parameters))


def _group_parts(groups: Iterable[_Group]) -> Iterator[list[Mapping[str, object]]]:
    """Groups, as they are sent, in lists of at most so many edges together."""
    part: list[Mapping[str, object]] = []
    size = 0
    for group in groups:
        for rows in _parts(group.edges):
            if part and size + len(rows) > _ROWS:
                yield part
                part, size = [], 0
            part.append({**group.properties, "rows": rows})
            size += len(rows)
    if part:
        yield part


def _parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _ROWS):
        yield rows[start : start + _ROWS]


def _named(dataset: DatasetId) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(errors="replace"), digest_size=16).hexdigest()
