"""Which patterns can keep Java's matcher busy for ever, and which everyday ones are let be."""

from __future__ import annotations

import time

import pytest

from policies.sql.patterns import endless


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


def test_any_pattern_is_told_quickly() -> None:
    begun = time.perf_counter()
    for pattern in ("(a|" * 1600, "([ab]|" * 30 + ")+" * 30, "(" + "|".join(f"[{i}]x" for i in range(199)) + ")+"):
        endless(pattern)
    assert time.perf_counter() - begun < 5
