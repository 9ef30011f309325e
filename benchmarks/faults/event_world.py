"""Events of jobs that fail, change what they write, overwrite, drop and name columns: a world whose order matters most."""

from __future__ import annotations

import random
import uuid
from typing import Any

from lineage.model import rfc3339

NAMESPACE = "kafka://faults:9092"
START = 1_767_225_600_000
RUNS = 10
"""Runs of a job."""


def events(count: int, seed: int) -> list[dict[str, Any]]:
    """So many events in the order of their times, the same for the same seed."""
    dice = random.Random(f"world {seed}")
    jobs = max(1, count // (RUNS * 2) + 1)
    datasets = [f"d{n:04}" for n in range(max(6, jobs))]
    reports = [event for job in range(jobs) for event in _job(job, datasets, dice)]
    reports.sort(key=lambda event: str(event["eventTime"]))
    return reports[:count]


def _job(job: int, datasets: list[str], dice: random.Random) -> list[dict[str, Any]]:
    reports = []
    inputs = dice.sample(datasets, 2)
    target = dice.choice(datasets)
    processing = dice.choice(("BATCH", "BATCH", "STREAMING"))
    for run in range(RUNS):
        if dice.random() < 0.3:  # the job was changed
            inputs = dice.sample(datasets, dice.choice((1, 2, 3)))
        if dice.random() < 0.2:
            target = dice.choice(datasets)
        number = str(uuid.UUID(int=job * 1000 + run))
        begun = START + (run * 3_600 + job * 7) * 1000 + dice.randrange(1000)
        kinds = ["START", dice.choice(("COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "ABORT"))]
        if dice.random() < 0.2:
            kinds.insert(1, "RUNNING")
        for step, kind in enumerate(kinds):
            reports.append(_event(job, number, kind, begun + step * 60_000, inputs, target, processing, dice))
    return reports


def _event(
    job: int, run: str, kind: str, at: int, inputs: list[str], target: str, processing: str, dice: random.Random
) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if kind != "START":
        facets["columnLineage"] = {"fields": {f"c{n}": {"inputFields": [_field(inputs, dice)]} for n in range(3)}}
        if dice.random() < 0.1:
            change = dice.choice(("OVERWRITE", "TRUNCATE", "DROP"))
            facets["lifecycleStateChange"] = {"lifecycleStateChange": change}
    return {
        "eventType": kind,
        "eventTime": rfc3339(at),
        "producer": "https://example.com/faults",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": {}},
        "job": {"namespace": "faults", "name": f"job{job:04}", "facets": {"jobType": {"processingType": processing}}},
        "inputs": [{"namespace": NAMESPACE, "name": name} for name in inputs],
        "outputs": [{"namespace": NAMESPACE, "name": target, "facets": facets}],
    }


def _field(inputs: list[str], dice: random.Random) -> dict[str, Any]:
    way = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": dice.random() < 0.2}
    return {
        "namespace": NAMESPACE,
        "name": dice.choice(inputs),
        "field": f"c{dice.randrange(3)}",
        "transformations": [way],
    }
