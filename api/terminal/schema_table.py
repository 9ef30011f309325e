"""`weir dataset schema` as a table: what was read, in which formats, the fields, their shapes, and what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NotRequired, TypedDict

from api.terminal.output import Format, console, escape, show
from catalog.problems import sentence

_EXACT = 40
"""Distinct values up to which an estimate counts exactly."""

_COLUMNS = ("path", "types", "presence", "null", "distinct")


class _Field(TypedDict):
    """Shares are of the records read."""

    path: str
    types: dict[str, float]
    presence: float | None
    nullShare: float | None
    distinct: NotRequired[int | None]


class _Shape(TypedDict):
    share: float
    paths: list[str]
    when: NotRequired[dict[str, object] | None]


class _Schema(TypedDict):
    fields: list[_Field]
    shapes: list[_Shape]


def show_schema(reference: str, answer: _Schema, output: Format) -> None:
    """Print a schema's answer of the API."""
    if output is Format.TABLE:
        for line in [*read_line(reference, answer), *format_lines(answer), *envelope_lines(answer)]:
            console.print(escape(line))
        console.print()
    show(
        [field_row(f) for f in answer["fields"]],
        _COLUMNS,
        output,
        whole=answer,
        empty="No field is known: weir scan CLUSTER --topics TOPIC reads the records.",
    )
    if output is Format.TABLE:
        for line in shape_lines(answer["shapes"]):
            console.print(escape(line))
        for line in wrong_lines(answer):
            console.print(f"[yellow]![/] {escape(line)}")


def read_line(reference: str, answer: Mapping[str, Any]) -> Iterator[str]:
    """What the schema was learned from."""
    if not answer.get("version"):
        yield f"{reference}: no scan has read it yet"
        return
    window = answer.get("window") or {}
    if window.get("withheld"):
        yield f"{reference}, schema version {answer['version']}: how much was read is withheld, as you may not read all rows"
        return
    records = int(window.get("records") or 0)
    kept = sum(int(p.get("end", 0)) - int(p.get("begin", 0)) for p in window.get("partitions", ()))
    of = "all " if window.get("complete") else ""
    retained = f" of {kept:,} retained offsets" if kept and not of else ""
    times = f", written {window['timeFrom']} to {window['timeTo']}" if window.get("timeFrom") else ""
    yield f"{reference}, schema version {answer['version']}: {of}{records:,} records read{retained}{times}"


def format_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The format of each part, how it is packed, and the ids of the registered schemas that its records name."""
    profiles = {f["path"]: f for f in answer["fields"]}
    formats = answer.get("format") or {}
    for part, name in sorted(formats.items(), key=lambda item: (item[0] != "value", item[0])):
        if part.endswith(".options") or name == "null":
            continue
        details = (profiles.get(part) or {}).get("details") or {}
        seen = details.get("formatsSeen") or {}
        total = sum(seen.values())
        words = [", ".join(f"{n} {share(count / total)}" for n, count in seen.items()) if len(seen) > 1 else str(name)]
        packed = json.loads(formats.get(f"{part}.options", "{}")).get("packed") or ()
        words += [_PACKED.get(each, f"packed as {each}") for each in packed]
        if ids := details.get("schemaIds"):
            words.append(f"schema id{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))}")
        yield f"{part}: {'; '.join(words)}"


_PACKED = {"documents": "several documents in a record", "latin-1": "text in ISO 8859-1", "utf-16": "text in UTF-16"}


def envelope_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The envelope of each part, and where its payload is."""
    for part, envelope in (answer.get("envelopes") or {}).items():
        payload = " and ".join(envelope["payload"])
        words = [f"{part} is an envelope ({' around '.join(envelope['layers'])}) of {payload}"]
        if envelope.get("discriminator"):
            words.append(f"its kinds are distinguished by {envelope['discriminator']}")
        if envelope.get("unlisted"):
            words.append(f"{len(envelope['unlisted'])} fields that only describe the payload are not listed")
        yield "; ".join(words)


def field_row(field: _Field) -> dict[str, object]:
    """A field as a table row."""
    distinct = field.get("distinct")
    return {
        "path": field["path"],
        "types": ", ".join(f"{name} {share(part)}" if part < 1 else name for name, part in field["types"].items()),
        "presence": share(field["presence"]),
        "null": share(field["nullShare"]) if field["nullShare"] else "",
        "distinct": "" if distinct is None else f"~{distinct:,}" if distinct > _EXACT else str(distinct),
    }


def share(part: float | None) -> str:
    """A share as a percentage; what is neither none nor all is not shown as if it were."""
    if part is None:
        return ""
    if 0 < part < 0.01:
        return "<1%"
    if 0.99 < part < 1:
        return ">99%"
    return f"{part:.0%}"


def shape_lines(shapes: list[_Shape]) -> Iterator[str]:
    """The sets of fields that occur together, where there are several or one has a name; the rare ones in one line."""
    if len(shapes) < 2 and not any(shape.get("when") for shape in shapes):
        return
    yield ""
    for shape in shapes:
        when = dict(shape.get("when") or {})
        if "others" in when:
            yield f"{share(shape['share'])} of the records: {when['others']} rarer shapes, not listed one by one"
            continue
        conditions = ", ".join(f"{path} = {_value(value)}" for path, value in when.items())
        count = len(shape["paths"])
        fields = "1 field" if count == 1 else f"{count or 'no'} fields"
        yield f"{share(shape['share'])} of the records: {fields}" + (f" when {conditions}" if conditions else "")


def _value(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def wrong_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Where records depart from what was declared or registered, what could not be read, and what to do."""
    departures = answer.get("departures") or []
    for departure in departures:
        yield departure["message"]
    if departures:
        yield "Fix the producer, or change what is declared or registered; weir dataset diff shows since when it is so."
    for problem in answer.get("problems") or []:
        if problem["reason"] != "departs":
            yield problem.get("message") or sentence(problem)
