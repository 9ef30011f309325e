"""Names of masks in other products, understood when a policy is read."""

from __future__ import annotations

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from policies.model import MaskType
from policies.sql.names import nearest

# Lenses: https://docs.lenses.io (data policies: All, Email, Initials, First-1..., Last-4, None, Null, Number-to-...),
# Kpow and Conduktor: show last four; Kafbat UI: filters.masking type REMOVE, MASK, REPLACE.
_ALIASES = {
    "REDACT": MaskType.MASK,
    "PARTIAL_MASK_SHOW_LAST_4": MaskType.MASK_SHOW_LAST_4,
    "PARTIAL_MASK_SHOW_FIRST_4": MaskType.MASK_SHOW_FIRST_4,
    "HASH": MaskType.MASK_HASH,
    "SHA256": MaskType.MASK_HASH,
    "SHAHASH": MaskType.MASK_HASH,
    "NULL": MaskType.MASK_NULL,
    "NULLIFY": MaskType.MASK_NULL,
    "NONE": MaskType.MASK_NONE,
    "UNMASKED": MaskType.MASK_NONE,
    "DATE_SHOW_YEAR": MaskType.MASK_DATE_SHOW_YEAR,
    "ALL": MaskType.MASK,
    "EMAIL": MaskType.EMAIL_DOMAIN,
    "LAST_4": MaskType.MASK_SHOW_LAST_4,
    "SHOWLAST4": MaskType.MASK_SHOW_LAST_4,
    "SHOW_LAST_4": MaskType.MASK_SHOW_LAST_4,
    "FIRST_4": MaskType.MASK_SHOW_FIRST_4,
    "SHOWFIRST4": MaskType.MASK_SHOW_FIRST_4,
    "SHOW_FIRST_4": MaskType.MASK_SHOW_FIRST_4,
    "FIRST_1": MaskType.MASK_SHOW_FIRST_4,
    "LAST_1": MaskType.MASK_SHOW_LAST_4,
    "REMOVE": MaskType.DROP,
    "REPLACE": MaskType.MASK,
    "TOKENIZE": MaskType.TOKEN,
    "PSEUDONYMIZE": MaskType.TOKEN,
    "IP": MaskType.TRUNCATE_IP,
    "GEO": MaskType.TRUNCATE_GEO,
    "BUCKET": MaskType.GENERALIZE,
}
_CHARACTERS = {"FIRST_1": 1, "LAST_1": 1}


def read(name: str) -> tuple[MaskType, dict[str, float | int | str]]:
    """A mask by any of its names, in any case, `-` or blank for `_`: the type and the parameters the name implies.

    Raises InvalidInput naming the nearest known mask.
    """
    key = name.strip().upper().replace("-", "_").replace(" ", "_")
    if key in MaskType.__members__:
        return MaskType[key], {}
    if key in _ALIASES:
        count = _CHARACTERS.get(key)
        return _ALIASES[key], {"show": count} if count else {}
    near = nearest(key, [*MaskType.__members__, *_ALIASES])
    hint = did_you_mean(near, f"write one of {', '.join(MaskType.__members__)}.")
    raise InvalidInput(f"The mask {name[:60]!r} is not known; {hint}", details={"mask": name[:60]})
