"""Figures of a view: every batch is counted once, however often the engine is asked."""

from __future__ import annotations

import random
from typing import Any

from views.adapters.spark_progress import Reports
from views.model import Progress
from views.runner.figures import SAMPLES, Figures, Sample, sampled


def report(batch: int) -> dict[str, Any]:
    return {
        "batchId": batch,
        "durationMs": {"triggerExecution": 1000 + batch, "addBatch": 900},
        "sink": {"numOutputRows": -1},
        "stateOperators": [{"numRowsTotal": batch, "memoryUsedBytes": 10, "numRowsDroppedByWatermark": 1}],
        "sources": [{"endOffset": {"orders": {"0": batch * 10}}, "numInputRows": 10}],
    }


def test_every_batch_is_counted_once_however_seldom_it_is_looked() -> None:
    for seed in range(30):
        rng, done = random.Random(seed), rng_start(seed)
        reports, figures = Reports(), Figures(0.0)
        first, kept = done, [report(done)]
        for _ in range(40):
            for _ in range(rng.choice([0, 0, 1, 1, 2, 9])):
                done += 1
                kept = [*kept, report(done)][-20:]
            status = reports.next(kept[-1], lambda kept=kept: kept)  # type: ignore[misc]
            assert status.batch == done and status.offsets == {"orders": {0: done * 10}}
            figures.batch(status, 1.0)
        counts = figures.counts(status, 3)
        assert counts["batches"] == done - first + 1 and counts["recordsIn"] == 10 * counts["batches"]
        assert counts["lateRecords"] == counts["batches"] and counts["batchesMissed"] == 0
        assert (counts["stateRows"], counts["unreadable"]) == (done, 3)


def rng_start(seed: int) -> int:
    """Batches continue from the checkpoint's."""
    return seed * 7


def test_batches_without_a_report_are_counted_as_missed() -> None:
    reports, figures = Reports(), Figures(0.0)
    assert reports.next(None, list) == Progress()
    figures.batch(reports.next(report(4), lambda: [report(4)]), 1.0)
    figures.batch(reports.next(report(9), lambda: [report(8), report(9)]), 1.0)
    counts = figures.counts(Progress(), 0)
    assert (counts["batches"], counts["batchesMissed"]) == (3, 3)


def test_rates_are_of_the_last_minute() -> None:
    figures = Figures(100.0)
    figures.batch(Progress(batch=0, rows_in=6000, seconds=3.0), 110.0)
    figures.written(500, 100, 110.0)
    newest = Progress(batch=1, rows_in=600, seconds=1.0)
    figures.batch(newest, 160.0)
    rates = figures.rates(newest, 160.0)
    assert (rates["batchSeconds"], rates["recordsPerSecond"]) == (1.0, 600.0)
    assert (rates["recordsInPerSecond"], rates["rowsOutPerSecond"]) == (110.0, 10.0)
    assert (rates["batchSecondsMean"], rates["batchSecondsMost"]) == (2.0, 3.0)
    rates = figures.rates(newest, 300.0)
    assert rates["recordsInPerSecond"] == rates["rowsOutPerSecond"] == rates["batchSecondsMean"] == 0.0


def test_the_history_is_bounded() -> None:
    history: list[Sample] = []
    for n in range(SAMPLES + 20):
        history = sampled(history, str(n), {"records": n, "seconds": 0.5}, {"recordsInPerSecond": 2.0})
    assert len(history) == SAMPLES and [history[0]["at"], history[-1]["at"]] == ["20", str(SAMPLES + 19)]
    assert history[-1]["records"] == SAMPLES + 19 and history[-1]["recordsInPerSecond"] == 2.0
