"""Check digits of national numbers that python-stdnum does not know, as their issuers describe them.

Each takes a candidate in capitals without separators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from scanners.detectors.core.luhn import luhn


def weighted_sum(digits: str, weights: Sequence[int]) -> int:
    """The digits, each times its weight, added up. Raises ValueError where there are not as many of both."""
    return sum(int(d) * w for d, w in zip(digits, weights, strict=True))


def _day(year: int, month: str, day: str) -> bool:
    try:
        date(year, int(month), int(day))
    except ValueError:
        return False
    return True


def short_day(year: str, month: str, day: str) -> bool:
    """Whether there is such a day in a year of two digits, in either century."""
    return _day(2000 + int(year), month, day) or _day(1900 + int(year), month, day)


def _nric(text: str) -> bool:
    """Singapore's check letter: weights 2 7 6 5 4 3 2; T and G start at 4, M at 3."""
    total = sum(int(d) * w for d, w in zip(text[1:8], (2, 7, 6, 5, 4, 3, 2), strict=True))
    total += {"T": 4, "G": 4, "M": 3}.get(text[0], 0)
    table = "JZIHGFEDCBA" if text[0] in "ST" else "XWUTRQPNMLK" if text[0] in "FG" else "KLJNPQRTUWX"
    index = total % 11
    return text[8] == (table[10 - index] if text[0] == "M" else table[index])


def _snils(text: str) -> bool:
    total = sum(int(d) * (9 - i) for i, d in enumerate(text[:9])) % 101 % 100
    return total == int(text[9:])


def _nino(text: str) -> bool:
    return text[:2] not in ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def _ric(text: str) -> bool:
    """GB 11643: province 11 to 82, a day, ISO 7064 MOD 11-2. stdnum also asks for a county of its list, which changes."""
    from stdnum.cn import ric

    return 11 <= int(text[:2]) <= 82 and bool(ric.get_birth_date(text)) and bool(ric.calc_check_digit(text) == text[-1])


def _cpr(text: str) -> bool:
    """A day and a serial: numbers without the old check digit are given out since 2007."""
    return short_day(text[4:6], text[2:4], text[:2])


def _latvia(text: str) -> bool:
    """Personas kods: six digits of a day, or 32 in front for those without; modulo 11."""
    if text[:2] != "32" and not short_day(text[4:6], text[2:4], text[:2]):
        return False
    return text[:2] == "32" or (1101 - weighted_sum(text[:10], (1, 6, 3, 7, 9, 10, 5, 8, 4, 2))) % 11 == int(text[10])


def _uruguay(text: str) -> bool:
    full = text.zfill(8)
    return -weighted_sum(full[:7], (2, 9, 8, 7, 6, 3, 4)) % 10 == int(full[7])


def _taj(text: str) -> bool:
    return weighted_sum(text[:8], (3, 7) * 4) % 10 == int(text[8])


def _hungarian_tax(text: str) -> bool:
    return weighted_sum(text[:9], range(1, 10)) % 11 == int(text[9])


