"""Hardware addresses of networks. Twelve digits alone are in `kinds.identifiers`."""

from __future__ import annotations

import re

from scanners.detectors.core.base import VALID_TEXTS, Pattern, Verdict
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

_MAC = re.compile(
    r"(?<![\w:.-])(?P<v>[0-9A-Fa-f]{2}(?P<s>[:-])[0-9A-Fa-f]{2}(?:(?P=s)[0-9A-Fa-f]{2}){4}"
    r"|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})(?![\w:-]|\.[0-9A-Fa-f])"
)


def check_mac(candidate: str, _text: str) -> Verdict:
    plain = re.sub(r"[:.-]", "", candidate).lower()
    if len(set(plain)) == 1 or (candidate.count(".") == 2 and plain.isdigit()):
        return False, ()
    return True, () if plain.isdigit() else ("letters",)


def _score(e: ColumnEvidence) -> float:
    # Six pairs of digits alone are times or counts; of addresses one in three hundred is without a letter.
    return 0.9 if e.valid and e.precision >= 0.8 and e.by_name >= 0 and e.of("letters", VALID_TEXTS) >= 0.7 else 0.0


KIND = CheckedKind(
    entity="MAC_ADDRESS",
    patterns=(
        Pattern(
            "MAC_ADDRESS",
            "mac",
            rb"[0-9A-Fa-f]{2}[:-][0-9A-Fa-f]{2}[:-][0-9A-Fa-f]{2}[:-]|[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}",
            _MAC,
            check_mac,
        ),
    ),
    score=_score,
    names=frozenset({"mac", "bssid", "hwaddr", "ethernet"}),
    other_names=frozenset({"dev_eui", "thumbprint", "fingerprint", "wwn", "serial", "checksum", "digest"}),
    validated_by="three ways of writing, and twelve digits alone in a field with a matching name; times and names of storage"
    " ports ruled out",
    examples=("3c:22:fb:10:9e:aa", "3C22.FB10.9EAA"),
)
