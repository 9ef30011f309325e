"""Words for kinds of personal data: one list, which the pages have too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from catalog.entity_words import ORDINARY, WORDS, entity_words
from policies.personal_data import PERSONAL_DATA

SHOWN = Path(__file__).resolve().parents[3] / "ui/src/lib/entityWords.ts"


@pytest.mark.parametrize(
    ("entity", "one", "many"),
    [
        ("EMAIL_ADDRESS", "e-mail address", "e-mail addresses"),
        ("LOYALTY_NUMBER", "loyalty number", "loyalty number"),
        ("DE_TAX_ID", "DE tax ID", "DE tax ID"),
        ("NL_BSN", "NL BSN", "NL BSN"),
        ("GOLD", "GOLD", "GOLD"),
        ("domain.sales", "domain.sales", "domain.sales"),
    ],
)
def test_words_for_one_and_for_many(entity: str, one: str, many: str) -> None:
    assert (entity_words(entity), entity_words(entity, many=True)) == (one, many)


def test_no_entity_that_scans_know_is_shown_by_its_name() -> None:
    assert [name for name in sorted(PERSONAL_DATA) if "_" in entity_words(name)] == []


def test_two_entities_have_different_words() -> None:
    names = [entity_words(name) for name in {*PERSONAL_DATA, *WORDS}]
    assert len(set(names)) == len(names)


def test_the_pages_have_the_same_words() -> None:
    text = SHOWN.read_text()
    assert dict(re.findall(r'^ {2}([A-Z_]+): "(.+)",$', text, re.MULTILINE)) == {
        name: one for name, (one, _) in WORDS.items()
    }
    assert set(re.findall(r'^ {2}"([A-Z]+)",$', text, re.MULTILINE)) == ORDINARY
