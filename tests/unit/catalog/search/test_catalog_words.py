"""Names into words, queries into needles, marks into texts."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.search.highlight import highlights, mark
from catalog.search.language.query import parse
from catalog.search.language.vocabulary import builtin
from catalog.tokens import name_words, spelled, split, suffixes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customerEmail", "customer email"),
        ("email_address", "email address"),
        ("HTTPServer2Log", "http server 2 log"),
        ("orderID", "order id"),
        ("shop.orders-v1", "shop orders v 1"),
        ("Größe", "große"),
        ("naïveName", "naive name"),
        ("客户email", "客户 email"),
        ("__", ""),
    ],
)
def test_names_are_split(name: str, words: str) -> None:
    assert " ".join(split(name)) == words.replace("ö", "o")


def test_a_name_is_one_word_too() -> None:
    assert name_words(["email_address", "email"]) == "email address emailaddress"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("value.items[].sku", "value.items.sku"),
        ("value.attributes{contact}", "value.attributes.contact"),
        ("value.attributes{}", "value.attributes"),
        ("value.`a.b`.C", "value.a.b.c"),
        ("value.m@keys", "value.m.keys"),
    ],
)
def test_a_path_is_spelled_as_people_type_it(path: str, name: str) -> None:
    assert spelled(path) == name


def test_ends_of_a_name_have_a_dot() -> None:
    assert suffixes("a.b.c.d") == ("b.c.d", "c.d")
    assert suffixes("a") == suffixes("a.b") == ()


@given(st.text(max_size=80), st.sets(st.text("abz<&>2", min_size=1, max_size=5), max_size=3))
def test_marks_are_safe_and_lose_nothing(text: str, words: set[str]) -> None:
    marked = mark(text, words)
    if marked is not None:
        assert html.unescape(marked.replace("<em>", "").replace("</em>", "")) == text
        assert "<" not in marked.replace("<em>", "").replace("</em>", "")


def test_what_matched_is_marked() -> None:
    source = {"name": "orders", "path": "value.customerEmail", "description": "<b>The e-mail</b> " + "x" * 200}
    marked_texts = highlights(source, parse("emai", builtin()).needles)
    assert marked_texts == {"path": ["value.customer<em>Emai</em>l"]}
    marked_texts = highlights(source, parse("mail", builtin()).needles)
    assert marked_texts["description"][0].startswith("&lt;b&gt;The e-<em>mail</em>&lt;/b&gt;")
    assert marked_texts["description"][0].endswith("…")
