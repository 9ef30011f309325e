"""Kinds of personal data as people name them. The pages have the same list in `ui/src/lib/entityWords.ts`; a test compares."""

from __future__ import annotations

import re

WORDS = {
    "PII": ("personal data", "personal data"),
    "ADVERTISING_ID": ("advertising ID", "advertising IDs"),
    "API_KEY": ("API key", "API keys"),
    "BIOMETRIC_ID": ("biometric ID", "biometric IDs"),
    "CREDIT_CARD": ("card number", "card numbers"),
    "CRYPTO": ("crypto wallet", "crypto wallets"),
    "DATE_OF_BIRTH": ("date of birth", "dates of birth"),
    "DATE_TIME": ("date or time", "dates and times"),
    "DEVICE_ID": ("device ID", "device IDs"),
    "DRIVER_LICENSE": ("driver's license", "driver's licenses"),
    "EMAIL_ADDRESS": ("e-mail address", "e-mail addresses"),
    "ETHNICITY": ("ethnicity", "ethnicities"),
    "GENDER": ("gender", "genders"),
    "GEO_COORDINATES": ("position", "positions"),
    "HEALTH": ("health data", "health data"),
    "IBAN_CODE": ("bank account", "bank accounts"),
    "IP_ADDRESS": ("IP address", "IP addresses"),
    "LICENSE_PLATE": ("license plate", "license plates"),
    "LOCATION": ("address", "addresses"),
    "MAC_ADDRESS": ("MAC address", "MAC addresses"),
    "NRP": ("nationality or belief", "nationalities and beliefs"),
    "PASSPORT": ("passport number", "passport numbers"),
    "PASSWORD": ("password", "passwords"),
    "PERSON": ("name of a person", "names of persons"),
    "PHONE_NUMBER": ("phone number", "phone numbers"),
    "POLITICAL_OPINION": ("political opinion", "political opinions"),
    "RELIGION": ("religion", "religions"),
    "SECRET": ("secret", "secrets"),
    "SEXUAL_ORIENTATION": ("sexual orientation", "sexual orientations"),
    "STREET_ADDRESS": ("street address", "street addresses"),
    "TOKEN": ("access token", "access tokens"),
    "TRADE_UNION_MEMBERSHIP": ("trade union membership", "trade union memberships"),
    "URL": ("web address", "web addresses"),
    "US_SSN": ("US social security number", "US social security numbers"),
    "USERNAME": ("user name", "user names"),
    "UUID": ("UUID", "UUIDs"),
    "VIN": ("vehicle number", "vehicle numbers"),
}
"""Entity -> its words for one and for many."""

ORDINARY = frozenset(
    {
        "ACCOUNT", "ADDRESS", "BANK", "CARD", "CIVIL", "CODE", "COMPANY", "DRIVER", "FISCAL", "IDENTITY", "LICENSE", "MEDICAL",
        "NATIONAL", "NUMBER", "PASSPORT", "PERSONAL", "REGISTRATION", "SECURITY", "SOCIAL", "TAX", "VEHICLE", "VOTER",
    }
)  # fmt: skip
"""Parts of names that are words also after the letters of a country; other parts are abbreviations there: NL BSN."""

_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_COUNTRY = 2


def entity_words(entity: str, many: bool = False) -> str:
    """`EMAIL_ADDRESS` -> `e-mail address`; a name without words in the list is written as words: `LOYALTY_NUMBER`.

    What does not look like the name of an entity stays as it is.
    """
    if entity in WORDS:
        return WORDS[entity][many]
    if not _NAME.match(entity):
        return entity
    first, *rest = entity.split("_")
    if len(first) == _COUNTRY:
        return " ".join([first, *(part.lower() if part in ORDINARY else part for part in rest)])
    return " ".join(part if part == "ID" else part.lower() for part in (first, *rest))
