"""Dead letters by Spark: read, filtered and written where Spark runs; no record reaches this process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import repeat
from typing import Any

from catalog.errors import Unavailable
from scanners.adapters.kafka.settings import java, librdkafka
from scanners.adapters.spark import headers_text
from scanners.adapters.spark.sampler import SparkSampler, kafka_options, layers
from scanners.adapters.spark.worker import WorkerJob, job_text
from scanners.decode.dead_letters import Letter, letters
from scanners.model import ClusterConnection, RawRecord, TopicFormat
from scanners.ports import Cancelled, ProfileJob
from scanners.schemas.registered import Schemas

LETTER_SCHEMA = "key binary, value binary, headers array<struct<key: string, value: binary>>"
_TOPIC_S = 15.0


class SparkDeadLetters:
    """`DeadLetters` over the sampler's session."""

    def __init__(self, sampler: SparkSampler) -> None:
        self._sampler = sampler

    def send(self, job: ProfileJob, target: str, cancelled: Cancelled) -> None:
        ensure_topic(job.cluster, target)
        producer = {f"kafka.{name}": value for name, value in java(job.cluster.kafka).items()}
        try:
            spark = self._sampler.session()
            options = kafka_options(job.cluster)
            frames = [self._sampler.read(spark, ranges, options) for ranges in layers(job.ranges)]
            records = reduce(lambda a, b: a.unionAll(b), frames)
            dead = records.mapInArrow(letter_batches(job_text(job)), LETTER_SCHEMA)
            (
                dead.write.format("kafka")
                .options(**producer)
                .option("kafka.bootstrap.servers", job.cluster.bootstrap)
                .option("includeHeaders", "true")
                .option("topic", target)
                .save()
            )
        except Unavailable:
            raise
        except Exception as error:
            # Spark's own words may quote a record.
            raise Unavailable(
                f"Spark could not write to the topic {target} ({type(error).__name__}); check that it may be written to.",
                details={"server": "spark", "topic": target},
            ) from None


def ensure_topic(cluster: ClusterConnection, name: str) -> None:
    """Make the topic when it is not there. Raises Unavailable."""
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient(librdkafka(cluster.kafka, cluster.bootstrap, _TOPIC_S))
    try:
        if name not in admin.list_topics(timeout=_TOPIC_S).topics:
            admin.create_topics([NewTopic(name, 1)])[name].result(_TOPIC_S)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            reason = error.args[0].name()
            raise Unavailable(
                f"The topic {name} for dead letters cannot be made on {cluster.bootstrap} ({reason}); make it yourself or"
                " allow Weir to.",
                details={"server": "kafka", "topic": name},
            ) from error


def letter_batches(job: str) -> Any:
    """A function for `mapInArrow`: records to dead letters. Stops looking at the job's deadline."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        details: WorkerJob = json.loads(job)
        schemas = Schemas.of(details["schemas"])
        forms = {topic: TopicFormat.from_mapping(form) for topic, form in details["formats"].items()}
        kinds = pyarrow.schema(
            [
                ("key", pyarrow.binary()),
                ("value", pyarrow.binary()),
                ("headers", pyarrow.list_(pyarrow.struct([("key", pyarrow.string()), ("value", pyarrow.binary())]))),
            ]
        )
        for batch in batches:
            if details["deadline"] is not None and time.time() > details["deadline"]:
                return
            dead: list[Letter] = []
            rows = batch.to_pylist()
            headers = headers_text.read([row["headers"] for row in rows]) or repeat(())
            for row, pairs in zip(rows, headers, strict=False):
                record = RawRecord(
                    key=row["key"],
                    value=row["value"],
                    headers=pairs,
                    partition=row["partition"],
                    offset=row["offset"],
                    timestamp=row["timestamp"],
                )
                dead += letters(row["topic"], [record], forms[row["topic"]], schemas)
            if dead:
                table = [{**f, "headers": [{"key": n, "value": v} for n, v in f["headers"]]} for f in dead]
                yield from pyarrow.Table.from_pylist(table, kinds).to_batches()

    return run
