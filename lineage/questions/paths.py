"""Paths between two nodes, shortest first, never more than were asked for: a graph may hold more paths than atoms."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count

from lineage.model import Direction, Edge
from lineage.questions.traversal import by_near, hops

_STEPS = 200_000
"""Extensions tried; beyond it the paths found so far are the answer."""


def between(start: str, end: str, edges: Iterable[Edge], limit: int, depth: int) -> tuple[list[list[Edge]], bool]:
    """Up to `limit` paths without a cycle, of at most `depth` edges, and whether there may be more.

    Of several edges between the same two nodes (two jobs) each makes a path of its own.
    """
    edges = list(edges)
    paths: list[list[Edge]] = []
    for path in _paths(start, end, edges, limit + 1, depth):
        if path is None or len(paths) == limit:
            return paths, True
        paths.append(path)
    return paths, False


def _paths(start: str, end: str, edges: list[Edge], limit: int, depth: int) -> Iterator[list[Edge] | None]:
    left = hops([end], edges, Direction.UPSTREAM, depth)
    if start not in left or start == end:
        return
    outgoing = by_near(sorted(edges, key=lambda e: (e.target, e.job or "", e.id)), Direction.DOWNSTREAM)
    order = count()
    queue: list[tuple[int, int, str, tuple[Edge, ...]]] = [(left[start], next(order), start, ())]
    visits: Counter[str] = Counter()
    steps = 0
    while queue:
        _, _, node, path = heapq.heappop(queue)
        visits[node] += 1
        if visits[node] > limit:  # of more ways to one node than are asked for, only the shortest can matter
            continue
        if node == end:
            yield list(path)
            continue
        on_path = {start, *(edge.target for edge in path)}
        for edge in outgoing.get(node, ()):
            steps += 1
            if edge.target in on_path or edge.target not in left:
                continue
            length = len(path) + 1 + left[edge.target]
            if length <= depth:
                heapq.heappush(queue, (length, next(order), edge.target, (*path, edge)))
        if steps > _STEPS:
            yield None
            return
