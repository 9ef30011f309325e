"""From the counters of one place to a score, a rule for each entity.

A share alone cannot distinguish 1% real e-mail addresses from 1% accidents; how many of the candidates pass their validator can.
So each rule weighs precision (valid of candidates), share (of the texts), whether the whole text or a part of it matched,
how likely accidents are, the field's name, which is weak evidence and can count against, and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable

from scanners.detectors import registry
from scanners.detectors.core.base import TEXTS, VALID_TEXTS
from scanners.detectors.core.tally import kinds
from scanners.detectors.evidence import Evidence
from scanners.detectors.kinds import addresses, births, categories, national
from scanners.detectors.kinds.papers import likely_countries as papers_countries
from scanners.detectors.lists.name_words import OF_PERSONS_ONLY, POSTCODES
from scanners.detectors.lists.national_forms import IDS
from scanners.detectors.names.fields import named_as

MIN_SCORE = 0.5

NATIONAL = {spec.entity: spec for spec in IDS}


Rule = Callable[[Evidence], float]


WAYS = ("international", "parentheses", "formatted", "bare")


def _phone(e: Evidence) -> float:
    c = e.c
    candidates = sum(c.get(way, 0) for way in WAYS)
    if not candidates:
        return 0.0
    possible = sum(c.get(f"{way}_possible", 0) for way in WAYS)
    plus = c.get("international", 0)
    if e.by_name < 0:
        return 0.7 if e.part("international") >= 0.5 and e.of("international_valid", "international") >= 0.9 else 0.0
    if e.by_name > 0 and possible / candidates >= 0.7:
        if e.part(*(f"{way}_possible" for way in WAYS)) >= 0.2:
            return 0.95 if plus or c.get("parentheses") or c.get("formatted") else 0.8
        if possible / candidates >= 0.9 and possible >= 3 and e.valid / candidates >= 0.7:
            return 0.8 if candidates > c.get("bare", 0) else 0.65
    # A plus is hardly ever an accident; two zeros in front are, now and then.
    meant = c.get("plus_sign", 0) or plus >= 0.3 * candidates
    if plus and meant and e.of("international_valid", "international") >= (0.4 if e.by_name > 0 else 0.6):
        return 0.9 if plus >= 2 else 0.6
    brackets = c.get("parentheses", 0)
    if brackets >= 2 and e.of("parentheses_valid", "parentheses") >= 0.7:
        return 0.8
    return _phone_by_form(e)


def _phone_by_form(e: Evidence) -> float:
    """National numbers in a field with a neutral name: written as one of the regions writes them."""
    formatted = e.c.get("formatted", 0)
    if (
        formatted >= 3
        and (e.c.get("formatted_well", 0) + 1) / (formatted + 1) >= 0.85
        and e.spread >= min(4, formatted - 1)
    ):
        # A zero in front, or three-three-four, is seldom an accident; nine digits in threes are a number somewhere.
        top = max((n for mark, n in e.c.items() if mark.startswith("as_")), default=0)
        if e.of("formatted_trunk", "formatted") >= 0.5 or (top >= 0.95 * formatted and e.distinct >= 20):
            return 0.75 if formatted >= 5 else 0.55
    # Digits alone are an epoch, an order or a customer number as likely as not, unless nearly all are of one plan, in
    # the form people type there, and not counted up.
    bare = e.c.get("bare", 0)
    best = max((n for mark, n in e.c.items() if mark.startswith("at_")), default=0)
    if bare >= 30 and e.distinct >= 30 and best >= 0.97 * bare and e.spread >= 5:
        return 0.55
    return 0.0


def _api_key(e: Evidence) -> float:
    return 0.9 if e.valid else 0.0


def _national(e: Evidence) -> float:
    spec = NATIONAL[e.entity]
    if not e.valid or e.by_name < 0:
        return 0.0
    luck = spec.chance**e.distinct  # how likely it is that all of them are accidents
    formatted = e.c.get("formatted_valid", 0)
    if e.recognizer == national.CALLED and spec.chance >= 0.3 and e.share < 0.5:
        return 0.0
    if e.by_name > 0:
        least = 0.9 if spec.chance >= 0.3 else 0.7
        enough = e.share >= 0.05 or luck < 0.01 or (formatted and e.precision >= 0.95)
        return 0.95 if e.precision >= least and enough else 0.0
    if formatted * 2 >= e.c.get(VALID_TEXTS, 0):
        if spec.chance <= 0.1:
            return 0.8 if e.precision >= 0.9 and luck <= 1e-3 else 0.0
        return _by_form(e, spec.chance)
    # Every number of the form passes, on purpose.
    strong = spec.chance <= 0.04 and e.precision >= 0.97 and e.distinct >= 5 and luck <= 1e-6
    alone = spec.own_check and e.precision >= 0.99 and luck <= 1e-9
    return 0.6 if strong or alone else 0.0


def _by_form(e: Evidence, chance: float) -> float:
    """A number whose validator nearly anything of the form passes: all of them have to, and they are not counted up."""
    if chance >= 0.95 or e.precision < 0.99 or e.of(births.RECENT, VALID_TEXTS) > 0.3:
        return 0.0
    if e.distinct >= 30:
        return 0.6 if e.spread >= 5 else 0.0
    return 0.5 if e.distinct >= 5 and e.spread >= 4 and e.entity == "US_SSN" else 0.0


def _person(e: Evidence) -> float:
    full, single, given, ending = map(e.part, ("full", "single", "given", "ending"))
    if e.by_name > 0:
        # No list of given names has most names of the world; where nothing but names is called so, no list is needed.
        sure = 0.7 if full + single >= 0.6 and named_as(OF_PERSONS_ONLY, ["_".join(e.names[-2:])]) else 0.0
        if full >= 0.5:
            likely = given >= 0.05 or ending >= 0.2 or (e.personal and full >= 0.8 and e.distinct >= 5)
            return max(sure, 0.85 if given >= 0.2 else 0.6 if likely else 0.0)
        known = given >= 0.15 or given + ending >= 0.3 or e.part("surname") >= 0.6
        return max(sure, 0.8 if full + single >= 0.6 and known else 0.0)
    if full >= 0.8 and given >= 0.35 and e.distinct >= 10:
        return 0.7
    # Names of three characters or syllables are words too: nearly all begin with a family name, beside a person's fields.
    eastern = full + single >= 0.9 and e.part("surname") >= 0.9 and e.distinct >= 20
    return 0.55 if eastern and e.personal and e.by_name == 0 else 0.0


def _address(e: Evidence) -> float:
    if e.recognizer == "postcode":
        return 0.65 if e.by_name > 0 and e.share >= 0.8 and named_as(POSTCODES, e.names[-1:]) else 0.0
    if e.by_name > 0:
        weak = e.part(addresses.NUMBERED)
        if e.precision < 0.5 or e.share < 0.3:
            return 0.0
        # What machines number has one name and many numbers.
        return 0.85 if e.share - weak >= 0.3 else 0.7 if e.share >= 0.8 and kinds(e.c) >= 4 else 0.0
    return 0.7 if e.share >= 0.6 and e.precision >= 0.8 and e.distinct >= 3 else 0.0


def _birth(e: Evidence) -> float:
    if e.recognizer == births.YEARS_KEY.partition("|")[2]:
        return _birth_by_years(e)
    return 0.9 if e.share >= 0.8 else 0.0


def _birth_by_years(e: Evidence) -> float:
    """Days distributed as those on which people are born: over many decades, hardly one of them lately. Beside a
    person's fields, since days of foundation or publication are distributed so too."""
    decades = [mark for mark in e.c if mark.startswith("decade_") and e.of(mark, VALID_TEXTS) >= 0.05]
    before_1990 = sum(e.of(mark, VALID_TEXTS) for mark in e.c if mark.startswith("decade_") and mark < "decade_199")
    as_people = len(decades) >= 4 and before_1990 >= 0.3 and e.of(births.RECENT, VALID_TEXTS) <= 0.05
    return 0.55 if e.personal and e.by_name == 0 and e.share >= 0.8 and e.distinct >= 20 and as_people else 0.0


