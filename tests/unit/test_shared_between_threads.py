"""What threads of one process share: stemmers, pattern engines, caches, scratch memory. Each is called by several at once."""

from __future__ import annotations

import itertools
import json
import logging
import string
from typing import Any

import pytest

from catalog.search.language import vocabulary
from lineage.names import Names
from lineage.observed.duplicate_events import RecentEvents
from lineage.sql import flows
from scanners.adapters.presidio.custom_recognizers import CustomRecognizers
from scanners.adapters.presidio.detector import PresidioAnalyzer
from scanners.decode.batch import Batch
from scanners.detectors.core.quick_pass import QuickSet
from scanners.detectors.engine import Detector
from scanners.model import RawRecord, Recognizer
from scanners.schemas.registered import Schemas
from scanners.sketch.seal import seal
from scanners.tape import compiled_parts
from scanners.worker.profile import TopicProfiler
from tests.threads import hammer

BADGE = Recognizer("badge", "BADGE", ({"name": "badge", "regex": r"\bB-\d{4}\b", "score": 0.6},))


def words(salt: str) -> list[str]:
    """Words that no cache has; each call makes others."""
    ends = ("ational", "iveness", "ing", "fulness", "izations", "edly")
    return [
        f"{salt}{a}{b}{end}"
        for a, b, end in itertools.product(string.ascii_lowercase, ("tor", "mak", "pol", "ran"), ends)
    ]


def test_stems_are_those_of_one_thread() -> None:
    assert hammer(vocabulary.stem, words("k"), rounds=3, forget=vocabulary._stem.cache_clear) == []


def test_indexed_words_are_those_of_one_thread() -> None:
    known = vocabulary.builtin()
    assert hammer(lambda word: known.indexed([word, "customer"]), words("z"), forget=vocabulary._stem.cache_clear) == []


def test_patterns_of_one_set_find_the_same_in_several_threads() -> None:
    patterns = QuickSet([rb"[a-z]+@[a-z]+", rb"\d{3}-\d{2}"])
    columns = [[f"u{i} bob@x{j} {i % 900 + 100}-4{j % 10} " * 20 for j in range(i % 30)] for i in range(200)]
    assert hammer(patterns.find, columns) == []


def test_a_users_recognizers_find_the_same_in_several_threads(caplog: pytest.LogCaptureFixture) -> None:
    recognizers = CustomRecognizers([BADGE], 2.0)
    columns = [[f"B-{i:04} and {j}" * 30 if j % 3 else "nothing here" for j in range(40)] for i in range(100)]
    with caplog.at_level(logging.INFO):
        assert hammer(recognizers.find, columns) == []
    assert not [r for r in caplog.records if "hyperscan could not read" in r.getMessage()]


def test_a_patterns_time_out_counts_for_the_thread_that_met_it() -> None:
    """presidio only logs it, under one logger for all analyzers."""
    first, second = PresidioAnalyzer(), PresidioAnalyzer()

    class Slow:
        def analyze(self, text: str, **_: Any) -> list[Any]:
            if "slow" in text:
                logging.getLogger("presidio-analyzer").warning("Regex timed out for pattern")
            return []

    for analyzer in (first, second):
        analyzer._engine = Slow()
        analyzer._worth_reading = lambda texts: range(len(texts))

    def prose(given: tuple[int, str]) -> str | None:
        number, text = given
        return (first, second)[number].prose([text], ())[1]

    assert hammer(prose, [(n % 2, "slow" if n % 3 else "quick") for n in range(200)]) == []
    assert prose((0, "slow")) == prose((1, "slow")) == "recognizer_timed_out"
    assert prose((0, "quick")) is None


def profile(number: int) -> dict[str, Any]:
    """What a profile of some records holds."""
    records = [
        RawRecord(None, json.dumps({f"f{number}": i, "name": "é" * (i % 7 + number)}).encode(), [], 0, i, 1000 + i)
        for i in range(400)
    ]
    profiler = TopicProfiler("t", Schemas(), "", Detector((), None, 0, ()))
    profiler.add_batch(Batch.of(records))
    value = seal(profiler.done()).parts["value"]
    return {name: (node.count, sorted(node.types), node.lengths) for name, node in value.fields.items()}


def test_profiles_of_two_threads_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_parts, "WORTH", 0)
    profile(0)
    assert hammer(profile, range(1, 40), threads=3) == []


def test_statements_are_read_by_several_threads() -> None:
    match = flows.Match([], [], {}, Names())
    texts = [f"INSERT INTO t{i} SELECT a{i}, count(*) AS n FROM s{i} GROUP BY 1" for i in range(60)]
    kept = flows._Kept(most=8)
    assert hammer(lambda text: str(kept.read(text, "spark", match)), texts) == []


def test_repeated_events_are_noted_by_several_threads() -> None:
    events = RecentEvents(0.000_01)
    assert hammer(lambda number: events.is_new({"run": number}) in (True, False), list(range(3000)), rounds=3) == []
