"""What a mask would do to a few values that the caller gives: no topic is read, nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.datatypes import STRING, Primitive
from policies.masks import custom, primitives, reference, registry
from policies.masks.keys import MaskKeys
from policies.model import Mask, MaskType

PREVIEW_KEYS = MaskKeys(b"preview: not the key of any installation")


def preview(mask: Mask, values: Sequence[Any], kind: Primitive = STRING) -> dict[str, Any]:
    """{type, values: [{value, masked}], note}. Hashes and tokens are shown under a key of the preview's own.

    A CUSTOM mask is checked (InvalidInput when it cannot be used) and shown as its expression: only Spark computes it.
    """
    if mask.type is MaskType.CUSTOM:
        custom.check(mask.expression or "")
        return {"type": None, "values": [], "note": f"Spark computes {mask.expression}"}
    output = primitives.output_type(mask, kind) or kind
    examples = [{"value": v, "masked": reference.apply(mask, v, kind, PREVIEW_KEYS)} for v in values]
    keyed = registry.shows_equality(mask.type)
    return {"type": output.name, "values": examples, "note": "under a key of the preview's own" if keyed else None}
