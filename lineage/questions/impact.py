"""What is affected downstream, by how many hops, and whether the raw value still arrives. Linear in what is reached."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from lineage.model import Basis, Direction, Edge, Kind, Node, holder_of
from lineage.ports import LineageGraph
from lineage.questions.answers import Affected
from lineage.questions.traversal import hops

UNKNOWN = "unknown"

Found = dict[str, Affected]


class Walk:
    """One question at one time. `truncated`: whether the node budget cut the answer."""

    def __init__(self, graph: LineageGraph, as_of: int, depth: int, budget: int, basis: Basis = Basis.CONTENTS) -> None:
        self._graph, self._at, self._depth, self._budget, self._basis = graph, as_of, depth, budget, basis
        self.truncated = False

    def of_dataset(self, root: str) -> Found:
        rows: Found = {}
        self._datasets({root: 0}, {root}, rows)
        rows.pop(root, None)
        return rows

    def of_datasets(self, roots: Collection[str]) -> Found:
        """All of them lost at once."""
        rows: Found = {}
        self._datasets(dict.fromkeys(roots, 0), set(roots), rows)
        return {key: row for key, row in rows.items() if key not in roots}

    def of_job(self, root: str) -> Found:
        """The datasets a job writes, and everything after them; the jobs it started or hands to."""
        rows: Found = {}
        written = self._graph.edges_at([root], Kind.WRITES, Direction.DOWNSTREAM, self._at, self._basis)
        starts = {edge.target for edge in written}
        for dataset in starts:
            _add(rows, Affected(dataset, "dataset", 1, True, "writes"))
        self._datasets(dict.fromkeys(starts, 1), starts, rows)
        for edge in self._graph.edges_at([root], Kind.HANDS_TO, Direction.DOWNSTREAM, self._at, self._basis):
            _add(rows, Affected(edge.target, "job", 1, True, "hands_to"))
        rows.pop(root, None)
        return rows

    def of_field(self, root: Node) -> Found:
        rows: Found = {}
        edges = self._closure([root.id], Kind.DERIVES, self._depth)
        distance = hops([root.id], edges)
        raw = set(hops([root.id], [edge for edge in edges if edge.raw]))
        for node, away in distance.items():
            if away:
                _add(rows, Affected(node, "field", away, node in raw, "derives"))
        for edge in edges:
            self._job(rows, edge, distance[edge.source] + 1, edge.source in raw)
        near = [node for node, away in distance.items() if away < self._depth]
        for edge in self._graph.edges_at(near, Kind.INFLUENCES, Direction.DOWNSTREAM, self._at, self._basis):
            away = distance[edge.source] + 1
            _add(rows, Affected(edge.target, "dataset", away, False, "influences"))
            self._job(rows, edge, away, edge.source in raw)
        self._unknown(distance, raw, rows)
        rows.pop(root.id, None)
        return rows

    def _unknown(self, distance: dict[str, int], raw: set[str], rows: Found) -> None:
        """Datasets fed by one that has the value, where no producer reported the columns: the value may be among them."""
        holds: dict[str, int] = {}
        holds_raw: set[str] = set()
        for node, away in distance.items():
            dataset = holder_of(node)
            holds[dataset] = min(away, holds.get(dataset, away))
            if node in raw:
                holds_raw.add(dataset)
        flows = self._graph.edges_at(holds, Kind.FEEDS, Direction.DOWNSTREAM, self._at, self._basis)
        dark = [e for e in flows if not e.columns and e.target not in holds and holds[e.source] < self._depth]
        starts: dict[str, int] = {}
        for edge in dark:
            away = holds[edge.source] + 1
            starts[edge.target] = min(away, starts.get(edge.target, away))
            self._job(rows, edge, away, edge.source in holds_raw)
        raw_starts = {edge.target for edge in dark if edge.source in holds_raw}
        for dataset, away in starts.items():
            _add(
                rows,
                Affected(
                    id=dataset, type="dataset", hops=away, raw=dataset in raw_starts, via="feeds", columns=UNKNOWN
                ),
            )
        self._datasets(starts, raw_starts, rows, UNKNOWN, set(holds))
        # A job whose columns are known is named above where it uses this one, and rightly not named where it does not.
        self._readers(holds, holds_raw, rows, {(edge.source, edge.job) for edge in flows if edge.columns})

    def _datasets(
        self,
        starts: dict[str, int],
        raw_starts: set[str],
        rows: Found,
        columns: str | None = None,
        known: Collection[str] = (),
    ) -> None:
        """Datasets fed by `starts` (dataset -> hops so far) and the jobs that carry or read them."""
        if not starts:
            return
        edges = self._closure(starts, Kind.FEEDS, self._depth - min(starts.values()))
        distance = _from(starts, edges, self._depth)
        raw = set(hops(raw_starts, [edge for edge in edges if edge.raw])) if raw_starts else set()
        for node, away in distance.items():
            if node not in starts and node not in known:
                _add(rows, Affected(id=node, type="dataset", hops=away, raw=node in raw, via="feeds", columns=columns))
        for edge in edges:
            if edge.source in distance and edge.target in distance:
                self._job(rows, edge, distance[edge.source] + 1, edge.source in raw)
        self._readers(distance, raw, rows)

    def _readers(
        self, distance: dict[str, int], raw: set[str], rows: Found, known: Collection[tuple[str, str | None]] = ()
    ) -> None:
        near = [node for node, away in distance.items() if away < self._depth]
        for edge in self._graph.edges_at(near, Kind.READS, Direction.UPSTREAM, self._at, self._basis):
            away = distance[edge.target] + 1
            if (edge.target, edge.source) in known:
                continue
            _add(rows, Affected(edge.source, "job", away, edge.target in raw, "reads"))

    def _job(self, rows: Found, edge: Edge, away: int, raw: bool) -> None:
        if edge.job is not None:
            _add(rows, Affected(edge.job, "job", away, raw, str(edge.kind)))

    def _closure(self, starts: Collection[str], kind: Kind, depth: int) -> list[Edge]:
        if depth < 1:
            return []
        closure = self._graph.closure(starts, kind, Direction.DOWNSTREAM, depth, self._at, self._budget, self._basis)
        self.truncated = self.truncated or closure.truncated
        return closure.edges


def with_node(row: Affected, node: Node | None, owners: tuple[str, ...]) -> Affected:
    """The row with what is known of its node: its name, its owners, and for a job where its code is."""
    if node is None:
        return row
    info: dict[str, object] = {"namespace": node.namespace, "name": node.name}
    if node.field is not None:
        info["field"] = node.field
    if node.type == "job":
        info |= {key: node.info[key] for key in ("location", "jobType", "integration") if node.info.get(key)}
        commit = (node.info.get("location") or {}).get("version")
        if commit:
            info["commit"] = commit
    return replace(row, owners=owners, info=info)


def _from(starts: dict[str, int], edges: Iterable[Edge], depth: int) -> dict[str, int]:
    """Fewest hops where the starts themselves are at different distances."""
    edges = list(edges)
    distance: dict[str, int] = {}
    for first in sorted(set(starts.values())):
        level = [node for node, away in starts.items() if away == first]
        for node, away in hops(level, edges, depth=depth - first).items():
            distance[node] = min(distance.get(node, away + first), away + first)
    return distance


def _add(rows: Found, row: Affected) -> None:
    """Keep the nearest; raw if any way is raw."""
    before = rows.get(row.id)
    if before is None:
        rows[row.id] = row
        return
    best = row if row.hops < before.hops else before
    columns = None if before.columns is None or row.columns is None else UNKNOWN
    rows[row.id] = replace(best, raw=before.raw or row.raw, columns=columns)
