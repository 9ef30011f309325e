"""What the bench `search_hidden` hides of a vocabulary."""

from __future__ import annotations

from benchmarks.search_hidden import draws, without_concepts, without_phrases
from catalog.search.language.vocabulary import Vocabulary, make

CONCEPTS = {name: [f"{name} {at}" for at in range(10)] for name in ("red", "green", "blue", "grey")}
WHOLE = make({"concepts": CONCEPTS, "broader": {}, "entities": {}, "fillers": {}})


def _concepts(vocabulary: Vocabulary) -> set[str]:
    return {concept for listed in vocabulary.phrases.values() for concept in listed}


def test_half_of_the_concepts_are_named_by_no_phrase_and_the_others_by_all_of_theirs() -> None:
    left = without_concepts(WHOLE, 1)
    assert len(_concepts(left)) == 2
    assert left.phrases == {phrase: listed for phrase, listed in WHOLE.phrases.items() if _concepts(left) & set(listed)}


def test_about_half_of_the_phrases_are_left_and_the_same_ones_each_time() -> None:
    left = without_phrases(WHOLE, 1).phrases
    assert 0.25 * len(WHOLE.phrases) < len(left) < 0.75 * len(WHOLE.phrases)
    assert left == without_phrases(WHOLE, 1).phrases != without_phrases(WHOLE, 2).phrases


def test_each_is_drawn_twice_beside_the_whole() -> None:
    assert list(draws(WHOLE)) == ["whole", "concepts 1", "concepts 2", "phrases 1", "phrases 2"]
