"""How well and how fast personal data is found, beside presidio used value by value, on labelled corpora.

    weir test --bench pii              all corpora, figures by entity and by kind of column
    weir test --bench pii --faults     and every column that was decided wrongly
    weir test --bench pii --quick      without presidio

The corpora are made by tests/pii_corpus: the first is the one the detector was tuned on; the second has other people,
countries and forms, the third other generators and the names of public schemas; both were met blind (see there). Each is
also read with names that mean nothing. presidio decides a column by the share of its values in which it finds
an entity; the share that serves it best is taken.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from scanners.adapters.presidio.detector import PresidioAnalyzer
from scanners.detectors.engine import Detector
from scanners.model import RawRecord
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.sketch.nodes import Node
from scanners.worker.profile import TopicProfiler
from tests.pii_corpus import first, second, third
from tests.pii_corpus.columns import Column, hidden
from tests.pii_corpus.judge import TWELVE, Score, judge
from tests.pii_corpus.ours import says

ROOT = Path(__file__).resolve().parent.parent

LIMITS = {
    "F1": 0.99,
    "F1 of twelve": 0.95,
    "clean flagged of 100": 0.0,
    "F1, names hidden": 0.97,
    "flagged, names hidden": 2.0,
    "times presidio's values/s": 50.0,
    "scan with / without": 2.0,
}
WARM = 2
_SHARES = (0.0, 0.005, 0.02, 0.1, 0.3, 0.6)
_PRESIDIO_VALUES = 40
"""Values of each column presidio is asked about; those with the entity come first in a sparse one, in its favour."""


class PerValue:
    """presidio as its documentation shows it: every value analysed by itself, all predefined English recognizers."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import spacy
            from presidio_analyzer import AnalyzerEngine
            from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

            class Blank(SpacyNlpEngine):  # type: ignore[misc]
                def __init__(self) -> None:
                    super().__init__(ner_model_configuration=NerModelConfiguration(labels_to_ignore=["O"]))
                    self.nlp = {"en": spacy.blank("en")}

            self._engine = AnalyzerEngine(nlp_engine=Blank(), supported_languages=["en"])
        self._engine.registry.recognizers = [
            # Its list of domains comes from the web, which a benchmark has no business with.
            r
            for r in self._engine.registry.recognizers
            if type(r).__name__ not in ("SpacyRecognizer", "EmailRecognizer")
        ]
        from presidio_analyzer import Pattern, PatternRecognizer

        address = Pattern("e-mail", r"\b[\w.%+'-]+@[\w-]+(?:\.[\w-]+)+\b", 0.85)
        self._engine.registry.add_recognizer(PatternRecognizer("EMAIL_ADDRESS", patterns=[address]))

    def shares(self, values: Sequence[Any]) -> dict[str, float]:
        """Entity -> share of the values that hold it."""
        counts: Counter[str] = Counter()
        for value in values:
            counts.update({r.entity_type for r in self._engine.analyze(str(value), language="en", score_threshold=0.4)})
        return {entity: n / len(values) for entity, n in counts.items()}


def main() -> int:
    console = Console(width=120)
    settings = ScannerSettings()
    analyzer = PresidioAnalyzer((), settings.regex_seconds)
    detector = Detector(tuple(settings.phone_regions), analyzer, settings.free_text_limit)
    corpora = {
        "tuned on": first.corpus(),
        "unseen": second.corpus(),
        "unseen, another seed": second.corpus(seed=4711),
        "third": third.corpus(),
        "third, another seed": third.corpus(seed=4711),
    }
    ours = {name: judge(columns, says(detector)) for name, columns in corpora.items()}
    figures: list[tuple[str, float, float]] = []
    for name, score in ours.items():
        _print(console, f"Weir, corpus {name}", score)
        figures.append((f"F1, {name}", score.total().f1, LIMITS["F1"]))
        figures.append((f"F1 of twelve types, {name}", score.total(TWELVE).f1, LIMITS["F1 of twelve"]))
        flagged = 100 * score.flagged / score.clean
        figures.append((f"clean columns flagged of 100, {name}", flagged, LIMITS["clean flagged of 100"]))
    for name, columns in corpora.items():
        score = judge(hidden(columns), says(detector))
        figures.append((f"F1, {name}, names hidden", score.total().f1, LIMITS["F1, names hidden"]))
        flagged = 100 * score.flagged / score.clean
        figures.append((f"flagged of 100, {name}, names hidden", flagged, LIMITS["flagged, names hidden"]))
    if "--quick" not in sys.argv:
        speed = _beside_presidio(console, corpora["unseen"], detector)
        figures.append(("times presidio's values/s", speed, LIMITS["times presidio's values/s"]))
    figures.append(("profiling alone, with detection / without", _cost(detector), LIMITS["scan with / without"]))
    table = Table("figure", "measured", "limit", box=None)
    for name, value, limit in figures:
        table.add_row(name, f"{value:.3g}", f"{limit:g}")
    console.print(table)
    if "--faults" in sys.argv:
        for name, score in ours.items():
            for fault in score.faults:
                console.print(f"{name}: {fault}", markup=False)
    return 0


