"""Questions to the graph: what feeds this, what breaks downstream, who reads it. Used by the API and the reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId, NodeId
from lineage import impact as impacts
from lineage import paths
from lineage.book import Book
from lineage.changes import Change, change_of, with_effects
from lineage.filters import Only
from lineage.model import (
    FOREVER,
    Affected,
    Direction,
    Edge,
    Flow,
    Impact,
    JobDetails,
    Kind,
    Level,
    Node,
    Reader,
    Subgraph,
    rfc3339,
)
from lineage.names import Names, Resolve, as_written, field_text
from lineage.parse import parse_time
from lineage.ports import LineageGraph
from lineage.reach import Reach, arrivals, outgoing_since
from lineage.settings import LineageSettings
from lineage.walks import hops

NOW = FOREVER - 1
"""As a time: what is open. Not the clock, so that producers whose clocks run ahead are seen."""

AsOf = datetime | int | str | None
"""A moment: a datetime, milliseconds since 1970, RFC 3339; None is now."""

_BOTH = (Direction.UPSTREAM, Direction.DOWNSTREAM)


class Lineage:
    """Reads of lineage. Safe for many threads. Every method may raise Unavailable naming Neo4j.

    owners   the owners of a dataset as the catalog knows them, as texts
    known    whether the catalog knows a dataset (or a field of it): then it is answered for even where no producer
             has said anything of it yet
    resolve  the catalog's names for datasets (cluster aliases)
    """

    def __init__(
        self,
        graph: LineageGraph,
        resolve: Resolve = as_written,
        settings: LineageSettings | None = None,
        owners: Callable[[DatasetId], Sequence[str]] | None = None,
        known: Callable[[DatasetId, str | None], bool] | None = None,
    ) -> None:
        self._graph, self._resolve = graph, resolve
        self._settings = settings or LineageSettings()
        self._owners, self._known = owners, known

    def lineage(
        self,
        node_id: str,
        direction: Direction | str = Direction.BOTH,
        depth: int = 5,
        level: Level | str = Level.DATASET,
        as_of: AsOf = None,
        only: Only | None = None,
    ) -> Subgraph:
        """What is upstream, downstream, or both, of a dataset, field or job, within `depth` steps (1..100).

        At level `column`, or from a field, the nodes are fields; datasets that fields are a condition for, and jobs,
        stand among them. `only` leaves edges out, and what is reached by them alone. Raises InvalidInput, NotFound
        (with the nearest ids as `details["nearest"]`).
        """
        way, depth = _direction(direction), _depth(depth)
        at, root = _as_of(as_of), self.find(node_id)
        columns = root.type == "field" or _level(level) is Level.COLUMN
        ways = _BOTH if way is Direction.BOTH else (way,)
        edges: dict[str, Edge] = {}
        truncated = False
        for one in ways:
            found, was_cut = self._columns(root, one, depth, at) if columns else self._datasets(root, one, depth, at)
            edges |= {edge.id: edge for edge in found}
            truncated = truncated or was_cut
        if only is not None:
            chosen, over = only.keep(root.id, edges.values())
            edges, truncated = {edge.id: edge for edge in chosen}, truncated or over
        kept = sorted(edges.values(), key=lambda e: (e.kind, e.source, e.target, e.vf, e.id))
        ids = {root.id} | {end for e in kept for end in (e.source, e.target)} | {e.job for e in kept if e.job}
        nodes = {root.id: root} | self._nodes(ids)
        if columns:
            nodes |= self._tagged(nodes.values())
        stale = self._stale(kept, nodes, at)
        return Subgraph(tuple(nodes[key] for key in sorted(nodes)), tuple(kept), truncated, stale, root.id)

    def impact(self, node_id: str, depth: int = 20, as_of: AsOf = None, change: Change | str | None = None) -> Impact:
        """What is affected when this dataset, field or job is lost or changed, nearest first.

        With a `change` (drop, retype, mask, lose) each row says what it does to it, and what it leaves alone is left
        out.

        From a field: the fields made of it (`raw` while the value may arrive as it was), the datasets it is a
        condition for, the jobs between, and datasets downstream of which nobody said which columns they take
        (`columns: unknown`, everything after them included). Raises InvalidInput, NotFound.
        """
        depth, at, root = _depth(depth), _as_of(as_of), self.find(node_id)
        walk = impacts.Walk(self._graph, at, depth, self._settings.node_budget)
        if root.type == "field":
            affected = walk.of_field(root)
        elif root.type == "job":
            affected = walk.of_job(root.id)
        else:
            affected = walk.of_dataset(root.id)
        done = change_of(change)
        if done is Change.DROP and root.type != "field":  # without it, nothing of it is left to use
            done = Change.LOSE
        return self._impact(root.id, affected.values(), walk.truncated, done)

    def impact_of_namespace(self, namespace: str, depth: int = 20, as_of: AsOf = None) -> Impact:
        """What is affected when all datasets of a namespace (a cluster, a database) are lost. Raises InvalidInput,
        NotFound where lineage knows no dataset of it."""
        depth, at = _depth(depth), _as_of(as_of)
        lost = self._graph.named_in("dataset", namespace, self._settings.node_budget)
        if not lost:
            raise NotFound(f"Lineage knows no dataset of {namespace}.", details={"namespace": namespace})
        walk = impacts.Walk(self._graph, at, depth, self._settings.node_budget)
        affected = walk.of_datasets({node.id for node in lost})
        return self._impact(f"namespace:{namespace}", affected.values(), walk.truncated, Change.LOSE)

    def _impact(self, root: str, rows: Iterable[Affected], truncated: bool, change: Change | None) -> Impact:
        touched = list(with_effects(rows, change)) if change is not None else list(rows)
        nodes = self._nodes([row.id for row in touched])
        found = [impacts.with_node(row, nodes.get(row.id), self._owners_of(nodes.get(row.id))) for row in touched]
        return Impact(
            root, tuple(sorted(found, key=lambda row: (row.hops, row.type, row.id))), truncated, change and str(change)
        )

    def reach(self, node_id: str, at: AsOf, to: str | None = None, until: AsOf = None) -> Reach:
        """Whether what was in a dataset or field at a time could have come to another (or where to) by `until`.

        `at` None is now. Raises InvalidInput, NotFound.
        """
        root = self._data(node_id)
        target = self._data(to) if to is not None else None
        if target is not None and root.type == "dataset" and target.type == "field":
            target = self.find(DatasetId(target.namespace, target.name).node_id)
        since, end = int(time.time() * 1000) if at is None else _as_of(at), _as_of(until)
        outgoing, truncated = outgoing_since(self._graph, root, since, self._settings.node_budget)
        steps = (self._settings.seen_resolution_seconds * 1000, self._settings.column_seen_resolution_seconds * 1000)
        came = arrivals(root.id, since, outgoing, end, lambda edge: steps[edge.kind is Kind.DERIVES])
        found = sorted(came.values(), key=lambda a: (not a.confirmed, a.time, a.hops, a.node))
        if target is not None:
            fields = f"datasetField:{target.id.removeprefix('dataset:')}:"
            found = [
                a for a in found if a.node == target.id or (target.type == "dataset" and a.node.startswith(fields))
            ]
        else:
            found.sort(key=lambda a: (a.time, a.hops, a.node))
        return Reach(
            root.id, since, None if until is None else end, target.id if target else None, tuple(found), truncated
        )

    def paths(
        self, source: str, target: str, limit: int = 10, depth: int = 20, as_of: AsOf = None
    ) -> tuple[list[list[Edge]], bool]:
        """Up to `limit` ways from one dataset to another, or from field to field, shortest first; and whether there may
        be more. Raises InvalidInput, NotFound."""
        depth, at = _depth(depth), _as_of(as_of)
        first, last = self._data(source), self._data(target)
        if first.type != last.type:
            raise InvalidInput("Ask for paths from a dataset to a dataset, or from a field to a field.")
        kind = Kind.DERIVES if first.type == "field" else Kind.FEEDS
        edges, cut_off = self._closure([first.id], kind, Direction.DOWNSTREAM, depth, at)
        found, more = paths.between(first.id, last.id, edges, limit, depth)
        return found, more or cut_off

    def _data(self, node_id: str) -> Node:
        node = self.find(node_id)
        if node.type == "job":
            raise InvalidInput(f"{node_id} is a job; name a dataset or a field.", details={"nodeId": node_id})
        return node

    def downstream_of(self, dataset: DatasetId, path: str | None = None) -> list[Flow]:
        """Where a field (or, without `path`, a dataset) flows. Empty where lineage knows nothing of it."""
        try:
            root = self.find(dataset.field_node_id(path) if path else dataset.node_id)
        except NotFound:
            if path is None:
                return []
            try:  # the field has no column lineage: what the dataset feeds without saying which columns
                dataset_node = self.find(dataset.node_id)
            except NotFound:
                return []
            root = Node(dataset.field_node_id(path), "field", dataset_node.namespace, dataset_node.name, path)
        walk = impacts.Walk(self._graph, NOW, 100, self._settings.node_budget)
        affected = walk.of_field(root) if root.type == "field" else walk.of_dataset(root.id)
        rows = [row for row in affected.values() if row.type != "job"]
        return [Flow(row.id, row.raw, row.columns) for row in sorted(rows, key=lambda row: (row.hops, row.id))]

    def readers_of(self, dataset: DatasetId, as_of: AsOf = None) -> list[Reader]:
        """Jobs that read a dataset, newest report first. Empty where lineage knows nothing of it."""
        try:
            root = self.find(dataset.node_id)
        except NotFound:
            return []
        seen: dict[str, int] = {}
        for edge in self._graph.edges_at([root.id], Kind.READS, Direction.UPSTREAM, _as_of(as_of)):
            seen[edge.source] = max(seen.get(edge.source, edge.seen), edge.seen)
        nodes = self._nodes(seen)
        return [
            Reader(key, nodes[key].namespace, nodes[key].name, rfc3339(last) or "", self._owners_of(nodes[key]))
            for key, last in sorted(seen.items(), key=lambda row: (-row[1], row[0]))
            if key in nodes
        ]

    def job(self, node_id: str, as_of: AsOf = None) -> JobDetails:
        """A job, what it reads and writes, its newest runs, where its code lies. Raises NotFound, InvalidInput."""
        root, at = self.find(node_id), _as_of(as_of)
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
            root, state, runs, tuple(ends[Kind.READS]), tuple(ends[Kind.WRITES]), tuple(ends[Kind.CHILD_OF])
        )

    def namespaces(self) -> dict[str, tuple[int, int]]:
        """Namespace -> how many datasets and how many jobs lineage knows of it."""
        return self._graph.namespaces()

    def named_in(self, type: str, namespace: str, limit: int, offset: int = 0) -> list[Node]:
        """Datasets or jobs (`type`: dataset | job) of a namespace, under any of its names, by id."""
        if type == "dataset":
            namespace = self._resolve(namespace, "any").namespace
        return self._graph.named_in(type, namespace, limit, offset)

    def dataset(self, node_id: str) -> tuple[Node, list[str]]:
        """A dataset and the fields that lineage knows of it. Raises InvalidInput, NotFound."""
        root = self.find(node_id)
        if root.type != "dataset":
            raise InvalidInput(f"{node_id} is a {root.type}, not a dataset.", details={"nodeId": node_id})
        fields = self._graph.fields_of(root.id, self._settings.node_budget)
        return root, [node.field for node in fields if node.field is not None]

    def masked_edges(self, dataset: DatasetId, as_of: AsOf = None) -> list[Edge]:
        """Edges out of the fields of a dataset through which only masked values pass."""
        fields = [node.id for node in self._graph.fields_of(self._id_of(dataset), self._settings.node_budget)]
        edges = self._graph.edges_at(fields, Kind.DERIVES, Direction.DOWNSTREAM, _as_of(as_of))
        return sorted((edge for edge in edges if not edge.raw), key=lambda e: (e.source, e.target, e.vf))

    def find(self, node_id: str) -> Node:
        """The node of an id, under any of its names. Raises InvalidInput, NotFound with the nearest ids."""
        exact = self._graph.node(node_id)
        if exact is not None:
            return exact
        parsed = NodeId.parse(node_id)
        if parsed.kind != "job":
            dataset = self._canonical(DatasetId(parsed.namespace, parsed.name))
            wanted = dataset.node_id
            if parsed.field is not None:
                wanted = dataset.field_node_id(field_text(dataset, parsed.field))
            found = self._graph.node(wanted) or self._unspoken(dataset, wanted, parsed.field)
            if found is not None:
                return found
        near = self._graph.search_ids(node_id, 5)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise NotFound(f"Lineage knows no {node_id}.{hint}", details={"nodeId": node_id, "nearest": near})

    def _unspoken(self, dataset: DatasetId, node_id: str, column: str | None) -> Node | None:
        """A node for what exists though no producer spoke of it."""
        path = field_text(dataset, column) if column is not None else None
        exists = self._known is not None and self._known(dataset, path)
        if not exists and path is not None:  # of a dataset without column lineage, any field may be meant
            exists = self._graph.node(dataset.node_id) is not None and not self._graph.fields_of(dataset.node_id, 1)
        if not exists:
            return None
        return Node(node_id, "field" if path else "dataset", dataset.namespace, dataset.name, path)

    # -- parts --------------------------------------------------------------------------------------------------------

    def _canonical(self, dataset: DatasetId) -> DatasetId:
        resolved = self._resolve(dataset.namespace, dataset.name)
        context = self._graph.context([resolved])
        return Names(self._resolve, context.links).dataset(dataset.namespace, dataset.name)

    def _id_of(self, dataset: DatasetId) -> str:
        return self._canonical(dataset).node_id

    def _datasets(self, root: Node, way: Direction, depth: int, at: int) -> tuple[list[Edge], bool]:
        found: list[Edge] = []
        starts = [root.id]
        if root.type == "job":
            # Upstream of a job is what it reads; downstream, what it writes; then on from there.
            kind = Kind.READS if way is Direction.UPSTREAM else Kind.WRITES
            found += self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at)
            starts = [edge.target for edge in found]
            depth -= 1
            for kind in (Kind.HANDS_TO, Kind.CHILD_OF):
                found += self._graph.edges_at([root.id], kind, way, at)
        closure = self._closure(starts, Kind.FEEDS, way, depth, at)
        found += closure[0]
        reached = hops(starts, closure[0], way, depth)
        found += self._loose_ends(reached, closure[0], way, at, depth)
        return found, closure[1]

    def _columns(self, root: Node, way: Direction, depth: int, at: int) -> tuple[list[Edge], bool]:
        if root.type == "field":
            starts = [root.id]
        else:
            datasets = [root.id]
            if root.type == "job":
                kind = Kind.READS if way is Direction.UPSTREAM else Kind.WRITES
                datasets = [e.target for e in self._graph.edges_at([root.id], kind, Direction.DOWNSTREAM, at)]
            budget = self._settings.node_budget
            starts = [node.id for dataset in datasets for node in self._graph.fields_of(dataset, budget)]
        found, truncated = self._closure(starts, Kind.DERIVES, way, depth, at)
        reached = hops(starts, found, way, depth)
        if way is Direction.DOWNSTREAM:
            near = [node for node, distance in reached.items() if distance < depth]
            found = found + self._graph.edges_at(near, Kind.INFLUENCES, Direction.DOWNSTREAM, at)
        elif root.type == "dataset":
            found = found + self._graph.edges_at([root.id], Kind.INFLUENCES, Direction.UPSTREAM, at)
        return found, truncated

    def _closure(
        self, starts: Collection[str], kind: Kind, way: Direction, depth: int, at: int
    ) -> tuple[list[Edge], bool]:
        if not starts or depth < 1:
            return [], False
        closure = self._graph.closure(starts, kind, way, depth, at, self._settings.node_budget)
        return closure.edges, closure.truncated

    def _loose_ends(
        self, reached: dict[str, int], flows: Iterable[Edge], way: Direction, at: int, depth: int
    ) -> list[Edge]:
        """Jobs that read (or wrote) a dataset here and are on no flow out of (into) it: a reader with no output."""
        flowing = {(edge.source if way is Direction.DOWNSTREAM else edge.target, edge.job) for edge in flows}
        kind = Kind.READS if way is Direction.DOWNSTREAM else Kind.WRITES
        near = [node for node, distance in reached.items() if distance < depth]
        edges = self._graph.edges_at(near, kind, Direction.UPSTREAM, at)
        return [edge for edge in edges if (edge.target, edge.source) not in flowing]

    def _nodes(self, ids: Collection[str]) -> dict[str, Node]:
        return self._graph.nodes(ids) if ids else {}

    def _tagged(self, nodes: Iterable[Node]) -> dict[str, Node]:
        """Fields with the tags that producers gave them with their datasets."""
        fields = [node for node in nodes if node.type == "field" and node.field is not None]
        datasets = self._nodes({DatasetId(node.namespace, node.name).node_id for node in fields})
        tags: dict[tuple[str, str, str], dict[str, str]] = {}
        for found in datasets.values():
            dataset = DatasetId(found.namespace, found.name)
            for column, given in (found.info.get("columnTags") or {}).items():
                tags[found.namespace, found.name, field_text(dataset, column)] = given
        return {
            node.id: replace(node, info={**node.info, "tags": tags[node.namespace, node.name, node.field]})
            for node in fields
            if node.field is not None and (node.namespace, node.name, node.field) in tags
        }

    def _owners_of(self, node: Node | None) -> tuple[str, ...]:
        """Owners as producers say and, for datasets, as the catalog says."""
        if node is None:
            return ()
        said = [str(owner["name"]) for owner in node.info.get("owners") or ()]
        if node.type != "job" and self._owners is not None:
            said = [*self._owners(DatasetId(node.namespace, node.name)), *said]
        return tuple(dict.fromkeys(said))

    def _stale(self, edges: Iterable[Edge], nodes: dict[str, Node], at: int) -> frozenset[str]:
        """Open edges of streaming jobs that nobody had confirmed for long at that time: perhaps gone, never said to be."""
        limit = min(at, time.time() * 1000) - self._settings.stale_after_days * 86_400_000
        return frozenset(
            edge.id
            for edge in edges
            if edge.vt == FOREVER and edge.seen < limit and edge.job is not None and edge.job in nodes
            and nodes[edge.job].info.get("processingType") in ("STREAMING", "SERVICE")
        )  # fmt: skip


def _runs(book: Book) -> Iterable[dict[str, object]]:
    for run in sorted(book.runs.values(), key=lambda run: (run.first, run.id), reverse=True):
        ends = [time for kind, time in run.types.items() if kind in ("COMPLETE", "FAIL", "ABORT")]
        yield {
            "id": run.id, "state": run.state(), "started": rfc3339(run.first), "updated": rfc3339(run.heard),
            "ended": rfc3339(max(ends)) if ends else None, "processing": run.processing, "parent": run.parent,
        }  # fmt: skip


def _direction(given: Direction | str) -> Direction:
    try:
        return Direction(given)
    except ValueError:
        raise InvalidInput(
            f"direction {given!r} is not one: write upstream, downstream or both.", details={"direction": str(given)}
        ) from None


def _level(given: Level | str) -> Level:
    try:
        return Level("column" if given == "field" else given)
    except ValueError:
        raise InvalidInput(
            f"level {given!r} is not one: write dataset or column.", details={"level": str(given)}
        ) from None


def _depth(depth: int) -> int:
    if not 1 <= depth <= 100:
        raise InvalidInput(f"depth {depth} is out of range: 1 to 100.", details={"depth": depth})
    return depth


def _as_of(given: AsOf) -> int:
    """Milliseconds of a time."""
    if given is None:
        return NOW
    if isinstance(given, datetime):
        given = given if given.tzinfo else given.replace(tzinfo=UTC)
        given = given.isoformat()
    at = given if isinstance(given, int) else parse_time(given)
    if at is None:
        raise InvalidInput(
            f"asOf {given!r} is not a time: write it as in 2026-03-01T00:00:00Z.", details={"asOf": str(given)}
        )
    return at
