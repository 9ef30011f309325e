"""Phrases inside phrases, phrases that match in part, and words that no phrase names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.search.language.alike import Alike
from catalog.search.language.query import Question, parse
from catalog.search.language.ranking import rank
from catalog.search.language.vocabulary import Vocabulary, make
from catalog.search_model import IndexHit

FILLERS = ["how", "much", "is", "on", "the", "come", "from"]


def words(**concepts: list[str]) -> Vocabulary:
    return make({"concepts": concepts, "broader": {}, "entities": {}, "fillers": {"en": FILLERS}})


def sought(question: Question) -> list[str]:
    return [needle.text for needle in question.needles]


def field(name: str, found_by: str) -> IndexHit:
    return IndexHit(name, 0.0, {"kind": "field", "name": "orders", "path": name}, {"name": found_by}, own=2)


def test_a_document_is_found_by_the_concepts_inside_a_longer_phrase() -> None:
    vocabulary = words(email=["mail"], verified=["email verified"])
    assert set(vocabulary.indexed(["email", "verified"])) >= {"~verified", "~email"}


def test_phrases_are_chosen_that_use_the_most_of_a_question() -> None:
    """`how much money` takes no word from `money is on the account`."""
    vocabulary = words(balance=["money is on the account"], amount=["how much money"], account=["account"])
    assert sought(parse("how much money is on the account", vocabulary)) == ["money is on the account"]
    assert sought(parse("how much money", vocabulary)) == ["how much money"]


def test_of_two_phrases_that_share_a_word_the_first_is_taken() -> None:
    vocabulary = words(card=["payment card"], number=["card number"])
    assert sought(parse("payment card number", vocabulary)) == ["payment card", "number"]


def test_a_phrase_of_fillers_is_sought_but_takes_no_word() -> None:
    vocabulary = words(origin=["come from"], visitor=["visitor"], start=["the visitor"])
    assert sought(parse("from the visitor come from", vocabulary)) == ["the visitor", "come from"]


def test_a_phrase_is_found_by_its_words_in_other_forms() -> None:
    vocabulary = words(connector=["app installation"])
    (needle,) = parse("app installations", vocabulary).needles
    assert ("app", "=instal") in {way.words for way in needle.ways}


def test_a_part_of_a_phrase_comes_before_nothing_of_it() -> None:
    vocabulary = words(profile=["customer profile"])
    question = parse("customer profile", vocabulary)
    hits = [field("a", "orders"), field("b", "customer id"), field("c", "~profile"), field("d", "customer profile")]
    ranked = rank(hits, question, [1.0])
    assert [each.hit.id for each in ranked] == ["d", "c", "b", "a"]
    match = {each.hit.id: each.held[0] for each in ranked}
    assert match["b"] is not None and match["b"].lacking == ("profile",)
    assert match["c"] is not None and match["c"].lacking == () and match["a"] is None


class Letters:
    """A meaning that is the count of each letter."""

    def vectors(self, texts: Sequence[str]) -> Any:
        import numpy as np

        rows = np.array([[float(text.count(c)) for c in "abcdef"] for text in texts], np.float32).reshape(-1, 6)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def test_words_that_no_phrase_names_may_mean_what_the_nearest_phrase_means() -> None:
    vocabulary = words(luggage=["abab"], plane=["cdcd"])
    alike = Alike(Letters(), vocabulary)

    def meant(text: str) -> list[tuple[str, ...]]:
        (needle,) = alike.widened(parse(text, vocabulary)).needles
        return [way.words for way in needle.ways]

    assert ("~luggage",) in meant("ababa")
    assert not {("~luggage",), ("~plane",)} & set(meant("efef"))  # like none of them
    assert ("~plane",) not in meant('"cdcdc"')  # in quotes: just that
    assert meant("cdcd") == [way.words for way in parse("cdcd", vocabulary).needles[0].ways]  # named by a phrase


def test_a_question_of_several_words_raises_what_it_is_nearest_to_as_a_whole() -> None:
    vocabulary = words(luggage=["aab bbc"], plane=["ddd eef"])
    question = Alike(Letters(), vocabulary).widened(parse("aa bbb c", vocabulary))
    assert [concept for concept, _ in question.likely] == ["luggage"]
    hits = [field("a", "aa"), field("b", "aa ~luggage"), field("c", "aa ~plane")]
    ranked = rank(hits, question, [1.0] * len(question.needles))
    assert [each.hit.id for each in ranked] == ["b", "a", "c"] and "likely" in ranked[0].reasons
    assert Alike(Letters(), vocabulary).widened(parse("aab", vocabulary)).likely == ()  # one word alone
