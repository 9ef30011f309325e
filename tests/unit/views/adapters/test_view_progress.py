"""Reports of the engine: each batch is counted once, and a look without news is none."""

from __future__ import annotations

from typing import Any

from views.adapters.spark_progress import Reports


def report(batch: int, start: str, end: str, rows: int, ran: bool = True) -> dict[str, Any]:
    took = {"triggerExecution": 500, **({"addBatch": 400} if ran else {})}
    source = {"startOffset": start, "endOffset": end, "numInputRows": rows}
    metrics = {"weir_seen_t": {"p0": rows - 1}} if ran else {}
    return {"batchId": batch, "sources": [source], "durationMs": took, "observedMetrics": metrics}


def test_batches_between_two_looks_are_one_report() -> None:
    reports = [
        report(0, "None", '{"t":{"0":5}}', 5),
        report(1, '{"t":{"0":5}}', '{"t":{"0":7}}', 2),
        report(2, '{"t":{"0":7}}', '{"t":{"0":7}}', 0, ran=False),
    ]
    looks = Reports()
    both = looks.next(reports[-1], lambda: reports)
    assert (both.batch, both.batches, both.rows_in, both.unfit_values, both.missed) == (1, 2, 2, 1, 0)
    assert [(each.batch, each.rows_in, each.unfit_values) for each in both.before] == [(0, 5, 4)]
    assert both.before[0].starts == {} and both.offsets == {"t": {0: 7}}
    again = looks.next(reports[-1], lambda: reports)
    assert (again.batch, again.batches, again.before, again.offsets) == (1, 0, (), {"t": {0: 7}})
    news = report(2, '{"t":{"0":7}}', '{"t":{"0":9}}', 2)
    later = looks.next(news, lambda: [*reports, news])
    assert (later.batch, later.batches, later.rows_in, later.starts) == (2, 1, 2, {"t": {0: 7}})
    far = report(5, '{"t":{"0":20}}', '{"t":{"0":21}}', 1)
    assert looks.next(far, lambda: [far]).missed == 2


def test_a_stream_that_is_started_again_without_news_shows_what_was_read() -> None:
    idle = report(4, '{"t":{"0":7}}', '{"t":{"0":7}}', 0, ran=False)
    looks = Reports()
    first = looks.next(idle, lambda: [idle])
    assert (first.batch, first.batches, first.offsets) == (-1, 0, {"t": {0: 7}})
    news = report(4, '{"t":{"0":7}}', '{"t":{"0":9}}', 2)
    later = looks.next(news, lambda: [idle, news])
    assert (later.batch, later.batches, later.rows_in, later.missed) == (4, 1, 2, 0)
    assert looks.next(None, list).batches == 0