def _print(console: Console, title: str, score: Score) -> None:
    table = Table("entity", "precision", "recall", "F1", title=title, title_justify="left", box=None)
    for name, count in sorted(score.types.items()):
        table.add_row(name, f"{count.precision:.2f}", f"{count.recall:.2f}", f"{count.f1:.2f}")
    total = score.total()
    table.add_row("nine pattern types", f"{total.precision:.3f}", f"{total.recall:.3f}", f"{total.f1:.3f}")
    console.print(table)
    console.print(f"clean columns flagged: {score.flagged} of {score.clean}")
    console.print(
        "by kind of column (found/there): "
        + ", ".join(
            f"{kind} {c.right}/{c.right + c.missed}" for kind, c in sorted(score.kinds.items()) if kind != "clean"
        )
        + "\n"
    )


def _beside_presidio(console: Console, columns: Sequence[Column], detector: Detector) -> float:
    """presidio's table on the same columns, and how many times its values/s ours reads; both in turns, column by column."""
    peer = PerValue()
    shares: dict[int, dict[str, float]] = {}
    ours = theirs = 0.0
    read = asked = 0
    for column in columns:
        counts = Counter(map(str, column.values))
        begun = time.process_time()
        detector(Node(), column.names, counts)
        ours += time.process_time() - begun
        read += len(column.values)
        few = _few(column)
        begun = time.process_time()
        shares[id(column)] = peer.shares(few)
        theirs += time.process_time() - begun
        asked += len(few)
    best = max((_judged(columns, shares, least) for least in _SHARES), key=lambda score: score.total().f1)
    _print(console, "presidio per value, best share, corpus second", best)
    console.print(f"values/s on one core: Weir {read / ours:,.0f}, presidio {asked / theirs:,.0f}\n")
    return (read / ours) / (asked / theirs)


def _few(column: Column) -> list[Any]:
    """Some of the values, with those first that occur seldom in form: a sample that does a sparse column no wrong."""
    texts = sorted(map(str, column.values), key=lambda t: (-sum(map(str.isdigit, t)) - 3 * t.count("@"), t))
    return (
        texts[: _PRESIDIO_VALUES // 2]
        + texts[:: max(1, len(texts) // (_PRESIDIO_VALUES // 2))][: _PRESIDIO_VALUES // 2]
    )


def _judged(columns: Sequence[Column], shares: dict[int, dict[str, float]], least: float) -> Score:
    technical = {
        "DATE_TIME",
        "UUID",
        "URL",
        "NRP",
        "US_BANK_NUMBER",
        "US_DRIVER_LICENSE",
        "US_PASSPORT",
        "MEDICAL_LICENSE",
    }

    def says_presidio(column: Column) -> set[tuple[str, str]]:
        entities = {e for e, share in shares[id(column)].items() if share > least and e not in technical}
        return {(column.path, entity) for entity in entities}

    return judge(columns, says_presidio)


def _cost(detector: Detector) -> float:
    """CPU time of profiling records with detection, by that without: in turns, after rounds that warm both up.

    A process reads its first 20,000 records without compiled code (`scanners.tape.compiled_parts`), and then makes or
    loads it; a scan that is long enough to be measured does that once.
    """
    records = _events()
    taken: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(WARM + 5):
        for detect in (False, True):
            profiler = TopicProfiler("t", Schemas(), "salt", detector if detect else None)
            begun = time.process_time()
            for start in range(0, len(records), 2000):
                profiler.add(records[start : start + 2000])
            taken[detect].append(time.process_time() - begun)
    return statistics.median(taken[True][WARM:]) / statistics.median(taken[False][WARM:])


def _events(count: int = 10_000) -> list[RawRecord]:
    """Nested events: a few places of personal data among the many that are none, as streams have them."""
    columns = [c for c in second.corpus(count=500) if c.kind in ("full", "clean", "free text")]
    chosen = [c for c in columns if c.entity in ("EMAIL_ADDRESS", "PERSON", "PHONE_NUMBER", "IP_ADDRESS")][:5]
    chosen += [c for c in columns if c.entity is None][:30]
    records = []
    for i in range(count):
        body: dict[str, Any] = {
            "id": i,
            "amount": i * 0.37,
            "live": i % 3 == 0,
            "kind": ("made", "paid", "sent")[i % 3],
        }
        for n, column in enumerate(chosen):
            body.setdefault(f"part{n // 6}", {})[f"{column.names[-1]}{n}"] = column.values[
                (i * 7919) % len(column.values)
            ]
        records.append(RawRecord(f"k{i % 500}".encode(), json.dumps(body).encode(), [], 0, i, 1_760_000_000_000 + i))
    return records


if __name__ == "__main__":
    sys.exit(main())
