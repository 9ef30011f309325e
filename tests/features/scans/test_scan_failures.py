"""A topic that cannot be scanned is a problem of that topic; a scan of nothing names what there was instead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.datasets.datasets import Datasets
from catalog.errors import Unavailable
from catalog.scans.scans import Scans
from scanners.ports import Cancelled, JobFailed, ProfileJob
from tests.api_world import orders, world
from tests.twins.scanners import MemorySampler

TOPICS = {name: orders(20) for name in ("a", "b", "bad", "c")}


class FailingSampler(MemorySampler):
    """Jobs with the topic `bad` fail, as Spark's do when a Python worker dies of a record."""

    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        for topic, sketch in super().profile(job, cancelled):
            if topic == "bad":
                raise JobFailed(
                    "Spark could not finish the scan job (SparkConnectGrpcException); see the server's log."
                )
            yield topic, sketch


class AwaySampler(MemorySampler):
    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        raise Unavailable("The Spark Connect server does not answer; see `weir status`.")


def test_a_job_that_fails_for_one_topic_leaves_the_others_scanned(tmp_path: Path) -> None:
    with world(tmp_path, TOPICS, sampler=FailingSampler(TOPICS)) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod")
        assert done["state"] == "done"
        assert sorted(row["name"] for row in done["datasets"]) == ["a", "b", "c"]
        assert [(p["dataset"], p["reason"]) for p in done["problems"]] == [("bad", "topic_failed")]
        assert "could not finish" in done["problems"][0]["message"]


def test_a_result_that_cannot_be_kept_leaves_the_others_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Datasets.record_scan

    def failing(self: Datasets, scan: Any) -> Any:
        if scan.dataset.name == "bad":
            raise IndexError("string index out of range")
        return keep(self, scan)

    monkeypatch.setattr(Datasets, "record_scan", failing)
    with world(tmp_path, TOPICS) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod")
        assert done["state"] == "done" and sorted(row["name"] for row in done["datasets"]) == ["a", "b", "c"]
        (problem,) = done["problems"]
        assert problem["dataset"] == "bad" and "IndexError" in problem["message"]
        assert "string index" not in problem["message"], "an error's own words may quote data"


def test_a_scan_all_of_whose_topics_failed_has_failed(tmp_path: Path) -> None:
    with world(tmp_path, TOPICS, sampler=FailingSampler(TOPICS)) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["bad"])
        assert done["state"] == "failed" and [p["dataset"] for p in done["problems"]] == ["bad"]


def test_servers_that_are_away_fail_the_scan_once(tmp_path: Path) -> None:
    with world(tmp_path, TOPICS, sampler=AwaySampler(TOPICS)) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod")
        assert done["state"] == "failed" and done["datasets"] == []
        assert [p["message"] for p in done["problems"]] == [
            "The Spark Connect server does not answer; see `weir status`."
        ]


@pytest.mark.parametrize(
    ("topics", "sentence"),
    [
        (TOPICS, "No topic of cluster prod matches shop.*; it has 4 other topics."),
        ({}, "No topic of cluster prod matches shop.*; its brokers list none that is not internal (_...)."),
    ],
)
def test_a_pattern_that_matches_nothing_names_the_alternatives(tmp_path: Path, topics: Any, sentence: str) -> None:
    with world(tmp_path, topics) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["shop.*"])
        assert done["state"] == "done" and done["datasets"] == []
        assert [(p["reason"], p["message"]) for p in done["problems"]] == [("no_topic", sentence)]


def test_what_a_scan_writes_of_its_progress_grows_with_its_topics_and_not_with_their_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = {f"t{number:03}": orders(1) for number in range(120)}
    written: list[int] = []
    report = Scans.report

    def noted(self: Scans, scan_id: str, worker: str, **known: Any) -> bool:
        written.append(len(known.get("datasets") or ()))
        return report(self, scan_id, worker, **known)

    monkeypatch.setattr(Scans, "report", noted)
    with world(tmp_path, many) as weir:
        done = weir.scan(bootstrapServers="localhost:9092", cluster="prod")
    assert [row["name"] for row in done["datasets"]] == sorted(many)
    assert {1, 2, 3, 4, 5} <= set(written), "the first ones are seen one by one"
    assert sum(written) < 30 * len(many), "every row after every topic would be 60 times as many"
