"""The formats by which a topic was read, from its sketch."""

from __future__ import annotations

import json
from collections import Counter

from scanners.decode.formats import SELF_EVIDENT, WIRE_UNKNOWN, main_format
from scanners.model import PartFormat, TopicFormat
from scanners.sketch.topic import Sketch


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
    several: dict[str, set[str]] = {"also": set(), "packed": set(), "mixed": set()}
    for (_, text), _ in sorted(
        ((k, c) for k, c in counts.items() if k[0] == name and k[1]), key=lambda i: (i[1], i[0])
    ):
        read = json.loads(text)
        for option, names in several.items():
            names.update(read.pop(option, ()))
        options = {**options, **read}
    if name in SELF_EVIDENT and by_name["binary"] > by_name[name]:
        several["also"].add("binary")
    several["mixed"] = {*SELF_EVIDENT} & by_name.keys() - {name}
    options.update({option: sorted(names) for option, names in several.items() if names})
    return PartFormat("binary" if name == WIRE_UNKNOWN else name, options)


def formats_of(sketch: Sketch, part: str) -> dict[str, int]:
    """Format -> how many bodies of a part were read by it, most first."""
    by_name: Counter[str] = Counter()
    for (name, _), count in sketch.formats.get(part, Counter()).items():
        by_name["binary" if name == WIRE_UNKNOWN else name] += count
    return dict(sorted(((n, c) for n, c in by_name.items() if n != "null"), key=lambda item: (-item[1], item[0])))
