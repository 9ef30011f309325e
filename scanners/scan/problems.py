"""What could not be read of a topic, from its sketch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scanners.checks.topic_checks import formats_first, is_note
from scanners.containers.wrapping import PACKED
from scanners.decode.formats import DOCUMENTS, SELF_EVIDENT
from scanners.decode.json_text import SEVERAL
from scanners.model import PartFormat
from scanners.scan.formats import format_of, formats_of
from scanners.scan.record_places import record_place
from scanners.sketch.topic import Sketch

_TRIED = ("avro", "protobuf", "json-schema", "avro-container", "json", "xml", "text", "msgpack", "cbor")
"""Formats that bytes were tried by before they count as bytes of no known format."""
_READABLE = {"duplicate_key", "header_record", "other_encoding", "too_many_fields", "too_many_headers", SEVERAL}


def problems_of(sketch: Sketch) -> list[dict[str, object]]:
    """What could not be read, by part and reason, with how often and where first."""
    formats = format_of(sketch)
    problems: list[dict[str, object]] = [
        {"part": part, "reason": reason, "count": count, "first": record_place(place)}
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
                    **({"first": record_place(first)} if first else {}),
                    **({"unread": unread, "tried": list(_TRIED)} if unread else {}),
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


def _of_no_format(names: Mapping[str, int], main: str) -> int:
    """How many bodies no format reads, of a part whose other bodies show what they are."""
    return names.get("binary", 0) if main in SELF_EVIDENT else 0


def _in_options(reason: str, form: PartFormat) -> bool:
    """Whether the format of a part has it already that records are packed so, or hold several documents."""
    name = DOCUMENTS if reason == SEVERAL else reason.removeprefix(PACKED)
    return name != reason and name in form.options.get("packed", ())


def _ids(unknown: Iterable[str]) -> list[int | str]:
    """Ids as numbers, then GUIDs."""
    guids: list[int | str] = sorted(each for each in unknown if not each.isdigit())
    return [*sorted(int(each) for each in unknown if each.isdigit()), *guids]


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