def _rvnr(text: str) -> bool:
    """Area, birthday, letter of the name, serial, check: digit sums weighted 2 1 2 5 7 1 2 1 2 1 2 1."""
    plain = f"{text[:8]}{ord(text[8]) - 64:02d}{text[9:11]}"
    parts = (int(d) * w for d, w in zip(plain, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True))
    return 1 <= int(text[4:6]) <= 12 and sum(p // 10 + p % 10 for p in parts) % 10 == int(text[11])


def _luxembourg(text: str) -> bool:
    from stdnum import verhoeff

    day = _day(int(text[:4]), text[4:6], text[6:8])
    return day and luhn(text[:12]) and bool(verhoeff.is_valid(text[:11] + text[12]))


def _inn(text: str) -> bool:
    first = weighted_sum(text[:10], (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    second = weighted_sum(text[:11], (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return text[10:] == f"{first}{second}"


def _iin(text: str) -> bool:
    """Kazakhstan: birthday, century and sex, serial, modulo 11 with a second row of weights."""
    if text[6] not in "123456" or not short_day(text[:2], text[2:4], text[4:6]):
        return False
    check = weighted_sum(text[:11], range(1, 12)) % 11
    if check == 10:
        check = weighted_sum(text[:11], (3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2)) % 11
    return check == int(text[11])


def _seven_three_one(text: str) -> bool:
    """Modulo 10 with weights 7 3 1, letters counted from 10 (Belarus, Moldova, Uzbekistan, ICAO 9303)."""
    return sum(int(c, 36) * (7, 3, 1)[i % 3] for i, c in enumerate(text[:-1])) % 10 == int(text[-1])


def _pinfl(text: str) -> bool:
    return short_day(text[5:7], text[3:5], text[1:3]) and _seven_three_one(text)


def _taiwan(text: str) -> bool:
    code = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(text[0]) + 10
    return (code // 10 + code % 10 * 9 + weighted_sum(text[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def _hong_kong(text: str) -> bool:
    values = [36, *(int(c, 36) for c in text)][-9:]
    return sum(v * w for v, w in zip(values, range(9, 0, -1), strict=True)) % 11 == 0


def _sri_lanka(text: str) -> bool:
    """The day of the year of birth, 500 more for women."""
    return 1 <= int(text[2:5] if len(text) == 10 else text[4:7]) % 500 <= 366


def _vietnam(text: str) -> bool:
    return 1 <= int(text[:3]) <= 96 and text[3] in "0123"


def _egypt(text: str) -> bool:
    """Century, birthday, governorate."""
    day = _day(1700 + 100 * int(text[0]) + int(text[1:3]), text[3:5], text[5:7])
    area = int(text[7:9])
    return day and (area in range(1, 5) or area in range(11, 36) or area == 88)


def _kuwait(text: str) -> bool:
    day = _day(1700 + 100 * int(text[0]) + int(text[1:3]), text[3:5], text[5:7])
    return day and 11 - weighted_sum(text[:11], (2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11 == int(text[11])


def _melli(text: str) -> bool:
    rest = weighted_sum(text[:9], range(10, 1, -1)) % 11
    return int(text[9]) == (rest if rest < 2 else 11 - rest)


def _dui(text: str) -> bool:
    return -weighted_sum(text[:8], range(9, 1, -1)) % 10 == int(text[8])


def _medicare(text: str) -> bool:
    return weighted_sum(text[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == int(text[8])


def _any(_text: str) -> bool:
    return True


OWN: dict[str, Callable[[str], bool]] = {
    "CN_RIC": _ric,
    "SG_NRIC_FIN": _nric,
    "RU_SNILS": _snils,
    "UK_NINO": _nino,
    "LV_PERSONAS_KODS": _latvia,
    "UY_CI": _uruguay,
    "HU_TAJ": _taj,
    "HU_TAX_ID": _hungarian_tax,
    "DE_SOCIAL_SECURITY": _rvnr,
    "LU_NIN": _luxembourg,
    "RU_INN": _inn,
    "KZ_IIN": _iin,
    "BY_ID": _seven_three_one,
    "MD_IDNP": _seven_three_one,
    "UZ_PINFL": _pinfl,
    "TW_NATIONAL_ID": _taiwan,
    "HK_HKID": _hong_kong,
    "LK_NIC": _sri_lanka,
    "VN_CCCD": _vietnam,
    "EG_NATIONAL_ID": _egypt,
    "SA_ID": luhn,
    "AE_EMIRATES_ID": luhn,
    "KW_CIVIL_ID": _kuwait,
    "IR_MELLI": _melli,
    "NG_NIN": _any,
    "VE_CI": _any,
    "SV_DUI": _dui,
    "AU_MEDICARE": _medicare,
    "AL_NID": _any,
    "DK_CPR": _cpr,
}
"""Entity -> whether a number has its check digit, or as much as there is to check."""
