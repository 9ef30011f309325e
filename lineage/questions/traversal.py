"""Walks over edges that are already at hand: distances, budgets, where the raw value goes. Linear, never by path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from lineage.model import Basis, Direction, Edge


def far(edge: Edge, direction: Direction) -> str:
    return edge.target if direction is Direction.DOWNSTREAM else edge.source


def near(edge: Edge, direction: Direction) -> str:
    return edge.source if direction is Direction.DOWNSTREAM else edge.target


def by_near(edges: Iterable[Edge], direction: Direction) -> dict[str, list[Edge]]:
    by_node: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        by_node[near(edge, direction)].append(edge)
    return by_node


def hops(
    starts: Collection[str], edges: Iterable[Edge], direction: Direction = Direction.DOWNSTREAM, depth: int = 100
) -> dict[str, int]:
    """Node id -> the fewest edges from any start; the starts themselves are 0."""
    outgoing = by_near(edges, direction)
    distances = dict.fromkeys(starts, 0)
    frontier: Sequence[str] = list(distances)
    for distance in range(1, depth + 1):
        reached: list[str] = []
        for node in frontier:
            for edge in outgoing.get(node, ()):
                end = far(edge, direction)
                if end not in distances:
                    distances[end] = distance
                    reached.append(end)
        if not reached:
            break
        frontier = reached
    return distances


def united(edges: Iterable[Edge]) -> list[Edge]:
    """Where contents come from: the stretches of one flow as one edge, from its first beginning to its last end.

    It is raw if any of them is, and its columns are known if they are for all.
    """
    by_flow: dict[tuple[str, ...], Edge] = {}
    for edge in sorted(edges, key=lambda edge: (edge.vf, edge.id)):
        edge = edge._replace(vt=edge.until(Basis.CONTENTS), ct=None)
        key = (edge.kind, edge.source, edge.target, edge.owner, edge.job or "", edge.origin)
        before = by_flow.get(key)
        by_flow[key] = (
            edge
            if before is None
            else edge._replace(
                vf=before.vf,
                vt=max(before.vt, edge.vt),
                seen=max(before.seen, edge.seen),
                raw=before.raw or edge.raw,
                columns=before.columns and edge.columns,
                unfinished=before.unfinished and edge.unfinished,
            )
        )
    return list(by_flow.values())


def cut(
    starts: Collection[str], edges: Iterable[Edge], direction: Direction, depth: int, budget: int
) -> tuple[list[Edge], bool]:
    """The edges within `depth` of the starts and among the nearest `budget` nodes, and whether that left any out."""
    edges = sorted(edges, key=lambda edge: edge.id)
    distance = hops(starts, edges, direction, depth)
    nearest = set(list(distance)[:budget])
    within = [edge for edge in edges if distance.get(near(edge, direction), depth) < depth]
    inner = [edge for edge in within if near(edge, direction) in nearest and far(edge, direction) in nearest]
    return inner, len(inner) < len(within)
