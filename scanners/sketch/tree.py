"""The places of a sealed sketch with their field paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from catalog.paths import FieldPath
from scanners.sketch.nodes import Node
from scanners.sketch.topic import ROOTS, Sketch


class Place(NamedTuple):
    """One place: its path and node, and of how many parents (`of`) how many hold it (`holds`).

    `inside` is the path of the text in which this place was found (JSON within a string), else None.
    """

    path: FieldPath
    node: Node
    holds: int
    of: int
    inside: FieldPath | None = None


def places(sketch: Sketch) -> Iterator[Place]:
    """Every place, parents first. Roots that no record has are left out, and so is the root `headers` itself."""
    for root in ROOTS:
        node, path = sketch.parts[root], FieldPath(root)
        if root == "headers":
            for name, child in sorted(node.fields.items()):
                yield from _below(Place(path.field(name), child, sketch.present[f"headers.{name}"], sketch.records))
        elif node.count or sketch.present[root]:
            yield from _below(Place(path, node, sketch.present[root], sketch.records))


def _below(place: Place) -> Iterator[Place]:
    yield place
    path, node, inside = place.path, place.node, place.inside
    objects, maps = node.type_count("object"), node.type_count("map")
    for name, child in sorted(node.fields.items()):
        below = path.map_key(name) if node.is_map else path.field(name)
        yield from _below(Place(below, child, child.count, maps if node.is_map else objects, inside))
    if node.elements is not None and node.elements.count:
        yield from _below(Place(path.elements(), node.elements, node.filled, node.type_count("array"), inside))
    if node.keys is not None:
        yield from _below(Place(path.keys(), node.keys, node.filled if node.is_map else 0, maps or objects, inside))
    if node.values is not None:
        yield from _below(Place(path.values(), node.values, node.filled if node.is_map else 0, maps or objects, inside))
    if node.embedded is not None:
        # A document in a text has no path of its own kind: its fields are shown below the text's.
        for deeper in _below(Place(path, node.embedded, node.embedded.count, node.count, inside or path)):
            if deeper.node is not node.embedded:
                yield deeper
