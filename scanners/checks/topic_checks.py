"""Which schemas a topic's records are checked against, and the result.

In Spark's workers a departure is counted as a problem whose reason carries where and why; here those become departures
again. Records written by a registered Avro or Protobuf schema match it by construction. Records of JSON Schema are
checked against the schema they name, whatever its subject; records without a schema id against the newest schema of the
subject `TOPIC-key` or `TOPIC-value`. Subjects named by a record (`com.acme.Order`, `TOPIC-com.acme.Order`) are not used
for records without an id, since nothing shows which of these subjects a record belongs to.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.datasets.departures import Departure
from catalog.datatypes import parse_ddl
from catalog.errors import InvalidInput
from catalog.model import FieldProfile
from scanners.checks.checker import Checker
from scanners.decode.records import schema_id
from scanners.model import PART_SUBJECTS, RegisteredSchema
from scanners.schemas.expect import Form, from_ddl, undeclared
from scanners.schemas.expect_registered import from_avro, from_json_schema
from scanners.schemas.registered import Schemas, SchemaUnusable
from scanners.sketch.topic import Place, Sketch

_NOTHING: frozenset[str] = frozenset()
_DEPARTS = "departs\x1f"
_FORMAT = "format\x1f"
"""Reasons of problems that are none; they are kept beside the problems since they are counted and merged alike."""

_WIRE = frozenset({"avro", "protobuf", "json-schema"})
_BUILT = frozenset({"avro", "protobuf"})

Expected = Mapping[str, Any]
"""Of one topic: {part: {"declared": form, "registered": {"subject", "version", "ids", "newest": form, "by_id": {id: form}}}},
as it travels to the workers. `by_id` are the forms of the subject's JSON Schemas."""


def expected_of(topic: str, declared_ddl: str | None, schemas: Mapping[int, RegisteredSchema]) -> Expected:
    """What is expected of a topic's parts; empty when nothing is declared or registered."""
    expected: dict[str, dict[str, object]] = {}
    if declared_ddl:
        try:
            expected["value"] = {"declared": from_ddl(parse_ddl(declared_ddl))}
        except InvalidInput:
            logging.getLogger(__name__).warning("a declared schema that cannot be read any more is not checked")
    registry = Schemas(schemas)
    for part in ("key", "value"):
        subject = f"{topic}-{part}"
        mine = sorted((s.subjects[subject], s.id) for s in schemas.values() if subject in s.subjects)
        if not mine:
            continue
        ids = sorted(number for _, number in mine)
        forms = {str(i): form for i in ids if schemas[i].type == "JSON" and (form := _form(registry, i)) is not None}
        version, newest = mine[-1]
        expected.setdefault(part, {})["registered"] = {
            "subject": subject,
            "version": version,
            "ids": ids,
            "newest": _form(registry, newest),
            "by_id": forms,
        }
    return expected


