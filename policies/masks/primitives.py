"""The Spark SQL of one mask on one value that is not nested, by the kind of the mask.

Every expression keeps NULL as NULL, raises no error on any value (they are analysed with ANSI mode off, where what
cannot be converted is NULL), and names its input once or more as the given text. A text that is not what the mask is for
(no e-mail, no address) is masked as by MASK, never shown. docs/reference/masks.md has what each mask makes of each type.
"""

from __future__ import annotations

from catalog.datatypes import Primitive
from policies.masks import registry
from policies.masks.keys import MaskKeys
from policies.masks.registry import guarded
from policies.model import Mask


def output_type(mask: Mask, kind: Primitive) -> Primitive | None:
    """The type a mask gives; None for CUSTOM, whose type only Spark knows."""
    of = registry.of(mask.type)
    return guarded(of, lambda: of.output(kind))


def may_give_null(mask: Mask, kind: Primitive) -> bool:
    """Whether a value that is not NULL may become NULL."""
    of = registry.of(mask.type)
    return guarded(of, lambda: of.may_give_null(kind))


def expression(mask: Mask, value: str, kind: Primitive, keys: MaskKeys) -> str:
    """Spark SQL that masks `value`, itself a Spark SQL expression of type `kind`.

    NULL, and the type, are kept here where no test of Weir holds the mask to it.

    Raises Unavailable where the code of another package fails.
    """
    of = registry.of(mask.type)
    masked = guarded(of, lambda: of.expression(mask, value, kind, keys))
    output = output_type(mask, kind)
    if of.proven or output is None:
        return masked
    return f"CASE WHEN {value} IS NOT NULL THEN try_cast({masked} AS {output.name}) END"
