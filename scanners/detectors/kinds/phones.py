"""Phone numbers by libphonenumber's number plans, read from its metadata.

libphonenumber's own parser takes about 50 microseconds for one number and region, and a column of digits is tried in
fifteen; here a number's digits meet one compiled pattern for each region. A test holds the two to each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from scanners.detectors.core.base import Pattern, Verdict

_PHONE = re.compile(
    r"(?:(?<![\w.,:/@#=&?%+-])|(?<=tel:)|(?<=sms:))"
    r"(?P<v>(?:\+|00)?\(?\d(?:[\d ()/.\u00a0\u2010\u2011-]{5,20})\d(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?)(?![\w@]|[.,:/-]\d)"
)
_OTHER = re.compile(
    r"(?:19|20)\d\d[-./ ]\d\d?[-./ ]\d\d?(?!\d)|\d\d?[-./ ]\d\d?[-./ ](?:19|20)\d\d(?!\d)|\d+\.\d+\Z"
    r"|(?:\d{4}[ -]){3}\d{1,7}\Z|\d{3}[- ]\d{2}[- ]\d{4}\Z|\d{1,4}(?:\.\d{1,5}){3}\Z"
    r"|(?=.*(?:\A|\.)\d(?:\.|\Z))(?:\d+\.){3,}\d+\Z|97[89]-\d|\d{6}[-+]\d{4}\Z|[02-9]-|.*-\d\Z"
)
"""Dates, decimals, cards, social security numbers, network addresses, versions, object identifiers, book numbers, codes
with a single digit for an end: no phone numbers."""
_EXTENSION = re.compile(r"\s?(?:x|ext\.?|#)\s?\d{1,6}\Z")
_FORMATTED = re.compile(r"[ ()/.\u00a0\u2010\u2011-]")
_PARENTHESES = re.compile(r"\(\d{2,5}\)")
_NOT_DIGIT = re.compile(r"\D+")

_WITHOUT_TRUNK = frozenset({"US", "CA", "BR", "IN", "MX"})
"""Regions whose plan knows a trunk prefix that people leave out when they write a number."""


class Plan:
    """The number plan of one region."""

    def __init__(self, region: str) -> None:
        from phonenumbers import PhoneMetadata

        data: Any = PhoneMetadata.metadata_for_region(region, None)
        kinds = (
            data.fixed_line,
            data.mobile,
            data.toll_free,
            data.premium_rate,
            data.shared_cost,
            data.voip,
            data.personal_number,
            data.pager,
            data.uan,
            data.voicemail,
        )
        patterns = dict.fromkeys(
            k.national_number_pattern for k in kinds if k is not None and k.national_number_pattern
        )
        self.region = region
        self.code = str(data.country_code)
        self.lengths = frozenset(data.general_desc.possible_length)
        self._general = re.compile(data.general_desc.national_number_pattern)
        self._kinds = re.compile("|".join(f"(?:{p})" for p in patterns) or r"(?!)")
        self._prefix = re.compile(data.national_prefix_for_parsing) if data.national_prefix_for_parsing else None
        self._rule = (data.national_prefix_transform_rule or "").replace("$", "\\")
        self.needs_trunk = bool(data.national_prefix) and region not in _WITHOUT_TRUNK and data.national_prefix != "1"

    def significant(self, digits: str) -> str:
        """The digits without the trunk prefix, where they make more sense so."""
        prefix = self._prefix.match(digits) if self._prefix else None
        if prefix is None or not prefix.group():
            return digits
        if self._rule and prefix.lastindex and prefix[prefix.lastindex] is not None:
            stripped = prefix.expand(self._rule) + digits[prefix.end() :]
        else:
            stripped = digits[prefix.end() :]
        if self._general.fullmatch(digits) and not self._general.fullmatch(stripped):
            return digits
        return stripped

    def valid(self, significant: str) -> bool:
        return bool(self._kinds.fullmatch(significant) and self._general.fullmatch(significant))


@lru_cache(maxsize=512)
def plan(region: str) -> Plan:
    return Plan(region)


@lru_cache(maxsize=256)
def _regions(code: str) -> tuple[str, ...]:
    from phonenumbers import COUNTRY_CODE_TO_REGION_CODE

    regions = COUNTRY_CODE_TO_REGION_CODE.get(int(code), ())
    return tuple(r for r in regions if r != "001")


class PhoneCheck:
    """Validates international numbers everywhere, national ones in the given regions.

    Marks: the way it is written (international, parentheses, formatted, bare); `_possible`: a length some region has;
    `_valid`: within some region's plan; `_well`: and written as that region writes it; `_trunk`: with the zero or in the
    groups that distinguish it from any other number, else `as_XX`; `at_XX`: digits alone that are one region's;
    `s3_N`, `s6_N`: the third and sixth digit, since counted-up ids have the same ones.
    """

    def __init__(self, regions: Sequence[str]) -> None:
        self._regions = tuple(regions)
        self._verdict = lru_cache(maxsize=8192)(self._decide)

    def __call__(self, candidate: str, _text: str) -> Verdict:
        return self._verdict(candidate)

    def _decide(self, candidate: str) -> Verdict:
        if _OTHER.match(candidate):
            return None
        number = _EXTENSION.sub("", candidate).replace("(0)", "")
        digits = _NOT_DIGIT.sub("", number)
        if not 7 <= len(digits) <= 17:
            return False, ()
        way = "bare"
        if number.startswith("+") or (digits.startswith("00") and _FORMATTED.search(number)):
            way = "international"
        elif _PARENTHESES.search(number):
            way = "parentheses"
        elif _FORMATTED.search(number):
            way = "formatted"
        marks = {way, "plus_sign"} if number.startswith("+") else {way}
        if way == "international":
            self._international(digits.removeprefix("00") if not number.startswith("+") else digits, way, marks)
        else:
            self._national(number, digits, way, marks)
        valid = f"{way}_valid" in marks
        if valid:
            marks |= spread(digits)
        return valid, tuple(sorted(marks))

    def _international(self, digits: str, way: str, marks: set[str]) -> None:
        for size in (1, 2, 3):
            for region in _regions(digits[:size]):
                there = plan(region)
                significant = there.significant(digits[size:])
                if len(significant) in there.lengths:
                    marks.add(f"{way}_possible")
                    if there.valid(significant):
                        marks.add(f"{way}_valid")
                        return

    def _national(self, number: str, digits: str, way: str, marks: set[str]) -> None:
        for region in self._regions:
            there = plan(region)
            significant = there.significant(digits)
            if len(significant) not in there.lengths:
                continue
            marks.add(f"{way}_possible")
            if not there.valid(significant):
                continue
            marks.add(f"{way}_valid")
            if there.needs_trunk and significant == digits:
                continue
            if way == "bare":
                if there.needs_trunk or there.code == "1":
                    marks.update((f"{way}_well", f"at_{region}"))
            elif there.needs_trunk or way == "parentheses" or _groups(number) == _written(there.code, significant):
                marks.add(f"{way}_well")
                if there.needs_trunk or there.code == "1":
                    marks.add(f"{way}_trunk")
                else:
                    marks.add(f"as_{region}")
        if way == "bare" and digits[0] != "0" and 11 <= len(digits) <= 15 and "bare_valid" not in marks:
            self._international(digits, way, marks)


@lru_cache(maxsize=8192)
def _written(code: str, significant: str) -> tuple[int, ...]:
    """How long the groups are in which the number's region writes it."""
    import phonenumbers

    number = phonenumbers.PhoneNumber(country_code=int(code), national_number=int(significant))
    return _groups(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.NATIONAL))


def _groups(number: str) -> tuple[int, ...]:
    return tuple(map(len, filter(None, _NOT_DIGIT.split(number))))


def spread(digits: str) -> set[str]:
    return {f"s3_{digits[2]}", f"s6_{digits[5]}"} if len(digits) >= 7 and digits.isascii() else set()


def phone(regions: Sequence[str]) -> Pattern:
    return Pattern(
        "PHONE_NUMBER", "phone", rb"\d[0-9 ()/.-]{5,20}\d[ ()/.-]{0,5}[^0-9 ()/.-]", _PHONE, PhoneCheck(regions)
    )
