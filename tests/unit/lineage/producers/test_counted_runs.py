"""The runs of jobs are counted for so many jobs; a job that is forgotten has let its oldest runs go by then."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from catalog.report_store import RUN, Fact, Subject
from lineage.producers import catalog
from lineage.producers.catalog import ProducerCatalog


class Store:
    def __init__(self) -> None:
        self.forgotten: Counter[str] = Counter()

    def forget_runs(self, job: Subject, _: int) -> None:
        self.forgotten[job.name] += 1


def test_as_many_jobs_as_there_are_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_JOBS", 100)
    store = Store()
    clusters: Any = type("Clusters", (), {"resolve": None})()
    producers = ProducerCatalog(cast(Any, store), clusters, lambda: datetime.now(UTC))
    for number in range(1000):
        job = Subject(RUN, "ns", f"job-{number}")
        producers._forget_runs([Fact(job, "nominalTime", 1, {}, f"run-{number}")])
    assert len(producers._runs) == 100
    assert store.forgotten == Counter(f"job-{number}" for number in range(900))
    busy = Subject(RUN, "ns", "job-999")
    for number in range(30):
        producers._forget_runs([Fact(busy, "nominalTime", 1, {}, f"again-{number}")])
    assert store.forgotten["job-999"] == 1
