"""What MASK_HASH and TOKEN share: a text under a key, for values of every type."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from catalog.datatypes import STRING, Primitive, family
from policies.masks import spark_decimals
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Parameter
from policies.model import Mask


class KeyedKind(MaskKind):
    """HMAC-SHA256 in hex: which values are equal, nothing of the value."""

    parameters = (
        Parameter("scope", "", "values of one scope join across topics"),
        Parameter("keyVersion", 1, "raise it for new keys"),
    )
    equality = True
    proven = True

    def output(self, kind: Primitive) -> Primitive | None:
        return STRING

    def only_spark(self, mask: Mask, kind: Primitive) -> str | None:
        of = {"other": "value", "float": "number"}.get(family(kind))
        return f"{self.name} of {kind.name} needs Spark's own text of the {of}" if of else None

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        text = value if family(kind) in ("string", "binary") else f"CAST({value} AS STRING)"
        return keys.sql(keys.purpose(mask), text)

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return keys.hexdigest(keys.purpose(mask), _bytes(value, kind))


def _bytes(value: Any, kind: Primitive) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, bool):
        return str(value).lower().encode()
    if isinstance(value, datetime):
        text = value.astimezone(UTC).replace(tzinfo=None).isoformat(" ")
        return (text.rstrip("0") if value.microsecond else text).encode()
    # Java and Python write a decimal alike: 0E-8, 1E-7, 0.000001.
    return str(spark_decimals.fitting(value, kind) if family(kind) == "decimal" else value).encode()
