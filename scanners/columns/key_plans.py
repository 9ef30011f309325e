"""The nodes of objects' fields, and what each set of keys means at a node: worked out once, then remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scanners.containers.text_forms import DATA_KEY
from scanners.sketch.nodes import MAX_FIELDS, Node, path_hash

MAX_NODES = 20_000
_MAX_PLANS = 2000
"""Sets of keys of one object that are remembered."""

_MASK = 2**64 - 1

Gather = Callable[[Node, Sequence[str], Sequence[int], tuple[str, ...], int], None]
"""Takes scalars of a node, their records, the names on the path and its depth."""


class Plan:
    """What a set of keys means at one node: the hash of its paths, and the child of each key (None: a map's entry)."""

    __slots__ = ("children", "code", "odd")

    def __init__(self, code: int, children: list[Node | None]) -> None:
        self.code = code
        self.children = children
        self.odd = None in children


class KeyPlans:
    """Makes the nodes of fields and elements, up to a number for all. `gather` takes the names of new fields."""

    def __init__(self, gather: Gather) -> None:
        self._gather = gather
        self._nodes = 0
        self._plans: dict[Node, dict[tuple[str, ...], Plan]] = {}

    @property
    def full(self) -> bool:
        """Whether no further field gets a node."""
        return self._nodes >= MAX_NODES

    def elements(self, node: Node) -> Node:
        """The node of an array's elements."""
        if node.elements is None:
            node.elements = Node()
            self._nodes += 1
        return node.elements

    def by_keys(self, node: Node) -> dict[tuple[str, ...], Plan]:
        """The plans of a node that are remembered."""
        return self._plans.setdefault(node, {})

    def add(self, node: Node, keys: tuple[str, ...], row: int, names: tuple[str, ...], depth: int) -> Plan:
        """The plan of a set of keys that was first met in a record. Fields get a node, unless there are too many."""
        code = 0
        children: list[Node | None] = []
        fresh: list[str] = []
        for key in keys:
            child = node.fields.get(key)
            if child is None:
                if node.is_map or DATA_KEY.search(key) or self._nodes >= MAX_NODES or len(node.fields) >= MAX_FIELDS:
                    children.append(None)
                    if len(node.fields) >= MAX_FIELDS:
                        node.traits["wide"] = 1
                    continue
                child = node.fields[key] = Node()
                self._nodes += 1
                fresh.append(key)
            if not child.hash:
                child.hash = path_hash(node.hash, key)
            code += child.hash
            children.append(child)
        if fresh:
            # The names of a struct may turn out to be the keys of a map.
            self._gather(node.map_keys(), fresh, [row] * len(fresh), names, depth + 1)
            node.map_keys().count += len(fresh)
        plans = self.by_keys(node)
        if len(plans) >= _MAX_PLANS:
            plans.clear()
        plan = plans[keys] = Plan(code & _MASK, children)
        return plan
