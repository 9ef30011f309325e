"""The synthetic world of the lineage benchmark: jobs in layers, with column lineage."""

from __future__ import annotations

import json
import random
import uuid
from typing import Any

from lineage.model import rfc3339

NAMESPACE = "kafka://bench:9092"
START = 1_767_225_600_000


class World:
    """Jobs in layers; each reads two or three datasets of the layer above and writes one, with column lineage."""

    def __init__(self, jobs: int, datasets: int, columns: int, padding: int, layers: int = 12) -> None:
        self.dice = random.Random(7)
        self.columns, self.padding = columns, padding
        per_layer = max(3, datasets // (layers + 1))
        self.layers = [[f"d{layer:02}_{at:04}" for at in range(per_layer)] for layer in range(layers + 1)]
        self.jobs = []
        for at in range(jobs):
            layer = at % layers
            inputs = self.dice.sample(self.layers[layer], self.dice.choice([2, 3]))
            self.jobs.append((f"job{at:05}", inputs, self.layers[layer + 1][(at // layers) % per_layer]))

    def event(self, at: int, kind: str, run: int = 0, seconds: float = 0.0) -> dict[str, Any]:
        """An event of job `at`, with column lineage on all but START."""
        name, inputs, output = self.jobs[at]
        dice = random.Random(at)
        fields = {
            f"c{column}": {
                "inputFields": [
                    {
                        "namespace": NAMESPACE,
                        "name": source,
                        "field": f"c{dice.randrange(self.columns // 2)}",
                        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "masking": column % 7 == 0}],
                    }
                    for source in dice.sample(inputs, 2)
                ]
            }
            for column in range(self.columns // 2)
        }
        facets: dict[str, Any] = {} if kind == "START" else {"columnLineage": {"fields": fields, "dataset": []}}
        event: dict[str, Any] = {
            "eventType": kind,
            "eventTime": rfc3339(START + int((at + seconds + run * 10_000) * 1000)),
            "producer": "https://example.com/bench",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.UUID(int=at * 1000 + run)), "facets": {}},
            "job": {"namespace": "bench", "name": name, "facets": {"jobType": {"processingType": "BATCH"}}},
            "inputs": [{"namespace": NAMESPACE, "name": source} for source in inputs],
            "outputs": [{"namespace": NAMESPACE, "name": output, "facets": facets}],
        }
        short = self.padding - len(json.dumps(event))
        if short > 0:
            event["run"]["facets"]["spark.logicalPlan"] = {"plan": "x " * (short // 2)}
        return event


def ladder(rungs: int) -> list[dict[str, Any]]:
    """Diamonds in a row: 2^rungs paths, 3 x rungs nodes."""

    def event(source: str, targets: list[str]) -> dict[str, Any]:
        return {
            "eventType": "COMPLETE",
            "eventTime": rfc3339(START),
            "producer": "x",
            "schemaURL": "x",
            "run": {"runId": uuid.uuid4().hex},
            "job": {"namespace": "bench", "name": f"ladder {source}"},
            "inputs": [{"namespace": NAMESPACE, "name": source}],
            "outputs": [{"namespace": NAMESPACE, "name": name} for name in targets],
        }

    raw = []
    for at in range(rungs):
        raw.append(event(f"ladder{at:02}", [f"left{at:02}", f"right{at:02}"]))
        raw += [event(f"{side}{at:02}", [f"ladder{at + 1:02}"]) for side in ("left", "right")]
    return raw
