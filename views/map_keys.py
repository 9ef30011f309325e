"""Keys of maps as rows have them: the texts that an answer to a query has, from the texts that a view's topic has. Pure."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from catalog.datatypes import DataType, Primitive

KeyText = Callable[[str], str]


def key_text(kind: DataType) -> KeyText | None:
    """How the text of a key, as Spark casts it, becomes that of an answer; None where it is that."""
    name = kind.name if isinstance(kind, Primitive) else ""
    if name.startswith("DECIMAL"):
        return lambda text: format(Decimal(text), "f")
    if name in ("DOUBLE", "FLOAT"):
        return lambda text: text if text.lstrip("-") in ("NaN", "Infinity") else repr(float(text))
    if name.startswith("TIMESTAMP"):
        return lambda text: _time(text) + ("" if name == "TIMESTAMP_NTZ" else "Z")
    return None


def _time(text: str) -> str:
    """`2026-11-23 10:00:00.5` is `2026-11-23T10:00:00.500000`; one that has that form already stays."""
    whole, _, fraction = text.removesuffix("Z").replace(" ", "T", 1).partition(".")
    return f"{whole}.{fraction:0<6}" if fraction else whole
