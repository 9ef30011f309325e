"""Passports and driver's licences, distinguished by country: by national form, and by check digits where a country has them.

A form alone is weak evidence, so a field's name has to point to it; the machine-readable lines of a passport (ICAO 9303) and the
British licence number need no name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache

from scanners.detectors.core.base import LOOKED, STOPPED, TEXTS, Pattern, Verdict, only
from scanners.detectors.core.tally import MOST, Group, sampled
from scanners.detectors.kinds.national_checks import short_day, weighted_sum
from scanners.detectors.lists.paper_forms import LICENSES, PASSPORTS, STATES_OF_INDIA
from scanners.detectors.names.fields import speaks

ANY_PASSPORT = re.compile(r"[A-Z]{0,3}\d{5,9}[A-Z]{0,2}\Z|[A-Z][A-Z0-9]{8}\Z")
ANY_LICENSE = re.compile(r"(?=(?:[^\d]*\d){4})[A-Z0-9][A-Z0-9 -]{4,19}\Z", re.I)
COUNTRY = "country_"
"""Front of the marks that name the countries whose form and check digits a number has."""


def seven_three_one(field: str, check: str) -> bool:
    """The check digit of ICAO 9303: letters count from 10, `<` counts nothing."""
    values = (0 if c == "<" else int(c, 36) for c in field)
    return check.isdigit() and sum(v * (7, 3, 1)[i % 3] for i, v in enumerate(values)) % 10 == int(check)


def _german(text: str) -> bool:
    return len(text) == 9 or seven_three_one(text[:9], text[9])


def _polish(text: str) -> bool:
    values = [*(ord(c) - 55 for c in text[:2]), *map(int, text[3:])]
    return sum(v * w for v, w in zip(values, (7, 3, 1, 7, 3, 1, 7, 3), strict=True)) % 10 == int(text[2])


def _brazilian(text: str) -> bool:
    """CNH: two check digits, modulo 11."""
    first = weighted_sum(text[:9], range(9, 0, -1)) % 11
    second = (weighted_sum(text[:9], range(1, 10)) % 11 - (2 if first > 9 else 0)) % 11
    return text[9:] == f"{0 if first > 9 else first}{0 if second > 9 else second}"


def _ontario(text: str) -> bool:
    """The last six digits are the day of birth, 50 more in the month of women."""
    month = int(text[11:13])
    return short_day(text[9:11], f"{month - 50 if month > 50 else month:02d}", text[13:15])


def _indian(text: str) -> bool:
    return text[:2] in STATES_OF_INDIA


def _japanese(text: str) -> bool:
    rest = weighted_sum(text[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return int(text[10]) == (11 - rest if rest > 1 else 0)


def _spanish(text: str) -> bool:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(text[:8]) % 23] == text[8]


def _chinese(text: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return "10X98765432"[weighted_sum(text[:17], weights) % 11] == text[17]


_CHECKS: dict[tuple[str, str], Callable[[str], bool]] = {
    ("PASSPORT", "DE"): _german,
    ("PASSPORT", "PL"): _polish,
    ("DRIVER_LICENSE", "BR"): _brazilian,
    ("DRIVER_LICENSE", "CA-ON"): _ontario,
    ("DRIVER_LICENSE", "IN"): _indian,
    ("DRIVER_LICENSE", "JP"): _japanese,
    ("DRIVER_LICENSE", "ES"): _spanish,
    ("DRIVER_LICENSE", "CN"): _chinese,
}
_FORMS = {
    entity: {country: re.compile(form) for country, form in forms.items()}
    for entity, forms in (("PASSPORT", PASSPORTS), ("DRIVER_LICENSE", LICENSES))
}
_LOOSE = {"PASSPORT": ANY_PASSPORT, "DRIVER_LICENSE": ANY_LICENSE}
_SEPARATORS = re.compile(r"[ ./-]")


@lru_cache(maxsize=4096)
def countries(entity: str, text: str) -> tuple[str, ...]:
    """Countries whose form a number has, and whose check digits where there are any."""
    plain = _SEPARATORS.sub("", text).upper()
    return tuple(
        country
        for country, form in _FORMS[entity].items()
        if form.fullmatch(plain) and ((entity, country) not in _CHECKS or _CHECKS[entity, country](plain))
    )


def likely_countries(counters: Mapping[str, int]) -> tuple[str, ...]:
    """Countries that nearly all the numbers of a field may be of."""
    least = 0.9 * max(1, counters.get(TEXTS, 0))
    return tuple(sorted(m.removeprefix(COUNTRY) for m, n in counters.items() if m.startswith(COUNTRY) and n >= least))


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" of a field called as a paper, with a mark for each country a number may be of."""
    by_key: dict[str, Counter[str]] = {}
    announced = _announced(names)
    counts = sampled(every, MOST) if announced else {}
    for entity in announced:
        group = Group(counts)
        for text in counts:
            if plain := text.strip():
                marks = [COUNTRY + country for country in countries(entity, plain)]
                group.add(text, bool(marks or _LOOSE[entity].match(plain)), *marks)
        counters = group.counters()
        counters[STOPPED], counters[LOOKED] = sum(every.values()), sum(counts.values())
        if counters[TEXTS]:
            by_key[f"{entity}|document"] = counters
    return by_key


@lru_cache(maxsize=16384)
def _announced(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(entity for entity in _FORMS if speaks(entity, names[-1:]) > 0)


def _check_mrz(candidate: str, _text: str) -> Verdict:
    """The second line: number, birthday and expiry each with a check digit, and one over all of them."""
    line = candidate.rpartition("\n")[2].strip()[-44:]
    good = all(seven_three_one(line[a:b], line[b]) for a, b in ((0, 9), (13, 19), (21, 27)))
    nationality = COUNTRY + line[10:13].strip("<")
    return good and seven_three_one(line[:10] + line[13:20] + line[21:43], line[43]), (nationality,)


MRZ = Pattern(
    "PASSPORT",
    "machine_readable_zone",
    rb"\d[A-Z<]{3}\d{7}[MFX<]\d{7}",
    re.compile(
        r"(?<![A-Z0-9<])(?P<v>(?:P[A-Z<][A-Z<]{42}\s{0,2})?[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{15}\d)(?![A-Z0-9<])"
    ),
    _check_mrz,
)


def _check_british(candidate: str, _text: str) -> Verdict:
    """Decade, month (50 more for women), day and year of birth are in digits 6 to 11."""
    return only(int(candidate[6:8]) % 50 in range(1, 13) and candidate[:5] != "99999")


BRITISH = Pattern(
    "DRIVER_LICENSE",
    "british_licence",
    rb"\d[0156]\d[0-3]\d\d[A-Z9]{2}[A-Z0-9][A-Z]{2}",
    re.compile(
        r"(?<![A-Za-z0-9])(?P<v>[A-Z][A-Z9]{4}\d[0156]\d(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}[A-Z0-9][A-Z]{2})(?![A-Za-z0-9])"
    ),
    _check_british,
)
