"""How much a mask hides, and which of several masks on one field holds. The only place that knows.

The rank gives what is left of a value, from all of it to nothing:

     0  MASK_NONE            everything
    20  GENERALIZE           the range a number or date is in (a wider step is stricter)
    22  TRUNCATE_GEO         a place within some kilometres (fewer decimals are stricter)
    24  TRUNCATE_IP          the network
    26  EMAIL_DOMAIN         the provider
    28  MASK_DATE_SHOW_YEAR  the year
    30  MASK_SHOW_FIRST_4    four characters and the length
    32  MASK_SHOW_LAST_4     four characters and the length
    50  TOKEN                which values are equal within one scope, nothing of the value
    52  MASK_HASH            which values are equal, nothing of the value
    60  MASK                 length and kind of characters; a number, date or boolean keeps nothing but its type
    90  MASK_NULL            that a field is there
   100  DROP                 nothing

CUSTOM has no rank: an expression may show everything or nothing. Alone it holds. Beside a different mask nothing
compares the two, so neither shows: MASK_NULL, or DROP where that is among them (docs/decisions/0050).
"""

from __future__ import annotations

from collections.abc import Sequence

from policies.model import Mask, MaskType

NULL = Mask(MaskType.MASK_NULL)

_RANK = {
    MaskType.MASK_NONE: 0,
    MaskType.GENERALIZE: 20,
    MaskType.TRUNCATE_GEO: 22,
    MaskType.TRUNCATE_IP: 24,
    MaskType.EMAIL_DOMAIN: 26,
    MaskType.MASK_DATE_SHOW_YEAR: 28,
    MaskType.MASK_SHOW_FIRST_4: 30,
    MaskType.MASK_SHOW_LAST_4: 32,
    MaskType.TOKEN: 50,
    MaskType.MASK_HASH: 52,
    MaskType.MASK: 60,
    MaskType.MASK_NULL: 90,
    MaskType.DROP: 100,
}
_FINE = 1_000_000


def strictness(mask: Mask) -> int | None:
    """Rank of a mask, higher = hides more; parameters decide between two of one type. None for CUSTOM: not known."""
    return None if mask.type is MaskType.CUSTOM else _rank(mask)


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
    comparable = [NULL if mask.type is MaskType.CUSTOM else mask for mask in different]
    top = max(map(_rank, comparable))
    first, *others = [mask for mask in comparable if _rank(mask) == top]
    return first if all(mask == first for mask in others) else Mask(MaskType.MASK)


def _rank(mask: Mask) -> int:
    fine = 0
    if mask.type is MaskType.GENERALIZE:
        fine = min(_FINE - 1, max(0, int(float(mask.params.get("step", 10)))))
    elif mask.type is MaskType.TRUNCATE_GEO:
        fine = 100 - min(100, max(0, int(mask.params.get("decimals", 1))))
    return _RANK[mask.type] * _FINE + fine
