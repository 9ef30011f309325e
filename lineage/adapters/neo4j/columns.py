"""Reading the edges between columns out of their bundles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from catalog.model import NodeId
from catalog.node_ids import read_id, write_id
from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.bundles import Shared, edge_of, groups_of
from lineage.model import Basis, Direction, Edge, Kind, Node

Keep = Callable[[Shared], bool]
"""Whether edges of this stretch of time are wanted."""

Wanted = Mapping[str, set[str] | None]
"""Dataset id -> the fields that are asked about; None: all, and the dataset itself."""

Run = Callable[..., list[Any]]


def at_time(time: int, basis: Basis) -> Keep:
    """What is valid then for the question of `basis`."""
    if basis is Basis.LAST_RUN:
        return lambda shared: shared.vf <= time < shared.vt
    return lambda shared: shared.vf <= time < (shared.vt if shared.ct is None else shared.ct)


def since_time(time: int) -> Keep:
    return lambda shared: time < shared.vt


class ColumnReader:
    """Edges between columns. `run` sends a statement; `prefix` is what keys of this graph begin with.

    Remembers the bundles of the datasets it met: made for one question.
    """

    def __init__(self, run: Run, prefix: str) -> None:
        self._run, self._prefix = run, prefix
        self._met: dict[tuple[Direction, str], list[_Met]] = defaultdict(list)
        self._asked: set[tuple[Direction, str]] = set()

    def edges(self, ids: Iterable[str], kind: Kind, direction: Direction, keep: Keep) -> list[Edge]:
        """Edges of a kind out of (or into) these nodes."""
        edges: list[Edge] = []
        wanted = _by_dataset(ids)
        self._fetch(wanted, direction)
        by_source = direction is Direction.DOWNSTREAM
        for dataset, fields in wanted.items():
            for met in self._met[direction, dataset]:
                edges += met.edges(kind, None if kind is Kind.INFLUENCES and not by_source else fields, by_source, keep)
        return edges

    def fields(self, dataset_ids: Iterable[str]) -> dict[str, Node]:
        """Every field of these datasets that an edge has an end at, by its id."""
        wanted: dict[str, set[str] | None] = dict.fromkeys(dataset_ids, None)
        nodes: dict[str, Node] = {}
        for direction in (Direction.DOWNSTREAM, Direction.UPSTREAM):
            self._fetch(wanted, direction)
            for dataset in wanted:
                for met in self._met[direction, dataset]:
                    nodes |= met.fields(direction is Direction.DOWNSTREAM)
        return nodes

    def _fetch(self, wanted: Wanted, direction: Direction) -> None:
        missing = [dataset for dataset in wanted if (direction, dataset) not in self._asked]
        if not missing:
            return
        self._asked |= {(direction, dataset) for dataset in missing}
        rows = self._run(cypher.BUNDLES_AT[direction], keys=[self._prefix + dataset for dataset in missing])
        for row in rows:
            key, *bundle = row[0]
            self._met[direction, key[len(self._prefix) :]].append(_Met(*bundle))


class _Met:
    """A bundle that was read."""

    __slots__ = ("_document", "_ends", "_groups", "_owner")

    def __init__(self, owner: str, sns: str, sn: str, tns: str, tn: str, document: bytes) -> None:
        self._owner, self._ends, self._document = owner, (sns, sn, tns, tn), document
        self._groups: list[tuple[Shared, list[str]]] | None = None

    def _read(self) -> list[tuple[Shared, list[str]]]:
        if self._groups is None:
            self._groups = list(groups_of(bytes(self._document)))
        return self._groups

    def edges(self, kind: Kind, fields: set[str] | None, by_source: bool, keep: Keep) -> Iterator[Edge]:
        sns, sn, tns, tn = self._ends
        near = 1 if by_source else 2
        for shared, listed in self._read():
            if shared.kind != kind or not keep(shared):
                continue
            for at in range(0, len(listed), 3):
                if fields is None or listed[at + near] in fields:
                    source = write_id("field", sns, sn, listed[at + 1])
                    field = listed[at + 2]
                    target = write_id("field", tns, tn, field) if field else write_id("dataset", tns, tn)
                    yield edge_of(listed[at], shared, source, target, self._owner)

    def fields(self, by_source: bool) -> dict[str, Node]:
        namespace, name = self._ends[:2] if by_source else self._ends[2:]
        near = 1 if by_source else 2
        names = {listed[at] for _, listed in self._read() for at in range(near, len(listed), 3)} - {""}
        nodes = [Node(write_id("field", namespace, name, field), "field", namespace, name, field) for field in names]
        return {node.id: node for node in nodes}


def _by_dataset(ids: Iterable[str]) -> dict[str, set[str] | None]:
    by_dataset: dict[str, set[str] | None] = {}
    for node_id in ids:
        parts = read_id(node_id)
        if parts is None:
            continue
        kind, namespace, name, field = parts
        dataset = NodeId("dataset", namespace, name)
        if kind == "dataset":
            by_dataset[str(dataset)] = None
        elif kind == "field" and field:
            fields = by_dataset.setdefault(str(dataset), set())
            if fields is not None:
                fields.add(field)
    return by_dataset


def datasets_of(field_ids: Collection[str]) -> set[str]:
    """Ids of the datasets that these fields belong to."""
    return set(_by_dataset(field_ids))
