"""Fields that look like keys: what other datasets can be joined by. By name and tag alone, never by values. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from catalog.tokens import split

_ENDINGS = frozenset(
    {
        "id",
        "ids",
        "key",
        "code",
        "uuid",
        "guid",
        "number",
        "num",
        "no",
        "nr",
        "ref",
        "reference",
        "sku",
        "iban",
        "bic",
        "isbn",
        "ean",
        "gtin",
        "vin",
        "imei",
        "login",
        "email",
        "mail",
        "username",
        "hostname",
        "sha",
        "nummer",
    }
)
"""A name that ends so names one thing of many."""
_BARE = frozenset({"id", "ids", "key", "code", "uuid", "guid", "number", "num", "no", "nr", "ref", "reference", "sha"})
"""Alone they do not name what they identify; the name above does."""
_IDENTIFYING = frozenset(
    {"EMAIL_ADDRESS", "PHONE_NUMBER", "IBAN_CODE", "CREDIT_CARD", "IP_ADDRESS", "MAC_ADDRESS", "IMEI", "UUID"}
)


_FAMILIES = {
    "text": {"string", "varchar", "char", "text", "uuid", "enum", "fixed"},
    "integer": {"int32", "int64", "integer", "bigint", "int", "smallint", "tinyint", "long"},
    "number": {"double", "float", "decimal", "real", "number"},
}
_FAMILY_OF = {name: family for family, names in _FAMILIES.items() for name in names}


@dataclass(frozen=True, slots=True)
class KeyField:
    """words: of its name, with the name above it where its own is too short; types: their families; tags: kinds of
    personal data."""

    path: str
    words: tuple[str, ...]
    types: frozenset[str]
    tags: frozenset[str]


def type_families(types: Iterable[str]) -> frozenset[str]:
    """Types by what can be compared: `STRING` that is declared, `string` and `uuid` that are learned are all text."""
    plain = (each.lower().split("(")[0].split("<")[0].strip() for each in types)
    return frozenset(_FAMILY_OF.get(name, name) for name in plain)


def key_words(path: str) -> tuple[str, ...]:
    """`value.order_id`, `value.orderId`, `value.order.id` -> order, id. Empty for a path without a name."""
    try:
        names = FieldPath.parse(path).names
    except InvalidInput:
        return ()
    words = split(names[-1]) if names else []
    if len(names) > 1 and _BARE.issuperset(words):
        words = [*split(names[-2]), *words]
    return tuple(words)


def key_fields(sources: Iterable[Mapping[str, Any]]) -> list[KeyField]:
    """The fields among search documents' sources that look like keys, in their order; one of each words."""
    fields: dict[tuple[str, ...], KeyField] = {}
    for source in sources:
        words, tags = key_words(source["path"]), frozenset(source.get("entities") or ())
        if not words or _BARE.issuperset(words) or not source.get("types"):
            continue
        if words[-1] in _ENDINGS or tags & _IDENTIFYING:
            fields.setdefault(words, KeyField(source["path"], words, type_families(source["types"]), tags))
    return list(fields.values())
