"""What is downstream: impact of a change, reach of a batch, ways between two nodes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable

from catalog.errors import InvalidInput, NotFound
from catalog.model import DatasetId
from lineage.model import NOW, Basis, Direction, Edge, Kind, Node, holder_of
from lineage.questions import impact as impacts
from lineage.questions import paths
from lineage.questions.answers import Affected, Flow, Impact
from lineage.questions.changes import Change, change_of, with_effects
from lineage.questions.node_lookup import Finder
from lineage.questions.parameters import AsOf, as_of_time, basis_of, depth_within
from lineage.questions.time_reach import Reach, arrivals, outgoing_since


class Downstream(Finder):
    """Questions about what comes after. Every method may raise Unavailable naming Neo4j."""

    def impact(
        self,
        node_id: str,
        depth: int = 20,
        as_of: AsOf = None,
        change: Change | str | None = None,
        basis: Basis | str = Basis.CONTENTS,
    ) -> Impact:
        """What is affected when this dataset, field or job is lost or changed, nearest first.

        `basis`: whatever holds data that came from it (contents), or what the last runs make of it (last_run).
        With a `change` (drop, rename, retype, mask, lose) each row states the effect, and what the change leaves alone is left
        out.

        From a field: the fields made of it (`raw` while the value may arrive as it was), the datasets it is a
        condition for, the jobs between, and datasets downstream of which no producer reported the columns they take
        (`columns: unknown`, everything after them included). Raises InvalidInput, NotFound.
        """
        depth, at, root = depth_within(depth), as_of_time(as_of), self.find(node_id)
        walk = impacts.Walk(self._graph, at, depth, self._settings.node_budget, basis_of(basis))
        if root.type == "field":
            affected = walk.of_field(root)
        elif root.type == "job":
            affected = walk.of_job(root.id)
        else:
            affected = walk.of_dataset(root.id)
        done = change_of(change)
        if (
            done in (Change.DROP, Change.RENAME) and root.type != "field"
        ):  # under its name, nothing of it is left to use
            done = Change.LOSE
        return self._impact(root.id, affected.values(), walk.truncated, done, basis_of(basis))

    def impact_of_namespace(
        self, namespace: str, depth: int = 20, as_of: AsOf = None, basis: Basis | str = Basis.CONTENTS
    ) -> Impact:
        """What is affected when all datasets of a namespace (a cluster, a database) are lost. Raises InvalidInput,
        NotFound where lineage knows no dataset of it."""
        depth, at = depth_within(depth), as_of_time(as_of)
        lost = self._graph.named_in("dataset", namespace, self._settings.node_budget)
        if not lost:
            raise NotFound(f"Lineage knows no dataset of {namespace}.", details={"namespace": namespace})
        walk = impacts.Walk(self._graph, at, depth, self._settings.node_budget, basis_of(basis))
        affected = walk.of_datasets({node.id for node in lost})
        return self._impact(f"namespace:{namespace}", affected.values(), walk.truncated, Change.LOSE, basis_of(basis))

    def downstream_of(self, dataset: DatasetId, path: str | None = None) -> list[Flow]:
        """Where a field (or, without `path`, a dataset) flows, by where contents come from.

        Empty where lineage knows nothing of it."""
        root = self.of(dataset, path)
        if root is None:
            # The field has no column lineage: what the dataset feeds without saying which columns.
            holder = self.of(dataset) if path is not None else None
            if holder is None:
                return []
            root = Node(dataset.field_node_id(path or ""), "field", holder.namespace, holder.name, path)
        walk = impacts.Walk(self._graph, NOW, 100, self._settings.node_budget)
        affected = walk.of_field(root) if root.type == "field" else walk.of_dataset(root.id)
        rows = [row for row in affected.values() if row.type != "job"]
        return [Flow(row.id, row.raw, row.columns) for row in sorted(rows, key=lambda row: (row.hops, row.id))]

    def downstream_of_each(self, fields: Collection[tuple[DatasetId, str]]) -> dict[tuple[DatasetId, str], list[Flow]]:
        """As `downstream_of` for many fields; those that flow nowhere are left out. Datasets that no producer reported cost
        next to nothing."""
        known = self.in_graph({dataset for dataset, _ in fields})
        flows = {(dataset, path): self.downstream_of(dataset, path) for dataset, path in fields if dataset in known}
        return {field: each for field, each in flows.items() if each}

    def reach(self, node_id: str, at: AsOf, to: str | None = None, until: AsOf = None) -> Reach:
        """Whether what was in a dataset or field at a time could have come to another (or where to) by `until`.

        `at` None is now. Raises InvalidInput, NotFound.
        """
        root = self._data(node_id)
        target = self._data(to) if to is not None else None
        if target is not None and root.type == "dataset" and target.type == "field":
            target = self.find(DatasetId(target.namespace, target.name).node_id)
        since, end = int(time.time() * 1000) if at is None else as_of_time(at), as_of_time(until)
        outgoing, truncated = outgoing_since(self._graph, root, since, self._settings.node_budget)
        steps = (self._settings.seen_resolution_seconds * 1000, self._settings.column_seen_resolution_seconds * 1000)
        came = arrivals(root.id, since, outgoing, end, lambda edge: steps[edge.kind is Kind.DERIVES])
        rows = sorted(came.values(), key=lambda a: (not a.confirmed, a.time, a.hops, a.node))
        if target is not None:
            rows = [a for a in rows if a.node == target.id or holder_of(a.node) == target.id]
        else:
            rows.sort(key=lambda a: (a.time, a.hops, a.node))
        return Reach(
            source=root.id,
            at=since,
            until=None if until is None else end,
            target=target.id if target else None,
            arrivals=tuple(rows),
            truncated=truncated,
        )

    def paths(
        self, source: str, target: str, limit: int = 10, depth: int = 20, as_of: AsOf = None
    ) -> tuple[list[list[Edge]], bool]:
        """Up to `limit` ways from one dataset to another, or from field to field, shortest first; and whether there may
        be more. Raises InvalidInput, NotFound."""
        depth, at = depth_within(depth), as_of_time(as_of)
        first, last = self._data(source), self._data(target)
        if first.type != last.type:
            raise InvalidInput("Ask for paths from a dataset to a dataset, or from a field to a field.")
        kind = Kind.DERIVES if first.type == "field" else Kind.FEEDS
        edges, cut_off = self._closure([first.id], kind, Direction.DOWNSTREAM, depth, at)
        ways, more = paths.between(first.id, last.id, edges, limit, depth)
        return ways, more or cut_off

    def _impact(
        self, root: str, rows: Iterable[Affected], truncated: bool, change: Change | None, basis: Basis
    ) -> Impact:
        touched = list(with_effects(rows, change)) if change is not None else list(rows)
        nodes = self._ends([row.id for row in touched])
        affected = [impacts.with_node(row, nodes.get(row.id), self._owners_of(nodes.get(row.id))) for row in touched]
        return Impact(
            root,
            tuple(sorted(affected, key=lambda row: (row.hops, row.type, row.id))),
            truncated,
            change and str(change),
            basis,
        )

    def _data(self, node_id: str) -> Node:
        node = self.find(node_id)
        if node.type == "job":
            raise InvalidInput(f"{node_id} is a job; name a dataset or a field.", details={"nodeId": node_id})
        return node
