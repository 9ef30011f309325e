"""Payment cards."""

from __future__ import annotations

import re

from scanners.detectors.core.base import VALID_TEXTS, Pattern, Verdict
from scanners.detectors.core.checked_kind import CODES, CheckedKind, ColumnEvidence
from scanners.detectors.core.luhn import luhn

_CARD = re.compile(
    r"(?<![\w.+-])(?P<v>\d{4}(?P<s>[ -]?)\d{4}(?P=s)\d{4}(?P=s)\d{1,7}|3\d{3}(?P<t>[ -]?)\d{6}(?P=t)\d{4,5})(?![\w-]|\.\d)"
)

# Issuer ranges (ISO/IEC 7812, as the card networks publish them): first digits and lengths.
_ISSUERS = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"6011|64[4-9]|65"), (16, 19)),
    (re.compile(r"30[0-5]|36|38|39"), (14,)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16,)),
    (re.compile(r"62"), (16, 17, 18, 19)),
    (re.compile(r"50|5[6-8]|60(?!11)|61|63|67|68|69"), (12, 13, 14, 15, 16, 18, 19)),
)


def check_card(candidate: str, _text: str) -> Verdict:
    digits = re.sub(r"[ -]", "", candidate)
    valid = (
        luhn(digits)
        and len(set(digits)) > 1
        and any(p.match(digits) and len(digits) in lengths for p, lengths in _ISSUERS)
    )
    return valid, ("grouped",) if valid and digits != candidate else ()


def _score(e: ColumnEvidence) -> float:
    if not e.valid:
        return 0.0
    if e.by_name < 0:
        # Stock numbers may pass the check, but are not written as cards are.
        written = e.of("grouped", VALID_TEXTS) >= 0.5 and e.precision >= 0.95 and e.distinct >= 5
        return 0.6 if written else 0.0
    if e.by_name > 0:
        return 0.95 if e.precision >= 0.5 else 0.0
    if e.c.get("grouped", 0):
        return 0.85 if e.precision >= 0.7 else 0.0
    if e.prose:
        return 0.75 if e.precision >= 0.7 else 0.0
    # One random number in twenty passes; a column of them never does.
    return 0.8 if e.precision >= 0.85 and e.distinct >= 3 else 0.0


KIND = CheckedKind(
    entity="CREDIT_CARD",
    patterns=(
        Pattern(
            "CREDIT_CARD",
            "card",
            rb"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{0,7}[^0-9]|3\d{3}[ -]?\d{6}[ -]?\d{4,5}[^0-9]",
            _CARD,
            check_card,
        ),
    ),
    score=_score,
    names=frozenset({"card", "cc", "pan", "credit_card", "cardnumber", "creditcard", "ccnum", "visa", "mastercard"}),
    other_names=(CODES - {"code"}) | {"imei", "loyalty", "gift", "uuid", "id", "account"},
    number=True,
    validated_by="issuer ranges, lengths, Luhn",
    examples=("4111 1111 1111 1111", "378282246310005"),
)
