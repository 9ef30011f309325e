"""Two small Python jobs of the demo's shop that report their lineage with the OpenLineage client, columns included.

order_mails         `orders` -> `order-mails`: whom to write to about an order; the address as it is
newsletter_export   `users` and `order-mails` -> `newsletter-audience`: who may be counted; the address only as a hash

Address and token of the lineage server come from OPENLINEAGE_URL and OPENLINEAGE_API_KEY, as the client reads them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    documentation_job,
    error_message_run,
    job_type_job,
    ownership_job,
    schema_dataset,
    source_code_location_job,
)
from openlineage.client.uuid import generate_new_uuid
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_fixed

PRODUCER = "https://git.example.com/shop/jobs"
NAMESPACE = "shop"
SECONDS = 20.0

Reader = Callable[[str], Iterator[dict[str, Any]]]
Rows = Iterable[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Column:
    """Where an output field comes from: fields of inputs. `masked` = the value cannot be read back from the output."""

    sources: tuple[tuple[str, str], ...]
    kind: str = "IDENTITY"
    masked: bool = False


@dataclass(frozen=True)
class Script:
    """One job: topic -> its fields, the output with its columns, and the rows it makes of what it reads."""

    name: str
    about: str
    inputs: dict[str, tuple[str, ...]]
    output: str
    columns: dict[str, Column]
    rows: Callable[[Reader], Rows]


def _order_mails(read: Reader) -> Rows:
    for order in read("orders"):
        customer = order.get("customer") or {}
        if customer.get("email"):
            row = {"order_id": order["order_id"], "to": customer["email"], "name": customer.get("name")}
            yield order["order_id"], row


def _newsletter(read: Reader) -> Rows:
    def hashed(email: str) -> str:
        return hashlib.sha256(email.lower().encode()).hexdigest()

    for user in read("users"):
        if user.get("newsletter"):
            yield user["user_id"], {"email_hash": hashed(user["email"]), "country": user["country"], "source": "users"}
    for mail in read("order-mails"):
        yield mail["order_id"], {"email_hash": hashed(mail["to"]), "country": None, "source": "orders"}


SCRIPTS = (
    Script(
        name="order_mails",
        about="Hands every order's address to the service that writes to customers.",
        inputs={"orders": ("value.order_id", "value.customer.email", "value.customer.name")},
        output="order-mails",
        columns={
            "key": Column((("orders", "value.order_id"),)),
            "value.order_id": Column((("orders", "value.order_id"),)),
            "value.to": Column((("orders", "value.customer.email"),)),
            "value.name": Column((("orders", "value.customer.name"),)),
        },
        rows=_order_mails,
    ),
    Script(
        name="newsletter_export",
        about="Counts the newsletter's audience without knowing anybody's address.",
        inputs={
            "users": ("value.user_id", "value.email", "value.country"),
            "order-mails": ("value.order_id", "value.to"),
        },
        output="newsletter-audience",
        columns={
            "key": Column((("users", "value.user_id"), ("order-mails", "value.order_id"))),
            "value.email_hash": Column(
                (("users", "value.email"), ("order-mails", "value.to")), "TRANSFORMATION", masked=True
            ),
            "value.country": Column((("users", "value.country"),)),
        },
        rows=_newsletter,
    ),
)


class Runner:
    """Runs a script between two topics of one broker and reports that to the lineage server."""

    def __init__(self, bootstrap: str, prefix: str) -> None:
        self._bootstrap = bootstrap
        self._prefix = prefix
        self._lineage = OpenLineageClient()

    def run(self, script: Script) -> int:
        """Start to end; the number of records written. A failure is reported as a FAIL event and raised again."""
        run_id = str(generate_new_uuid())
        self._emit(script, run_id, RunState.START)
        try:
            written = self._work(script)
        except Exception as error:
            self._emit(script, run_id, RunState.FAIL, failed=type(error).__name__)
            raise
        self._emit(script, run_id, RunState.COMPLETE)
        return written

    def close(self) -> None:
        self._lineage.close()

    def _work(self, script: Script) -> int:
        options = json.loads(os.environ.get("SHOP_KAFKA", "{}"))
        settings: dict[str, object] = {**options, "bootstrap.servers": self._bootstrap}
        # A group of its own, so that the broker knows who reads and a second run takes only what is new.
        consumer = Consumer(
            settings
            | {"group.id": f"{self._prefix}{script.name}", "enable.auto.commit": False, "enable.partition.eof": False}
        )
        producer = Producer(settings | {"acks": "all", "linger.ms": 20})
        ends: list[TopicPartition] = []
        written = 0
        try:
            for key, row in script.rows(lambda topic: self._records(consumer, topic, ends)):
                value = json.dumps(row, ensure_ascii=False).encode()
                producer.produce(self._prefix + script.output, key=key.encode(), value=value)
                producer.poll(0)
                written += 1
            if producer.flush(SECONDS):
                raise TimeoutError(f"the broker did not take all records of {script.output}")
            if ends:
                consumer.commit(offsets=ends, asynchronous=False)
        finally:
            consumer.close()
        return written

    def _records(self, consumer: Consumer, topic: str, ends: list[TopicPartition]) -> Iterator[dict[str, Any]]:
        """The values after what the group committed up to the present end, as JSON without the registry's framing."""
        name = self._prefix + topic
        numbers = consumer.list_topics(name, timeout=SECONDS).topics[name].partitions
        committed = _committed(consumer, [TopicPartition(name, n) for n in numbers])
        left = {}
        starts = []
        for place in committed:
            low, high = consumer.get_watermark_offsets(place, timeout=SECONDS)
            start = max(place.offset, low)
            ends.append(TopicPartition(name, place.partition, high))
            if start < high:
                left[place.partition] = high
                starts.append(TopicPartition(name, place.partition, start))
        consumer.assign(starts)
        while left:
            message = consumer.poll(SECONDS)
            if message is None:
                raise TimeoutError(f"the broker gave no records of {topic}")
            if message.error():
                raise OSError(message.error().str())
            if message.offset() + 1 >= left.get(message.partition(), 0):
                left.pop(message.partition(), None)
            value = message.value()
            if value:
                yield json.loads(value[5:] if value[0] == 0 else value)

    def _emit(self, script: Script, run_id: str, state: RunState, failed: str = "") -> None:
        namespace = f"kafka://{self._bootstrap.split(',')[0]}"
        inputs = [
            InputDataset(
                namespace,
                self._prefix + topic,
                facets={"schema": schema_dataset.SchemaDatasetFacet(_fields(fields))},
            )
            for topic, fields in script.inputs.items()
        ]
        columns = {
            name: column_lineage_dataset.Fields(
                [
                    column_lineage_dataset.InputField(
                        namespace,
                        self._prefix + topic,
                        field,
                        [column_lineage_dataset.Transformation("DIRECT", column.kind, masking=column.masked)],
                    )
                    for topic, field in column.sources
                ]
            )
            for name, column in script.columns.items()
        }
        facets = {
            "schema": schema_dataset.SchemaDatasetFacet(_fields(tuple(script.columns))),
            "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(columns),
        }
        run_facets = {}
        if failed:
            run_facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(failed, "PYTHON")
        self._lineage.emit(
            RunEvent(
                eventTime=datetime.now(UTC).isoformat(),
                eventType=state,
                run=Run(run_id, run_facets),
                job=Job(NAMESPACE, script.name, _job_facets(script)),
                inputs=inputs,
                outputs=[OutputDataset(namespace, self._prefix + script.output, facets=facets)],
                producer=PRODUCER,
            )
        )


