"""What a new profile takes over from the one before: all that its sample was too small to have shown. Pure."""

from __future__ import annotations

from dataclasses import replace

from catalog.datasets.departures import carried_over as carried_departures
from catalog.datasets.diff import would_show
from catalog.envelopes import payload_first, unlisted
from catalog.first_seen import with_earliest
from catalog.model import FieldProfile, SchemaVersion


def carry_over(old: SchemaVersion, new: SchemaVersion) -> SchemaVersion:
    """The new profile, with everything of the old one that the new sample was too small to have shown.

    A complete window (every retained record was read) carries nothing over but where things were first seen.
    """
    known_fields = {f.path: f for f in old.fields}
    fields = [with_earliest(known_fields[f.path], f) if f.path in known_fields else f for f in new.fields]
    if new.window.complete and new.window.records:
        return replace(new, fields=tuple(fields))
    records = new.window.records
    present = {f.path for f in new.fields} | unlisted(new)
    fields = [_with_rare_types(known_fields[f.path], f) if f.path in known_fields else f for f in fields]
    for profile in old.fields:
        if profile.path not in present and not would_show(_share(profile, old), records):
            fields.append(profile)
    shapes = list(new.shapes)
    known = {frozenset(shape.paths) for shape in new.shapes}
    shapes += [s for s in old.shapes if frozenset(s.paths) not in known and not would_show(s.share, records)]
    form = {**old.format, **new.format} if records else dict(old.format)
    envelopes = new.envelopes if records else old.envelopes
    rare = [
        {**departure.to_json(), "carried": True}
        for departure in carried_departures(old, new)
        if not would_show(departure.count / max(1, old.window.records), records)
    ]
    return replace(
        new,
        fields=payload_first(sorted(fields, key=lambda f: f.path), envelopes),
        shapes=tuple(shapes),
        format=form,
        problems=(*new.problems, *rare),
        envelopes=envelopes,
    )


def _share(profile: FieldProfile, schema: SchemaVersion) -> float:
    """Share of the records that hold the field, its parents' absence counted."""
    return min(1.0, profile.count / schema.window.records) if schema.window.records else profile.presence


def _with_rare_types(before: FieldProfile, now: FieldProfile) -> FieldProfile:
    rare = {
        name: share
        for name, share in before.types.items()
        if now.types.get(name, 0) == 0 and share > 0 and name != "null" and not would_show(share, now.count)
    }
    if not rare:
        return now
    rest = 1 - min(1.0, sum(rare.values()))
    return replace(now, types={**{name: share * rest for name, share in now.types.items()}, **rare})
