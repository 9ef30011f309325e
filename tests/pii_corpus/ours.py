"""Our detector on labelled columns, as a scan would run it: bytes in, verdicts out."""

from __future__ import annotations

from collections.abc import Callable

from scanners.detectors.engine import Detector
from scanners.model import RawRecord
from scanners.scan.classify import classify
from scanners.schemas.registered import Schemas
from scanners.sketch.topic import Sketch
from scanners.worker.profile import TopicProfiler
from tests.pii_corpus.columns import Column
from tests.twins.scanners import sealed


def raw(column: Column) -> list[RawRecord]:
    return [RawRecord(k, v, h, 0, i, 1_760_000_000_000 + i) for i, (k, v, h) in enumerate(column.records())]


def sketch(column: Column, detector: Detector | None) -> Sketch:
    profiler = TopicProfiler("t", Schemas(), "salt", detector)
    profiler.add(raw(column))
    return profiler.sketch


def says(detector: Detector) -> Callable[[Column], set[tuple[str, str]]]:
    def found(column: Column) -> set[tuple[str, str]]:
        verdicts, _ = classify(sealed("t", [sketch(column, detector)]))
        return {(c.path, c.entity) for c in verdicts}

    return found
