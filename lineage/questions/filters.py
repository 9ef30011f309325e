"""Leaving edges out of an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from catalog.errors import InvalidInput
from lineage.model import Edge, Kind, holder_of, parts_of


@dataclass(frozen=True, slots=True)
class Only:
    """What an answer may hold.

    jobs        ids of jobs: flows that others do are not followed
    namespaces  of datasets: flows into or out of others are not followed
    kinds       of edges; others are followed and not shown
    origins     observed, declared, permitted: edges known otherwise are not followed
    nodes       at most this many, nearest first
    """

    jobs: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    origins: frozenset[str] = frozenset()
    nodes: int | None = None

    def keep(self, root: str, edges: Iterable[Edge]) -> tuple[list[Edge], bool]:
        """The edges that may be shown and are joined to the root by such as may be followed; and whether `nodes` cut."""
        followed = [edge for edge in edges if self.follows(edge, root)]
        near, over = _joined(root, followed, self.nodes)
        within = [edge for edge in followed if edge.source in near and edge.target in near]
        return [edge for edge in within if not self.kinds or edge.kind in self.kinds], over

    def follows(self, edge: Edge, root: str) -> bool:
        """Whether the jobs, namespaces and origins allow this edge."""
        if self.jobs and not ({edge.job, edge.source, edge.target} & self.jobs):
            return False
        if self.origins and edge.origin not in self.origins:
            return False
        return not self.namespaces or all(
            end == root or end.startswith("job:") or parts_of(end).namespace in self.namespaces
            for end in (edge.source, edge.target)
        )


def kinds_of(texts: Collection[str]) -> frozenset[Kind]:
    """Raises InvalidInput naming the kinds there are."""
    try:
        return frozenset(Kind(text) for text in texts)
    except ValueError as error:
        raise InvalidInput(f"{error}: an edge is of kind {', '.join(Kind)}.", details={"kind": list(texts)}) from None


def _joined(root: str, edges: Iterable[Edge], most: int | None) -> tuple[set[str], bool]:
    beside: dict[str, set[str]] = {}
    for edge in edges:
        beside.setdefault(edge.source, set()).add(edge.target)
        beside.setdefault(edge.target, set()).add(edge.source)
    # At column level the walk begins at the fields of the root.
    starts = [root] + [node for node in beside if node != root and holder_of(node) == root]
    if not any(node in beside for node in starts):  # from a job, at column level, what it reads and writes is near
        starts = [root, *sorted(beside)]
    nodes, frontier = dict.fromkeys(starts), starts
    while frontier:
        frontier = sorted({far for node in frontier for far in beside.get(node, ()) if far not in nodes})
        nodes |= dict.fromkeys(frontier)
    if most is None or len(nodes) <= most:
        return set(nodes), False
    return set(list(nodes)[:most]), True
