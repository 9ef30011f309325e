"""The places of a topic's parts by the registered schemas its records were written with. Pure."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind
from scanners.model import PART_SUBJECTS, RegisteredSchema
from scanners.schemas.avro_names import plain
from scanners.schemas.expect_registered import Document
from scanners.schemas.known.avro import add_avro
from scanners.schemas.known.json_schema import add_json_schema
from scanners.schemas.known.place import Places
from scanners.schemas.known.protobuf import add_protobuf, always
from scanners.schemas.protobuf.comments import comments
from scanners.schemas.registered import FORMAT_OF_TYPE, Schemas

PARTS = ("key", "value")
_WIRE = frozenset(FORMAT_OF_TYPE.values())


def chosen(
    topic: str, part: str, schemas: Mapping[int, RegisteredSchema], ids: Collection[int]
) -> list[RegisteredSchema]:
    """The schemas of a part, oldest first: of the subject `TOPIC-PART`, those its records name, and all versions of
    subjects named by a record of which records name one."""
    subjects = {f"{topic}-{part}"}
    for number in ids:
        if number in schemas:
            subjects |= {name for name in schemas[number].subjects if not name.endswith(PART_SUBJECTS)}
    mine = [s for s in schemas.values() if s.id in ids or subjects & s.subjects.keys()]
    return sorted(mine, key=lambda s: (max((v for n, v in s.subjects.items() if n in subjects), default=0), s.id))


def places_of(
    part: str, mine: Sequence[RegisteredSchema], schemas: Schemas, learned: Collection[str] | None = None
) -> Places:
    """What the schemas of a part declare together. Those that cannot be read are left out.

    `learned`: names of the fields that its records have, by which messages of a file are distinguished; None: all count.
    """
    places = Places(exact=all(schema.type != "JSON" for schema in mine))
    at = FieldPath(part)
    for schema in mine:
        # A schema that cannot be read is reported where records are decoded by it.
        with contextlib.suppress(Exception):
            _add(places, schema, schemas, at, learned)
    return places


def _add(
    places: Places, schema: RegisteredSchema, schemas: Schemas, at: FieldPath, learned: Collection[str] | None
) -> None:
    match schema.type:
        case "AVRO":
            add_avro(places, schemas.avro(schema.id), at)
        case "PROTOBUF":
            docs = {
                name: text
                for each in (schema.text, *schemas.imports(schema.id).values())
                for name, text in comments(each).items()
            }
            for message in _messages(schemas.protobuf(schema.id).messages(), learned):
                add_protobuf(places, message, docs, at)
        case "JSON":
            others = {name: json.loads(text) for name, text in schemas.imports(schema.id).items()}
            add_json_schema(places, Document(json.loads(schema.text), others), at)


def _messages(messages: Sequence[Any], learned: Collection[str] | None) -> Sequence[Any]:
    """The message types that records have: those of which all fields that are always there were met."""
    if learned is None or len(messages) < 2:
        return messages[:1] if learned is not None else messages
    used = [m for m in messages if always(m) <= set(learned) and {f.name for f in m.fields} & set(learned)]
    return used or messages[:1]


def with_registered(
    fields: Sequence[FieldProfile],
    topic: str,
    schemas: Mapping[int, RegisteredSchema] | Schemas,
    form: Mapping[str, str],
) -> tuple[FieldProfile, ...]:
    """Profiles with what is registered of their places, and one for each place that no record had.

    `form`: the format of each part. Only parts whose records were written with registered schemas change.
    """
    registry = schemas if isinstance(schemas, Schemas) else Schemas(schemas)
    for part in PARTS:
        if form.get(part) not in _WIRE:
            continue
        root = next((f for f in fields if f.path == part), None)
        details = root.details if root is not None else {}
        mine = chosen(topic, part, registry.all(), details.get("schemaIds") or ())
        mine = [schema for schema in mine if FORMAT_OF_TYPE.get(schema.type) == form[part]]
        places = places_of(part, mine, registry, _names(part, fields))
        if places:
            others = {name for name in details.get("formatsFirstSeen") or () if name != "null"} - {form[part]}
            if form[part] == "avro":
                places.describe(FieldPath(part), schemas=_texts(mine, details.get("schemaIds") or (), registry))
            fields = places.overlay(fields, mixed=bool(others))
    return tuple(fields)


_LONGEST_KEPT = 200_000


def _texts(mine: Sequence[RegisteredSchema], ids: Collection[int], schemas: Schemas) -> list[str]:
    """The newest Avro schema of each name that records have, whole, as JSON text; none when they are too long to keep."""
    newest: dict[str, str] = {}
    for schema in [each for each in mine if each.id in ids] or mine[-1:]:
        with contextlib.suppress(Exception):
            written = json.loads(schema.text)
            whole = plain(schemas.avro(schema.id)) if schema.references else written
            newest[str(whole.get("name") if isinstance(whole, dict) else "")] = json.dumps(whole, ensure_ascii=False)
    texts = list(newest.values())
    return texts if sum(map(len, texts)) <= _LONGEST_KEPT else []


def containers(topic: str, part: str, schemas: Schemas, seen: Collection[int]) -> dict[str, list[list[str]]]:
    """The maps and the structs of a part, for profiling: sampled keys do not distinguish them for certain.

    `seen`: ids of schemas that records of the part name.
    """
    mine = chosen(topic, part, schemas.all(), seen)
    places = places_of(part, mine, schemas) if mine else None
    return {"maps": places.containers("map"), "structs": places.containers("object")} if places else {}


def _names(part: str, fields: Iterable[FieldProfile]) -> list[str]:
    paths = (f.field_path for f in fields if f.count)
    return [
        p.steps[0].name or ""
        for p in paths
        if p.root == part and len(p.steps) == 1 and p.steps[0].kind is StepKind.FIELD
    ]
