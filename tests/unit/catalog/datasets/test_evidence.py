"""Evidence over several scans: strong evidence is never overwritten by a smaller look, and nothing is counted twice."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog.datasets.merge import merge_scan
from catalog.model import Classification
from catalog.records import ClassificationRecord

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def look(matched: int, sampled: int, first: int, last: int, version: str = "7", day: int = 1) -> dict[str, Any]:
    return {
        "matched": matched,
        "sampled": sampled,
        "rate": round(matched / sampled, 6),
        "candidates": matched,
        "validated": matched,
        "recognizers": [{"name": "weir:email", "version": version}],
        "window": {
            "records": sampled,
            "timeFrom": f"2026-11-{day:02}T00:00:00.000Z",
            "timeTo": f"2026-11-{day:02}T01:00:00.000Z",
            "offsets": [[0, first, last]],
        },
    }


def scanned(*looks: dict[str, Any], complete: bool = False) -> ClassificationRecord:
    """The classification after scans with these findings, the last of them `complete` or not."""
    known: tuple[ClassificationRecord, ...] = ()
    for number, evidence in enumerate(looks):
        finding = Classification("value.mail", "EMAIL_ADDRESS", 0.98, evidence=evidence)
        merged = merge_scan(
            known,
            [finding],
            complete=complete and number == len(looks) - 1,
            unscanned=(),
            now=NOW + timedelta(hours=number),
        )
        known = merged.changed or known
    return known[0]


def counts(record: ClassificationRecord) -> tuple[int, int]:
    return record.evidence["matched"], record.evidence["sampled"]


def test_a_small_look_at_the_same_records_replaces_nothing() -> None:
    record = scanned(look(1000, 1000, 0, 4999), look(100, 100, 10, 4990), look(12, 12, 4980, 4999))
    assert counts(record) == (1000, 1000)
    assert record.evidence["window"]["records"] == 1000, "the window is that of the counts"
    latest = record.evidence["latest"]
    assert (latest["matched"], latest["sampled"], latest["window"]["offsets"]) == (12, 12, [[0, 4980, 4999]])
    assert record.seen_at == NOW + timedelta(hours=2)


def test_evidence_of_new_records_is_added() -> None:
    record = scanned(look(1000, 1000, 0, 999), look(90, 100, 1000, 1099, day=2), look(10, 12, 2000, 2011, day=3))
    assert counts(record) == (1100, 1112) and record.evidence["rate"] == round(1100 / 1112, 6)
    window = record.evidence["window"]
    assert window["offsets"] == [[0, 0, 1099], [0, 2000, 2011]] and window["records"] == 1112 and window["scans"] == 3
    assert (window["timeFrom"], window["timeTo"]) == ("2026-11-01T00:00:00.000Z", "2026-11-03T01:00:00.000Z")
    assert "latest" not in record.evidence


def test_a_larger_look_at_the_same_records_replaces_a_smaller_one() -> None:
    assert counts(scanned(look(100, 100, 0, 999), look(990, 1000, 0, 999))) == (990, 1000)


def test_a_scan_of_all_that_is_retained_is_the_truth() -> None:
    assert counts(scanned(look(1000, 1000, 0, 999), look(5, 100, 900, 999), complete=True)) == (5, 100)


def test_counts_of_another_version_of_a_recognizer_are_not_added() -> None:
    record = scanned(look(1000, 1000, 0, 999, "6"), look(90, 100, 1000, 1099, "7"))
    assert counts(record) == (90, 100)


def test_a_topic_that_was_made_again_begins_anew() -> None:
    assert counts(scanned(look(1000, 1000, 0, 999), look(10, 12, 0, 11, day=2))) == (10, 12)


def test_a_share_that_moved_is_noted_also_where_the_stronger_stays() -> None:
    record = scanned(look(1000, 1000, 0, 4999), look(2, 100, 10, 4990))
    assert counts(record) == (1000, 1000)
    assert record.evidence["change"]["rate"] == {"before": 1.0, "now": 0.02}


spans = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 100), st.integers(1, 28)), min_size=1, max_size=8)


@given(spans)
def test_nothing_is_counted_twice(drawn: list[tuple[int, int, int]]) -> None:
    looks = [look(size, size, first, first + size - 1, day=day) for first, size, day in drawn]
    record = scanned(*looks)
    evidence = record.evidence
    covered = sum(last - first + 1 for _, first, last in evidence["window"]["offsets"])
    assert evidence["sampled"] == evidence["window"]["records"] == covered
    assert evidence["sampled"] >= min(size for _, size, _ in drawn)
    apart = sorted(evidence["window"]["offsets"])
    assert all(before[2] < after[1] for before, after in itertools.pairwise(apart))
