"""Persons and passwords, and when addresses and dates of birth are looked for: what has no checksum.

Without a language model the shape of the values and the field's name have to agree; the evidence states it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from scanners.detectors.core.base import LOOKED, STOPPED, TEXTS
from scanners.detectors.core.plain_texts import is_state
from scanners.detectors.core.tally import MOST, Group, sampled, whole
from scanners.detectors.kinds import addresses, births
from scanners.detectors.lists.given_names import GIVEN_NAMES
from scanners.detectors.lists.scripts import by_script
from scanners.detectors.lists.surnames import ends_as_family_name
from scanners.detectors.names.fields import of_person, speaks

PERSON_KEY = "PERSON|name_shape"
ADDRESS_KEY = "LOCATION|address"
POSTCODE_KEY = "LOCATION|postcode"
PASSWORD_KEY = "PASSWORD|password"

_PARTICLE = r"(?:(?:van|von|de|da|di|del|della|dos|du|la|le|el|al|bin|ibn|der|den|zu|ter)\s)*"
_PART = _PARTICLE + r"[^\W\d_][^\W\d_'’.-]*(?:[-'’][^\W\d_]+)*\.?"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Sig|Sra?|Mme|M)\.?,?\s)?"
_SUFFIX = r"(?:\s(?:Jr|Sr|II|III|IV|PhD|MD|DDS|DVM)\.?)?"
_FULL_NAME = re.compile(rf"{_TITLE}{_PART}(?:,?\s{_PART}){{1,4}}{_SUFFIX}\Z")
_ONE_NAME = re.compile(r"[^\W\d_]{2,20}(?:[-'’ ][^\W\d_]{2,20})?\Z")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_SEPARATOR = re.compile(r"[\s,]")
_SEPARATORS = re.compile(r"[\s,]+")

_POSTCODE = re.compile(r"(?=[A-Z\d -]*\d)[A-Z\d]{2,5}(?:[ -]?[A-Z\d]{2,5})?\Z", re.I)
_MASKED = re.compile(r"[*xX•#.]+\Z")


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" for one column. Names decide only which looks are worth their time."""
    counts = sampled(every, MOST)
    counters = _look(_said(names), counts)
    for counter in counters.values():
        counter[STOPPED], counter[LOOKED] = sum(every.values()), sum(counts.values())
    return counters


_FEW = 40
"""So many texts show whether a field with a neutral name may hold what nearly all its texts would have to be."""


class _Said(NamedTuple):
    """What the names on a path announce of persons."""

    person: int
    place: int
    birth: int
    password: bool
    of_person: bool


@lru_cache(maxsize=16384)
def _said(names: tuple[str, ...]) -> _Said:
    return _Said(
        speaks("PERSON", names),
        speaks("LOCATION", names),
        speaks("DATE_OF_BIRTH", names),
        speaks("PASSWORD", names) > 0,
        of_person(names),
    )


def _look(name: _Said, counts: Mapping[str, int]) -> dict[str, Counter[str]]:
    counters: dict[str, Counter[str]] = {}
    few = sampled(counts, _FEW) if name.person == 0 or name.place == 0 else {}
    together = "\0".join(few)
    if name.person > 0 or (name.person == 0 and _mostly_persons(few, together)):
        counters[PERSON_KEY] = _persons(counts, name.person > 0)
    if name.place > 0 or (name.place == 0 and addresses.often(few, together)):
        counters[ADDRESS_KEY] = addresses.counters(counts, name.place > 0)
    if name.place > 0 or (name.place == 0 and name.of_person):
        counters[POSTCODE_KEY] = whole(counts, lambda t: bool(_POSTCODE.match(t)) and 3 <= len(t) <= 10)
    if name.birth > 0:
        counters[births.KEY] = births.named(counts)
    elif name.birth == 0 and births.looks_like_dates(next(iter(counts), "")):
        counters[births.YEARS_KEY] = births.by_years(counts)
    if name.password:
        counters[PASSWORD_KEY] = whole(counts, _password)
    return {key: counter for key, counter in counters.items() if counter[TEXTS]}


def _mostly_persons(few: Mapping[str, int], together: str) -> bool:
    # A full name has a blank or a comma in it, which most columns have nowhere. Joining letters and their marks makes none.
    return bool(_SEPARATOR.search(together)) and _persons(few, False)["full"] * 2 >= sum(few.values())


def _persons(counts: Mapping[str, int], named: bool) -> Counter[str]:
    """`named`: the field is called as a person's; then names without a capital count too, if there is none anywhere."""
    group = Group(counts)
    small = named and not any(map(_CAPITAL.search, counts))
    for text in counts:
        plain = text.strip() if text.isascii() else _without_marks(text)
        if not 2 <= len(plain) <= 60 or not plain[0].isalpha() or is_state(plain):
            continue
        tokens = _SEPARATORS.split(plain)
        if len(tokens) > 1 and _FULL_NAME.match(plain) and (_looks_capital(tokens) or (small and len(tokens) <= 4)):
            group.add(text, True, "full", *_given(tokens))
        elif _ONE_NAME.match(plain) and (_looks_capital(tokens) or small):
            group.add(text, True, "single", *_given(tokens))
    return group.counters()


def _given(tokens: list[str]) -> tuple[str, ...]:
    """What lists of names know of a text: `given`, and `surname` for scripts that write names without blanks."""
    marks = tuple(dict.fromkeys(mark for token in tokens[:3] if (mark := by_script(token))))
    if "given" not in marks and any(token.strip(".").lower() in GIVEN_NAMES for token in tokens[:3]):
        return ("given", *marks)
    return (*marks, "ending") if any(map(ends_as_family_name, tokens)) else marks


def _without_marks(text: str) -> str:
    """Letters alone, as the patterns here count them: vowels that Indian scripts write as marks, accents apart."""
    composed = unicodedata.normalize("NFC", text).strip()
    return "".join(c for c in composed if unicodedata.category(c)[0] != "M")


def _looks_capital(tokens: list[str]) -> bool:
    """First and last word begin with a capital, or with a letter of a script that has none."""
    return all(
        t and (_CAPITAL.match(t[0]) or t.lower() in ("van", "von", "de", "da", "di", "del"))
        for t in (tokens[0], tokens[-1])
    )


def _password(text: str) -> bool:
    return 4 <= len(text) <= 200 and " " not in text and not _MASKED.match(text) and not is_state(text)
