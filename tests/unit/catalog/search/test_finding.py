"""What people mean by the words of a search: vocabulary, questions, order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.search.language.labels import Labels
from catalog.search.language.query import Question, parse
from catalog.search.language.ranking import Likeness, rank, weights
from catalog.search.language.vocabulary import builtin, make, stem, with_terms
from catalog.search_model import IndexHit, Way
from catalog.tokens import split

WORDS = builtin()


def asked(text: str) -> Question:
    return parse(text, WORDS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zip_code", "postal code"),
        ("Postleitzahl", "plz"),
        ("surname", "lastName"),
        ("userAgent", "browser"),
        ("geburtsdatum", "date of birth"),
        ("qty", "how many"),
        ("numeroDeCuenta", "bank account number"),
        ("gpsPosition", "coordinates"),
    ],
)
def test_words_that_mean_the_same_share_a_concept(one: str, other: str) -> None:
    def concepts(text: str) -> set[str]:
        return {word for word in WORDS.indexed(split(text)) if word.startswith("~")}

    assert concepts(one) & concepts(other)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("kundennummer", ["kunden", "nummer"]),
        ("userid", ["user", "id"]),
        ("ipaddress", ["ip", "address"]),
        ("notification", ["notification"]),
        ("information", ["information"]),
        ("x9y", ["x9y"]),
    ],
)
def test_compounds_are_split_into_known_words(word: str, parts: list[str]) -> None:
    assert WORDS.parts(word) == parts


def test_what_is_wider_finds_what_is_narrower() -> None:
    assert "^position" in WORDS.indexed(["lat"])
    assert Way(("^position",), 0.5) in asked("gps position").needles[0].ways


def test_kinds_of_personal_data_have_everyday_names() -> None:
    assert WORDS.of_entities(["IBAN_CODE"]) == ["~iban"]
    assert WORDS.of_entities(["PL_PESEL"]) == ["~national_id"]
    assert WORDS.of_entities(["SOMETHING"]) == []


def test_a_question_is_words_in_any_of_several_ways() -> None:
    question = asked('cust "first name" e-mail')
    assert [needle.text for needle in question.needles] == ["cust", "first name", "e-mail"]
    cust, phrase, mail = question.needles
    assert (
        cust.ways[0] == Way(("cust",), loose=True, known=frozenset({"cust"})) and Way(("~customer",), 0.8) in cust.ways
    )
    assert phrase.phrase and phrase.words == ("first", "name")
    assert Way(("email",), 0.95) in mail.ways
    assert question.spelled == 'cust "first name" e-mail'


def test_words_that_mean_something_together_are_one_needle() -> None:
    assert [n.text for n in asked("zip code of the customer").needles] == ["zip code", "customer"]
    assert asked("zip code of the customer").fillers == ("of", "the")


def test_a_question_of_fillers_asks_for_them() -> None:
    assert [n.text for n in asked("who is it").needles] == ["who", "is", "it"]


def test_filters_are_taken_out() -> None:
    question = asked('owner:otto tag:"PII" card see:this')
    assert question.filters == {"owner": ("otto",), "tag": ("PII",)}
    assert question.spelled == "card see:this"
    assert asked("tag:PII").needles == () and asked("tag:PII").spelled is None


def test_questions_hint_at_their_answer_and_plurals_at_datasets() -> None:
    assert "created_at" in asked("when was the order placed").hints
    assert asked("server logs").wide == 1.0
    assert asked("customer addresses").wide > 0
    assert asked("customer address").wide == asked("status").wide == asked("orders.items").wide == 0


def test_synonyms_of_the_glossary_count_at_once() -> None:
    words = with_terms(WORDS, [("churn risk", ["attrition score"])])
    assert Way(("churn", "risk"), 0.8) in parse("attrition score", words).needles[0].ways


@given(st.text(max_size=300))
def test_every_text_is_understood_somehow(text: str) -> None:
    question = asked(text)
    assert len(question.needles) <= 12
    for needle in question.needles:
        for way in needle.ways:
            assert way.words and all(re.fullmatch(r"\S{1,66}", word) for word in way.words)


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyzäß0123456789", min_size=1, max_size=30), max_size=12))
def test_what_is_indexed_is_one_word_each(words: list[str]) -> None:
    assert all(re.fullmatch(r"\S+", word) for word in WORDS.indexed(words))
    assert all(stem(word) for word in words)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=40))
def test_parts_of_a_compound_are_its_letters_in_order(word: str) -> None:
    rest = word
    for part in WORDS.parts(word):
        at = rest.find(part)
        assert 0 <= at <= 2, "only a linking s, n, en or es may be left out"
        rest = rest[at + len(part) :]
    assert rest == ""


def hit(of: str, path: str | None = None, usage: int = 0, state: float = 1.0, **words: str) -> IndexHit:
    source = {"kind": "field" if path else "dataset", "name": of, "path": path}
    key = f"{of}.{path}" if path else of
    return IndexHit(key, 0.0, source, words, usage=usage, rank=state)


def order(text: str, *hits: IndexHit, likeness: list[Likeness] | None = None) -> list[str]:
    question = asked(text)
    ranked = rank(hits, question, [1.0] * len(question.needles), likeness)
    return [each.hit.source["path"] or each.hit.source["name"] for each in ranked]


def test_where_a_word_is_counts() -> None:
    named, inside = hit("a", "value.email", name="email"), hit("b", "value.to", name="to", text="an email")
    assert order("email", inside, named) == ["value.email", "value.to"]


def test_a_word_as_typed_is_better_than_its_meaning_and_that_than_a_slip() -> None:
    typed = hit("a", "value.phone", name="phone ~phone")
    meant = hit("b", "value.msisdn", name="msisdn ~phone")
    slip = hit("c", "value.phane", name="phane")
    assert order("phone", slip, meant, typed) == ["value.phone", "value.msisdn", "value.phane"]


def test_states_and_use_decide_among_equals() -> None:
    old, used, plain = hit("a", name="orders", state=0.7), hit("b", name="orders", usage=100), hit("c", name="orders")
    assert order("orders", old, plain, used) == ["b", "c", "a"]


def test_a_plural_prefers_the_dataset_and_a_singular_the_field() -> None:
    dataset = hit("d", name="card payment cardpayment", inside="payment")
    field = hit("d", "value.payment", name="payment", dataset="card payment cardpayment")
    assert order("card payments", field, dataset)[0] == "d"
    assert order("payment", dataset, field)[0] == "value.payment"


def test_meaning_helps_where_words_do_not() -> None:
    near, far = hit("a", "value.x", name="x"), hit("b", "value.y", name="y")
    assert order("something", far, near, likeness=[Likeness(0.1), Likeness(0.8)]) == ["value.x", "value.y"]


def test_a_field_is_raised_by_what_its_dataset_is_about() -> None:
    one, other = hit("a", "value.x", name="x"), hit("b", "value.y", name="x")
    assert order("something", one, other, likeness=[Likeness(0.3, 0.1), Likeness(0.3, 0.9)]) == ["value.y", "value.x"]


def test_a_dataset_is_raised_by_its_field_that_is_most_like_the_question() -> None:
    one, other = hit("a", name="x"), hit("b", name="x")
    inside = hit("b", "value.y", name="y")
    assert order("something", one, other, inside, likeness=[Likeness(0.2), Likeness(0.2), Likeness(0.7)])[-1] == "a"


def test_an_object_comes_after_a_field_of_its_kind() -> None:
    inner, whole = hit("a", "value.team.name", name="team"), hit("a", "value.team", name="team")
    whole = replace(whole, source={**whole.source, "types": ["object"]})
    assert order("team", whole, inner) == ["value.team.name", "value.team"]


def test_who_does_it_is_named_by_a_noun_that_documents_hold() -> None:
    pusher, time = (
        hit("a", "value.pusher", name="pusher"),
        hit("a", "value.pushed_at", name="pushed at =push ~timestamp"),
    )
    question = parse("who pushed it", WORDS, frozenset({"pusher", "pushed", "at"}))
    assert question.agents == {"pusher"}
    ranked = rank([time, pusher], question, [1.0])
    assert [each.hit.source["path"] for each in ranked] == ["value.pusher", "value.pushed_at"]
    assert not parse("who pushed it", WORDS).agents, "no document has that word"
    assert not parse("pushed", WORDS, frozenset({"pusher"})).agents, "nobody asks who"


@pytest.mark.parametrize(
    ("text", "wide"),
    [("passport numbers", 0.0), ("phone numbers of customers", 0.7), ("stolen passports", 0.7), ("orders", 0.7)],
)
def test_a_plural_asks_for_datasets_unless_it_names_personal_data(text: str, wide: float) -> None:
    assert asked(text).wide == wide


def test_rare_words_weigh_more() -> None:
    rare, common = weights([1, 900], 1000)
    assert rare > 3 * common > 0


def test_a_vocabulary_is_made_from_its_document() -> None:
    vocabulary = make(
        {"concepts": {"a_b": ["x y"]}, "broader": {"a_b": ["c"]}, "entities": {}, "fillers": {"en": ["the"]}}
    )
    assert vocabulary.indexed(["x", "y"]) == ["~a_b", "^c"] and vocabulary.indexed(["a", "b"]) == ["~a_b", "^c"]


class Letters:
    """A meaning that is the count of each letter."""

    calls = 0

    def vectors(self, texts: Sequence[str]) -> Any:
        import numpy as np

        self.calls += len(texts)
        rows = np.array([[float(text.count(c)) for c in "abc"] for text in texts], np.float32).reshape(len(texts), 3)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_labels_near_a_question_are_found_and_known_ones_not_computed_again() -> None:
    letters = Letters()
    labels = Labels(letters, ["aaa", "bbb", "ab"])
    (question,) = letters.vectors(["aa"])
    assert labels.near(question, 2, 0.5) == ("aaa", "ab")
    assert labels.near(question, 10, -1.0) == ("aaa", "ab", "bbb")
    before = letters.calls
    more = Labels(letters, ["aaa", "ab", "c"], labels)
    assert letters.calls == before + 1 and len(more) == 3
    assert more.likeness(question, ["aaa", "c", "", "a"]) == pytest.approx([1.0, 0.0, 0.0, 1.0])
    assert Labels(letters).near(question, 3, 0.0) == ()
