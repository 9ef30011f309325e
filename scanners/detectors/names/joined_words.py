"""Names of fields that are written as one word: `homephone`, `EMAILADDRESS`, `cprnr` are two words each."""

from __future__ import annotations

from collections.abc import Collection

_TAILS = (
    "identification", "identifier", "birthdate", "surname", "address", "anschrift", "adresse", "nummer", "numero", "number",
    "street", "strasse", "telefon", "telephone", "phone", "mobile", "email", "szam", "cislo", "datum", "fecha", "date", "name",
    "code", "kode", "addr", "mail", "num", "tel", "fax", "dob", "adr", "nr", "no", "id",
)  # fmt: skip
"""What follows another word, the longest first."""
_SHORT = frozenset({"ip", "cc", "dl", "id", "ic"})
"""Words of two letters that may be in front."""


def apart(token: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """The words of a token of small letters: itself where it is known, or where its head is not a known word."""
    if len(token) < 4 or token in vocabulary:
        return (token,)
    for tail in _TAILS:
        head = token.removesuffix(tail)
        if head == token or (len(head) < 3 and head not in _SHORT):
            continue
        if head in vocabulary or head in _FREQUENT or head in _SHORT:
            return (head, tail)
        front = apart(head, vocabulary)
        if len(front) > 1:
            return (*front, tail)
    return (token,)


_FREQUENT = frozenset({
    "home", "work", "business", "office", "private", "personal", "mailing", "postal", "primary", "secondary", "alternate",
    "alternative", "emergency", "main", "permanent", "current", "residential", "mother", "father", "spouse", "full",
    "given", "family", "maiden", "display", "legal", "preferred", "first", "last", "middle", "payer", "payee", "debtor",
    "creditor", "beneficiary", "insured", "applicant", "traveler", "traveller", "signup", "registration", "reg", "kunden",
    "kunde", "client",
})  # fmt: skip
"""Words in front that decide nothing by themselves."""
