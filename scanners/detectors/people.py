"""Persons, addresses, dates of birth, passwords: what has no checksum.

Without a language model the shape of the values and the field's name have to agree; the evidence says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from scanners.detectors.base import CANDIDATES, DISTINCT, LOOKED, STOPPED, TEXTS, VALID, VALID_TEXTS, WHOLE
from scanners.detectors.given_names import GIVEN_NAMES
from scanners.detectors.names import of_person, speaks

PERSON_KEY = "PERSON|name_shape"
ADDRESS_KEY = "LOCATION|address"
POSTCODE_KEY = "LOCATION|postcode"
BIRTH_KEY = "DATE_OF_BIRTH|date"
PASSWORD_KEY = "PASSWORD|password"

_PARTICLE = r"(?:(?:van|von|de|da|di|del|della|dos|du|la|le|el|al|bin|ibn|der|den|zu|ter)\s)*"
_PART = _PARTICLE + r"[^\W\d_][^\W\d_'’.-]*(?:[-'’][^\W\d_]+)*\.?"
_TITLE = r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau|Sig|Sra?|Mme|M)\.?,?\s)?"
_SUFFIX = r"(?:\s(?:Jr|Sr|II|III|IV|PhD|MD|DDS|DVM)\.?)?"
_FULL_NAME = re.compile(rf"{_TITLE}{_PART}(?:,?\s{_PART}){{1,4}}{_SUFFIX}\Z")
_ONE_NAME = re.compile(r"[^\W\d_]{2,20}(?:[-'’ ][^\W\d_]{2,20})?\Z")
_CAPITAL = re.compile(r"[^\W\d_a-z]")
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[\s,]")
_SEPARATORS = re.compile(r"[\s,]+")

# Kinds of street: after the name in English, joined to it in German and Dutch, before it in Romance and Slavic languages.
_AFTER = (
    "st street ave avenue rd road blvd boulevard ln lane dr drive ct court pl place sq square way ter terrace pkwy parkway"
    " hwy highway cir circle close crescent gardens grove groves mews row walk hill hills island islands spring springs fort"
    " route cove trail plaza union crossing causeway pass path point ridge track tunnel turnpike valley view views ville vista"
    " wall well wells mission mill mills motorway meadow meadows manor lock locks landing lake lakes knoll knolls key keys"
    " junction isle inlet hollow heights haven harbor harbors green glen gateway freeway fork forks forge forges forest flat"
    " flats field fields ferry falls expressway estate estates divide dam dale curve corner corners common club cliff cliffs"
    " camp bypass brook brooks bridge branch bottom bluff bluffs bend bayou alley shoal shoals shore shores skyway summit"
    " spur spurs run river rest rapid rapids ranch ramp radial prairie port ports plain plains pine pines pike overpass oval"
    " orchard neck mountain mountains mount mall loop"
).replace(" ", "|")
_JOINED = "straße|strasse|str\\.|weg|gasse|platz|allee|ring|ufer|damm|laan|straat|gatan|vägen|veien|gade|vej"
_BEFORE = (
    "rue|avenue|boulevard|bd|place|chemin|impasse|allée|quai|cours|route|via|viale|piazza|piazzale|corso|contrada|strada|vicolo"
    "|largo|calle|callej[oó]n|c/|avenida|avda\\.?|av\\.|plaza|pza\\.|paseo|ronda|rambla|camino|carretera|glorieta|pasaje"
    "|travesía|urbanización|cuesta|alameda|ул\\.|улица|вул\\.|проспект|пр-кт|просп\\.|переулок|пер\\.|бульвар|rua|r\\.|travessa|praça|rodovia|estrada|ladeira|viela|ulica|ul\\.|al\\.|aleja|plac|pl\\.|os\\."
)
_STREET = re.compile(
    r"\b\d{1,5}[A-Za-z]?(?:[-/]\d{1,4}[A-Za-z]?)?,?\s+(?:[^\W\d_][\w.'’-]*\s+){1,4}"
    rf"(?:{_AFTER})\b\.?"
    rf"|\b[^\W\d_][\w.'’-]*(?:{_JOINED})\s+\d{{1,4}}\s?[a-z]?\b"
    rf"|(?<!\w)(?:{_BEFORE})\s+[\w.'’ºª/ -]{{2,50}}",
    re.I,
)
_POSTCODE = re.compile(r"(?=[A-Z\d -]*\d)[A-Z\d]{2,5}(?:[ -]?[A-Z\d]{2,5})?\Z", re.I)
_DATE = re.compile(
    r"(\d{4})[-/.](\d\d)[-/.](\d\d)(?:[T ].*)?\Z|(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?:[T ].*)?\Z|(\d{4})(\d\d)(\d\d)\Z"
)
_SHORT_DATE = re.compile(
    r"(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|[12]\d|3[01])[./-]\d\d\Z|((?:19|20)\d\d)(?:-(?:0[1-9]|1[0-2]))?\Z"
)
"""A year of two digits; or a year, or a year and a month, alone (FHIR)."""
_DATE_IN_WORDS = re.compile(
    r"(?:\d{1,2}(?:st|nd|rd|th|\.)?[ -])?[^\W\d_]{3,10}\.?[ -](?:\d{1,2}(?:st|nd|rd|th)?,?[ -])?(?:de )?(\d{4})\Z"
)
_MASKED = re.compile(r"[*xX•#.]+\Z")


class Group:
    """Counters of one key while a column is read."""

    __slots__ = ("_counts", "_distinct", "_marks", "_texts", "_valid")

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._texts = self._valid = self._distinct = 0
        self._marks: dict[str, int] = {}

    def add(self, text: str, valid: bool, *marks: str) -> None:
        count = self._counts[text]
        self._texts += count
        if valid:
            self._valid += count
            self._distinct += 1
        for mark in marks:
            self._marks[mark] = self._marks.get(mark, 0) + count

    def made(self) -> Counter[str]:
        """The counters; none that was never raised."""
        made = Counter(self._marks)
        if self._texts:
            made[TEXTS] = made[CANDIDATES] = self._texts
        if self._distinct:
            made[VALID_TEXTS] = made[VALID] = made[WHOLE] = self._valid
            made[DISTINCT] = self._distinct
        return made


MOST = 400
"""Texts of a column and batch that are looked at; shares known from so many are within 0.05 of the truth."""


def look(names: tuple[str, ...], every: Mapping[str, int]) -> dict[str, Counter[str]]:
    """Counters by "ENTITY|recognizer" for one column. Names decide only which looks are worth their time."""
    counts = sampled(every, MOST)
    found = _look(_said(names), counts)
    for made in found.values():
        made[STOPPED], made[LOOKED] = sum(every.values()), sum(counts.values())
    return found


def sampled(every: Mapping[str, int], most: int) -> Mapping[str, int]:
    """So many of the texts, from all over the column, with their counts."""
    step = len(every) // most
    return every if step <= 1 else {t: every[t] for t in list(every)[::step]}


_FEW = 40
"""Texts that show whether a field whose name does not speak may hold what nearly all its texts would have to be."""


class _Said(NamedTuple):
    """What the names on a path say of persons."""

    person: int
    place: int
    birth: bool
    password: bool
    of_person: bool


@lru_cache(maxsize=16384)
def _said(names: tuple[str, ...]) -> _Said:
    return _Said(
        speaks("PERSON", names), speaks("LOCATION", names), speaks("DATE_OF_BIRTH", names) > 0,
        speaks("PASSWORD", names) > 0, of_person(names),
    )  # fmt: skip


def _look(said: _Said, counts: Mapping[str, int]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    few = sampled(counts, _FEW) if said.person == 0 or said.place == 0 else {}
    together = "\0".join(few)
    if said.person > 0 or (said.person == 0 and _mostly_persons(few, together)):
        found[PERSON_KEY] = _persons(counts, said.person > 0)
    if said.place > 0 or (said.place == 0 and _often_addresses(few, together)):
        found[ADDRESS_KEY] = _addresses(counts, said.place > 0)
    if said.place > 0 or (said.place == 0 and said.of_person):
        found[POSTCODE_KEY] = _whole(counts, lambda t: bool(_POSTCODE.match(t)) and 3 <= len(t) <= 10)
    if said.birth:
        found[BIRTH_KEY] = _whole(counts, _birth)
    if said.password:
        found[PASSWORD_KEY] = _whole(counts, _password)
    return {key: made for key, made in found.items() if made[TEXTS]}


def _mostly_persons(few: Mapping[str, int], together: str) -> bool:
    # A full name has a blank or a comma in it, which most columns have nowhere. Joining letters and their marks makes none.
    return bool(_SEPARATOR.search(together)) and _persons(few, False)["full"] * 2 >= sum(few.values())


def _often_addresses(few: Mapping[str, int], together: str) -> bool:
    # An address that the field's name does not announce has a blank and a number.
    return " " in together and _has_digit(together) and _addresses(few, False)[TEXTS] * 3 >= sum(few.values())


def _whole(counts: Mapping[str, int], fits: Callable[[str], bool]) -> Counter[str]:
    group = Group(counts)
    for text in counts:
        if text:
            group.add(text, fits(text.strip()))
    return group.made()


def _persons(counts: Mapping[str, int], named: bool) -> Counter[str]:
    """`named`: the field is called as a person's; then names without a capital count too, if there is none anywhere."""
    group = Group(counts)
    small = named and not any(map(_CAPITAL.search, counts))
    for text in counts:
        plain = text.strip() if text.isascii() else _without_marks(text)
        if not 2 <= len(plain) <= 60 or not plain[0].isalpha():
            continue
        tokens = _SEPARATORS.split(plain)
        if len(tokens) > 1 and _FULL_NAME.match(plain) and (_looks_capital(tokens) or (small and len(tokens) <= 4)):
            group.add(text, True, "full", *_given(tokens))
        elif _ONE_NAME.match(plain) and (_looks_capital(tokens) or small):
            group.add(text, True, "single", *_given(tokens))
    return group.made()


