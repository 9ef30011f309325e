"""Could what was here at that time have come there? The earliest arrival over edges with a life in time.

An edge carries what is at its source while it is valid: not before it opened, not after it was closed. So a path counts
only where each of its edges is still valid when the data arrives; whether it is valid *now* does not matter. This is a
search over (node, earliest arrival), linear in the edges at hand but for the queue.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from lineage.model import Direction, Edge, Kind, Node, holder_of
from lineage.ports import LineageGraph


@dataclass(frozen=True, slots=True)
class Arrival:
    """The earliest way to a node. `confirmed`: each edge on it was reported again after the data had come to it."""

    node: str
    time: int
    hops: int
    confirmed: bool
    raw: bool
    through: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """The answer to one question. `arrivals` are the places asked for that could be reached, earliest first."""

    source: str
    at: int
    until: int | None
    target: str | None
    arrivals: tuple[Arrival, ...]
    truncated: bool = False


def arrivals(
    start: str, at: int, outgoing: Mapping[str, Iterable[Edge]], until: int, resolution: Callable[[Edge], int]
) -> dict[str, Arrival]:
    """Node -> its earliest confirmed arrival, or its earliest where none is confirmed. The start itself is left out.

    `resolution`: how far an edge's `seen` was rounded down, in milliseconds.
    """
    sure = _search(start, at, outgoing, until, lambda edge, time: edge.seen + resolution(edge) > time)
    maybe = _search(start, at, outgoing, until, lambda edge, time: True)
    by_node = {}
    for node, (time, _) in {**maybe, **sure}.items():
        if node != start:
            through = _way(sure if node in sure else maybe, node, start)
            by_node[node] = Arrival(
                node=node,
                time=time,
                hops=len(through),
                confirmed=node in sure,
                raw=all(e.raw for e in through),
                through=through,
            )
    return by_node


_Found = dict[str, tuple[int, Edge | None]]


def _search(
    start: str, at: int, outgoing: Mapping[str, Iterable[Edge]], until: int, carries: Callable[[Edge, int], bool]
) -> _Found:
    earliest: _Found = {start: (at, None)}
    queue, done = [(at, start)], set[str]()
    while queue:
        time, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        for edge in outgoing.get(node, ()):
            there = max(time, edge.vf)
            if there >= edge.vt or there > until or not carries(edge, there):
                continue
            if edge.target not in earliest or there < earliest[edge.target][0]:
                earliest[edge.target] = (there, edge)
                heapq.heappush(queue, (there, edge.target))
    return earliest


def _way(earliest: _Found, node: str, start: str) -> tuple[Edge, ...]:
    way: list[Edge] = []
    while node != start:
        edge = earliest[node][1]
        if edge is None:
            break
        way.append(edge)
        node = edge.source
    return tuple(reversed(way))


def outgoing_since(graph: LineageGraph, root: Node, at: int, budget: int) -> tuple[dict[str, list[Edge]], bool]:
    """Every edge that data of `root` may have gone over since `at`, by its source; and whether the budget cut it.

    From a field: the fields made of it; where no producer reported which columns a dataset takes, that dataset and all after it.
    """
    outgoing: dict[str, list[Edge]] = defaultdict(list)
    seen, frontier = {root.id}, {root.id}
    while frontier and len(seen) <= budget:
        fields = {node for node in frontier if node.startswith("datasetField:")}
        edges = graph.edges_since(frontier - fields, Kind.FEEDS, Direction.DOWNSTREAM, at)
        edges += graph.edges_since(fields, Kind.DERIVES, Direction.DOWNSTREAM, at)
        edges += _unknown_columns(graph, fields, at)
        for edge in edges:
            outgoing[edge.source].append(edge)
        frontier = {edge.target for edge in edges} - seen
        seen |= frontier
    return outgoing, len(seen) > budget


def _unknown_columns(graph: LineageGraph, fields: Collection[str], at: int) -> list[Edge]:
    """Flows out of the datasets of these fields of which no columns are known, as flows out of the fields."""
    by_holder: dict[str, list[str]] = defaultdict(list)
    for key in fields:
        by_holder[holder_of(key)].append(key)
    flows = graph.edges_since(by_holder, Kind.FEEDS, Direction.DOWNSTREAM, at) if by_holder else []
    return [edge._replace(source=field) for edge in flows if not edge.columns for field in by_holder[edge.source]]
