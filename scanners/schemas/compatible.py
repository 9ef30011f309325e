"""Whether a reader of one registered schema reads what another wrote, by the rules of the schemas' own format. Pure.

Avro: schema resolution, and logical types that change what the bytes mean. Protobuf: the rules of Confluent's registry on
field numbers and wire types. JSON Schema: what the reader's schema takes must hold all that the writer's allows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scanners.model import RegisteredSchema
from scanners.schemas.avro_names import plain
from scanners.schemas.compatible_json import differences as json_differences
from scanners.schemas.expect_registered import Document
from scanners.schemas.registered import Schemas

LEVELS = ("BACKWARD", "FORWARD", "FULL", "BACKWARD_TRANSITIVE", "FORWARD_TRANSITIVE", "FULL_TRANSITIVE")
_MOST = 20


Way = Literal["backward", "forward"]


@dataclass(frozen=True, slots=True)
class Breach:
    """Why one version cannot read, or be read by, an earlier one."""

    way: Way
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The newest of some versions, compared with the one before.

    rule       AVRO, PROTOBUF or JSON: by whose rules
    levels     which of the registry's LEVELS the newest keeps; the transitive ones look at all before it
    problems   what breaks them
    """

    backward: bool
    forward: bool
    rule: str
    levels: list[str]
    problems: list[Breach]

    @property
    def full(self) -> bool:
        return self.backward and self.forward


def judged(versions: Sequence[RegisteredSchema], schemas: Schemas) -> Judgement:
    """`versions`: oldest first. Raises SchemaUnusable or ValueError for a schema that cannot be read."""
    newest, before = versions[-1], versions[:-1]
    problems: list[Breach] = []
    readable: dict[Way, list[bool]] = {"backward": [], "forward": []}
    for other in before:
        directions: tuple[tuple[Way, RegisteredSchema, RegisteredSchema], ...]
        directions = (("backward", newest, other), ("forward", other, newest))
        for way, reader, writer in directions:
            differences = unreadable(reader, writer, schemas)
            readable[way].append(not differences)
            problems += [Breach(way, other.version, text) for text in differences[:_MOST]]
    last = {way: not all_ or all_[-1] for way, all_ in readable.items()}
    every = {way: all(all_) for way, all_ in readable.items()}
    keeps = {
        "BACKWARD": last["backward"],
        "FORWARD": last["forward"],
        "FULL": all(last.values()),
        "BACKWARD_TRANSITIVE": every["backward"],
        "FORWARD_TRANSITIVE": every["forward"],
        "FULL_TRANSITIVE": all(every.values()),
    }
    levels = [level for level in LEVELS if keeps[level]]
    return Judgement(last["backward"], last["forward"], newest.type, levels, problems[: 2 * _MOST])


def unreadable(reader: RegisteredSchema, writer: RegisteredSchema, schemas: Schemas) -> list[str]:
    """Why a reader of one schema cannot read all that another wrote; empty when it can."""
    if reader.type != writer.type:
        return [f"the format is {writer.type} in one and {reader.type} in the other"]
    if reader.text == writer.text and reader.references == writer.references:
        return []
    rules: Mapping[str, Callable[[int, int, Schemas], list[str]]] = {
        "AVRO": _avro,
        "PROTOBUF": _protobuf,
        "JSON": _json,
    }
    return rules[reader.type](reader.id, writer.id, schemas)


def _avro(reader: int, writer: int, schemas: Schemas) -> list[str]:
    from scanners.schemas.avro_differences import differences, parsed

    return differences(*(parsed(plain(schemas.avro(number))) for number in (reader, writer)))


def _json(reader: int, writer: int, schemas: Schemas) -> list[str]:
    def document(number: int) -> Document:
        others = {name: json.loads(text) for name, text in schemas.imports(number).items()}
        return Document(json.loads(schemas.get(number).text), others)

    return json_differences(document(reader), document(writer))


# --- Protobuf ---------------------------------------------------------------------------------------------------------

_GROUPS = {
    "varint": (3, 4, 5, 8, 13, 14),
    "zigzag": (17, 18),
    "text": (9, 12),
    "four bytes": (7, 15),
    "eight bytes": (6, 16),
}
_GROUP_OF = {number: name for name, numbers in _GROUPS.items() for number in numbers}
"""Types that read each other's bytes, by their numbers in FieldDescriptorProto; others only their own."""


def _protobuf(reader: int, writer: int, schemas: Schemas) -> list[str]:
    ours = {m.full_name: m for m in schemas.protobuf(reader).messages()}
    theirs = {m.full_name: m for m in schemas.protobuf(writer).messages()}
    differences = [f"message {name} is not there" for name in theirs if name not in ours]
    for name, message in theirs.items():
        if name in ours:
            differences += _messages(ours[name], message, set())
    return list(dict.fromkeys(differences))


def _messages(ours: Any, theirs: Any, above: set[tuple[str, str]]) -> Iterator[str]:
    pair = (ours.full_name, theirs.full_name)
    if pair in above:
        return
    above.add(pair)
    mine = {field.number: field for field in ours.fields}
    for number, field in {f.number: f for f in theirs.fields}.items():
        other = mine.get(number)
        if other is not None:
            yield from _fields(other, field, above)
        elif field.is_required:
            yield f"{theirs.full_name}: the required field {field.name} is not there"
    written = {field.number for field in theirs.fields}
    for number, field in mine.items():
        if number not in written and field.is_required:
            yield f"{ours.full_name}: {field.name} is required, and was not written"


def _fields(ours: Any, theirs: Any, above: set[tuple[str, str]]) -> Iterator[str]:
    where = f"{theirs.containing_type.full_name}.{theirs.name} (number {theirs.number})"
    if (ours.message_type is None) != (theirs.message_type is None):
        yield f"{where}: a message in one, none in the other"
    elif ours.message_type is not None:
        yield from _messages(ours.message_type, theirs.message_type, above)
    elif _GROUP_OF.get(ours.type, ours.type) != _GROUP_OF.get(theirs.type, theirs.type):
        yield f"{where}: the type is another, and its bytes read differently"
    if ours.is_repeated != theirs.is_repeated and _GROUP_OF.get(theirs.type) != "text" and theirs.message_type is None:
        yield f"{where}: repeated in one, single in the other"
    if _oneof(ours) and not _oneof(theirs) and len(ours.containing_oneof.fields) > 1:
        yield f"{where}: moved into the oneof {ours.containing_oneof.name}"


def _oneof(field: Any) -> bool:
    return field.containing_oneof is not None and not field.containing_oneof.name.startswith("_")
