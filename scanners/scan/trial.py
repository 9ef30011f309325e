"""A user's recognizer tried on values before it counts: what it finds, whether that would be a tag, what else it flags."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.paths import FieldPath, StepKind
from scanners.detectors.engine import Detector, TextAnalyzer
from scanners.model import RawRecord, Recognizer
from scanners.scan.classify import classify
from scanners.scan.negative_samples import lookalikes
from scanners.schemas.registered import Schemas
from scanners.sketch.seal import seal
from scanners.sketch.topic import Sketch
from scanners.worker.profile import TopicProfiler

Analyzers = Callable[[Sequence[Recognizer]], TextAnalyzer]

_SENTENCES = {
    "recognizer_failed": "a pattern of {name} cannot be read; write it as Python's `re` takes it",
    "recognizer_timed_out": "a pattern of {name} takes too long on some text; avoid repetition inside repetition, such as (a+)+",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """How a recognizer did.

    matched, sampled   texts it found something in, of all
    score, tagged      what a scan would give a field of such values, and whether that makes a tag
    clean              built-in columns of harmless look-alikes it was tried on; flagged: those it would tag
    seconds            what the sample took; problem: a sentence when it could not be finished
    """

    name: str
    entity: str
    version: str
    sampled: int
    matched: int
    score: float
    tagged: bool
    clean: int
    flagged: tuple[str, ...]
    seconds: float
    problem: str | None = None


def trial(recognizer: Recognizer, values: Sequence[str], path: str, analyzers: Analyzers) -> Trial:
    """Try it on values as a scan would meet them in the field `path`. Raises nothing for what pattern or values are."""
    analyzer = analyzers([recognizer])
    begun = time.monotonic()
    matches, failure = analyzer.custom(values, ())
    seconds = time.monotonic() - begun
    matched = len(set().union(*matches.values())) if matches else 0
    names = [s.name for s in FieldPath.parse(path).steps if s.kind is StepKind.FIELD and s.name] or ["value"]
    score = 0.0
    flagged: list[str] = []
    if failure is None:
        score = _score(recognizer, values, names, analyzer)
        flagged = [what for what, texts in lookalikes().items() if _score(recognizer, texts, ["field"], analyzer)]
    problem = _SENTENCES[failure].format(name=recognizer.name) if failure else None
    return Trial(
        name=recognizer.name,
        entity=recognizer.supported_entity,
        version=recognizer.version,
        sampled=len(values),
        matched=matched,
        score=score,
        tagged=score > 0,
        clean=len(lookalikes(1)),
        flagged=tuple(flagged),
        seconds=round(seconds, 3),
        problem=problem,
    )


def _score(recognizer: Recognizer, values: Sequence[str], names: Sequence[str], analyzer: TextAnalyzer) -> float:
    """The score a scan of one field with these values gives the recognizer's entity; 0 when it does not become a tag."""
    verdicts, _ = classify(_sketch(values, names, analyzer), [recognizer])
    mine = f"{recognizer.name}"
    return max(
        (
            v.score
            for v in verdicts
            if v.entity == recognizer.supported_entity and any(r["name"] == mine for r in v.evidence["recognizers"])
        ),
        default=0.0,
    )


def _sketch(values: Sequence[str], names: Sequence[str], analyzer: TextAnalyzer) -> Sketch:
    profiler = TopicProfiler("trial", Schemas(), "", Detector((), analyzer, 0, ()))
    records = []
    for number, value in enumerate(values):
        body: Any = value
        for name in reversed(names):
            body = {name: body}
        records.append(
            RawRecord(
                key=None, value=json.dumps(body).encode(), headers=[], partition=0, offset=number, timestamp=number
            )
        )
    profiler.add(records)
    return seal(profiler.done())
