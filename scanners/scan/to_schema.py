"""A sealed sketch as the catalog keeps it: SchemaVersion with fields, presence, shapes and window."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from catalog.datasets.learned_types import EXACT_DIGITS, note_of
from catalog.first_seen import RecordPlace
from catalog.model import FieldProfile, ScanWindow, SchemaVersion, Shape
from catalog.paths import FieldPath, StepKind
from scanners.checks.topic_checks import Expected, departures, formats_first, is_note
from scanners.containers.wrapping import PACKED
from scanners.decode.formats import DOCUMENTS, SELF_EVIDENT, WIRE_UNKNOWN, main_format
from scanners.decode.json_text import SEVERAL
from scanners.model import OffsetRange, PartFormat, Strategy, Topic, TopicFormat
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
    departed = departures(sketch, fields, expected or {}, _where)
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
    if firsts := {name: _where(place) for name, place in formats_first(sketch, profile.path).items()}:
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
    firsts = {kind: _where(first) for kind, (_, first) in node.types.items()}
    if firsts:
        details["firstSeen"] = _where(min(tuple(f) for _, f in node.types.values()))
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


def _where(first: Sequence[int]) -> RecordPlace:
    return {"time": rfc3339(first[0]), "partition": first[1], "offset": first[2]}


def rfc3339(milliseconds: int | None) -> str | None:
    """Kafka's milliseconds as RFC 3339 in UTC; None for a record without a time."""
    if milliseconds is None or not 0 <= milliseconds < 253_402_300_800_000:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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


def format_of(sketch: Sketch) -> TopicFormat:
    """The format most records of each part have, with the options they were read by."""
    headers = {}
    for label, counts in sketch.formats.items():
        if label.startswith("headers."):
            part = _most(counts)
            if part.name not in ("string", "null"):
                headers[label.removeprefix("headers.")] = part
    return TopicFormat(
        _most(sketch.formats.get("key", Counter())), _most(sketch.formats.get("value", Counter())), headers
    )


def _most(counts: Counter[tuple[str, str]]) -> PartFormat:
    by_name: Counter[str] = Counter()
    for (name, _), count in counts.items():
        by_name[name] += count
    if not by_name:
        return PartFormat("null")
    name = main_format(by_name)
    options: dict[str, object] = {}
    several: dict[str, set[str]] = {"also": set(), "packed": set()}
    for (_, text), _ in sorted(
        ((k, c) for k, c in counts.items() if k[0] == name and k[1]), key=lambda i: (i[1], i[0])
    ):
        read = json.loads(text)
        for option, names in several.items():
            names.update(read.pop(option, ()))
        options = {**options, **read}
    if name in SELF_EVIDENT and by_name["binary"] > by_name[name]:
        several["also"].add("binary")
    options.update({option: sorted(names) for option, names in several.items() if names})
    return PartFormat("binary" if name == "wire-unknown" else name, options)


def problems_of(sketch: Sketch) -> list[dict[str, object]]:
    """What could not be read, by part and reason, with how often and where first."""
    formats = format_of(sketch)
    problems: list[dict[str, object]] = [
        {"part": part, "reason": reason, "count": count, "first": _where(place)}
        for (part, reason), (count, place) in sorted(sketch.problems.items())
        if not is_note(reason) and not _in_options(reason, formats.of(part))
    ]
    for part, form in (("key", formats.key), ("value", formats.value)):
        names = formats_of(sketch, part)
        others = sum(names.values()) - names.get(form.name, 0)
        if len(names) > 1:
            firsts = formats_first(sketch, part)
            first = min((firsts[name] for name in names if name != form.name and name in firsts), default=None)
            unread = _of_no_format(names, form.name)
            problems.append(
                {
                    "part": part,
                    "reason": "several_formats",
                    "count": others,
                    "formats": names,
                    "main": form.name,
                    **({"first": _where(first)} if first else {}),
                    **({"unread": unread, "tried": list(TRIED)} if unread else {}),
                }
            )
    problems += [
        {"part": part, "reason": "not_in_envelope", "count": e["records"] - e["fits"], "layers": e["layers"]}
        for part, e in sorted(sketch.envelopes.items())
        if e["records"] > e["fits"]
    ]
    if sketch.unknown_ids:
        problems.append({"part": "record", "reason": "schema_ids_not_found", "ids": _ids(sketch.unknown_ids)[:50]})
    return problems


TRIED = ("avro", "protobuf", "json-schema", "avro-container", "json", "xml", "text", "msgpack", "cbor")
"""Formats that bytes were tried by before they count as bytes of no known format."""


