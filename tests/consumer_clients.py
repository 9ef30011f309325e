"""Kafka clients that nobody changed, run by the configurations that `weir rights client` hands out."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stack import progress
from stack.installed import artifacts, java
from tests.waiting import until

REFUSED = ("TopicAuthorizationException", "TOPIC_AUTHORIZATION_FAILED", "not found on the broker")
"""How the clients name the refusal of a topic. To Quix Streams, which lists topics, it is not there."""
TOOLS = ("kafka", "kafka-tools")
_SECONDS = 180


@dataclass(frozen=True)
class Clients:
    """What runs them: the Spark of a stack, and the Python of an environment with Quix Streams."""

    spark: str
    quix: Path

    def require(self, texts: Mapping[str, str], where: Where, copy: str, raw: str, records: int) -> list[list[str]]:
        """Each client reads `records` of the copy, and is refused at the topic; what each read."""
        group = next(line[9:] for line in texts["librdkafka"].splitlines() if line.startswith("group.id="))
        every = []
        for form, run in self._runs(where.environment).items():
            where.forget_group(group)
            topics = (copy, copy), (copy, raw)
            read, refused = (
                run(texts[form].replace(*each), each[1], where.folder / f"{form}-{number}", records)
                for number, each in enumerate(topics)
            )
            assert len(read.values) == records, (form, read)
            assert refused.refused, (form, refused)
            every.append(read.values)
        return every

    def _runs(self, environment: Mapping[str, str]) -> dict[str, Callable[[str, str, Path, int], Read]]:
        return {
            "python": lambda text, topic, folder, records: of_python(text, environment, folder, records),
            "java": lambda text, topic, folder, records: of_java(text, topic, environment, folder, records),
            "spark": lambda text, topic, folder, records: of_spark(text, self.spark, environment, folder, records),
            "quix": lambda text, topic, folder, records: of_quix(text, self.quix, environment, folder, records),
        }


@dataclass(frozen=True)
class Where:
    """folder: for the files of the clients; environment: what the configurations read; admin: the settings of one who may
    delete the consumer group that they name."""

    folder: Path
    environment: Mapping[str, str]
    admin: Mapping[str, Any]

    def forget_group(self, group: str) -> None:
        """The next client begins at the first record, as the first one did."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import AdminClient

        admin = AdminClient(dict(self.admin))

        def gone() -> bool:
            try:
                admin.delete_consumer_groups([group])[group].result(20)
            except KafkaException as error:
                return bool(error.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND)
            except TimeoutError:
                return False
            return True

        until(gone, f"the group {group} has no member", 60, every=0.5)


@dataclass(frozen=True)
class Read:
    """What a client printed. values: of the records, one a line; errors: all else."""

    values: list[str]
    errors: str

    @property
    def refused(self) -> bool:
        return not self.values and any(each in self.errors for each in REFUSED)


def of_java(text: str, topic: str, environment: Mapping[str, str], folder: Path, records: int) -> Read:
    """Kafka's own console consumer, with the properties as they are.

    The password is quoted in the environment, as a comment in the properties wants it.
    """
    password = environment["KAFKA_PASSWORD"].replace("\\", "\\\\").replace('"', '\\"')
    folder.mkdir(exist_ok=True)
    runtime = java.find("", folder / "java.log", progress.Silent())
    artifacts.ensure(TOOLS, runtime, folder / "fetch.log")
    file = folder / "consumer.properties"
    file.write_text(text)
    bootstrap = next(line.partition("=")[2] for line in text.splitlines() if line.startswith("bootstrap.servers="))
    consumer = ["org.apache.kafka.tools.consumer.ConsoleConsumer", "--bootstrap-server", bootstrap, "--topic", topic]
    until = ["--consumer.config", str(file), "--max-messages", str(records), "--timeout-ms", "30000"]
    command = [runtime.program, "-Xmx128m", "-cp", artifacts.class_path(*TOOLS), *consumer, *until]
    return _run(command, {**environment, "KAFKA_PASSWORD": password}, folder)


def of_python(text: str, environment: Mapping[str, str], folder: Path, records: int) -> Read:
    """confluent-kafka, in a process of its own."""
    more = f"""
    import sys, time
    end = time.monotonic() + 30
    number = 0
    while number < {records} and time.monotonic() < end:
        message = consumer.poll(0.5)
        if message is None:
            continue
        if message.error():
            print(message.error().name(), file=sys.stderr)
            break
        print(message.value().decode())
        number += 1
    consumer.close()
    """
    return _script(sys.executable, text + textwrap.dedent(more), environment, folder)


def of_spark(text: str, remote: str, environment: Mapping[str, str], folder: Path, records: int) -> Read:
    """A batch of Spark, through Spark Connect: the same options, `read` in the place of `readStream`."""
    assert "spark.readStream" in text
    first = "import os\nfrom pyspark.sql import SparkSession\n"
    first += 'spark = SparkSession.builder.remote(os.environ["TEST_SPARK"]).create()\n'
    more = (
        f'\nfor row in frame.selectExpr("CAST(value AS STRING) AS v").limit({records}).collect():\n    print(row.v)\n'
    )
    whole = first + text.replace("spark.readStream", "spark.read") + more + "spark.stop()\n"
    return _script(sys.executable, whole, {**environment, "TEST_SPARK": remote}, folder)


def of_quix(text: str, python: Path, environment: Mapping[str, str], folder: Path, records: int) -> Read:
    """An application of Quix Streams, by the Python of an environment that has it."""
    more = f"""
    frame = app.dataframe(topic)
    frame.update(lambda value: print(json.dumps(value)))
    app.run(count={records}, timeout=30)
    """
    return _script(str(python), "import json\n" + text + textwrap.dedent(more), environment, folder)


def _script(python: str, text: str, environment: Mapping[str, str], folder: Path) -> Read:
    folder.mkdir(exist_ok=True)
    file = folder / "client.py"
    file.write_text(text)
    return _run([python, str(file)], environment, folder)


def _run(command: list[str], environment: Mapping[str, str], folder: Path) -> Read:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "PYTHON"))}
    done = subprocess.run(
        command,
        env={**own, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return Read([line for line in done.stdout.splitlines() if line.startswith("{")], done.stdout + done.stderr)