def _password(e: Evidence) -> float:
    return 0.7 if e.share >= 0.5 else 0.0


def _secret(e: Evidence) -> float:
    """A token of no known form: the name has to announce it, and the texts to look drawn at random."""
    return 0.6 if e.by_name > 0 and e.share >= 0.8 and e.distinct >= 2 else 0.0


def _device(e: Evidence) -> float:
    """Ids of advertising and devices: the form is any UUID's, the name decides nothing without it."""
    if e.by_name <= 0 or e.share < 0.8:
        return 0.0
    if e.recognizer == "imei":
        return 0.9 if e.precision >= 0.9 else 0.0
    strong = e.entity == "ADVERTISING_ID" or bool(e.c.get("own_name"))
    return 0.8 if strong else 0.6 if e.personal else 0.0


def _document(e: Evidence) -> float:
    """Numbers of papers have many forms and seldom a check: the name has to announce them, and nearly all to look like one.
    Those with check digits or a birthday of their own need no name."""
    if e.recognizer != "document":
        return 0.9 if e.precision >= 0.8 and e.distinct >= 2 else 0.0
    return (0.8 if papers_countries(e.c) else 0.7) if e.by_name > 0 and e.share >= 0.8 and e.distinct >= 2 else 0.0


def _category(e: Evidence) -> float:
    """What a field's name and most of its texts agree on; a person's fields beside it make it likelier."""
    if f"{e.entity}|{e.recognizer}" == categories.VIN_ALONE:
        # One number in eleven has the digit by accident.
        return 0.7 if e.share >= 0.9 and e.distinct >= 5 and e.by_name >= 0 else 0.0
    if e.recognizer == "flag":
        says_all = bool(e.c.get("own_name")) or e.personal
        return 0.6 if e.by_name > 0 and e.share >= 0.5 and says_all else 0.0
    if e.entity == "USERNAME" and e.of(categories.COUNTED, TEXTS) >= 0.9 and kinds(e.c) <= 1:
        return 0.0  # a word and a number: handed out by a system
    category = categories.BY_KEY[f"{e.entity}|{e.recognizer}"]
    if e.by_name <= 0 or e.share < category.share or e.distinct < category.distinct:
        return 0.0
    return min(1.0, category.score + (0.05 if e.personal else 0.0))


