"""Questions to the graph: what feeds this, what breaks downstream, who reads it. Used by the API and the reports."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping

from catalog.errors import InvalidInput
from catalog.model import DatasetId
from lineage.fold.job_ledger import Book
from lineage.fold.producer_info import CLOCK_AHEAD, clock_ahead
from lineage.model import FOREVER, NOW, Basis, Direction, Edge, Kind, Level, Node, holder_of, rfc3339
from lineage.questions.answers import JobDetails, Reader, Subgraph
from lineage.questions.downstream import Downstream
from lineage.questions.filters import Only
from lineage.questions.node_lookup import AT_ONCE
from lineage.questions.parameters import AsOf, as_of_time, basis_of, depth_within, direction_of, level_of
from lineage.questions.traversal import hops, united
from lineage.questions.unknown_columns import unknown_columns

__all__ = ["NOW", "AsOf", "Lineage"]

"""Datasets in one question."""
_BOTH = (Direction.UPSTREAM, Direction.DOWNSTREAM)


def reader_kind(info: Mapping[str, object]) -> str:
    """What a job is to people: one of a consumer group was seen by brokers, and has no code that is known."""
    return "consumer_group" if info.get("jobType") == "CONSUMER_GROUP" else "job"


class Lineage(Downstream):
    """Reads of lineage. Safe for many threads. Every method may raise Unavailable naming Neo4j. See `Finder`."""

    def lineage(
        self,
        node_id: str,
        direction: Direction | str = Direction.BOTH,
        depth: int = 5,
        level: Level | str = Level.DATASET,
        as_of: AsOf = None,
        only: Only | None = None,
        basis: Basis | str = Basis.LAST_RUN,
    ) -> Subgraph:
        """What is upstream, downstream, or both, of a dataset, field or job, within `depth` steps (1..100).

        At level `column`, or from a field, the nodes are fields, with the jobs and the datasets that fields are a
        condition for. `only` leaves edges out, and what is reached by them alone. `basis` chooses the question: what the
        last runs do, or where contents come from; there, several stretches of one flow are shown as one. Raises
        InvalidInput, NotFound (with the nearest ids as `details["nearest"]`).
        """
        way, depth = direction_of(direction), depth_within(depth)
        at, root, basis = as_of_time(as_of), self.find(node_id), basis_of(basis)
        columns = root.type == "field" or level_of(level) is Level.COLUMN
        ways = _BOTH if way is Direction.BOTH else (way,)
        edges: dict[str, Edge] = {}
        truncated = False
        for one in ways:
            part, was_cut = (self._columns if columns else self._datasets)(root, one, depth, at, basis)
            edges |= {edge.id: edge for edge in part}
            truncated = truncated or was_cut
        if basis is Basis.CONTENTS:
            edges = {edge.id: edge for edge in united(edges.values())}
        joined = list(edges.values())
        if only is not None:
            chosen, over = only.keep(root.id, edges.values())
            edges, truncated = {edge.id: edge for edge in chosen}, truncated or over
        ordered = sorted(edges.values(), key=lambda e: (e.kind, e.source, e.target, e.vf, e.id))
        silent = self._without_columns(root, joined, ways, at, basis, only) if columns else []
        ids = {root.id} | {end for e in ordered for end in (e.source, e.target)}
        ends = self._ends(ids | {edge.job for edge in (*ordered, *silent) if edge.job})
        shown = ids | {edge.job for edge in ordered if edge.job}
        nodes = {key: node for key, node in ends.items() if key in shown} | {root.id: root}
        if columns:
            nodes |= self._tagged(nodes.values())
        stale = self._stale(ordered, nodes, at)
        return Subgraph(
            nodes=tuple(nodes[key] for key in sorted(nodes)),
            edges=tuple(ordered),
            truncated=truncated,
            stale=stale,
            root=root.id,
            basis=basis,
            columns_unknown=unknown_columns(silent, ends) if columns else None,
        )

    def _without_columns(
        self,
        root: Node,
        edges: Iterable[Edge],
        ways: Iterable[Direction],
        at: int,
        basis: Basis,
        only: Only | None,
    ) -> list[Edge]:
        """Flows between datasets without columns, out of (into) the root and everything that columns lead to."""
        holders = {holder_of(end) for edge in edges if edge.kind is Kind.DERIVES for end in (edge.source, edge.target)}
        if root.type != "job":
            holders.add(holder_of(root.id))
        flows: list[Edge] = []
        for way in ways:
            near = holders
            if root.type == "job":
                kind = Kind.READS if way is Direction.UPSTREAM else Kind.WRITES
                near = holders | {
                    e.target for e in self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at, basis)
                }
            flows += self._graph.edges_at(sorted(near), Kind.FEEDS, way, at, basis)
        return [edge for edge in flows if not edge.columns and (only is None or only.follows(edge, root.id))]

    def readers_of(self, dataset: DatasetId, as_of: AsOf = None) -> list[Reader]:
        """Jobs that read a dataset, newest report first. Empty where lineage knows nothing of it."""
        root = self.of(dataset)
        if root is None:
            return []
        edges = self._graph.edges_at([root.id], Kind.READS, Direction.UPSTREAM, as_of_time(as_of))
        return self._readers(edges, self._nodes({edge.source for edge in edges}))

    def writers_of(self, dataset: DatasetId) -> list[Reader]:
        """Jobs that write a dataset, newest report first. Empty where lineage knows nothing of it."""
        root = self.of(dataset)
        if root is None:
            return []
        edges = self._graph.edges_at([root.id], Kind.WRITES, Direction.UPSTREAM, NOW)
        return self._readers(edges, self._nodes({edge.source for edge in edges}))

    def readers_of_each(self, datasets: Collection[DatasetId], as_of: AsOf = None) -> dict[DatasetId, list[Reader]]:
        """As `readers_of` for many datasets by their canonical names, in few questions; those that nobody reads are left out."""
        at = as_of_time(as_of)
        by_id = {str(dataset.node_id): dataset for dataset in datasets}
        ids, readers = sorted(by_id), dict[DatasetId, list[Reader]]()
        for start in range(0, len(ids), AT_ONCE):
            some = ids[start : start + AT_ONCE]
            edges = self._graph.edges_at(some, Kind.READS, Direction.UPSTREAM, at)
            nodes = self._nodes({edge.source for edge in edges})
            by_target: dict[str, list[Edge]] = {}
            for edge in edges:
                by_target.setdefault(edge.target, []).append(edge)
            readers |= {by_id[target]: self._readers(mine, nodes) for target, mine in by_target.items()}
        return readers

    def _readers(self, edges: Iterable[Edge], nodes: Mapping[str, Node]) -> list[Reader]:
        """The jobs at the ends of edges, newest report first."""
        last_seen: dict[str, int] = {}
        origins: dict[str, str] = {}
        for edge in edges:
            last_seen[edge.source] = max(last_seen.get(edge.source, edge.seen), edge.seen)
            origins[edge.source] = max(origins.get(edge.source, ""), edge.origin)  # what was observed counts more
        return [
            Reader(
                job=key,
                namespace=nodes[key].namespace,
                name=nodes[key].name,
                seen=rfc3339(last) or "",
                owners=self._owners_of(nodes[key]),
                kind=reader_kind(nodes[key].info),
                origin=origins[key],
            )
            for key, last in sorted(last_seen.items(), key=lambda row: (-row[1], row[0]))
            if key in nodes
        ]

    def job(self, node_id: str, as_of: AsOf = None) -> JobDetails:
        """A job, what it reads and writes, its newest runs, where its code is. Raises NotFound, InvalidInput."""
        root, at = self.find(node_id), as_of_time(as_of)
        if root.type != "job":
            raise InvalidInput(f"{node_id} is a {root.type}, not a job.", details={"nodeId": node_id})
        ends = {
            kind: sorted({e.target for e in self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at)})
            for kind in (Kind.READS, Kind.WRITES, Kind.CHILD_OF)
        }
        stored = self._graph.books([root.id]).get(root.id)
        book = Book.load(stored.document, stored.version) if stored else None
        runs = tuple(_runs(book)) if book else ()
        state = str(root.info["state"]) if root.info.get("state") else None
        return JobDetails(
            node=root,
            state=state,
            runs=runs,
            reads=tuple(ends[Kind.READS]),
            writes=tuple(ends[Kind.WRITES]),
            parents=tuple(ends[Kind.CHILD_OF]),
        )

    def ends(self, jobs: Collection[str]) -> dict[str, tuple[list[str], list[str]]]:
        """What each of these jobs reads and writes now, as ids of datasets. Asked at once for all."""
        at, by_job = as_of_time(NOW), dict[str, tuple[list[str], list[str]]]()
        for side, kind in enumerate((Kind.READS, Kind.WRITES)):
            for edge in self._graph.edges_at(jobs, kind, Direction.DOWNSTREAM, at) if jobs else ():
                by_job.setdefault(edge.source, ([], []))[side].append(edge.target)
        return {job: (sorted(set(reads)), sorted(set(writes))) for job, (reads, writes) in by_job.items()}

    def _datasets(self, root: Node, way: Direction, depth: int, at: int, basis: Basis) -> tuple[list[Edge], bool]:
        edges: list[Edge] = []
        starts = [root.id]
        if root.type == "job":
            # Upstream of a job is what it reads; downstream, what it writes; then on from there.
            kind = Kind.READS if way is Direction.UPSTREAM else Kind.WRITES
            edges += self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at, basis)
            starts = [edge.target for edge in edges]
            depth -= 1
            for kind in (Kind.HANDS_TO, Kind.CHILD_OF):
                edges += self._graph.edges_at([root.id], kind, way, at, basis)
        closure = self._closure(starts, Kind.FEEDS, way, depth, at, basis)
        edges += closure[0]
        reached = hops(starts, closure[0], way, depth)
        edges += self._loose_ends(reached, closure[0], way, at, depth, basis)
        return edges, closure[1]

    def _columns(self, root: Node, way: Direction, depth: int, at: int, basis: Basis) -> tuple[list[Edge], bool]:
        if root.type == "field":
            starts = [root.id]
        else:
            datasets = [root.id]
            if root.type == "job":
                kind = Kind.READS if way is Direction.UPSTREAM else Kind.WRITES
                datasets = [e.target for e in self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at, basis)]
            budget = self._settings.node_budget
            starts = [node.id for dataset in datasets for node in self._graph.fields_of(dataset, budget)]
        edges, truncated = self._closure(starts, Kind.DERIVES, way, depth, at, basis)
        reached = hops(starts, edges, way, depth)
        if way is Direction.DOWNSTREAM:
            near = [node for node, distance in reached.items() if distance < depth]
            edges = edges + self._graph.edges_at(near, Kind.INFLUENCES, Direction.DOWNSTREAM, at, basis)
        elif root.type == "dataset":
            edges = edges + self._graph.edges_at([root.id], Kind.INFLUENCES, Direction.UPSTREAM, at, basis)
        return edges, truncated

    def _loose_ends(
        self, reached: dict[str, int], flows: Iterable[Edge], way: Direction, at: int, depth: int, basis: Basis
    ) -> list[Edge]:
        """Jobs that read (or wrote) a dataset here and are on no flow out of (into) it: a reader with no output."""
        flowing = {(edge.source if way is Direction.DOWNSTREAM else edge.target, edge.job) for edge in flows}
        kind = Kind.READS if way is Direction.DOWNSTREAM else Kind.WRITES
        near = [node for node, distance in reached.items() if distance < depth]
        edges = self._graph.edges_at(near, kind, Direction.UPSTREAM, at, basis)
        return [edge for edge in edges if (edge.target, edge.source) not in flowing]

    def _stale(self, edges: Iterable[Edge], nodes: dict[str, Node], at: int) -> frozenset[str]:
        """Open edges of streaming jobs that no report had confirmed for long at that time: perhaps ended, without a report."""
        limit = min(at, time.time() * 1000) - self._settings.stale_after_days * 86_400_000
        return frozenset(
            edge.id
            for edge in edges
            if edge.vt == FOREVER
            and edge.seen < limit
            and edge.job is not None
            and edge.job in nodes
            and nodes[edge.job].info.get("processingType") in ("STREAMING", "SERVICE")
        )


def _runs(book: Book) -> Iterable[dict[str, object]]:
    for run in sorted(book.runs.values(), key=lambda run: (run.first, run.id), reverse=True):
        ends = [time for kind, time in run.types.items() if kind in ("COMPLETE", "FAIL", "ABORT")]
        yield {
            "id": run.id,
            "state": run.state(),
            "started": rfc3339(run.first),
            "updated": rfc3339(run.heard),
            "ended": rfc3339(max(ends)) if ends else None,
            "processing": run.processing,
            "parent": run.parent,
            CLOCK_AHEAD: clock_ahead(*run.claimed) if run.claimed else None,
        }
