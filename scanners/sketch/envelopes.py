"""Finds the envelope of a topic's records by its structure: Debezium, Kafka Connect, CloudEvents, outbox tables, webhooks.

An envelope is known by fields that its specification names, by their types, and by how many records have all of them.
The data inside may be an envelope again (a row of an outbox table in a Debezium change in a Connect envelope), so that
layers are peeled off until none fits. Decided once, of a topic's whole sketch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from scanners.sketch.nodes import Node
from scanners.sketch.shapes import Path, Table
from scanners.sketch.topic import SealedEnvelope, Sketch

MOST_LAYERS = 4
_FITS = 0.5
"""Share of the records that an envelope has at least; the others are counted."""
_LEAST = 3
"""Records of a kind of envelope that no specification describes."""
_MOSTLY = 0.9


@dataclass(slots=True)
class Layer:
    """One envelope around a payload. Paths are relative to where the envelope is.

    needed          fields that every record of it has
    payload         (name, or nothing where the envelope is beside the data), the one to show first in front
    discriminators  fields that distinguish kinds of records, best first; `headers.NAME` for a header
    describing      fields that only describe the payload
    forced          whether `discriminators` names the kinds even where another field knows more about the shapes
    """

    kind: str
    needed: tuple[str, ...]
    payload: tuple[str, ...] = ()
    discriminators: tuple[str, ...] = ()
    describing: tuple[str, ...] = ()
    forced: bool = True


@dataclass(slots=True)
class PartEnvelope:
    """The envelope of a part: see `catalog.envelopes`. Paths are names below the part; `discriminators` as in `Layer`, best
    first, as `scanners.sketch.shapes` names them."""

    layers: list[str] = field(default_factory=list)
    payload: list[Path] = field(default_factory=list)
    discriminators: list[str] = field(default_factory=list)
    describing: list[Path] = field(default_factory=list)
    needed: set[Path] = field(default_factory=set)
    forced: bool = True
    fits: int = 0
    records: int = 0

    def discriminator(self, tables: Mapping[str, Table], barred: Collection[str]) -> str | None:
        """The field that names the kinds of record: the best with several values, else the best with one."""
        usable = [(path, table) for path in self.discriminators if path not in barred and (table := tables.get(path))]
        return next((path for path, table in usable if len(table) > 1), usable[0][0] if usable else None)

    def describes(self, path: Sequence[str]) -> bool:
        """Whether a path of the part only describes the payload."""
        return any(tuple(path[: len(each)]) == each for each in self.describing)

    def sealed(self) -> SealedEnvelope:
        return {
            "layers": self.layers,
            "payload": [list(path) for path in self.payload],
            "describing": [list(path) for path in self.describing],
            "fits": self.fits,
            "records": self.records,
        }


def envelope_of(sketch: Sketch, part: str) -> PartEnvelope | None:
    """The envelope of the key or the value; None where most of its records have none."""
    root = sketch.parts[part]
    records = root.count - root.type_count("null")
    envelope = PartEnvelope(records=records, fits=records)
    if part == "value" and records:
        _beside(sketch, envelope)
    node = root
    at: Path = ()
    while records and len(envelope.layers) < MOST_LAYERS and (layer := _layer(node, envelope.layers)):
        needed = envelope.needed | {(*at, name) for name in layer.needed}
        fits = min(envelope.fits, _having(sketch, part, needed))
        if fits < _FITS * records or (not layer.forced and fits < _LEAST):
            break
        envelope.layers.append(layer.kind)
        envelope.needed, envelope.fits = needed, fits
        envelope.forced = layer.forced
        envelope.describing += [(*at, name) for name in layer.describing]
        envelope.discriminators = [
            ".".join((part, *at, name)) for name in layer.discriminators
        ] + envelope.discriminators
        envelope.payload = [(*at, name) for name in layer.payload] or [at]
        if not layer.payload:
            break
        at = (*at, layer.payload[0])
        node = node.fields[layer.payload[0]]
    return envelope if envelope.layers else None


def _having(sketch: Sketch, part: str, needed: set[Path]) -> int:
    """Records that have all of these fields: by their shapes, where all of them are known, else at most so many."""
    if part == "value" and sum(count for count, _ in sketch.shapes.values()) == sketch.shaped and sketch.shapes:
        return sum(count for count, paths in sketch.shapes.values() if needed <= {tuple(p) for p in paths})
    return min((node.count for path in needed if (node := _at(sketch.parts[part], path)) is not None), default=0)


def _at(node: Node | None, path: Path) -> Node | None:
    for name in path:
        node = node.fields.get(name) if node is not None else None
    return node


# --- envelopes beside the value, in headers ---------------------------------------------------------------------------

_CLOUD_EVENT = re.compile(r"(?:ce[_-]|cloudevents[_:-])(?P<name>specversion|type|source|id)\Z", re.I)
_WEBHOOK = re.compile(r"x-[a-z0-9-]+-event(?:-type|-key)?\Z", re.I)


def _beside(sketch: Sketch, envelope: PartEnvelope) -> None:
    names = {name: sketch.present[f"headers.{name}"] for name in sketch.parts["headers"].fields}
    attributes = {m["name"].lower(): name for name in names if (m := _CLOUD_EVENT.match(name))}
    hooks = sorted((name for name in names if _WEBHOOK.match(name)), key=lambda name: (-names[name], name))
    if "type" in attributes and {"specversion", "source"} & attributes.keys():
        kind, header, fits = "cloudevents", attributes["type"], min(names[name] for name in attributes.values())
    elif hooks:
        kind, header, fits = "webhook", hooks[0], names[hooks[0]]
    else:
        return
    if fits >= _FITS * sketch.records and fits:
        envelope.layers, envelope.discriminators, envelope.payload = [kind], [f"headers.{header}"], [()]
        envelope.fits = min(envelope.fits, fits)


# --- envelopes around the data ----------------------------------------------------------------------------------------


def _layer(node: Node, outer: Sequence[str]) -> Layer | None:
    if not node.type_count("object"):
        return None
    for kind, detect in _DETECTORS:
        # What no specification describes is looked for where nothing but Connect is around it.
        if kind in outer or (kind in ("event", "webhook") and set(outer) - {"connect"}):
            continue
        if layer := detect(node.fields):
            return layer
    return None


Fields = dict[str, Node]

CONNECT = frozenset(
    {
        "type",
        "fields",
        "optional",
        "name",
        "version",
        "doc",
        "parameters",
        "default",
        "field",
        "items",
        "keys",
        "values",
    }
)
"""What a schema of Kafka Connect is written with, at every level."""


def _connect(fields: Fields) -> Layer | None:
    if not {"schema", "payload"} <= fields.keys():
        return None
    schema = fields["schema"]
    described = _is_object(schema) and _is_text(schema.fields.get("type")) and "optional" in schema.fields
    alone = fields.keys() == {"schema", "payload"} and schema.types.keys() == {"null"}
    odd = sum(node.count for name, node in schema.fields.items() if name not in CONNECT)
    if not alone and not (described and odd <= (1 - _MOSTLY) * schema.count):
        return None
    return Layer("connect", ("schema", "payload"), ("payload",), (), ("schema",))


def _debezium(fields: Fields) -> Layer | None:
    op = fields.get("op")
    if not _is_text(op) or op is None or op.lengths is None or op.lengths[1] > 1:
        return None
    timed = {"int32", "int64"} & fields["ts_ms"].types.keys() if "ts_ms" in fields else set[str]()
    rows = [name for name in ("after", "before") if name in fields]
    if not rows or not (timed or _is_object(fields.get("source"))):
        return None
    payload = [name for name in rows if _holds_data(fields[name])]
    if not payload or not all(_holds_data(fields[name]) or fields[name].types.keys() == {"null"} for name in rows):
        return None
    return Layer("debezium", ("op", "ts_ms" if timed else "source"), tuple(payload), ("op",))


def _cloudevents(fields: Fields) -> Layer | None:
    if not all(_is_text(fields.get(name)) for name in ("specversion", "type", "source")):
        return None
    payload = tuple(name for name in ("data", "data_base64") if name in fields)
    return Layer("cloudevents", ("specversion", "type", "source"), payload[:1], ("type",))


def _outbox(fields: Fields) -> Layer | None:
    plain = {re.sub(r"[^a-z]", "", name.lower()): name for name in fields}
    payload = plain.get("payload")
    if not {"aggregatetype", "aggregateid"} <= plain.keys() or payload is None:
        return None
    kind = plain.get("type") or plain.get("eventtype")
    needed = (plain["aggregatetype"], plain["aggregateid"], payload)
    discriminators = tuple(name for name in (kind, plain["aggregatetype"]) if name and _is_text(fields[name]))
    return Layer("outbox", needed, (payload,), discriminators) if discriminators else None


_KINDS = ("type", "event", "event_type", "eventType", "event_name", "eventName", "detail-type", "kind", "action")
_BODIES = ("data", "payload", "detail", "body", "object", "properties")


def _event(fields: Fields) -> Layer | None:
    """A type beside the data of that type."""
    kind = next((name for name in _KINDS if _is_text(fields.get(name))), None)
    body = next((name for name in _BODIES if name in fields and _holds_data(fields[name])), None)
    if kind is None or body is None or fields[body].type_count("array"):
        return None
    return Layer("event", (kind, body), (body,), (kind,), forced=False)


def _webhook(fields: Fields) -> Layer | None:
    """An action beside the objects it is about, as GitHub sends them."""
    objects = [name for name, node in fields.items() if _is_object(node)]
    if not _is_text(fields.get("action")) or len(objects) < 2:
        return None
    return Layer("webhook", ("action",), forced=False)


_DETECTORS: tuple[tuple[str, Callable[[Fields], Layer | None]], ...] = (
    ("connect", _connect),
    ("debezium", _debezium),
    ("cloudevents", _cloudevents),
    ("outbox", _outbox),
    ("event", _event),
    ("webhook", _webhook),
)


def _is_text(node: Node | None) -> bool:
    return node is not None and node.type_count("string") >= max(1, _MOSTLY * (node.count - node.type_count("null")))


def _is_object(node: Node | None) -> bool:
    return node is not None and node.type_count("object", "map") >= max(
        1, _MOSTLY * (node.count - node.type_count("null"))
    )


def _holds_data(node: Node) -> bool:
    """Objects, or texts that are documents."""
    return _is_object(node) or (node.embedded is not None and _is_object(node.embedded))
