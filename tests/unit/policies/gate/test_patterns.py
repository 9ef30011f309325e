"""Which patterns can keep Java's matcher busy for ever, and which everyday ones are let be."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import least_effort
from policies.gate.cost.patterns import endless, like_is_endless


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+", r"(\w+\s?)*", r"(a|aa)+", r"(\w|\d)+!", r"(.|a)+b", r"([a-z]|a)+b", r"(a{1,20}){1,20}b", r"(.*a){20}",
     r"(\w\w?)+!", r"(\w+)*x", r"(x+x+)+y", r"(.|\s)*", r"(?:\p{L}|\w)+!", r"(?<n>a|[ab])*c", r"(\d{1,3})+$",
     r"(\w+_)+x", r"([a-z]?\w)+!", "(" * 50 + "a" + ")" * 50, "(a)" * 3000, "(" + "|".join("abc" * 100) + ")+"],
)  # fmt: skip
def test_endless(pattern: str) -> None:
    assert endless(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"(\d|-)+", r"(foo|bar)+", r"(\s|,)+", r"^([0-9]+[.])+[0-9]+$", r"(?:([0-9]{1,3})[.]){3}", r"(10|11)+", r"(a+)b*",
     r"^(o[0-9]|x)*$", r'"([^"\\]|\\.)*"', r"(?:.|\n)*", r"(-?\d|,)+", r"(\w+\s)+", r"([^,]*,){3}", r"(.*,){2}",
     r"([A-Z]\d|[A-Z]-)+", r"(?>a+)+", r"(a++)+", r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$", r"(\p{L}|-)+", r"(\d\d?){3}", "[a|(]+", ""],
)  # fmt: skip
def test_everyday_patterns(pattern: str) -> None:
    assert not endless(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"(?i)(a|A)+b", r"(?i:k|K)+x", r"(a|a)*", r"(?:\Qa\E|a)+b", r"(\Q.\E|[.])+x", r"(?<w>\w+)+!", r"(?>(a|a)*b)", r"(?=(a+)+b)a",
     r"(?!(a|a)+b)", r"(?<=x)(a+)+b", r"((?:a|a)*b)++", r"((?>a+),|(?>a+),)*b", r"([a-c&&[^b]]|a)+d", r"([a-d[m-p]]|n)+!",
     r"([]a]|a)+b", r"(?x)( a + ) + b", "(?x)(a # )\n)(", r"(\x61|a)+b", r"(\u0061|[a-c])+b", r"(\0141|a)+b",
     r"(\p{Lower}|[a-z])+1",
     r"(\s|\h)+x", r"(?s)(.|\n)*x", r"(?d)(.|\r)*x", r"(?U)(\w|é)+!", r"(a*)*b", r"(a?){40}a{40}b", r".*.*.*.*.*.*.*.*.*.*=",
     r"(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x", r"([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*@", ".*" * 3000],
)  # fmt: skip
def test_endless_however_it_is_written(pattern: str) -> None:
    assert endless(pattern)


@pytest.mark.parametrize(
    "pattern",
    [r'^(\S+) (\S+) (\S+) \[(.*)\] "(.*) (.*) (.*)" (\d+) (.*)$', r"^(.*),(.*),(.*),(.*),(.*),(.*)$", r"(['\"]).*?\1",
     r"(\w+)\s+\1", r"(.+?)\1+", r"(?<q>['\"])[^'\"]*\k<q>", r"\Q(a+)+\E", r"[(a+)+]", r"(?i)(foo|bar)+", r"[a-z&&[^aeiou]]+",
     r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}", r"(?<year>\d{4})-(?<month>\d{2})", r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}",
     r"[A-Z]{2}\d{2}(?: ?\w{4}){2,7}(?: ?\w{1,3})?", r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
     r"https?://([^/\s]+)(/[^?\s]*)?(\?\S*)?", r"(?x) \d+ # digits (a+)+", r"<([a-z]+)[^>]*>(.*?)</\1>",
     r"\d{1,3}(,\d{3})*(\.\d+)?",
     "(" + "|".join(f"word{i}" for i in range(300)) + ")", r"(foo|far)+", r"(ab|cb)*c"],
)  # fmt: skip
def test_honest_patterns_of_every_form(pattern: str) -> None:
    assert not endless(pattern)


@pytest.mark.parametrize(
    ("pattern", "yes"),
    [("%a%b%c%", False), ("%a" * 12, True), ("\\%a" * 12, False), ("%%%%%%%%%%%%a", True), ("_" * 100, False), ("%1.2.%", False)],
)  # fmt: skip
def test_patterns_of_like(pattern: str, yes: bool) -> None:
    assert like_is_endless(pattern) is yes


@given(st.text("ab.|()[]^&-\\QEpLwd{}1,9*+?<>=!:ix #\n", max_size=40) | st.text(max_size=30))
@settings(max_examples=500, deadline=None)
def test_any_text_is_told(pattern: str) -> None:
    assert endless(pattern) in (True, False)


def test_any_pattern_is_told_quickly() -> None:
    slow = ["(a|" * 1600, "([ab]|" * 30 + ")+" * 30, "(" + "|".join(f"[{i}]x" for i in range(199)) + ")+",
            "([abcd]?|[bcx]?){1,30}" * 20, "((a{32}){32}){32}" * 50, "|".join(f".*word{i}" for i in range(400)),
            "[a-z]{1,1000}" * 300, "(" * 30 + "a" + "{2})" * 30]  # fmt: skip

    def all_anew() -> None:
        endless.cache_clear()
        for pattern in slow:
            endless(pattern)

    assert least_effort(all_anew) < 5
