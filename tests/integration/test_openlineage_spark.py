"""OpenLineage's own agent for Spark in a real job: what it reports of Kafka and files lands on the right nodes and columns."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from stack.errors import StackError
from stack.installed import artifacts, java
from stack.progress import Silent
from tests.api_world import ApiWorld, world
from tests.client_environment import run
from tests.lineage_door import ask
from tests.served import served

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = [pytest.mark.integration, pytest.mark.tail, pytest.mark.timeout(900)]

JOB = """
import sys
from pyspark.sql import SparkSession, functions as f

kafka, topic, lake, jars, url, token = sys.argv[1:]
spark = (SparkSession.builder.master("local[2]").appName("shop").config("spark.jars", jars)
         .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
         .config("spark.extraListeners", "io.openlineage.spark.agent.OpenLineageSparkListener")
         .config("spark.openlineage.transport.type", "http").config("spark.openlineage.transport.url", url)
         .config("spark.openlineage.transport.auth.type", "api_key")
         .config("spark.openlineage.transport.auth.apiKey", token)
         .config("spark.openlineage.namespace", "spark").getOrCreate())
ddl = "id INT, email STRING, town STRING"
rows = (spark.read.format("kafka").option("kafka.bootstrap.servers", kafka).option("subscribe", topic).load()
        .select(f.from_json(f.col("value").cast("string"), ddl).alias("o")).select("o.*"))
rows.write.mode("overwrite").parquet(f"{lake}/orders")
orders = spark.read.parquet(f"{lake}/orders")
orders.createOrReplaceTempView("o")
spark.sql("SELECT sha2(email, 256) AS mail, upper(town) AS town FROM o WHERE id > 0").write.mode("overwrite").parquet(
    f"{lake}/customers")
spark.stop()
"""


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The agent and Spark's source of Kafka, from Maven; the test is skipped where they cannot be fetched."""
    log = tmp_path_factory.mktemp("jars") / "java.log"
    names = ("openlineage-spark", "spark-kafka")
    try:
        artifacts.ensure(names, java.find("", log, Silent()), log)
    except StackError as error:
        pytest.skip(f"openlineage-spark is not to be had: {error}")
    return ",".join(map(str, artifacts.jars(*names)))


@pytest.fixture
def topic(stack: Stack) -> Iterator[str]:
    name = f"agent-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    for future in admin.create_topics([NewTopic(name, 1, 1)]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n in range(1, 4):
        producer.produce(name, value=json.dumps({"id": n, "email": f"p{n}@example.com", "town": "Ulm"}))
    producer.flush(30)
    yield name
    admin.delete_topics([name])


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path / "weir") as created:
        yield created


def test_a_topic_and_files_with_their_columns_are_in_the_graph(
    stack: Stack, weir: ApiWorld, topic: str, jars: str, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    (tmp_path / "job.py").write_text(JOB)
    variables = {
        "JAVA_HOME": str(java.spark_java_home(java.find("", tmp_path / "java.log", Silent()), tmp_path / "java")),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    token = weir.admin.headers["Authorization"].removeprefix("Bearer ")
    with served(weir.app) as url:
        run([sys.executable, "job.py", stack.kafka, topic, str(lake), jars, url, token], tmp_path, variables, 600)
    weir.fold()

    source = f"kafka://{stack.kafka}:{topic}"
    orders, customers = f"file:{lake}/orders", f"file:{lake}/customers"

    fed = ask(weir, "lineage", nodeId=f"dataset:{customers}", direction="upstream", depth=5)
    assert {node["id"] for node in fed["nodes"] if node["type"] == "dataset"} == {
        f"dataset:{place}" for place in (source, orders, customers)
    }

    def derived(place: str) -> set[tuple[str, str, bool]]:
        answer = ask(weir, "lineage", nodeId=f"dataset:{place}", level="column", direction="upstream", depth=1)
        return {
            (e["source"].removeprefix("datasetField:"), e["target"].rpartition(":")[2], e["masked"])
            for e in answer["edges"]
            if e["kind"] == "derives"
        }

    assert derived(customers) == {(f"{orders}:email", "mail", True), (f"{orders}:town", "town", False)}
    # The agent reports no columns of what is read out of a record's value: that is stated, with the job and the way.
    assert derived(orders) == set()
    asked = ask(weir, "lineage", nodeId=f"dataset:{orders}", level="column", direction="upstream", depth=1)
    [unknown] = asked["columnsUnknown"]
    assert (unknown["source"], unknown["target"]) == (f"dataset:{source}", f"dataset:{orders}")
    assert unknown["job"].startswith("job:spark:shop.") and unknown["job"].endswith("lake_orders")
    assert "from_json" in unknown["way"] and "weir_lineage.observe" in unknown["way"]