def _given(tokens: list[str]) -> tuple[str, ...]:
    return ("given",) if any(token.strip(".").lower() in GIVEN_NAMES for token in tokens[:3]) else ()


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


_LISTED = re.compile(
    r"[^\W\d_][^,\d]{3,60},? (?:n[º°.o]? ?)?\d{1,5} ?[a-z]?(?:/\d+)?(?:,| -|\s*\n).{0,120}\b\d{2,5}[ .-]?\d{0,3}\b",
    re.I | re.S,
)
"""Street, number, then a place with its postcode: as most of the world lists them."""
_EASTERN = re.compile(r"[都道府県市区町村省县縣区區路街巷弄号號시도군구동로길].{0,40}?\d|\d.{0,20}[号號番地丁目]")
"""Places by what they are called in Chinese, Japanese and Korean, and a number."""


def _has_digit(text: str) -> bool:
    # \d knows no digits in circles or raised ones.
    return _DIGIT.search(text) is not None or (not text.isascii() and any(map(str.isdigit, text)))


def _addresses(counts: Mapping[str, int], named: bool) -> Counter[str]:
    group = Group(counts)
    for text in counts:
        eastern = named and not text.isascii()
        if not 6 <= len(text) <= 300 or not (eastern or " " in text) or not _has_digit(text):
            continue
        if eastern and _EASTERN.search(text):
            group.add(text, True)
            continue
        if " " not in text:
            continue
        if _STREET.search(text):
            group.add(text, _tagged(text))
        elif named and _LISTED.match(text):
            group.add(text, True)
    return group.made()