def _place(e: Evidence) -> float:
    """Coordinates are a person's where a person's fields are beside them; a shop's are nobody's."""
    return 0.7 if e.personal and e.by_name >= 0 and e.share >= 0.5 and e.distinct >= 2 else 0.0


RULES: dict[str, Rule] = {
    **{kind.entity: registry.score_of(kind) for kind in registry.installed().kinds},
    "PHONE_NUMBER": _phone,
    "API_KEY": _api_key,
    "PERSON": _person,
    "LOCATION": _address,
    "DATE_OF_BIRTH": _birth,
    "PASSWORD": _password,
    "DEVICE_ID": _device,
    "ADVERTISING_ID": _device,
    "GEO_COORDINATES": _place,
    "PASSPORT": _document,
    "DRIVER_LICENSE": _document,
    **dict.fromkeys(NATIONAL, _national),
    **dict.fromkeys(categories.ENTITIES, _category),
}


def score(e: Evidence) -> float:
    """0..1; below MIN_SCORE it does not become a tag."""
    if e.recognizer == "entropy":
        return _secret(e)
    rule = RULES.get(e.entity)
    return rule(e) if rule is not None else 0.0


def matched_texts(e: Evidence) -> int:
    """Texts that count as matched: of phone numbers also those that are only possible, where the tag rests on those."""
    if e.entity != "PHONE_NUMBER":
        return e.matched
    return min(e.n, round(max(e.c.get(VALID_TEXTS, 0), e.c.get(TEXTS, 0) if e.by_name > 0 else 0) * e._more))
