"""Street addresses by the way that countries write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from scanners.detectors.core.base import TEXTS
from scanners.detectors.core.tally import Group, bucket

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

_LISTED = re.compile(
    r"[^\W\d_][^,\d]{3,60},? (?:n[º°.o]? ?)?\d{1,5} ?[a-z]?(?:/\d+)?(?:,| -|\s*\n).{0,120}\b\d{2,5}[ .-]?\d{0,3}\b",
    re.I | re.S,
)
"""Street, number, then a place with its postcode: as most of the world lists them."""
NUMBERED = "numbered"
"""Mark of texts that are a name and a number, as streets with a house's are, and machines."""
_NUMBERED = re.compile(
    r"(?:\d{1,5}\s?[a-z]?(?:[-/]\d{1,4}\s?[a-z]?)?,?\s+)(?P<before>[^\W\d_][^\d,;:=@#(){}<>\[\]|\\]{3,60})"
    r"|(?P<behind>[^\W\d_][^\d,;:=@#(){}<>\[\]|\\]{3,60}?),?\s+(?:n[º°.o]\.?\s?|nr\.?\s?|no:?\s?|č\.?p?\.?\s?|#\s?)?\d{1,5}\s?[a-z]?"
    r"(?:\s?[-/]\s?\d{1,4}\s?[a-z]?)?(?:[.,]?\s+(?:\w{1,5}\.?\s?){0,3}\d{0,4}\.?\s?\w{0,3})?[.,]?",
    re.I,
)
"""A street's name and a house's number, in either order: enough where the field is called as an address is."""
_EASTERN = re.compile(r"[都道府県市区町村省县縣区區路街巷弄号號시도군구동로길].{0,40}?\d|\d.{0,20}[号號番地丁目]")
"""Places by what they are called in Chinese, Japanese and Korean, and a number."""


_EASTERN_WHOLE = re.compile(
    r".{1,12}[都道府県省][^\d]{1,12}[市区町村郡州县縣]"
    r"|.{1,8}[市省][^\d]{1,12}[区區县縣市镇鎮].{0,30}[路街道巷弄村]"
    r"|[가-힣]{2,7}(?:시|도)\s[가-힣]{1,6}(?:시|구|군)\s[가-힣\d]{1,10}(?:동|로|길|읍|면)"
)
"""An address by itself, from the larger place to the smaller, as no other column has it."""
_PARTS = re.compile(r"[,،;、\n]")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def counters(counts: Mapping[str, int], named: bool) -> Counter[str]:
    """Counters of texts that are street addresses; `named`: the field is called as one, so that less is asked of them."""
    group = Group(counts)
    for text in counts:
        if 6 <= len(text) <= 300 and _has_digit(text):
            _add(group, text, named)
    return group.counters()


_OTHER = re.compile(
    r"(?:server|node|port|page|line|row|shelf|bay|aisle|dock|slot|rack|zone|gate|level|version|item|order|invoice|batch|step|unit|block"
    r"|sector|cell|register|memory|offset|device|sensor|channel|bus|room|table|terminal|platform|host|rule|test|type|model|group|id)\b",
    re.I,
)
"""What is numbered and is not a street."""


def _street_name(text: str) -> str:
    """The street of a text that is one with its number; empty for other texts."""
    match = _NUMBERED.fullmatch(text)
    if match is None:
        return ""
    name = (match["before"] or match["behind"]).strip()
    # A street is written with a capital somewhere, or in letters that have none.
    return "" if name.islower() or _OTHER.match(name) else name


def often(few: Mapping[str, int], together: str) -> bool:
    """Whether a third of some texts are addresses, of a field whose name does not show it."""
    # Such an address has a number, and a blank or letters beyond ASCII.
    may = (" " in together or not together.isascii()) and _has_digit(together)
    return may and counters(few, False)[TEXTS] * 3 >= sum(few.values())


def _add(group: Group, text: str, named: bool) -> None:
    if not text.isascii() and (_EASTERN_WHOLE.match(text) or (named and _EASTERN.search(text))):
        group.add(text, True)
    elif " " not in text:
        return
    elif _STREET.search(text):
        group.add(text, _tagged(text))
    elif named and (_LISTED.match(text) or _in_parts(text)):
        group.add(text, True)
    elif named and (street := _street_name(text.strip())):
        group.add(text, True, NUMBERED, bucket(street))


def _in_parts(text: str) -> bool:
    """Parts between commas, two of which have words and one a number: how addresses are listed where nothing else fits."""
    parts = _PARTS.split(text)
    return 2 <= len(parts) <= 9 and sum(bool(_LETTERS.search(part)) for part in parts) >= 2


def _has_digit(text: str) -> bool:
    # \d knows no digits in circles or raised ones.
    return _DIGIT.search(text) is not None or (not text.isascii() and any(map(str.isdigit, text)))


_DIGIT = re.compile(r"\d")


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
