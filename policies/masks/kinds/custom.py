"""CUSTOM: an expression of Spark SQL that a policy gives. `policies.masks.custom` checks it."""

from __future__ import annotations

from typing import Any

from catalog.datatypes import Primitive
from policies.masks import custom
from policies.masks.keys import MaskKeys
from policies.masks.kind import MaskKind, Meaning
from policies.model import Mask


class Custom(MaskKind):
    """Nobody knows what it hides; only Spark computes it."""

    name = "CUSTOM"
    meaning = Meaning("your Spark SQL of `{col}`", "the same", "the same", "not known; see below")
    example = ("Anna", None)

    def output(self, kind: Primitive) -> Primitive | None:
        return None

    def only_spark(self, mask: Mask, kind: Primitive) -> str | None:
        return "a CUSTOM mask is an expression of Spark's SQL"

    def expression(self, mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
        return f"CASE WHEN {value} IS NOT NULL THEN {custom.render(mask.expression or '', value)} END"

    def apply(self, mask: Mask, value: Any, kind: Primitive, keys: MaskKeys) -> Any:
        return None
