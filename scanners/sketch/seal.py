"""What only a topic's whole sketch can decide: which objects are maps, the shapes, their discriminator.

Run by Spark after the merge. What is sealed names no key of a map that few records share, no value but those of a
discriminator, and carries no hash key.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from scanners.containers.text_forms import DATA_KEY
from scanners.sketch.envelopes import PartEnvelope, envelope_of
from scanners.sketch.event_types import EventTypes
from scanners.sketch.nodes import Node
from scanners.sketch.shapes import MAX_SHAPES, MIN_SEEN, Discriminators, Path, Table, best, by_value
from scanners.sketch.topic import ShapeCount, Sketch

MAX_KEPT_KEYS = 50
MAX_LISTED = 12
MAX_LISTED_TOLD = 100
MAX_NODES = 6000
"""Paths in a sealed sketch; the rarest beyond are dropped and reported, so that one topic cannot fill the catalog."""

_MAP_NAME = re.compile(
    r"(?:^|_|\b)(?:attribute|attr|tag|label|propert(?:y|ie)|prop|param|parameter|metadata|meta|extra|custom|dimension|feature"
    r"|option|annotation|counter|metric|score|translation|variable|var|setting|preference|argument|arg|claim|env|fact)s?\Z"
    r"|_(?:map|by_[a-z_]+)\Z|^by_",
    re.I,
)
_CODE_KEY = re.compile(r"[A-Z]{2,3}\Z|[a-z]{2}(?:[-_][A-Z]{2})?\Z")
_NUMERIC = frozenset({"int32", "int64", "integer", "double", "decimal"})


def seal(sketch: Sketch) -> Sketch:
    """Decide and drop; the sketch can be read afterwards but not merged."""
    _name_columns(sketch)
    maps: set[Path] = set()
    types = EventTypes(sketch)
    envelopes = {part: envelope for part in ("value", "key") if (envelope := envelope_of(sketch, part)) is not None}
    for root, node in sketch.parts.items():
        mine = (maps, types) if root == "value" else (set[Path](), None)
        _decide(node, root, () if root == "value" else (root,), 0, *mine)
    _bound(sketch)
    sketch.envelopes = {part: envelope.sealed() for part, envelope in envelopes.items()}
    sketch.final = _final_shapes(sketch, maps, envelopes.get("value"))
    sketch.shapes, sketch.coarse = {}, {}
    sketch.telling, sketch.telling_coarse = Discriminators(), Discriminators()
    sketch.salt = ""
    return sketch


# --- CSV --------------------------------------------------------------------------------------------------------------


def _name_columns(sketch: Sketch) -> None:
    """Give CSV columns the names of a header record that some task met."""
    import json

    headings: Counter[tuple[str, ...]] = Counter()
    for (name, options), count in sketch.formats.get("value", Counter()).items():
        if name == "csv" and options:
            read = json.loads(options)
            if read.get("columns") and not read.get("header"):
                headings[tuple(read["columns"])] += count
    if not headings:
        return
    columns = max(headings, key=lambda names: (headings[names], names))
    new = {f"c{i + 1}": name for i, name in enumerate(columns)}
    node = sketch.parts["value"]
    for target in (node, node.elements):
        if target is not None:
            target.fields = {new.get(key, key): child for key, child in target.fields.items()}
    for shapes in (sketch.shapes, sketch.coarse):
        for entry in shapes.values():
            entry[1] = sorted((new.get(path[0], path[0]), *path[1:]) for path in entry[1])
    for tables in (sketch.telling.tables, sketch.telling_coarse.tables):
        for old, name in new.items():
            if f"value.{old}" in tables:
                tables[f"value.{name}"] = tables.pop(f"value.{old}")


# --- maps -------------------------------------------------------------------------------------------------------------


def _decide(node: Node, name: str, at: Path, depth: int, maps: set[Path], types: EventTypes | None) -> None:
    """`types`: those of the events, where `at` is a path of their shapes."""
    if (node.fields or node.values is not None) and at != ("headers",):
        if _is_map(node, name, depth) and not (types and _looks_alike(node) and types.settle(at)):
            _to_map(node)
            maps.add(at)
        else:
            _stay_struct(node)
    for key, child in node.fields.items():
        _decide(child, key, (*at, key), depth + 1, maps, types)
    for below in (node.elements, node.values, node.embedded):
        if below is not None:
            _decide(below, name, (*at, "[]"), depth + 1, set(), None)


def _looks_alike(node: Node) -> bool:
    """Whether a map is only taken for one since its values are alike, and not by the keys themselves."""
    return not node.is_map and not node.traits.get("wide") and not node.traits.get("entries")


def _is_map(node: Node, name: str, depth: int) -> bool:
    objects = max(1, node.type_count("object", "map"))
    values = sum(child.count for child in node.fields.values())
    entries = node.traits.get("entries", 0)
    if node.traits.get("record") and node.fields:
        return False
    if node.is_map or node.traits.get("wide") or (not node.fields and entries):
        return True
    kinds = len(node.fields)
    if entries:
        # A struct with a few odd keys stays one; where data-like keys are the rule, all of it is a map.
        return entries >= values and (depth > 0 or kinds < 3)
    presence = values / (objects * max(1, kinds))
    varied = any(child.count < objects for child in node.fields.values())
    if kinds < 2 or not varied or objects < 5 or not _alike(list(node.fields.values())):
        return False
    if depth == 0:
        return kinds > 100 and presence < 0.05
    if kinds >= 50 and presence < 0.2:
        return True
    if kinds >= 8 and presence <= 0.15:
        return True
    if kinds >= 3 and all(map(_CODE_KEY.match, node.fields)):
        return True
    return bool(_MAP_NAME.search(name)) and presence < 0.95


def _alike(children: list[Node]) -> bool:
    """The values are of one kind: numbers, texts..., or objects that share most of their fields."""
    kinds: Counter[str] = Counter()
    for child in children:
        for kind, (count, _) in child.types.items():
            if kind != "null":
                kinds["number" if kind in _NUMERIC else kind] += count
    if not kinds:
        return True
    kind, count = kinds.most_common(1)[0]
    if count < 0.95 * sum(kinds.values()):
        return False
    if kind == "object":
        fields = [set(child.fields) for child in children if child.fields]
        every = set().union(*fields) if fields else set()
        return not every or sum(len(f) for f in fields) >= 0.5 * len(every) * len(fields)
    return True


def _to_map(node: Node) -> None:
    objects = max(1, node.type_count("object", "map"))
    kept = {
        key: Node.unpack(child.pack())
        for key, child in node.fields.items()
        if not DATA_KEY.search(key) and child.count >= max(MIN_SEEN, 0.05 * objects)
    }
    node.become_map()
    entries = node.traits.get("entries", 0)
    # Keys that only a few records have may be data (a user's name); with many different ones, any of them may.
    node.fields = kept if len(kept) <= MAX_KEPT_KEYS else {}
    keys = node.map_keys()
    keys.count = entries
    keys.types = {"string": [entries, node.types["map"][1] if "map" in node.types else (0, 0, 0)]}


def _stay_struct(node: Node) -> None:
    if not node.traits.get("entries"):
        node.keys = node.values = None


# --- bounds -----------------------------------------------------------------------------------------------------------


def _children(node: Node) -> Iterator[tuple[Node, str, Node]]:
    for key, child in node.fields.items():
        yield node, key, child
        yield from _children(child)
    for child_ in (node.elements, node.values, node.keys, node.embedded):
        if child_ is not None:
            yield from _children(child_)


def _bound(sketch: Sketch) -> None:
    edges = [edge for root in sketch.parts.values() for edge in _children(root)]
    if len(edges) <= MAX_NODES:
        return
    rarest = sorted(edges, key=lambda edge: (edge[2].count, edge[1]))[: len(edges) - MAX_NODES]
    place = min((tuple(f) for _, _, child in rarest for _, f in child.types.values()), default=(0, 0, 0))
    sketch.problem("value", "too_many_fields", place, len(rarest))
    for parent, key, _ in rarest:
        parent.fields.pop(key, None)


# --- shapes -----------------------------------------------------------------------------------------------------------

_PathSet = tuple[int, tuple[Path, ...], Mapping[str, object] | None]
"""As `ShapeCount`, before it is cut."""


def _final_shapes(sketch: Sketch, maps: set[Path], envelope: PartEnvelope | None) -> list[ShapeCount]:
    overflow = len(sketch.shapes) >= MAX_SHAPES and sum(n for n, _ in sketch.shapes.values()) < sketch.shaped
    shapes, tables = (
        (sketch.coarse, sketch.telling_coarse.tables) if overflow else (sketch.shapes, sketch.telling.tables)
    )
    number: dict[tuple[Path, ...], int] = {}
    group: dict[int, int] = {}
    counts: Counter[int] = Counter()
    for code, (count, paths) in sorted(shapes.items()):
        listed = [tuple(p) for p in paths if envelope is None or not envelope.describes(p)]
        path_set = tuple(sorted(p for p in listed if not any(p[:i] in maps for i in range(len(p)))))
        which = number.setdefault(path_set, len(number))
        group[code] = which
        counts[which] += count
    paths_of = {which: paths for paths, which in number.items()}
    barred = _personal(sketch)
    of_envelope = envelope.discriminator(tables, barred) if envelope is not None else None
    discriminator = of_envelope if envelope is not None and envelope.forced else None
    if discriminator is None:
        discriminator = (best(tables, group, barred) if len(paths_of) > 1 else None) or of_envelope
    if envelope is not None:
        sketch.envelopes["value"]["discriminator"] = discriminator
    if discriminator is None and len(paths_of) <= 1:
        return [ShapeCount(n, [list(p) for p in paths_of[w]], None) for w, n in counts.items()]
    if discriminator is not None:
        by_value_shapes = _told(discriminator, tables[discriminator], group, counts, paths_of)
        return _as_booleans(by_value_shapes) if _is_boolean(sketch, discriminator) else by_value_shapes
    return _listed([(n, paths_of[w], None) for w, n in counts.items()], MAX_LISTED)


def _told(
    path: str, table: Table, group: dict[int, int], counts: Counter[int], paths_of: dict[int, tuple[Path, ...]]
) -> list[ShapeCount]:
    rest = Counter(counts)
    items: list[_PathSet] = []
    for value, shapes in by_value(table or {}, group).items():
        total = sum(shapes.values())
        if total < MIN_SEEN:
            continue
        rest.subtract(shapes)
        items.append((total, tuple(sorted({p for w in shapes for p in paths_of[w]})), {path: value}))
    items += [(n, paths_of[w], None) for w, n in rest.items() if n > 0]
    return _listed(items, MAX_LISTED_TOLD)


def _is_boolean(sketch: Sketch, path: str) -> bool:
    root, *names = path.split(".")
    node = sketch.parts.get(root)
    for name in names:
        node = None if node is None else node.fields.get(name)
    return node is not None and "boolean" in node.types and "string" not in node.types


def _as_booleans(
    shapes: list[ShapeCount],
) -> list[ShapeCount]:
    """A discriminator's values are counted as texts; those of a boolean field are given as booleans."""
    booleans: dict[object, object] = {"true": True, "false": False}
    return [
        ShapeCount(n, paths, when and {p: booleans.get(v, v) for p, v in when.items()}) for n, paths, when in shapes
    ]


def _listed(shapes: list[_PathSet], limit: int) -> list[ShapeCount]:
    shapes.sort(key=lambda item: (-item[0], item[1]))
    answer = [ShapeCount(n, [list(p) for p in paths], when) for n, paths, when in shapes[:limit]]
    others = shapes[limit:]
    if others:
        every = sorted({p for _, paths, _ in others for p in paths})
        answer.append(ShapeCount(sum(n for n, _, _ in others), [list(p) for p in every], {"others": len(others)}))
    return answer


def _personal(sketch: Sketch) -> list[str]:
    """Fields in which a detector has found anything: their values are never named."""
    paths: list[str] = []

    def visit(node: Node, path: str, depth: int) -> None:
        if any(c.get("valid_texts") for c in node.hits.values()) or node.unscanned:
            paths.append(path)
        if depth < 3:
            for key, child in node.fields.items():
                visit(child, f"{path}.{key}", depth + 1)

    for root, node in sketch.parts.items():
        visit(node, root, 0)
    return paths