def _of_no_format(names: Mapping[str, int], main: str) -> int:
    """How many bodies no format reads, of a part whose other bodies show what they are."""
    return names.get("binary", 0) if main in SELF_EVIDENT else 0


def formats_of(sketch: Sketch, part: str) -> dict[str, int]:
    """Format -> how many bodies of a part were read by it, most first."""
    by_name: Counter[str] = Counter()
    for (name, _), count in sketch.formats.get(part, Counter()).items():
        by_name["binary" if name == WIRE_UNKNOWN else name] += count
    return dict(sorted(((n, c) for n, c in by_name.items() if n != "null"), key=lambda item: (-item[1], item[0])))


def _in_options(reason: str, form: PartFormat) -> bool:
    """Whether the format of a part has it already that records are packed so, or hold several documents."""
    name = DOCUMENTS if reason == SEVERAL else reason.removeprefix(PACKED)
    return name != reason and name in form.options.get("packed", ())


def _ids(unknown: Iterable[str]) -> list[int | str]:
    """Ids as numbers, then GUIDs."""
    guids: list[int | str] = sorted(each for each in unknown if not each.isdigit())
    return [*sorted(int(each) for each in unknown if each.isdigit()), *guids]


_READABLE = {"duplicate_key", "header_record", "other_encoding", "too_many_fields", "too_many_headers", SEVERAL}


def undecodable(sketch: Sketch) -> int:
    """How many keys, values and headers could not be read."""
    formats = format_of(sketch)
    no_format: int = sum(_of_no_format(formats_of(sketch, part), formats.of(part).name) for part in ("key", "value"))
    of_format: int = sum(
        count
        for (part, reason), (count, _) in sketch.problems.items()
        if part != "record" and reason not in _READABLE and not reason.startswith(PACKED) and not is_note(reason)
    )
    return no_format + of_format


def window_of(
    sketch: Sketch | None,
    topic: Topic,
    ranges: Sequence[OffsetRange],
    strategy: Strategy,
    last: ScanWindow | None = None,
) -> ScanWindow:
    """What was looked at: planned ranges, what was read of them, and whether it was all there is.

    `last` is the window of the scan before: a partition that cannot be read now keeps its place there, so that the next
    scan of what is new continues behind it.
    """
    reads = sketch.partitions if sketch is not None else {}
    listed = []
    for p in topic.partitions:
        read = reads.get(p.partition)
        listed.append(
            {
                "partition": p.partition,
                "begin": p.begin,
                "end": p.end,
                "ranges": [[r.start, r.end] for r in ranges if r.partition == p.partition],
                "read": read.records if read else 0,
                "skipped": read.skipped if read else 0,
                "first": read.first if read else None,
                "last": read.last if read else None,
            }
        )
    away = {number for number, _ in topic.unreadable}
    for before in last.partitions if last is not None else ():
        if before["partition"] in away:
            listed.append({**before, "ranges": [], "read": 0, "skipped": 0, "first": None, "last": None})
    skipped = sum(int(str(p["skipped"])) for p in listed)
    planned = sum(r.length for r in ranges)
    times = [(r.time_from, r.time_to) for r in reads.values() if r.time_from is not None and r.time_to is not None]
    return ScanWindow(
        partitions=tuple(listed),
        records=sketch.records if sketch is not None else 0,
        time_from=rfc3339(min((t for t, _ in times), default=None)),
        time_to=rfc3339(max((t for _, t in times), default=None)),
        strategy=str(strategy),
        complete=planned == topic.retained and not skipped and not away,
    )


def unreadable_of(topic: Topic) -> list[dict[str, object]]:
    """Partitions of which nothing could be read, as a problem."""
    if not topic.unreadable:
        return []
    numbers = [number for number, _ in topic.unreadable]
    reasons = sorted({why for _, why in topic.unreadable})
    return [
        {
            "part": "record",
            "reason": "partitions_unreadable",
            "count": len(numbers),
            "partitions": numbers[:50],
            "why": ", ".join(reasons),
        }
    ]


def gaps_of(window: ScanWindow) -> list[dict[str, object]]:
    """Partitions in which fewer records came than offsets were planned: retention, compaction or transaction markers."""
    gaps = []
    for p in window.partitions:
        planned = sum(end - start for start, end in p["ranges"])
        missing = planned - p["read"] - p["skipped"]
        if missing > 0:
            gaps.append(
                {
                    "part": "record",
                    "reason": "offsets_without_record",
                    "partition": p["partition"],
                    "planned": planned,
                    "read": p["read"],
                    "count": missing,
                }
            )
    return gaps
