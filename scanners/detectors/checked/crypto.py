"""Wallets of Bitcoin and Ethereum."""

from __future__ import annotations

import hashlib
import re

from scanners.detectors.core.base import Pattern, Verdict, only
from scanners.detectors.core.checked_kind import CheckedKind, ColumnEvidence

_WALLET = re.compile(
    r"(?<![A-Za-z0-9])(?P<v>[13][1-9A-HJ-NP-Za-km-z]{25,34}|(?:bc|tb)1[02-9ac-hj-np-z]{11,71}|0x[0-9a-fA-F]{40})(?![A-Za-z0-9])"
)
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def check_wallet(candidate: str, _text: str) -> Verdict:
    if candidate.startswith("0x"):
        # Without a checksum in lower case; a hash of 20 bytes looks the same, so the field's name has to agree.
        return True, ("unchecked",)
    return only(_bech32(candidate) if candidate[:3] in ("bc1", "tb1") else _base58(candidate))


def _base58(text: str) -> bool:
    number = 0
    for char in text:
        number = number * 58 + _BASE58.index(char)
    try:
        body = number.to_bytes(25, "big")
    except OverflowError:
        return False
    return hashlib.sha256(hashlib.sha256(body[:21]).digest()).digest()[:4] == body[21:]


def _bech32(text: str) -> bool:
    """BIP 173 (constant 1) and BIP 350 (0x2bc830a3)."""
    prefix, _, data = text.rpartition("1")
    values = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + [_BECH32.find(c) for c in data]
    if min(values) < 0:
        return False
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for i, constant in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= constant if top >> i & 1 else 0
    return check in (1, 0x2BC830A3)


def _score(e: ColumnEvidence) -> float:
    if not e.valid or e.precision < 0.5:
        return 0.0
    checked = e.valid - e.c.get("unchecked", 0)
    if e.by_name < 0:
        # A contract's address passes the checksum like a person's wallet.
        return 0.0
    if checked * 2 >= e.valid:
        return 0.9
    # Without a checksum any hash of twenty bytes looks the same: the name has to agree.
    return 0.8 if e.by_name > 0 else 0.0


KIND = CheckedKind(
    entity="CRYPTO",
    patterns=(
        Pattern(
            "CRYPTO",
            "wallet",
            rb"[13][1-9A-HJ-NP-Za-km-z]{25}|[bt][cb]1[02-9ac-hj-np-z]{11}|0x[0-9a-fA-F]{40}",
            _WALLET,
            check_wallet,
        ),
    ),
    score=_score,
    names=frozenset({"wallet", "btc", "bitcoin", "eth", "ethereum", "crypto", "payout", "address"}),
    other_names=frozenset({
        "hash", "commit", "sha", "digest", "contract", "tx", "transaction", "txid", "block",
    }),
    validated_by="base58 and bech32 checksums; Ethereum's form only with a name that agrees",
    examples=("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
)  # fmt: skip
