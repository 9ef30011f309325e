"""How much a mask hides. Of several masks on one field the one with the highest strictness holds.

The rank says what is left of a value, from all of it to nothing:

     0  MASK_NONE            everything
    10  CUSTOM               unknown to Weir: any mask whose effect is known is taken before it
    20  GENERALIZE           the range a number or date lies in (a wider step is stricter)
    22  TRUNCATE_GEO         a place within some kilometres (fewer decimals are stricter)
    24  TRUNCATE_IP          the network
    26  EMAIL_DOMAIN         the provider
    28  MASK_DATE_SHOW_YEAR  the year
    30  MASK_SHOW_FIRST_4    four characters and the length
    32  MASK_SHOW_LAST_4     four characters and the length
    50  MASK_HASH, TOKEN     which values are equal, nothing of the value (52 for MASK_HASH)
    60  MASK                 length and kind of characters; a number, date or boolean keeps nothing but its type
    90  MASK_NULL            that a field is there
   100  DROP                 nothing
"""

from __future__ import annotations

from policies.model import Mask, MaskType

_RANK = {
    MaskType.MASK_NONE: 0,
    MaskType.CUSTOM: 10,
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


def strictness(mask: Mask) -> int:
    """Rank of a mask, higher = hides more; parameters decide between two masks of one type."""
    fine = 0
    if mask.type is MaskType.GENERALIZE:
        fine = min(_FINE - 1, max(0, int(float(mask.params.get("step", 10)))))
    elif mask.type is MaskType.TRUNCATE_GEO:
        fine = 100 - min(100, max(0, int(mask.params.get("decimals", 1))))
    return _RANK[mask.type] * _FINE + fine


def strictest(masks: list[Mask]) -> Mask | None:
    """The mask that holds of several; of equals the first."""
    return max(masks, key=strictness) if masks else None
