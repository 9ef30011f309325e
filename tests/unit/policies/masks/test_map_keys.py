"""A rule on one key of a map, or one header, holds for every spelling of it, in maps, headers and JSON text, by every door."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.datatypes import parse_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.decision.decide import decide
from policies.decision.places import Places
from policies.map_keys import Folding, folding, key_form, with_key_forms
from policies.masks.keys import MaskKeys
from policies.model import (
    DatasetFacts,
    Decision,
    FieldFacts,
    Mask,
    MaskPolicy,
    MaskType,
    Policy,
    Role,
    Subject,
    SubjectMatch,
    Target,
)
from tests.unit.policies.world import START
from views.model import Column
from views.serving.masked import masked_view, type_name

KEYS = MaskKeys(b"a secret for tests, sixteen or more")
NAMES = ("phone", "email", "id", "straße", "naïve_ırmak", "fin", "Σίσυφος", "전화", "телефон", "a.b", "x y")
LAST_4 = Mask("MASK_SHOW_LAST_4")
EVERYONE = SubjectMatch(everyone=True)
READER = Subject("ana", roles=frozenset({"reader"}))
ROLES = {"reader": Role("reader", (Target(dataset="*"),))}


@st.composite
def spellings(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> tuple[str, str]:
    """A name, and what a producer may write for it: another case, normal form, width, with invisible characters."""
    name = spelt = draw(st.sampled_from(names))
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=4)):
        spelt = change(spelt)
    if spelt and draw(st.booleans()):
        at = draw(st.integers(0, len(spelt)))
        spelt = spelt[:at] + draw(st.sampled_from("\u200b\u00ad\u2060\ufeff\u0301\u0307\ufe0f")) + spelt[at:]
    return name, spelt


def wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


CHANGES = (
    str.upper, str.lower, str.title, str.swapcase, str.casefold, wide,
    *(lambda text, form=form: unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD")),
    lambda text: text.replace("i", "ı"), lambda text: text.replace("i", "İ"), lambda text: text.replace("k", "K"),
    lambda text: text.replace("s", "ſ"), lambda text: text.replace("fi", "ﬁ"), lambda text: text.replace("o", "о"),
    lambda text: text.translate(str.maketrans("aepcxy", "аерсху")),
)  # fmt: skip


@given(spellings())
def test_spellings_have_one_form(pair: tuple[str, str]) -> None:
    name, spelt = pair
    assert key_form(spelt) == key_form(name) == key_form(key_form(name))
    assert with_key_forms(VALUE.map_key(spelt)) == with_key_forms(VALUE.map_key(name))


@given(st.text(max_size=12))
def test_a_form_is_its_own_form_and_ascii_keeps_all_but_the_case(text: str) -> None:
    assert key_form(key_form(text)) == key_form(text)
    plain = text.encode("ascii", "ignore").decode()
    assert key_form(plain) == plain.lower()


def by_tables(folded: Folding, text: str) -> str:
    """What the SQL of a folding does, in Python."""
    if text.isascii():
        return text.lower()
    text = re.sub("[" + "".join(f"{a}-{b}" for a, b in folded.left_out) + "]", "", text)
    for character, form in folded.longer:
        text = text.replace(character, form)
    return text.translate({ord(a): b for a, b in folded.single})


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), st.one_of(spellings().map(lambda p: p[1]), st.text()))
def test_the_tables_of_the_sql_know_the_same_spellings(names: list[str], text: str) -> None:
    forms = tuple(sorted({key_form(name) for name in names}))
    computed = by_tables(folding(forms), text)
    for form in forms:
        assert (computed == form) == (key_form(text) == form)


def decided(fields: Mapping[str, set[str]], *policies: Policy) -> Decision:
    facts = DatasetFacts(
        DatasetId("kafka", "v"),
        "prod/v",
        tuple(FieldFacts(path, dict.fromkeys(tags, "")) for path, tags in fields.items()),
    )
    return decide(READER, facts, roles=ROLES, policies=policies, now=START)


PHONES = MaskPolicy("phones", (Target(tag="PHONE_NUMBER"),), EVERYONE, LAST_4)
SECRET = "030-112-998877"


def by_path(path: str) -> MaskPolicy:
    return MaskPolicy("path", (Target(dataset="prod/v", path=path),), EVERYONE, LAST_4)


def masked(ddl: str, decision: Decision, row: dict[str, Any]) -> dict[str, Any]:
    columns = [Column(name, type_name(kind), kind) for name, kind in parse_ddl(ddl).fields]
    return masked_view(columns, decision, KEYS).row(row)


@pytest.mark.parametrize("ddl", ["m MAP<STRING, STRING>", "m MAP<STRING, ARRAY<STRING>>"])
@given(pair=spellings())
def test_a_map_shows_the_value_under_no_spelling(ddl: str, pair: tuple[str, str]) -> None:
    name, spelt = pair
    value: Any = [SECRET] if "ARRAY" in ddl else SECRET
    at = "value.m{}[]" if "ARRAY" in ddl else "value.m{}"
    key = str(VALUE.field("m").map_key(name)) + ("[]" if "ARRAY" in ddl else "")
    for decision in (
        decided({at: set(), "value.m@keys": set(), key: {"PHONE_NUMBER"}}, PHONES),
        decided({at: set(), "value.m@keys": set()}, by_path(key)),
    ):
        shown = masked(ddl, decision, {"m": {spelt: value, "unknown": value}})["m"]
        assert SECRET not in json.dumps(shown)
        assert "8877" in json.dumps(shown[spelt]), "the mask of the key holds, not that of unknown keys"
        assert shown["unknown"] in (None, [None])


@given(spellings())
def test_a_header_shows_under_no_spelling(pair: tuple[str, str]) -> None:
    name, spelt = pair
    fields = {f"headers.{FieldPath('headers').field(name).__str__()[8:]}": {"PHONE_NUMBER"}}
    fields.setdefault(str(FieldPath("headers").field(spelt)), set())
    places = Places(decided(fields, PHONES).columns)
    assert places.rule(FieldPath("headers").field(spelt)).mask == LAST_4
    assert places.rule(FieldPath("headers").field("unknown")).mask == Mask(MaskType.DROP)


@given(spellings())
def test_a_text_that_holds_the_key_shows_under_no_spelling(pair: tuple[str, str]) -> None:
    name, spelt = pair
    key = str(VALUE.field("t").map_key(name))
    decision = decided({"value.t{}": set(), key: {"PHONE_NUMBER"}}, PHONES)
    assert masked("t STRING", decision, {"t": json.dumps({spelt: SECRET})}) == {"t": None}
    # A map of texts that hold the key, too.
    below = decided(
        {"value.m{}": set(), "value.m@keys": set(), str(VALUE.field("m").map_key(name)) + ".x": {"PHONE_NUMBER"}},
        PHONES,
    )
    shown = masked("m MAP<STRING, STRING>", below, {"m": {spelt: json.dumps({"x": SECRET})}})
    assert SECRET not in json.dumps(shown)


def test_an_unknown_key_shows_where_nothing_is_to_hide_or_it_is_declared() -> None:
    ddl, row = "m MAP<STRING, STRING>", {"m": {"phone": SECRET, "other": "open"}}
    plain = {"value.m{}": set[str](), "value.m@keys": set[str]()}
    assert masked(ddl, decided(plain), row)["m"] == row["m"]
    hidden = decided(plain | {"value.m{phone}": {"PHONE_NUMBER"}})
    assert masked(ddl, hidden, row)["m"] == {"phone": SECRET, "other": None}, "personal data without a policy"
    assert len(hidden.gaps) == 1 and "value.m{}" in hidden.gaps[0] and "declare a tag on the key" in hidden.gaps[0]
    for declared in (
        decided(plain | {"value.m{phone}": {"PHONE_NUMBER"}, "value.m{other}": set()}, PHONES),
        decided(
            plain | {"value.m{phone}": {"PHONE_NUMBER"}},
            PHONES,
            MaskPolicy("open", (Target(dataset="*", path="value.m{}"),), EVERYONE, Mask(MaskType.MASK_NONE)),
        ),
    ):
        assert masked(ddl, declared, row)["m"] == {"phone": "xxx-xxx-xx8877", "other": "open"}
    both = decided(plain | {"value.m{phone}": {"PHONE_NUMBER"}, "value.m{}": {"PHONE_NUMBER"}}, PHONES)
    assert masked(ddl, both, row)["m"] == {"phone": "xxx-xxx-xx8877", "other": "xxxx"}, "all values are masked alike"
