"""The lineage graph in Neo4j 5 (Community).

One server may hold many graphs and, while one is rebuilt, two generations of it: every key begins with the graph's
name and generation (`generations.py`). An edge only ever joins nodes of one generation, so a walk that starts at a key
needs no further condition.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable
from typing import Any

import neo4j
import orjson
from neo4j.exceptions import ConstraintError

from catalog.model import DatasetId
from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.bundles import COLUMN_KINDS, unpack
from lineage.adapters.neo4j.columns import ColumnReader, at_time, datasets_of, since_time
from lineage.adapters.neo4j.generations import APART, Generations
from lineage.adapters.neo4j.rows import edge_of, node_of
from lineage.adapters.neo4j.server import Neo4jServer
from lineage.adapters.neo4j.write import DeltaWriter
from lineage.graph_delta import Context, GraphDelta, StoredBook
from lineage.model import Basis, Counts, Direction, Edge, Kind, Node
from lineage.names import Link
from lineage.ports import Closure, StaleBook
from lineage.questions.suggestions import nearest
from lineage.questions.traversal import cut, far
from lineage.settings import Neo4jSettings

_WALKED_STARTS = 50
"""From more starts than this, the walk is done here level by level, or shared parts would be walked once per start."""

_NODE_KINDS = {"dataset:": ("Dataset", "dataset"), "job:": ("Job", "job")}

_FIELD = "datasetField:"

_SEARCHED = 5000
"""Ids compared for a hint."""

_HINTED = 5
"""Datasets whose fields are compared for a hint."""


class Neo4jGraph:
    """A `LineageGraph`. Safe for many threads; the driver is the caller's to close."""

    def __init__(
        self, driver: neo4j.Driver, settings: Neo4jSettings, name: str = "weir", generation: int | None = None
    ) -> None:
        self._driver, self._settings, self.name = driver, settings, name
        self._fixed = generation
        self._server = Neo4jServer(driver, settings)
        self._generations = Generations(self._server, name)
        self._turn = f"{name}/{secrets.randbelow(cypher.TURNS)}"

    # -- generations --------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        self._generations.prepare()

    def warm(self) -> None:
        self.prepare()
        values = {"name": self.name, "time": 0, "rows": 1, "nodes": 1, "graph": "", "namespace": None, "holding": ""}
        values |= {"offset": 0, "limit": 1, "fragment": "-"}
        for statement in cypher.asked():
            self._server.run_patiently(statement, keys=["-"], **values)

    def _generation(self) -> int:
        return self._fixed if self._fixed is not None else self._generations.active()

    def _label(self) -> str:
        return f"{self.name}.{self._generation()}"

    def _prefix(self) -> str:
        return f"{self._label()}|"

    def apart(self) -> Neo4jGraph:
        return Neo4jGraph(self._driver, self._settings, self.name, APART)

    def fresh(self) -> Neo4jGraph:
        return Neo4jGraph(self._driver, self._settings, self.name, self._generations.new())

    def activate(self, built: Neo4jGraph) -> None:
        self._generations.activate(built._fixed)

    def clear(self) -> None:
        self._generations.clear(self._label())

    # -- writing ------------------------------------------------------------------------------------------------------

    def books(self, owners: Collection[str]) -> dict[str, StoredBook]:
        prefix = self._prefix()
        rows = self._server.run(cypher.BOOKS, keys=[prefix + owner for owner in owners]) if owners else []
        return {row["owner"]: StoredBook(row["owner"], row["version"], bytes(row["document"])) for row in rows}

    def context(self, names: Collection[DatasetId]) -> Context:
        prefix = self._prefix()
        known, frontier, links = set(names), set(names), set[Link]()
        while frontier:
            rows = self._server.run(cypher.CONTEXT_LINKS, keys=[prefix + name.node_id for name in frontier])
            links |= {
                Link(DatasetId(r["a_namespace"], r["a_name"]), DatasetId(r["b_namespace"], r["b_name"]), r["type"])
                for r in rows
            }
            frontier = {end for link in links for end in (link.primary, link.other)} - known
            known |= frontier
        keys = [prefix + name.node_id for name in known]
        rows = self._server.run(cypher.CONTEXT_NAMES, keys=keys) if keys else []
        drops, clears = (
            {DatasetId(r["namespace"], r["name"]): tuple(r[part]) for r in rows if r[part]}
            for part in ("drops", "clears")
        )
        infos = {
            DatasetId(r["namespace"], r["name"]): {k: (v[0], v[1]) for k, v in orjson.loads(r["said"]).items()}
            for r in (self._server.run(cypher.CONTEXT_INFO, keys=keys) if keys else [])
        }
        return Context(tuple(links), drops, infos, clears)

    def owners_of(self, datasets: Collection[str]) -> set[str]:
        prefix = self._prefix()
        return {row["owner"] for row in self._server.run(cypher.OWNERS_OF, keys=[prefix + key for key in datasets])}

    def write(self, delta: GraphDelta) -> None:
        generation = self._generation()
        label, check = (
            f"{self.name}.{generation}",
            None if self._fixed is not None else (self.name, self._turn, generation),
        )
        try:
            with self._server.session(writes=True) as session:
                in_time = neo4j.unit_of_work(timeout=self._settings.timeout_seconds)
                try:
                    session.execute_write(in_time(DeltaWriter(delta, label, check).write))
                except ConstraintError:
                    session.execute_write(in_time(DeltaWriter(delta, label, check, again=True).write))
        except StaleBook:
            self._generations.forget_active()
            raise

    # -- reading ------------------------------------------------------------------------------------------------------

    def node(self, node_id: str) -> Node | None:
        return self.nodes([node_id]).get(node_id)

    def nodes(self, node_ids: Collection[str]) -> dict[str, Node]:
        prefix, nodes = self._prefix(), dict[str, Node]()
        for start, (label, kind) in _NODE_KINDS.items():
            keys = [prefix + node_id for node_id in node_ids if node_id.startswith(start)]
            for row in self._server.run(cypher.NODES[label], keys=keys) if keys else []:
                node = node_of(row, kind, prefix)
                nodes[node.id] = node
        fields = [node_id for node_id in node_ids if node_id.startswith(_FIELD)]
        if fields:
            field_nodes = self._columns().fields(datasets_of(fields))
            nodes |= {node_id: field_nodes[node_id] for node_id in fields if node_id in field_nodes}
        return nodes

    def fields_of(self, dataset_id: str, limit: int) -> list[Node]:
        nodes = self._columns().fields([dataset_id])
        return [nodes[node_id] for node_id in sorted(nodes)[:limit]]

    def closure(
        self,
        starts: Collection[str],
        kind: Kind,
        direction: Direction,
        depth: int,
        as_of: int,
        budget: int,
        basis: Basis = Basis.LAST_RUN,
    ) -> Closure:
        a, b = cypher.ENDS.get(kind, ("", ""))
        if depth == 1 or kind in COLUMN_KINDS or a != b or len(starts) > _WALKED_STARTS:
            edges, full = self._levels(starts, kind, direction, depth, as_of, budget, basis)
        else:
            walked = next((each for each in cypher.DEPTHS if each >= depth), cypher.MAX_DEPTH)
            walk = cypher.closure(kind, direction, walked, basis)
            edges, full = self._edges(walk, kind, starts, as_of, budget, nodes=budget)
        kept, was_cut = cut(starts, edges, direction, depth, budget)
        return Closure(kept, full or was_cut)

    def edges_at(
        self, node_ids: Collection[str], kind: Kind, direction: Direction, as_of: int, basis: Basis = Basis.LAST_RUN
    ) -> list[Edge]:
        if not node_ids:
            return []
        if kind in COLUMN_KINDS:
            return self._columns().edges(sorted(set(node_ids)), kind, direction, at_time(as_of, basis))
        return self._edges(cypher.edges_at(kind, direction, basis), kind, sorted(set(node_ids)), as_of, 2**31)[0]

    def edges_since(self, node_ids: Collection[str], kind: Kind, direction: Direction, since: int) -> list[Edge]:
        if not node_ids:
            return []
        if kind in COLUMN_KINDS:
            return self._columns().edges(sorted(set(node_ids)), kind, direction, since_time(since))
        return self._edges(cypher.edges_since(kind, direction), kind, sorted(set(node_ids)), since, 2**31)[0]

    def named_in(self, type: str, namespace: str | None, limit: int, offset: int = 0, holding: str = "") -> list[Node]:
        statement = cypher.NAMED_IN["Dataset" if type == "dataset" else "Job"]
        parameters = {"namespace": namespace, "holding": holding.lower(), "limit": limit, "offset": offset}
        rows = self._server.run(statement, graph=self._label(), **parameters)
        return [node_of(row, type, self._prefix()) for row in rows]

    def job_of_run(self, run_id: str) -> Node | None:
        fragment = f'"lastRun":{orjson.dumps(run_id.encode(errors="replace").decode()).decode()}'
        rows = self._server.run(cypher.JOB_OF_RUN, graph=self._label(), fragment=fragment)
        return next((node_of(row, "job", self._prefix()) for row in rows), None)

    def namespaces(self) -> dict[str, tuple[int, int]]:
        datasets, jobs = (
            {row["namespace"]: row["count"] for row in self._server.run(cypher.NAMESPACES[label], graph=self._label())}
            for label in ("Dataset", "Job")
        )
        return {name: (datasets.get(name, 0), jobs.get(name, 0)) for name in datasets.keys() | jobs.keys()}

    def _levels(
        self,
        starts: Collection[str],
        kind: Kind,
        direction: Direction,
        depth: int,
        as_of: int,
        budget: int,
        basis: Basis,
    ) -> tuple[list[Edge], bool]:
        step: Callable[[Collection[str]], Iterable[Edge]]
        if kind in COLUMN_KINDS:
            columns, keep = self._columns(), at_time(as_of, basis)
            step = lambda nodes: columns.edges(sorted(nodes), kind, direction, keep)  # noqa: E731
        else:
            statement = cypher.edges_at(kind, direction, basis)
            step = lambda nodes: self._edges(statement, kind, nodes, as_of, budget)[0]  # noqa: E731
        seen, frontier, by_id = set(starts), set(starts), dict[str, Edge]()
        for _ in range(depth):
            if not frontier or len(seen) > budget:
                break
            edges = list(step(frontier))
            by_id |= {edge.id: edge for edge in edges}
            frontier = {far(edge, direction) for edge in edges} - seen
            seen |= frontier
        return list(by_id.values()), len(seen) > budget

    def _edges(
        self, statement: str, kind: Kind, starts: Iterable[str], as_of: int, budget: int, **more: Any
    ) -> tuple[list[Edge], bool]:
        prefix, limit = self._prefix(), min(8 * budget, 2**40)
        keys = [prefix + start for start in starts]
        rows = self._server.run(statement, keys=keys, time=as_of, rows=limit, **more)
        return [edge_of(row[0], kind, len(prefix)) for row in rows], len(rows) >= limit

    def search_ids(self, text: str, limit: int) -> list[str]:
        label, prefix = self._label(), self._prefix()
        labels_by_prefix = {"dataset:": ("Dataset",), _FIELD: ("Dataset",), "job:": ("Job",)}
        labels = next((v for k, v in labels_by_prefix.items() if text.startswith(k)), ("Dataset", "Job"))
        ids: list[str] = []
        for name in labels:
            rows = self._server.run(cypher.SEARCH[name], graph=label, prefix=prefix, limit=_SEARCHED)
            ids += [row["key"][len(prefix) :] for row in rows]
        if text.startswith(_FIELD):  # fields of the datasets whose names are near
            typed = f"dataset:{text.removeprefix(_FIELD).rpartition(':')[0]}"
            ids += self._columns().fields({*nearest(typed, ids, _HINTED), typed})
        return nearest(text, ids, limit)

    def counts(self) -> Counts:
        label = self._label()
        mine = {"graph": label, "prefix": f"{label}|"}
        nodes = {name: self._server.run(text, **mine)[0]["count"] for name, text in cypher.COUNT_NODES.items()}
        edges = {str(kind): self._server.run(text, **mine)[0]["count"] for kind, text in cypher.COUNT_EDGES.items()}
        fields: set[tuple[str, str]] = set()
        for row in self._server.run(cypher.BUNDLES_IN, graph=label):
            for _, source, target in unpack(bytes(row["rows"])).values():
                fields |= {(row["a"], source), (row["b"], target)}
        columns = sum(1 for _, field in fields if field)
        return Counts(nodes["Dataset"], columns, nodes["Job"], {kind: count for kind, count in edges.items() if count})

    def _columns(self) -> ColumnReader:
        return ColumnReader(self._server.run, self._prefix())
