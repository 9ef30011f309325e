"""A sealed sketch as the catalog keeps it: SchemaVersion with fields, presence, shapes and window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from catalog.datasets.learned_types import EXACT_DIGITS, note_of
from catalog.model import FieldProfile, ScanWindow, SchemaVersion, Shape
from catalog.paths import FieldPath, StepKind
from scanners.checks.topic_checks import Expected, departures, formats_first
from scanners.scan.formats import format_of, formats_of
from scanners.scan.problems import problems_of
from scanners.scan.record_places import record_place
from scanners.sketch.envelopes import CONNECT
from scanners.sketch.topic import Sketch
from scanners.sketch.tree import Place, places


def schema_of(
    sketch: Sketch,
    window: ScanWindow,
    problems: Sequence[Mapping[str, Any]] = (),
    expected: Expected | None = None,
) -> SchemaVersion:
    """What the catalog stores of a topic; `problems` come on top of the sketch's own."""
    fields = tuple(_with_formats(_profile(place), sketch) for place in _schema_places(sketch))
    departed = departures(sketch, fields, expected or {}, record_place)
    return SchemaVersion(
        format=format_of(sketch).to_mapping(),
        fields=fields,
        envelopes=_envelopes(sketch),
        shapes=tuple(_shapes(sketch)),
        window=window,
        problems=(*problems_of(sketch), *(d.to_json() for d in departed), *problems),
    )


def _with_formats(profile: FieldProfile, sketch: Sketch) -> FieldProfile:
    """A part's own profile has where each of its formats was first seen, and which registered schemas it names."""
    if profile.path not in sketch.formats:
        return profile
    more: dict[str, object] = {}
    if firsts := {name: record_place(place) for name, place in formats_first(sketch, profile.path).items()}:
        more["formatsFirstSeen"] = firsts
    if len(names := formats_of(sketch, profile.path)) > 1:
        more["formatsSeen"] = names
    if ids := sketch.ids.get(profile.path):
        more["schemaIds"] = sorted(ids)[:_MOST_IDS]
    return replace(profile, details={**profile.details, **more}) if more else profile


_MOST_IDS = 200


def _schema_places(sketch: Sketch) -> Iterator[Place]:
    """Places that are part of the schema: not the odd keys of a struct, which are not fields."""
    structs = {str(p.path) for p in places(sketch) if not p.node.is_map}
    for place in places(sketch):
        step = place.path.steps[-1] if place.path.steps else None
        if step is not None and step.kind in (StepKind.KEYS, StepKind.VALUES) and str(place.path.parent) in structs:
            continue
        yield place


def _profile(place: Place) -> FieldProfile:
    node = place.node
    count = node.count
    types = {kind: round(n / max(1, count), 6) for kind, (n, _) in sorted(node.types.items())}
    return FieldProfile(
        path=str(place.path),
        types=types,
        count=count,
        presence=round(min(1.0, place.holds / max(1, place.of)), 6),
        null_share=types.get("null", 0.0),
        distinct=min(node.distinct, count) if node.distinct is not None else None,
        lengths=node.lengths or node.sizes,
        details=_details(place),
    )


def _details(place: Place) -> dict[str, object]:
    node = place.node
    details: dict[str, object] = {}
    firsts = {kind: record_place(first) for kind, (_, first) in node.types.items()}
    if firsts:
        details["firstSeen"] = record_place(min(tuple(f) for _, f in node.types.values()))
        if len(firsts) > 1:
            details["typesFirstSeen"] = dict(sorted(firsts.items()))
    if node.numbers is not None:
        low, high, negative, digits, decimals, not_finite = node.numbers
        details["magnitude"] = [low, high] if low <= high else [0, 0]  # none of them was finite
        details["negative"] = bool(negative)
        # Digits count where a double does not hold all of the numbers.
        if "decimal" in node.types or ("double" in node.types and digits > EXACT_DIGITS):
            details["precision"], details["scale"] = max(digits, high + 1 + decimals, decimals), decimals
        if not_finite:
            details["notFinite"] = not_finite
    if node.formats:
        texts = max(1, node.type_count("string"))
        details["formats"] = {name: round(n / texts, 6) for name, n in sorted(node.formats.items())}
    if node.lengths and node.sizes:
        details["sizes"] = list(node.sizes)
    if node.embedded is not None:
        details["embedded"] = "base64 json" if node.traits.get("base64") else "json"
    if place.inside is not None:
        details["insideText"] = str(place.inside)
    if note := note_of({kind: count for kind, (count, _) in node.types.items()}, details):
        details["note"] = note
    return details


def _shapes(sketch: Sketch) -> Iterator[Shape]:
    total = max(1, sum(n for n, _, _ in sketch.final or ()))
    for count, paths, when in sketch.final or ():
        texts = tuple(str(_path(path)) for path in paths)
        yield Shape(round(count / total, 6), texts, when)


def _envelopes(sketch: Sketch) -> dict[str, dict[str, object]]:
    """As `catalog.envelopes` states; `unlisted` holds all places of the profile that only describe the payload."""
    answer: dict[str, dict[str, object]] = {}
    for part, envelope in sketch.envelopes.items():
        describing = [_path(names, part) for names in envelope["describing"]]
        unlisted = [str(p.path) for p in places(sketch) if any(_describes(above, p.path) for above in describing)]
        answer[part] = {
            "layers": envelope["layers"],
            "payload": [str(_path(names, part)) for names in envelope["payload"]],
            "discriminator": envelope.get("discriminator"),
            "fits": envelope["fits"],
            "records": envelope["records"],
            "unlisted": unlisted,
        }
    return answer


def _describes(above: FieldPath, place: FieldPath) -> bool:
    """Whether a place is part of a schema of Kafka Connect; everything else there is data. Names of parameters are free."""
    names = place.names[len(above.names) :]
    written = names[:-1] if names[-2:-1] == ("parameters",) else names
    return above.contains(place) and CONNECT.issuperset(written)


def _path(names: Sequence[str], part: str = "value") -> FieldPath:
    path = FieldPath(part)
    for name in names:
        path = path.field(name)
    return path
