"""Ids of lineage nodes as texts: written so that every legal name comes back as its parts, whatever is in it.

Most ids are as Marquez writes them, `dataset:NAMESPACE:NAME`, where a colon before `//`, before a port or within an ARN
does not separate. Parts that this rule would not give back are written with the lengths (in characters) of all parts but
the last: `dataset:~9:s3://lake:2024/03/01/orders.parquet`. Two nodes never share an id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

Parts = tuple[str, str, str, str | None]
"""Kind (dataset, field, job), namespace, name, field; None where there is no field."""

_COLON = re.compile(r":(?!//|[0-9]+(?:[:/]|\Z))")
_ARN = re.compile(r"(arn(?::[^:]*){4}):(.+)", re.DOTALL)
"""AWS Glue's namespace in OpenLineage, `arn:aws:glue:REGION:ACCOUNT`, and what follows it."""
_LENGTHS = re.compile(r"~([0-9]{1,6})(?:,([0-9]{1,6}))?:")
_SAFE_FIELD = re.compile(r"[^/0-9]")
_KINDS = {"dataset": "dataset", "datasetField": "field", "job": "job"}
_WORDS = {kind: word for word, kind in _KINDS.items()}
_MOST_COLONS = 40
"""Colons of a typed id that are tried as separators."""


def write_id(kind: str, namespace: str, name: str, field: str | None = None) -> str:
    """The id of a node. `read_id` gives the same parts back."""
    if field is None:
        return _whole(kind, namespace, name)
    start, plain = _field_start(namespace, name)
    if plain and (_SAFE_FIELD.match(field) or _split(f"{start}{field}") == ("field", namespace, name, field)):
        return f"{start}{field}"
    return f"datasetField:~{len(namespace)},{len(name)}:{namespace}:{name}:{field}"


def read_id(text: str) -> Parts | None:
    """The parts of an id; None where it is none, or a text whose parts only a graph can decide (see `readings`)."""
    word, _, rest = text.partition(":")
    kind = _KINDS.get(word)
    lengths = _LENGTHS.match(rest)
    if kind is None or lengths is None:
        return _split(text)
    rest = rest[lengths.end() :]
    parts: list[str] = []
    for length in (lengths[1], lengths[2]):
        if length is not None:
            at = int(length)
            if rest[at : at + 1] != ":":
                return None
            parts.append(rest[:at])
            rest = rest[at + 1 :]
    if len(parts) != (2 if kind == "field" else 1):
        return None
    return (kind, parts[0], parts[1], rest) if kind == "field" else (kind, parts[0], rest, None)


def readings(text: str) -> Iterator[Parts]:
    """Every way to read a typed text as an id, whichever of its colons separate. May be many; none where it is not an id."""
    word, _, rest = text.partition(":")
    kind = _KINDS.get(word)
    if kind is None:
        return
    colons = [at for at, letter in enumerate(rest) if letter == ":"][:_MOST_COLONS]
    for first in colons:
        namespace, after = rest[:first], rest[first + 1 :]
        if not namespace or not after:
            continue
        if kind != "field":
            yield kind, namespace, after, None
            continue
        for second in colons:
            if second > first + 1 and rest[second + 1 :]:
                yield kind, namespace, rest[first + 1 : second], rest[second + 1 :]


@lru_cache(maxsize=65536)
def _whole(kind: str, namespace: str, name: str) -> str:
    word = _WORDS.get(kind, kind)
    plain = f"{word}:{namespace}:{name}"
    if _split(plain) == (kind, namespace, name, None):
        return plain
    return f"{word}:~{len(namespace)}:{namespace}:{name}"


@lru_cache(maxsize=65536)
def _field_start(namespace: str, name: str) -> tuple[str, bool]:
    """What a plain id of a field begins with, and whether plain ids give back fields with an innocent first letter."""
    start = f"datasetField:{namespace}:{name}:"
    return start, _split(f"{start}a") == ("field", namespace, name, "a")


def _split(text: str) -> Parts | None:
    """The parts of an id without lengths."""
    word, _, rest = text.partition(":")
    kind = _KINDS.get(word)
    if kind is None or rest.startswith("~"):
        return None
    arn = _ARN.match(rest)
    parts = [arn[1], *arn[2].split(":")] if arn else _COLON.split(rest)
    if kind == "field":
        return (kind, parts[0], parts[1], ":".join(parts[2:])) if len(parts) >= 3 else None
    return (kind, parts[0], ":".join(parts[1:]), None) if len(parts) >= 2 else None
