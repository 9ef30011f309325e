"""Texts of a column are looked at together; what is detected in each is what would be detected in it alone."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scanners.adapters.presidio.custom_recognizers import CustomRecognizers, sieve
from scanners.adapters.presidio.detector import PresidioAnalyzer
from scanners.detectors.core.quick_pass import compiled
from scanners.detectors.engine import Detector
from scanners.model import Recognizer
from scanners.sketch.nodes import Node

AS_PRESIDIO = regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
PATTERNS = (
    r"\AEMP-\d{6}\Z", r"\AEMP-\d{6}", r"EMP-\d{6}\Z", r"EMP-\d{6}\z", r"\Aa\z", r"^EMP-\d{6}$", r"^$", r"\A\Z", r"\n\Z",
    r"\n^\Z", r"(?:\A|x)a(?:\Z|x)", r"(?:\A)?a", r"\GEMP", r"(?-m:^a$)", r"(?-m:a$)", r"(?-m)^a", r"(?x) \A a # \Z",
    r"\\A", r"\\\Aa", r"東京\Z", r"ა", r"\ba\b", r"\Ba", r"a\B", r"\b\d{6}\b", r"\b", r"\B",
    r"^\b(?=a)", r"(?=a)", r"(?=.*a)b", r"(?<=x)a", r"(?<!x)a", r"a(?!x)",
    r"(?<!.)a", r"a(?!.)", r"(?<!\n)a", r"a(?!\n)", r"(?<![\s\S])a(?![\s\S])", r"(?<!\S)a(?!\S)", r"(?!a)(?!\d)\Z", r"(?!\A)a",
    r"(?<!\A)a", r"a(?!\Z)", r"a(?=\Z)", r"(?>.+)$", r".++\Z", r"(a)\1\Z", r"(\A)?a(?(1)\Z|x)", r"[^x]\Z", r"\A[^x]", r"\s\Z",
    r"\A\s", r"\A\w+\Z", r"\W\w{2}-", r"[^\W\d]{3}\Z", r"\d\Z", r"\D\Z", r"\A\S+\Z", r"[[:alpha:]]{2}\Z", r"\p{L}{2}\Z", r"\p{Lt}",
    r"i\Z", r"[^i]\Z", r"é\Z", r"[à-ÿ]", r"a{,2}b", r"\Aa{,2}\Z", r"(?:emp){e<=1}\Z", r"a{b", r"\{a\}", "\ud800a", r"\?",
)  # fmt: skip
"""Anchors to the whole text and to lines, what looks about at its ends, and what engines are not of one mind about."""

PIECES = (
    "EMP-123456", "emp-000001", "a", "aa", "b", "x", "-", " ", "\n", "\r", "\v", "\x1c", "\x85", "\0", "1", "?", "\\A", "{", "}",
    ",2", "empty", "ema", "é", "É", "e\u0301", "ü", "\u0300", "ß", "İ", "ı", "\u212a", "ǅ", "١", "\U00010d31", "\u180e", "\u2028",
    "\u0de6", "東京", "ა", "Ა", "\ud800", "\udfff", "\U0001f600",
)  # fmt: skip
texts_of_a_column = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
        st.text(st.characters(codec=None, categories=None), max_size=4),
    ),
    max_size=6,
)


def own(expression: str) -> Recognizer:
    return Recognizer("own", "OWN", ({"name": "p", "regex": expression, "score": 0.6},))


def alone(expression: str, texts: list[str]) -> set[int]:
    """Numbers of the texts in which presidio's own engine finds the pattern, text by text."""
    pattern = regex.compile(expression, AS_PRESIDIO)
    return {i for i, text in enumerate(texts) if pattern.search(text.encode("utf-8", "replace").decode())}


@cache
def built(expression: str) -> tuple[CustomRecognizers, Callable[[Sequence[str]], Sequence[int]]]:
    return CustomRecognizers([own(expression)]), sieve([expression])


@pytest.mark.sampled(20)
@pytest.mark.parametrize("expression", PATTERNS)
@settings(max_examples=60, deadline=None)
@given(texts_of_a_column)
@example(["EMP-123456", "emp-123457", "EMP-123458\n", "x EMP-123459", "", "a"])
@example(["\n", "", "a", "xa", "ax"])
@example(["a"])
@example([""])
@example([])
def test_a_pattern_is_found_in_each_text_as_in_that_text_alone(expression: str, texts: list[str]) -> None:
    recognizers, passed = built(expression)
    wanted = alone(expression, texts)
    matches, failure = recognizers.find(texts)
    assert (matches.get("OWN|custom:own", set()), failure) == (wanted, None)
    readable = [text.encode("utf-8", "replace").decode() for text in texts]
    assert wanted <= set(passed(readable))


@pytest.mark.skipif(compiled([b"a"]) is None, reason="without hyperscan every recognizer reads every text")
@pytest.mark.parametrize("expression", [r"\AEMP-\d{6}\Z", r"\AEMP-\d{6}\z", r"\GEMP-\d{6}"])
def test_anchors_leave_the_quick_pass_worth_its_while(expression: str) -> None:
    texts = ["nothing of that kind"] * 50 + ["EMP-123456"] + ["x EMP-123456 x", "größer", "東京"]
    assert list(sieve([expression])(texts)) == [50]


def test_a_column_of_anchored_texts_counts_whole() -> None:
    node = Node()
    texts = {f"EMP-{number:06}": 2 for number in range(40)}
    Detector(("US",), CustomRecognizers([own(r"\AEMP-\d{6}\Z")]))(node, ("code",), texts)
    assert node.hits["OWN|custom:own"]["texts"] == 80 and not node.unscanned


def test_free_text_with_a_lone_surrogate_is_read_as_any_other() -> None:
    analyzer = PresidioAnalyzer([own(r"desk \d\Z")])
    text = "card 4111 1111 1111 1111 was shown at desk {}"
    texts = [text.format(i) for i in range(4)] + [f"\ud800 {text.format(5)}", "and nothing at all \udfff in this one"]
    without = analyzer.prose(texts[:4], ("note",))[0]
    matches, failure = analyzer.prose(texts, ("note",))
    assert failure is None and matches == {key: {*where, 4} for key, where in without.items()} and matches
    node = Node()
    Detector(("US",), analyzer)(node, ("note",), dict.fromkeys(texts, 1))
    assert not node.unscanned and {key: node.hits[key]["texts"] for key in matches} == dict.fromkeys(matches, 5)
    assert node.hits["OWN|custom:own"]["texts"] == 5


def test_the_first_corpus_is_the_same_in_every_process() -> None:
    draw = (
        "from hashlib import sha256; from tests.pii_corpus.first import corpus;"
        "print(sha256(repr([c.records() for c in corpus(count=20)]).encode()).hexdigest())"
    )
    path = [*sys.path]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path[:] = {path!r}; {draw}"], capture_output=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1


def test_drawing_a_corpus_leaves_the_common_random_numbers_alone() -> None:
    from tests.pii_corpus.first import IDS

    random.seed(5)
    wanted = random.random()
    random.seed(5)
    for entity in ("MX_CURP", "ES_NIF"):
        IDS[entity][1](random.Random(1))
    assert random.random() == wanted
