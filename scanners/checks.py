"""Which schemas a topic's records are held against, and what came of it.

In Spark's workers a departure is counted as a problem whose reason carries where and why; here those become departures
again. Records written by a registered Avro or Protobuf schema are as it says by construction; those of JSON
Schema are held against the schema they name, and records without a schema id against the subject's newest.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.datatypes import parse_ddl
from catalog.departures import Departure
from catalog.errors import InvalidInput
from catalog.model import FieldProfile
from scanners.checker import Checker
from scanners.decode import schema_id
from scanners.expect import Form, from_avro, from_ddl, from_json_schema, undeclared
from scanners.infer import Sketch
from scanners.model import RegisteredSchema

_NOTHING: frozenset[str] = frozenset()
_DEPARTS = "departs\x1f"
_FORMAT = "format\x1f"
"""Reasons of problems that are none; they are kept beside the problems since they are counted and merged alike."""

_WIRE = frozenset({"avro", "protobuf", "json-schema"})
_BUILT = frozenset({"avro", "protobuf"})

Expected = Mapping[str, Any]
"""Of one topic: {part: {"declared": form, "newest": form, "by_id": {id: form}}}, as it travels to the workers."""


def expected_of(topic: str, declared_ddl: str | None, schemas: Mapping[int, RegisteredSchema]) -> dict[str, Any]:
    """What is expected of a topic's parts; empty when nothing is declared or registered."""
    expected: dict[str, dict[str, Any]] = {}
    if declared_ddl:
        try:
            expected["value"] = {"declared": from_ddl(parse_ddl(declared_ddl))}
        except InvalidInput:
            logging.getLogger(__name__).warning("a declared schema that cannot be read any more is not checked")
    for part in ("key", "value"):
        mine = sorted((s for s in schemas.values() if s.subject == f"{topic}-{part}"), key=lambda s: s.version)
        if not mine:
            continue
        forms = {str(s.id): form for s in mine if s.type == "JSON" and (form := _form(s)) is not None}
        newest = _form(mine[-1])
        expected.setdefault(part, {})["registered"] = {
            "subject": mine[-1].subject, "version": mine[-1].version, "ids": sorted(s.id for s in mine),
            "newest": newest, "by_id": forms,
        }  # fmt: skip
    return expected


def _form(schema: RegisteredSchema) -> Form | None:
    """None for what is not checked: Protobuf, schemas with references, schemas that cannot be read."""
    if schema.references or schema.type not in ("AVRO", "JSON"):
        return None
    try:
        return from_avro(schema.text) if schema.type == "AVRO" else from_json_schema(schema.text)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


class RecordChecks:
    """What a worker notes of decoded records beside their values: where a part first had a format, and departures."""

    def __init__(self, expected: Expected | None) -> None:
        self._parts = {part: _PartChecks(of, part) for part, of in (expected or {}).items()}

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
        for value, body, place in zip(values, bodies, places, strict=True):
            for reason in checks(value, form, schema_id(body)):
                sketch.problem(label, reason, place)


class _PartChecks:
    """The checks of one part: gives the reasons of the problems to count."""

    def __init__(self, expected: Mapping[str, Any], part: str) -> None:
        registered = expected.get("registered") or {}
        declared, newest = expected.get("declared"), registered.get("newest")
        self._declared = Checker(declared, part) if declared else None
        self._newest = Checker(newest, part) if newest else None
        self._by_id = {int(key): Checker(form, part) for key, form in (registered.get("by_id") or {}).items()}

    def __call__(self, value: Any, form: str, number: int | None) -> frozenset[str]:
        found = self._run(self._declared, "declared", value)
        if form not in _BUILT:
            found = found | self._run(
                self._by_id.get(number or 0) if form in _WIRE else self._newest, "registered", value
            )
        return found

    @staticmethod
    def _run(check: Checker | None, source: str, value: Any) -> frozenset[str]:
        departures = check(value) if check is not None else None
        return frozenset("\x1f".join((_DEPARTS + source, *d)) for d in departures) if departures else _NOTHING


def is_note(reason: str) -> bool:
    """True for a problem's reason that RecordChecks made: it tells something else than a problem of decoding."""
    return reason.startswith((_DEPARTS, _FORMAT))


def formats_first(sketch: Sketch, label: str) -> dict[str, Any]:
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
    found = []
    for (_, reason), (count, place) in sketch.problems.items():
        if reason.startswith(_DEPARTS):
            _, source, path, why, kind = reason.split("\x1f")
            found.append(Departure(path, source, why, count, kind or None, where(place)))
    for part, of in expected.items():
        registered = of.get("registered") or {}
        plain = _plain(sketch, part)
        forms = [("declared", of.get("declared"))]
        if registered:
            found += _not_registered(sketch, part, registered, plain)
            if plain or registered.get("by_id"):
                forms.append(("registered", registered.get("newest")))
        for source, form in forms:
            for profile in undeclared(form, part, fields) if form else ():
                first = profile.details.get("first_seen")
                found.append(Departure(profile.path, source, "undeclared", profile.count, None, first))
    return sorted(found, key=lambda d: d.key)


def _plain(sketch: Sketch, part: str) -> int:
    """Records of a part that carry no schema id."""
    formats = sketch.formats.get(part, Counter())
    return sum(n for (name, _), n in formats.items() if name not in _WIRE and name not in ("null", "wire-unknown"))


def _not_registered(sketch: Sketch, part: str, registered: Mapping[str, Any], plain: int) -> list[Departure]:
    found = []
    if plain:
        found.append(Departure(part, "registered", "not_registered", plain, str(registered["subject"])))
    others = sum(n for number, n in (sketch.ids.get(part) or {}).items() if number not in set(registered["ids"]))
    if others:
        found.append(Departure(part, "registered", "other_subject", others, str(registered["subject"])))
    return found
