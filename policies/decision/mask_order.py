"""How much a mask hides, and which of several masks on one field holds. The only place that knows.

The rank gives what is left of a value, from all of it to nothing; each mask states its own, in `policies.masks.kinds`:

     0  everything (MASK_NONE)
    20  the range a number or date is in; a place within some kilometres; the network; the provider; the year
    30  some characters and the length
    50  which values are equal, nothing of the value
    60  length and kind of characters; a number, date or boolean keeps nothing but its type (MASK)
    90  that a field is there (MASK_NULL)
   100  nothing (DROP)

A mask of another package has a rank below MASK, or none. CUSTOM has no rank: an expression may show everything or nothing. So it
is with a mask that gives none, or is not installed. Alone it holds. Beside a different mask nothing
compares the two, so neither shows: MASK_NULL, or DROP where that is among them (docs/decisions/0050).
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.masks import registry
from policies.model import Mask, MaskType

NULL = Mask(MaskType.MASK_NULL)

_FINE = 1_000_000


def strictness(mask: Mask) -> int | None:
    """Rank of a mask, higher = hides more; parameters decide between two of one type. None for CUSTOM, and for a mask that is
    not installed: not known."""
    kind = registry.find(mask.type)
    if kind is None or kind.rank is None:
        return None
    return kind.rank * _FINE + max(0, min(_FINE - 1, registry.guarded(kind, lambda: kind.fine(mask))))


def strictest(masks: Sequence[Mask]) -> Mask:
    """The mask that holds of several (one at least).

    The one of the highest rank. Of two that differ and hide alike neither holds: the value is masked whole (MASK).
    Of an expression beside a different mask neither holds: see the module's text.
    """
    different: list[Mask] = []
    for mask in masks:
        if mask not in different:
            different.append(mask)
    if len(different) == 1:
        return different[0]
    comparable = [NULL if strictness(mask) is None else mask for mask in different]
    ranks = [strictness(mask) or 0 for mask in comparable]
    first, *others = [mask for mask, rank in zip(comparable, ranks, strict=True) if rank == max(ranks)]
    return first if all(mask == first for mask in others) else Mask(MaskType.MASK)