def _form(schemas: Schemas, number: int) -> Form | None:
    """None for what is not checked: Protobuf, and schemas that cannot be read or refer to one that is not there."""
    schema = schemas.get(number)
    if schema.type not in ("AVRO", "JSON"):
        return None
    try:
        read = from_avro if schema.type == "AVRO" else from_json_schema
        return read(schema.text, schemas.imports(number))
    except (SchemaUnusable, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _foreign(schema: RegisteredSchema) -> bool:
    """Whether a schema that is not of a part's subject belongs to other topics, or to the other part.

    A subject that does not end like one of a topic's part is named by a record, and that may be in any topic. A schema
    whose subjects are not known is not judged.
    """
    return bool(schema.subjects) and all(other.endswith(PART_SUBJECTS) for other in schema.subjects)


class RecordChecks:
    """What a worker notes of decoded records beside their values: where a part first had a format, and departures."""

    def __init__(self, expected: Expected | None, schemas: Schemas) -> None:
        of = {"key": {}, "value": {}, **(expected or {})}
        self._parts = {part: _PartChecks(each, part, schemas) for part, each in of.items()}

    def seen(
        self,
        sketch: Sketch,
        label: str,
        form: str,
        values: Sequence[Any],
        bodies: Sequence[bytes],
        places: Sequence[Any],
    ) -> None:
        """Values of one format with their bodies and places, as they were read."""
        if not places:
            return
        sketch.problem(label, _FORMAT + form, min(places))
        checks = self._parts.get(label)
        if checks is None:
            return
        if self.reads(label, form):
            for value, body, place in zip(values, bodies, places, strict=True):
                for reason in checks(value, form, schema_id(body)):
                    sketch.problem(label, reason, place)
        elif checks.names(form):
            for number, at in _by_id(bodies, places).items():
                for reason in checks(None, form, number):
                    sketch.problem(label, reason, min(at), len(at))

    def reads(self, label: str, form: str) -> bool:
        """Whether `seen` looks at the values of a format."""
        return label in self._parts and self._parts[label].reads(form)


def _by_id(bodies: Sequence[bytes], places: Sequence[Any]) -> dict[int | None, list[Any]]:
    by_id: dict[int | None, list[Any]] = {}
    for body, place in zip(bodies, places, strict=True):
        by_id.setdefault(schema_id(body), []).append(place)
    return by_id


class _PartChecks:
    """The checks of one part: gives the reasons of the problems to count."""

    def __init__(self, expected: Mapping[str, Any], part: str, schemas: Schemas) -> None:
        registered = expected.get("registered") or {}
        declared, newest = expected.get("declared"), registered.get("newest")
        self._part, self._schemas = part, schemas
        self._subject = str(registered.get("subject") or "")
        self._declared = Checker(declared, part) if declared else None
        self._newest = Checker(newest, part) if newest else None
        self._by_id: dict[int, Checker | None] = {
            int(key): Checker(form, part) for key, form in (registered.get("by_id") or {}).items()
        }
        self._own = frozenset(registered.get("ids") or ())
        self._others: dict[int, frozenset[str]] = {}

    def reads(self, form: str) -> bool:
        """Whether there is anything to check of the values of this format."""
        return bool(self._declared or form == "json-schema" or (self._own and form not in _BUILT))

    def names(self, form: str) -> bool:
        """Whether there is anything to check of the schemas that records of this format name."""
        return bool(self._own) and form in _BUILT

    def __call__(self, value: Any, form: str, number: int | None) -> frozenset[str]:
        marks = self._run(self._declared, "declared", value)
        if form not in _WIRE:
            return marks | self._run(self._newest, "registered", value)
        if number is None:
            return marks
        if self._own and number not in self._own:
            marks = marks | self._other(number)
        return marks if form in _BUILT else marks | self._run(self._named(number), "registered", value)

    def _named(self, number: int) -> Checker | None:
        """The checker of a JSON Schema that belongs to no subject of the topic; the others were compiled before."""
        if number not in self._by_id:
            form = _form(self._schemas, number) if number in self._schemas else None
            self._by_id[number] = Checker(form, self._part) if form is not None else None
        return self._by_id[number]

    def _other(self, number: int) -> frozenset[str]:
        if number not in self._others:
            foreign = number in self._schemas and _foreign(self._schemas.get(number))
            departs = "\x1f".join((_DEPARTS + "registered", self._part, "other_subject", self._subject))
            self._others[number] = frozenset({departs}) if foreign else _NOTHING
        return self._others[number]

    @staticmethod
    def _run(check: Checker | None, source: str, value: Any) -> frozenset[str]:
        departures = check(value) if check is not None else None
        return frozenset("\x1f".join((_DEPARTS + source, *d)) for d in departures) if departures else _NOTHING


def is_note(reason: str) -> bool:
    """True for a problem's reason that RecordChecks made, which is not a problem of decoding."""
    return reason.startswith((_DEPARTS, _FORMAT))


def formats_first(sketch: Sketch, label: str) -> dict[str, Place]:
    """Format -> the place where a part was first seen in it."""
    return {
        reason.removeprefix(_FORMAT): place
        for (part, reason), (_, place) in sorted(sketch.problems.items())
        if part == label and reason.startswith(_FORMAT)
    }


def departures(
    sketch: Sketch,
    fields: Sequence[FieldProfile],
    expected: Expected,
    where: Callable[[Sequence[int]], Mapping[str, Any]],
) -> list[Departure]:
    """All departures of a topic, by path."""
    items = []
    for (_, reason), (count, place) in sketch.problems.items():
        if reason.startswith(_DEPARTS):
            _, source, path, why, kind = reason.split("\x1f")
            items.append(
                Departure(path=path, source=source, why=why, count=count, expected=kind or None, first=where(place))
            )
    for part, of in expected.items():
        registered = of.get("registered") or {}
        plain = _plain(sketch, part)
        forms = [("declared", of.get("declared"))]
        if registered:
            if plain:
                items.append(Departure(part, "registered", "not_registered", plain, str(registered["subject"])))
            forms.append(("registered", _written_by(sketch, part, registered, plain)))
        for source, form in forms:
            for profile in undeclared(form, part, fields) if form else ():
                first = profile.details.get("firstSeen")
                items.append(
                    Departure(
                        path=profile.path,
                        source=source,
                        why="undeclared",
                        count=profile.count,
                        expected=None,
                        first=first,
                    )
                )
    return sorted(items, key=lambda d: d.key)


def _plain(sketch: Sketch, part: str) -> int:
    """Records of a part that carry no schema id."""
    formats = sketch.formats.get(part, Counter())
    return sum(n for (name, _), n in formats.items() if name not in _WIRE and name not in ("null", "wire-unknown"))


def _written_by(sketch: Sketch, part: str, registered: Mapping[str, Any], plain: int) -> Form | None:
    """What the records of a part may have as a whole: by the schemas they name, and the newest where some name none.

    None where that is not known: Avro and Protobuf, which have nothing beyond their schema, and schemas of other subjects.
    """
    forms: list[Form | None] = [registered["by_id"].get(str(number)) for number in sketch.ids.get(part, ())]
    if plain:
        forms.append(registered.get("newest"))
    known = [form for form in forms if form is not None]
    return {"kind": "any", "of": known} if known and len(known) == len(forms) else None