def _tagged(text: str) -> bool:
    """usaddress knows the parts of a street address; it is trained on the US, so others pass by their own pattern."""
    import usaddress

    if not text.isascii() or len(text) > 120:
        return True
    try:
        _, kind = usaddress.tag(text)
    except usaddress.RepeatedLabelError:
        return True
    return kind in ("Street Address", "Ambiguous", "PO Box")


def _birth(text: str) -> bool:
    found = _DATE.match(text)
    if not found:
        short = _SHORT_DATE.match(text)
        if short:
            return not short[1] or 1900 <= int(short[1]) <= date.today().year  # noqa: DTZ011
        written = _DATE_IN_WORDS.match(text)
        return written is not None and 1900 <= int(written[1]) <= date.today().year  # noqa: DTZ011
    ordered = (found[1], found[2], found[3]) if found[1] else (found[6], found[5], found[4])
    year, month, day = map(int, ordered if ordered[0] else (found[7], found[8], found[9]))
    if month > 12:
        month, day = day, month
    try:
        born = date(year, month, day)
    except ValueError:
        return False
    return 1900 <= born.year <= date.today().year  # noqa: DTZ011 - a year is enough


def _password(text: str) -> bool:
    return (
        4 <= len(text) <= 200
        and " " not in text
        and not _MASKED.match(text)
        and text.lower() not in ("true", "false", "null")
    )
