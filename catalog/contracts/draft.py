"""A contract written from what scans saw. Pure; of a field with personal data it has the type and nothing of its contents.

The draft promises what the last scan saw: every rule of it that a scan can decide holds in the profile it was made of. A
person edits it, and promises it by `status: active`.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from catalog.contracts.chance import least_share
from catalog.contracts.field_checks import FORMS
from catalog.contracts.observed import EXACT_FORMATS
from catalog.contracts.odcs import canonical, customs
from catalog.contracts.reading import DEEPEST
from catalog.contracts.types import logical_type, physical_type
from catalog.datasets.facts import DatasetFacts
from catalog.errors import InvalidInput
from catalog.model import FieldProfile, SchemaVersion
from catalog.namespaces import addresses
from catalog.paths import FieldPath, StepKind
from catalog.records import DatasetRecord

API_VERSION = "v3.1.0"
_LARGEST = 15
_MOST_VALUES = 200


def draft(record: DatasetRecord, schema: SchemaVersion, personal: Collection[str]) -> dict[str, object]:
    """An ODCS document of a dataset. `personal`: paths with detected personal data, and all that is inside them is too."""
    fields = {f.path: f for f in schema.fields if f.count and not f.details.get("insideText")}
    writer = _Writer(fields, schema, [FieldPath.parse(path) for path in personal])
    element: dict[str, object] = {
        "name": record.id.name,
        "physicalName": record.id.name,
        "physicalType": "topic",
        "logicalType": "object",
        "properties": writer.children(FieldPath("value")),
        "customProperties": customs(writer.of_records(record.reference)),
    }
    if record.known_description:
        element["description"] = record.known_description
    document: dict[str, object] = {
        "apiVersion": API_VERSION,
        "kind": "DataContract",
        "id": f"{record.reference.replace('/', '.')}",
        "name": record.id.name,
        "version": "0.1.0",
        "status": "draft",
        "schema": [{name: value for name, value in element.items() if value != []}],
    }
    if (host := _host(record.id.namespace)) is not None:
        server = {"server": record.cluster or "kafka", "type": "kafka", "host": host}
        value = schema.format.get("value") if not _has_several_formats(schema) else None
        document["servers"] = [server | ({"format": value} if value and value != "null" else {})]
    if record.owners:
        document["team"] = {"name": ", ".join(str(owner) for owner in record.owners)}
    kept = record.topic.get("retentionMs")
    if isinstance(kept, int) and kept > 0:
        document["slaProperties"] = [{"property": "retention", "value": kept / 3_600_000, "unit": "h"}]
    return canonical(document)


class _Writer:
    def __init__(self, fields: dict[str, FieldProfile], schema: SchemaVersion, personal: list[FieldPath]) -> None:
        self._fields, self._schema, self._personal = fields, schema, personal
        self._exact = schema.format.get("value") in EXACT_FORMATS
        self._below: dict[str, list[FieldProfile]] = {}
        for profile in fields.values():
            above = profile.field_path.parent
            if above is not None:
                self._below.setdefault(str(above), []).append(profile)

    def children(self, path: FieldPath) -> list[dict[str, object]]:
        """The fields of an object as ODCS properties, by name."""
        if len(path.steps) > DEEPEST:  # no contract promises more
            return []
        below = [p for p in self._below.get(str(path), ()) if p.field_path.steps[-1].kind is StepKind.FIELD]
        return [
            self._property(p, p.field_path.name) for p in sorted(below, key=lambda each: each.path) if p.field_path.name
        ]

    def of_records(self, reference: str) -> dict[str, object]:
        """The custom properties of the schema object."""
        properties: dict[str, object] = {"dataset": reference}
        key = self._fields.get("key")
        if key is not None and self._types(key):
            properties["key"] = self._part(key)
        value = self._fields.get("value")
        if value is not None and self._types(value):
            properties["value"] = self._part(value)
        headers = [p for p in self._below.get("headers", ()) if p.field_path.steps[-1].kind is StepKind.FIELD]
        listed = [{"name": p.field_path.name, **self._part(p)} for p in sorted(headers, key=lambda p: p.path)]
        if listed := [each for each in listed if each["types"]]:
            properties["headers"] = listed
        if types := self._record_types():
            properties["recordTypes"] = types
        properties["compatibility"] = "BACKWARD"
        return properties

    def _part(self, profile: FieldProfile) -> dict[str, object]:
        return {"types": self._types(profile), "required": _is_required(profile)}

    def _record_types(self) -> dict[str, object] | None:
        names = {name for shape in self._schema.shapes for name in shape.when or {}}
        if (
            len(names) != 1
            or not (name := names.pop()).startswith("value.")
            or self._is_personal(FieldPath.parse(name))
        ):
            return None
        values = sorted({str(shape.when[name]) for shape in self._schema.shapes if shape.when})
        return {"field": name, "values": values} if all(shape.when for shape in self._schema.shapes) else None

    def _property(self, profile: FieldProfile, name: str) -> dict[str, object]:
        types, path = self._types(profile), profile.field_path
        prop: dict[str, object] = {"name": name}
        if types:
            prop["physicalType"] = physical_type(types)
            if logical := logical_type(types):
                prop["logicalType"] = logical
        if _is_required(profile):
            prop["required"] = True
        if doc := (profile.details.get("registered") or {}).get("doc") or profile.details.get("description"):
            prop["description"] = str(doc)
        own = _presence(profile)
        if self._is_personal(path):
            prop["classification"] = "personal"
        else:
            prop |= _contents(profile, types)
        if below := self.children(path):
            prop["properties"] = below
        items, values = self._fields.get(str(path.elements())), self._fields.get(str(path.values()))
        if "array" in types and items is not None:
            prop["items"] = self._property(items, "items")
        if values is not None and "map" in types:
            own["values"] = self._property(values, "values")
        if own:
            prop["customProperties"] = customs(own)
        return prop

    def _types(self, profile: FieldProfile) -> list[str]:
        names = {name for name, share in profile.types.items() if share > 0 and name != "null"}
        if not self._exact and "int32" in names:  # a later number may be larger
            names = (names - {"int32"}) | {"int64"}
        return sorted(names)

    def _is_personal(self, path: FieldPath) -> bool:
        return any(place.overlaps(path) and len(place.steps) <= len(path.steps) for place in self._personal)


def _contents(profile: FieldProfile, types: Collection[str]) -> dict[str, object]:
    """What a field holds, as far as profiles show it without any value: sizes, lengths, forms, the symbols of its schema."""
    symbols = [str(each) for each in (profile.details.get("registered") or {}).get("symbols") or ()]
    contents: dict[str, object] = {}
    options: dict[str, object] = {}
    logical = logical_type(types)
    magnitude = profile.details.get("magnitude")
    if logical in ("integer", "number") and magnitude and not profile.details.get("notFinite"):
        if not profile.details.get("negative"):
            options["minimum"] = 0
        if 0 <= int(magnitude[1]) < _LARGEST and not profile.details.get("negative"):
            options["exclusiveMaximum"] = 10 ** (int(magnitude[1]) + 1)
    if set(types) == {"string"} and not symbols:
        if profile.lengths and profile.lengths[1] > 0:
            options |= {
                "minLength": min(1, profile.lengths[0]),
                "maxLength": 2 ** math.ceil(math.log2(profile.lengths[1])),
            }
        whole = [name for name, share in (profile.details.get("formats") or {}).items() if share >= 1 and name in FORMS]
        options |= {"format": whole[0]} if len(whole) == 1 else {}
    if options:
        contents["logicalTypeOptions"] = options
    if 0 < len(symbols) <= _MOST_VALUES:
        contents["quality"] = [{"metric": "invalidValues", "mustBe": 0, "arguments": {"validValues": symbols}}]
    return contents


def _has_several_formats(schema: SchemaVersion) -> bool:
    return any(each.get("reason") == "several_formats" and each.get("part") == "value" for each in schema.problems)


def _is_required(profile: FieldProfile) -> bool:
    return profile.presence >= 1 and profile.null_share == 0


def _presence(profile: FieldProfile) -> dict[str, object]:
    """The least presence of a field that is not always there, with room for chance."""
    if profile.presence >= 1 or profile.presence <= 0:
        return {}
    least = least_share(profile.presence, round(profile.count / profile.presence))
    return {"presence": least} if least > 0 else {}


def _host(namespace: str) -> str | None:
    if not namespace.startswith("kafka://"):
        return None
    try:
        return next(iter(addresses(namespace.removeprefix("kafka://"))), None)
    except InvalidInput:
        return None


def personal_paths(facts: DatasetFacts) -> list[str]:
    """The paths with a tag, by a detection (a suggested one too), a person or a glossary term; what a person rejected is not
    among them."""
    return [each.path for each in facts.fields if each.tags]