def _fields(names: tuple[str, ...]) -> list[schema_dataset.SchemaDatasetFacetFields]:
    return [schema_dataset.SchemaDatasetFacetFields(name, "string") for name in names]


def _job_facets(script: Script) -> dict[str, object]:
    text = Path(__file__).read_bytes()
    # What git calls this very text: names the version that ran, in a checkout or not.
    version = hashlib.sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()
    return {
        "jobType": job_type_job.JobTypeJobFacet("BATCH", "PYTHON", "SCRIPT"),
        "documentation": documentation_job.DocumentationJobFacet(script.about),
        "ownership": ownership_job.OwnershipJobFacet([ownership_job.Owner("team-mail", "team")]),
        "sourceCodeLocation": source_code_location_job.SourceCodeLocationJobFacet(
            type="git",
            url=f"{PRODUCER}/blob/main/newsletter_export.py",
            repoUrl=PRODUCER,
            path="newsletter_export.py",
            version=version,
        ),
    }


@retry(retry=retry_if_exception_type(KafkaException), stop=stop_after_delay(30), wait=wait_fixed(0.3), reraise=True)
def _committed(consumer: Consumer, partitions: list[TopicPartition]) -> list[TopicPartition]:
    """A broker that has just started has not loaded its groups yet, and reports that for a moment."""
    return list(consumer.committed(partitions, timeout=SECONDS))


def main(bootstrap: str, prefix: str) -> None:
    """Run both jobs, one after the other."""
    runner = Runner(bootstrap, prefix)
    try:
        for script in SCRIPTS:
            runner.run(script)
    finally:
        runner.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--prefix", default="", help="goes before every topic's name")
    given = parser.parse_args()
    main(given.bootstrap_servers, given.prefix)
