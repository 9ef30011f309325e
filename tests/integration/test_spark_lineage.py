"""`weir_lineage` on a real Spark and a real Kafka: batch, streaming and foreachBatch, with columns in the graph."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.ingest.redact import redact
from lineage.questions.queries import Lineage
from stack.installed import artifacts, java
from stack.progress import Silent
from tests.lineage_answers import as_json
from tests.twins.lineage import MemoryGraph

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
ENDS = ("in", "batch", "stream", "each")

JOB = """
import sys
from pyspark.sql import SparkSession, functions as f
from openlineage.client import OpenLineageClient
import weir_lineage

kafka, topic, jars, events, work = sys.argv[1:]
spark = (SparkSession.builder.master("local[2]").appName("shop").config("spark.jars", jars)
         .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1").getOrCreate())
client = OpenLineageClient(config={"transport": {"type": "file", "log_file_path": events, "append": True}})
ddl = "id INT, customer STRUCT<email STRING, city STRING>, items ARRAY<STRUCT<sku STRING>>"
at = {"kafka.bootstrap.servers": kafka}


def parsed(rows):
    return rows.select("key", f.from_json(f.col("value").cast("string"), ddl).alias("o")).filter("o.id > 0")


def started(writer, name):
    return writer.option("checkpointLocation", f"{work}/{name}").trigger(availableNow=True).start()


with weir_lineage.observe(spark, namespace="shop", client=client):
    rows = parsed(spark.read.format("kafka").options(**at).option("subscribe", f"{topic}-in").load())
    masked = f.to_json(f.struct(f.sha2("o.customer.email", 256).alias("mail"), f.col("o.customer.city").alias("city")))
    rows.select("key", masked.alias("value")).write.format("kafka").options(**at).option("topic", f"{topic}-batch").save()

    stream = parsed(spark.readStream.format("kafka").options(**at).option("subscribe", f"{topic}-in")
                    .option("startingOffsets", "earliest").load())
    unfolded = stream.select("key", "o", f.explode("o.items").alias("item"))
    value = f.to_json(f.struct(f.col("item.sku").alias("sku"), f.upper("o.customer.email").alias("mail")))
    started(unfolded.select("key", value.alias("value")).writeStream.queryName("skus").format("kafka").options(**at)
            .option("topic", f"{topic}-stream"), "stream").awaitTermination()

    def each(batch, number):
        shaped = batch.select("key", f.to_json(f.struct(f.col("o.customer.email").alias("to"))).alias("value"))
        shaped.write.format("kafka").options(**at).option("topic", f"{topic}-each").save()

    started(stream.writeStream.foreachBatch(each), "each").awaitTermination()
spark.stop()
"""


@pytest.fixture
def topic(stack: Stack) -> Iterator[str]:
    name = f"spark-lineage-{uuid.uuid4().hex[:8]}"
    names = [f"{name}-{end}" for end in ENDS]
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    for future in admin.create_topics([NewTopic(each, 1, 1) for each in names]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n in range(1, 4):
        record = {"id": n, "customer": {"email": "a@example.com", "city": "Ulm"}, "items": [{"sku": "x"}]}
        producer.produce(f"{name}-in", key=b"k", value=json.dumps(record))
    producer.flush(30)
    yield name
    admin.delete_topics(names)


@pytest.mark.tail
def test_columns_of_batch_streaming_and_foreach_batch(stack: Stack, topic: str, tmp_path: Path) -> None:
    home = java.spark_java_home(java.find("", tmp_path / "java.log", Silent()), tmp_path / "java")
    (tmp_path / "job.py").write_text(JOB)
    jars = ",".join(map(str, artifacts.jars("spark-kafka")))
    events = tmp_path / "events.jsonl"
    env = {
        **os.environ,
        "JAVA_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": str(ROOT / "client"),
    }
    done = subprocess.run(
        [sys.executable, str(tmp_path / "job.py"), stack.kafka, topic, jars, str(events), str(tmp_path)],
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    raw = [json.loads(line) for line in events.read_text().splitlines()]
    graph = MemoryGraph()
    GraphWriter(graph).write([parse(redact(event)) for event in raw])
    lineage = Lineage(graph)
    namespace = f"kafka://{stack.kafka}"

    def columns(end: str) -> set[tuple[str, str, bool]]:
        answer = as_json(lineage.lineage(f"dataset:{namespace}:{topic}-{end}", "upstream", 1, "column"))
        return {
            (edge["source"].split(f"{topic}-in:")[-1], edge["target"].split(f"{topic}-{end}:")[-1], edge["masked"])
            for edge in answer["edges"]
            if edge["kind"] == "derives"
        }

    assert columns("batch") == {
        ("value.customer.email", "value.mail", True),
        ("value.customer.city", "value.city", False),
        ("key", "key", False),
    }
    assert columns("stream") == {
        ("value.items[].sku", "value.sku", False),
        ("value.customer.email", "value.mail", False),
        ("key", "key", False),
    }
    assert columns("each") == {("value.customer.email", "value.to", False), ("key", "key", False)}
    jobs = {event["job"]["name"]: event for event in raw}
    assert set(jobs) == {f"shop.{topic}-batch", "shop.skus", f"shop.{topic}-each"}
    ended = {event["job"]["name"] for event in raw if event["eventType"] == "COMPLETE"}
    assert ended == set(jobs)
    condition = as_json(lineage.impact(f"datasetField:{namespace}:{topic}-in:value.id"))["affected"]
    assert {row["id"].split(f"{topic}-")[-1] for row in condition if row["type"] == "dataset"} == {
        "batch",
        "stream",
        "each",
    }
    assert "example.com" not in events.read_text()
