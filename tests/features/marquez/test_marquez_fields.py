"""Fields of topics on Marquez's routes: those of the scanned schema, never the columns of Spark's Kafka source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from catalog.datasets.datasets import Datasets
from catalog.model import DatasetId, DatasetScan, FieldProfile, SchemaVersion
from tests.api_world import ApiWorld, world
from tests.lineage_door import ask
from tests.lineage_samples import KAFKA, dataset, node, run


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("weir")) as weir:
        yield weir


SPARK_SOURCE = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")
"""Columns of Spark's Kafka source, which openlineage-spark reports as the schema of each topic that it reads."""


def spark_job(topic: str) -> dict[str, Any]:
    """A COMPLETE of a Spark job that reads a topic, and writes its value and offset to a table."""
    ways = {
        "body": [source_of(topic, "value")],
        "at": [source_of(topic, "offset")],
        "who": [source_of(topic, "key")],
    }
    table = {"namespace": "file", "name": "/lake/orders", "facets": {"columnLineage": {
        "fields": {name: {"inputFields": inputs} for name, inputs in ways.items()}}}}  # fmt: skip
    schema = {"fields": [{"name": name, "type": "string"} for name in SPARK_SOURCE]}
    return run(
        0, [dataset(topic, schema=schema)], [table], job=f"spark.{topic}", run_id=f"r-{topic}", integration="SPARK"
    )


def source_of(topic: str, field: str) -> dict[str, Any]:
    return {"namespace": KAFKA, "name": topic, "field": field}


@pytest.mark.parametrize("encoding", ["json", "avro"])
def test_fields_of_a_scanned_topic_are_those_of_the_scan(weir: ApiWorld, encoding: str) -> None:
    topic = f"scanned.{encoding}"
    assert weir.admin.post("/api/v1/lineage", json=spark_job(topic)).status_code == 201
    weir.fold()
    fields = (
        FieldProfile("value.email", {"string": 1.0}, 10, 1.0),
        FieldProfile("value.total", {"double": 1.0}, 10, 1.0),
    )
    weir.services[Datasets].record_scan(
        DatasetScan(DatasetId(KAFKA, topic), SchemaVersion({"value": encoding}, fields))
    )
    place = f"namespaces/{quote(KAFKA, safe='')}/datasets"
    listed = {each["name"]: each for each in ask(weir, place)["datasets"]}[topic]
    for shown in (ask(weir, f"{place}/{topic}"), listed):
        assert [(f["name"], f["type"]) for f in shown["fields"]] == [
            ("value.email", "string"),
            ("value.total", "double"),
        ]
        assert [f["name"] for f in shown["facets"].get("schema", {"fields": shown["fields"]})["fields"]] == [
            "value.email", "value.total"]  # fmt: skip
    assert ask(weir, f"{place}/{topic}/versions")["totalCount"] == 1


def test_columns_of_sparks_source_are_parts_of_a_record(weir: ApiWorld) -> None:
    assert weir.admin.post("/api/v1/lineage", json=spark_job("unscanned")).status_code == 201
    weir.fold()
    place = f"namespaces/{quote(KAFKA, safe='')}/datasets/unscanned"
    assert [f["name"] for f in ask(weir, place)["fields"]] == ["_offset", "key", "value"]
    answer = ask(weir, "lineage", nodeId=node("unscanned"), level="column", direction="downstream")
    derived = {(e["source"], e["target"]) for e in answer["edges"] if e["kind"] == "derives"}
    assert (node("unscanned", "_offset"), "datasetField:file:/lake/orders:at") in derived
