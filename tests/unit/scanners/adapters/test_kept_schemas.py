"""Schemas of registries are kept up to a size, the newest used; those that were dropped are asked for again."""

from __future__ import annotations

import httpx

from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.registry_memory import KeptSchemas
from scanners.model import ClusterConnection, RegisteredSchema
from scanners.settings import ScannerSettings

CLUSTER = ClusterConnection("c", "kafka://k:9092", "k:9092", registry="http://registry")


def schema(number: int, size: int = 1000) -> RegisteredSchema:
    return RegisteredSchema(number, "AVRO", "x" * size)


def test_all_together_have_a_size_and_the_newest_used_stay() -> None:
    kept = KeptSchemas(largest=20_000)
    for number in range(100):
        kept.put(schema(number), "r", number)
        assert kept.get("r", 0) is not None
    assert [each.id for _, each in kept.of("r")] == [0, *range(91, 100)] and kept.of("other") == []
    assert kept.put(schema(200, 50_000), "r", 200).id == 200 and kept.get("r", 200) is None


def test_a_registry_of_many_large_schemas_is_answered_whole() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if request.url.path.endswith("/versions"):
            return httpx.Response(200, json=[])
        return httpx.Response(200, json={"schema": "y" * 60_000, "schemaType": "AVRO"})

    registry = HttpSchemaRegistry(ScannerSettings(), httpx.MockTransport(answer), sleep=lambda _: None)
    registry._known = KeptSchemas(largest=500_000)
    answered = registry.by_ids(CLUSTER, range(1, 51))
    assert sorted(answered.schemas) == list(range(1, 51)) and not answered.problems
    assert len(registry._known.of("http://registry")) == 8
    asked.clear()
    registry.by_ids(CLUSTER, [50])
    assert asked == []
    registry.by_ids(CLUSTER, [1])
    assert asked
