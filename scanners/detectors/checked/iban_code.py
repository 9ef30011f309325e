"""International bank account numbers (ISO 13616)."""

from __future__ import annotations

import re

from scanners.detectors.core.base import Pattern, Verdict
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

_IBAN = re.compile(
    r"(?<![A-Za-z0-9])(?P<v>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)(?![A-Za-z0-9])", re.I
)


def check_iban(candidate: str, _text: str) -> Verdict:
    from stdnum import iban

    # In running text the words after an IBAN look like its last groups: try without them.
    groups = candidate.split(" ")
    for count in range(len(groups), 0, -1):
        if iban.is_valid("".join(groups[:count]), check_country=False):
            return True, ()
    return False, ()


def _score(e: ColumnEvidence) -> float:
    return (0.95 if e.by_name >= 0 else 0.6) if e.valid and e.precision >= 0.5 else 0.0


KIND = CheckedKind(
    entity="IBAN_CODE",
    patterns=(Pattern("IBAN_CODE", "iban", rb"[A-Za-z]{2}\d{2} ?[A-Za-z0-9]{4} ?[A-Za-z0-9]{4}", _IBAN, check_iban),),
    score=_score,
    names=frozenset({"iban", "account", "bank"}),
    other_names=frozenset({"sku", "hash"}),
    validated_by="mod 97",
    examples=("DE89 3704 0044 0532 0130 00", "paid to GB82WEST12345698765432 today"),
)
