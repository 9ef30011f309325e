"""Which tags are about persons: what `PII` means in search and reports."""

from __future__ import annotations

import re

from catalog.model import PERSONAL_DATA_TAG

NOT_PERSONAL = frozenset(
    {
        "DATE_TIME",
        "UUID",
        "ABA_ROUTING_NUMBER",
        "AU_ABN",
        "AU_ACN",
        "DE_HANDELSREGISTER",
        "DE_VAT_ID",
        "IN_GSTIN",
        "KR_BRN",
        "SE_ORGANISATIONSNUMMER",
        "SG_UEN",
        "ZA_COMPANY_REGISTRATION",
        "ZA_VAT_NUMBER",
    }
)
"""Entities of presidio that are not about a person by themselves: times, technical ids, numbers of companies."""

_ENTITY = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\Z")


def is_personal(tag: str) -> bool:
    """True for `PII`, `PII.Sensitive`, and every entity (UPPER_SNAKE) that is not listed as impersonal.

    A word that only looks like an entity counts as one: better reported too often than too seldom.
    """
    if tag in NOT_PERSONAL:
        return False
    return tag.split(".")[0] == PERSONAL_DATA_TAG or _ENTITY.match(tag) is not None


def tag_matches(wanted: str, tag: str) -> bool:
    """True when a tag is the wanted one, or the wanted one is `PII` and the tag is a kind of personal data."""
    return wanted == tag or (wanted == PERSONAL_DATA_TAG and is_personal(tag))
