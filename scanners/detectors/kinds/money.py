"""Payment cards, bank accounts, crypto wallets: what a checksum can verify."""

from __future__ import annotations

import hashlib
import re

from scanners.detectors.core.base import Pattern, Verdict, only

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


def luhn(digits: str) -> bool:
    total = 0
    for index, char in enumerate(reversed(digits)):
        number = int(char)
        if index % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


def check_card(candidate: str, _text: str) -> Verdict:
    digits = re.sub(r"[ -]", "", candidate)
    valid = (
        luhn(digits)
        and len(set(digits)) > 1
        and any(p.match(digits) and len(digits) in lengths for p, lengths in _ISSUERS)
    )
    return valid, ("grouped",) if valid and digits != candidate else ()


CARD = Pattern(
    "CREDIT_CARD",
    "card",
    rb"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{0,7}[^0-9]|3\d{3}[ -]?\d{6}[ -]?\d{4,5}[^0-9]",
    _CARD,
    check_card,
)

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


IBAN = Pattern("IBAN_CODE", "iban", rb"[A-Za-z]{2}\d{2} ?[A-Za-z0-9]{4} ?[A-Za-z0-9]{4}", _IBAN, check_iban)

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


WALLET = Pattern(
    "CRYPTO",
    "wallet",
    rb"[13][1-9A-HJ-NP-Za-km-z]{25}|[bt][cb]1[02-9ac-hj-np-z]{11}|0x[0-9a-fA-F]{40}",
    _WALLET,
    check_wallet,
)
