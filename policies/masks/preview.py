"""What a mask would do to a few values that the caller gives: no topic is read, nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from catalog.datatypes import STRING, Primitive
from policies.masks import custom, primitives, reference, registry
from policies.masks.keys import MaskKeys
from policies.model import Mask, MaskType

PREVIEW_KEYS = MaskKeys(b"preview: not the key of any installation")


class MaskedValue(TypedDict):
    """A value, and what the mask makes of it."""

    value: Any
    masked: Any


class MaskedValues(TypedDict):
    """`type`: Spark's type of the masked values; None where only Spark computes them."""

    type: str | None
    values: list[MaskedValue]
    note: str | None


def preview(mask: Mask, values: Sequence[Any], kind: Primitive = STRING) -> MaskedValues:
    """Hashes and tokens are shown under a key of the preview's own.

    A CUSTOM mask is checked (InvalidInput when it cannot be used) and shown as its expression: only Spark computes it.
    """
    if mask.type is MaskType.CUSTOM:
        custom.check(mask.expression or "")
        return {"type": None, "values": [], "note": f"Spark computes {mask.expression}"}
    output = primitives.output_type(mask, kind) or kind
    examples: list[MaskedValue] = [{"value": v, "masked": reference.apply(mask, v, kind, PREVIEW_KEYS)} for v in values]
    keyed = registry.shows_equality(mask.type)
    return {"type": output.name, "values": examples, "note": "under a key of the preview's own" if keyed else None}
