"""Envelopes: what a producer's tool wraps around the data of every record, and where the data is inside it. Pure.

A schema version holds one for each part that has one, as plain data:

    layers         kinds of envelope, outermost first: connect, debezium, cloudevents, outbox, event, webhook
    payload        paths of the data, the one to show first in front (`value.payload.after`, `value.payload.before`)
    discriminator  the path whose values distinguish the records, or None
    fits, records  how many of the records of the part have the envelope
    unlisted       paths that only describe the payload (the `schema` of Kafka Connect): no fields of the schema, and
                   still places that access is decided for
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from catalog.model import FieldProfile, SchemaVersion
from catalog.paths import FieldPath


def payload_first(
    fields: Iterable[FieldProfile], envelopes: Mapping[str, Mapping[str, Any]]
) -> tuple[FieldProfile, ...]:
    """The fields of payloads in front, the value's before the key's; all others keep their order."""
    listed = tuple(fields)
    first = [FieldPath.parse(path) for part in ("value", "key") for path in envelopes.get(part, {}).get("payload", ())]
    if not first:
        return listed

    def rank(profile: FieldProfile) -> int:
        place = profile.field_path
        return next((i for i, above in enumerate(first) if above != place and above.contains(place)), len(first))

    return tuple(sorted(listed, key=rank))


def unwrapped_payload(schema: SchemaVersion, personal: Collection[str]) -> SchemaVersion:
    """A scan's schema with the payload in front and without the fields that only describe it.

    `personal`: paths in which personal data was found, or which no detector finished: those stay fields, since only
    fields of the schema can be reviewed.
    """
    if not schema.envelopes:
        return schema
    kept = {path for text in personal for path in _with_parents(text)}
    envelopes = {
        part: {**envelope, "unlisted": [path for path in envelope.get("unlisted", ()) if path not in kept]}
        for part, envelope in schema.envelopes.items()
    }
    slim = replace(schema, envelopes=envelopes)
    removed = unlisted(slim)
    fields = payload_first((f for f in schema.fields if f.path not in removed), envelopes)
    return replace(slim, fields=fields)


def _with_parents(path: str) -> Iterator[str]:
    place: FieldPath | None = FieldPath.parse(path)
    while place is not None:
        yield str(place)
        place = place.parent


def payload_of(envelopes: Mapping[str, Mapping[str, Any]], part: str = "value") -> FieldPath | None:
    """Where the data of a part is; None where it is in no envelope, or the part itself."""
    paths = envelopes.get(part, {}).get("payload", ())
    return FieldPath.parse(paths[0]) if paths and paths[0] != part else None


def unlisted(schema: SchemaVersion) -> frozenset[str]:
    """Paths that an envelope only describes its payload with."""
    return frozenset(path for envelope in schema.envelopes.values() for path in envelope.get("unlisted", ()))
