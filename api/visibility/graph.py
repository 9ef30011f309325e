"""The lineage graph as one reader may know of it.

A dataset whose lineage is hidden is shown as "a dataset you may not see": under an id of its own that names nothing, with the
edges it has, so that what is beyond keeps its distance. So does a job that touches hidden datasets alone, or that has the
name of one in its own; of another job that touches one, what is written about it (its SQL, its description, the place of its
code) is left out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from api.visibility.reads import PassesOn
from catalog.model import DatasetId, NodeId
from catalog.tokens import split
from lineage.model import Basis, Direction, Edge, Kind, Node, parts_of
from lineage.ports import Closure, LineageGraph
from policies.decision.visibility import DatasetKnowledge

HIDDEN = "hidden"
"""The namespace of what a reader may not see."""
_OF_JOBS = frozenset({"jobType", "integration", "processingType", "state", "firstSeen", "lastSeen", "owners"})
"""What of a job is shown that touches hidden datasets."""
_EVERY = 1 << 30
_NEAR = 100
_LONG = 5  # letters of a name that are not by chance in another word


class SeenGraph(PassesOn):
    """`lineage.ports.LineageGraph`, its reads. For one request: it remembers which hidden node goes by which id."""

    _READS = frozenset({"context", "books", "warm"})

    def __init__(self, graph: LineageGraph, known: Callable[[DatasetId], DatasetKnowledge], key: bytes) -> None:
        """`key`: the secret under which ids of hidden nodes are made; without it nobody can guess what they mean."""
        self._whole = self._graph = graph
        self._known, self._key = known, key
        self._meant: dict[str, str] = {}
        self._datasets: dict[DatasetId, DatasetKnowledge] = {}
        self._jobs: dict[str, tuple[bool, bool]] = {}

    # nodes
    def node(self, node_id: str) -> Node | None:
        return self.nodes([node_id]).get(node_id)

    def nodes(self, node_ids: Collection[str]) -> dict[str, Node]:
        unresolved = [each for each in node_ids if each not in self._meant]
        results = (
            {key: node for key, node in self._graph.nodes(unresolved).items() if not self._is_hidden(key)}
            if unresolved
            else {}
        )
        shown = {key: self._shown(node) for key, node in results.items()}
        return shown | {each: _anonymous(each) for each in node_ids if each in self._meant}

    def fields_of(self, dataset_id: str, limit: int) -> list[Node]:
        if dataset_id in self._meant or self._is_hidden(dataset_id):
            return []
        return [node for node in self._graph.fields_of(dataset_id, limit) if not self._is_hidden(node.id)]

    def named_in(self, type: str, namespace: str | None, limit: int, offset: int = 0, holding: str = "") -> list[Node]:
        results = self._graph.named_in(type, namespace, _EVERY, 0, holding)
        self._read_jobs(node.id for node in results if node.type == "job")
        kept = [node for node in results if not self._is_hidden(node.id)]
        return [self._shown(node) for node in kept[offset : offset + limit]]

    def job_of_run(self, run_id: str) -> Node | None:
        node = self._graph.job_of_run(run_id)
        return None if node is None or self._is_hidden(node.id) else self._shown(node)

    def namespaces(self) -> dict[str, tuple[int, int]]:
        counted: dict[str, list[int]] = {}
        for at, kind in enumerate(("dataset", "job")):
            for node in self.named_in(kind, None, _EVERY):
                counted.setdefault(node.namespace, [0, 0])[at] += 1
        return {namespace: (datasets, jobs) for namespace, (datasets, jobs) in counted.items()}

    def search_ids(self, text: str, limit: int) -> list[str]:
        most = limit + _NEAR
        while True:
            near = self._graph.search_ids(text, most)
            self._read_jobs(each for each in near if parts_of(each).kind == "job")
            kept = [each for each in near if not self._is_hidden(each)]
            if len(kept) >= limit or len(near) < most:
                return kept[:limit]
            most *= 4

    # edges
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
        results = self._graph.closure(self._real(starts), kind, direction, depth, as_of, budget, basis)
        return Closure(self._edges(results.edges), results.truncated)

    def edges_at(
        self, node_ids: Collection[str], kind: Kind, direction: Direction, as_of: int, basis: Basis = Basis.LAST_RUN
    ) -> list[Edge]:
        real = self._real(node_ids)
        return self._edges(self._graph.edges_at(real, kind, direction, as_of, basis)) if real else []

    def edges_since(self, node_ids: Collection[str], kind: Kind, direction: Direction, since: int) -> list[Edge]:
        real = self._real(node_ids)
        return self._edges(self._graph.edges_since(real, kind, direction, since)) if real else []

    def touches_hidden(self, job: str) -> bool:
        """Whether a job ever read or wrote something that is hidden."""
        self._read_jobs([job])
        return self._jobs[job][1]

    # what is hidden
    def _real(self, node_ids: Collection[str]) -> list[str]:
        """The nodes that are meant. Who names a hidden one by its own id means nothing."""
        jobs = [each for each in node_ids if each not in self._meant and parts_of(each).kind == "job"]
        self._read_jobs(jobs)
        return [self._meant.get(each, each) for each in node_ids if each in self._meant or not self._is_hidden(each)]

    def _edges(self, edges: list[Edge]) -> list[Edge]:
        ids = {each for edge in edges for each in (edge.source, edge.target, edge.owner, edge.job) if each is not None}
        self._read_jobs(each for each in ids if parts_of(each).kind == "job")
        other = {each: self._alias(each) for each in ids if self._is_hidden(each)}
        if not other:
            return edges
        return [
            edge._replace(
                id=self._digest(edge.id),
                source=other.get(edge.source, edge.source),
                target=other.get(edge.target, edge.target),
                owner=other.get(edge.owner, edge.owner),
                job=None if edge.job is None else other.get(edge.job, edge.job),
                ends=(),
            )
            if not other.keys().isdisjoint((edge.source, edge.target, edge.owner, edge.job))
            else edge
            for edge in edges
        ]

    def _of_dataset(self, dataset: DatasetId) -> DatasetKnowledge:
        results = self._datasets.get(dataset)
        if results is None:
            results = self._datasets[dataset] = self._known(dataset)
        return results

    def _is_hidden(self, node_id: str) -> bool:
        node = parts_of(node_id)
        if node.kind == "job":
            self._read_jobs([node_id])
            return self._jobs[node_id][0]
        known = self._of_dataset(node.dataset)
        return not known.lineage or (node.kind == "field" and not known.schema)

    def _read_jobs(self, jobs: Iterable[str]) -> None:
        """(hidden, touches something hidden) of each, by all that it ever read or wrote."""
        new = sorted({job for job in jobs if job not in self._jobs})
        if not new:
            return
        touched: dict[str, set[DatasetId]] = {job: set() for job in new}
        for kind in (Kind.READS, Kind.WRITES):
            for edge in self._graph.edges_since(new, kind, Direction.DOWNSTREAM, 0):
                touched[edge.source].add(parts_of(edge.target).dataset)
        for job, datasets in touched.items():
            unseen = [each for each in datasets if not self._of_dataset(each).lineage]
            nameless = [each for each in datasets if not self._of_dataset(each).existence]
            parts = parts_of(job)
            alone = bool(unseen) and len(unseen) == len(datasets)
            self._jobs[job] = (
                alone or any(_names(parts.namespace, parts.name, each.name) for each in nameless),
                bool(unseen),
            )

    def _shown(self, node: Node) -> Node:
        if node.type == "job":
            if not self._jobs[node.id][1]:
                return node
            info = {key: value for key, value in node.info.items() if key in _OF_JOBS}
            return replace(node, info={**info, "withheld": ["sql", "description", "location"]})
        known = self._of_dataset(DatasetId(node.namespace, node.name))
        if known.schema and known.evidence:
            return node
        return replace(node, info={key: value for key, value in node.info.items() if key not in _OF_COLUMNS})

    def _alias(self, node_id: str) -> str:
        node = parts_of(node_id)
        if node.kind == "job":
            built = NodeId("job", HIDDEN, self._digest(node_id))
        elif node.kind == "field" and self._of_dataset(node.dataset).lineage:
            built = NodeId("field", node.namespace, node.name, f"hidden-{self._digest(node_id)}")
        else:
            column = f"hidden-{self._digest(node_id)}" if node.kind == "field" else None
            built = NodeId(node.kind, HIDDEN, self._digest(node.dataset.node_id), column)
        self._meant[str(built)] = node_id
        return str(built)

    def _digest(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="replace"), hashlib.sha256).hexdigest()[:16]


def _names(namespace: str, job: str, dataset: str) -> bool:
    """Whether a job's name or namespace holds a dataset's: as words of it, in whichever way they are joined; a longer name as
    letters, too."""
    words = split(dataset)
    for text in (namespace, job):
        if len(dataset) >= _LONG and dataset.lower() in text.lower():
            return True
        among = split(text)
        if words and any(among[at : at + len(words)] == words for at in range(len(among))):
            return True
    return False


_OF_COLUMNS = frozenset({"columnTags", "fields", "schema", "tags"})


def _anonymous(node_id: str) -> Node:
    node = parts_of(node_id)
    info: Mapping[str, Any] = {"hidden": True}
    return Node(id=node_id, type=node.kind, namespace=node.namespace, name=node.name, field=node.field, info=info)
