"""What was found -> OpenLineage events, sent by openlineage-python: any of its transports, configured its way."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, job_type_job, schema_dataset
from openlineage.client.uuid import generate_new_uuid

from weir_lineage.plan import WrittenColumns
from weir_lineage.plan_values import ELEMENTS, INDIRECT, Place, Source, Value, Way

log = logging.getLogger("weir_lineage")

PRODUCER = "https://weir.example/weir_lineage"
AGAIN_S = 600.0
"""Seconds after which a stream without news is reported again, so that it shows as alive."""
KEPT = 64
"""Streams that are remembered, the newest, after they ended: Spark reports a write after it, in a queue of its own."""


class Reporter:
    """Sends what plans contain. A stream is one run of one job; what it repeats with every micro-batch is sent once."""

    def __init__(self, client: OpenLineageClient, namespace: str, application: str) -> None:
        self._client, self._namespace, self._application = client, namespace, application
        self._lock = threading.Lock()
        self._sent: dict[str, tuple[str, float]] = {}
        self._streams: dict[str, dict[str, RunEvent]] = {}
        self._ended: dict[str, RunState] = {}

    def batch(self, written: WrittenColumns, target: Source) -> None:
        """One write that has ended."""
        self._emit(
            self._event(written, target, str(generate_new_uuid()), self._name(target), RunState.COMPLETE, "BATCH")
        )

    def micro_batch(self, written: WrittenColumns, target: Source, query: str, name: str | None) -> None:
        """A micro-batch of the stream's run `query`, or a write of its foreachBatch; it may be reported after the end."""
        run = str(uuid5(UUID(query), f"{target.namespace}/{target.name}"))
        with self._lock:
            ended = self._ended.get(query)
            event = self._event(written, target, run, self._name(target, name), ended or RunState.RUNNING, "STREAMING")
            digest = hashlib.sha256(
                json.dumps([_plain(event.inputs), _plain(event.outputs)], default=str).encode()
            ).hexdigest()
            sent, at = self._sent.get(run, ("", 0.0))
            if sent == digest and time.monotonic() - at < AGAIN_S:
                return
            self._sent[run] = (digest, time.monotonic())
            if ended is None:
                self._streams.setdefault(query, {})[run] = event
            self._emit(event)

    def ended(self, query: str, failed: bool) -> None:
        """The stream's run `query` ended."""
        state = RunState.FAIL if failed else RunState.COMPLETE
        with self._lock:
            self._ended[query] = state
            while len(self._ended) > KEPT:
                self._ended.pop(next(iter(self._ended)))
            for event in self._streams.pop(query, {}).values():
                self._emit(RunEvent(eventTime=_now(), producer=PRODUCER, run=event.run, job=event.job, eventType=state))

    def close(self) -> None:
        self._client.close(5.0)

    def _name(self, target: Source, stream: str | None = None) -> str:
        return f"{self._application}.{stream or target.name.strip('/').replace('/', '_')}"

    def _event(
        self, written: WrittenColumns, target: Source, run: str, name: str, state: RunState, kind: str
    ) -> RunEvent:
        facets: dict[str, object] = {}
        fields = list(_fields(written, target))
        if fields and written.known:
            conditions = [_input(place, ways) for place, ways in sorted(written.conditions.items(), key=_by_place)]
            facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(
                fields={
                    field: column_lineage_dataset.Fields(
                        inputFields=[_input(place, ways) for place, ways in sorted(value.ways.items(), key=_by_place)]
                    )
                    for field, value in fields
                },
                dataset=conditions,
            )
        if fields:
            facets["schema"] = schema_dataset.SchemaDatasetFacet(
                fields=[schema_dataset.SchemaDatasetFacetFields(name=field) for field, _ in fields]
            )
        job = Job(
            namespace=self._namespace,
            name=name,
            facets={"jobType": job_type_job.JobTypeJobFacet(processingType=kind, integration="SPARK", jobType="QUERY")},
        )
        inputs = [
            InputDataset(namespace=source.namespace, name=source.name)
            for source in sorted(written.sources, key=_source_key)
        ]
        outputs = [OutputDataset(namespace=target.namespace, name=target.name, facets=facets)]
        return RunEvent(
            eventTime=_now(),
            producer=PRODUCER,
            run=Run(runId=run),
            job=job,
            eventType=state,
            inputs=inputs,
            outputs=outputs,
        )

    def _emit(self, event: RunEvent) -> None:
        try:
            self._client.emit(event)
        except Exception as error:  # lineage must never end a job
            log.warning("lineage was not sent: %s", type(error).__name__)


def _fields(written: WrittenColumns, target: Source) -> Iterable[tuple[str, Value]]:
    """Columns of the target as paths; in a topic those of the record: `value.customer.email`."""
    for name, value in written.columns:
        if target.kafka and name in ("topic", "partition"):
            continue  # they say where a record goes, not what it holds
        yield from _leaves((name,), value)


def _leaves(path: tuple[str, ...], value: Value) -> Iterable[tuple[str, Value]]:
    if value.fields:
        for name, part in value.fields.items():
            yield from _leaves((*path, name), part)
    else:
        yield text_of(path), value


def text_of(path: tuple[str, ...]) -> str:
    """A place inside a dataset: `value.items[].sku`; names with signs of their own in back-quotes."""
    text = ""
    for part in path:
        if part == ELEMENTS:
            text += part
        else:
            quoted = part if not set(part) & set(".[]{}@`") else "`" + part.replace("`", "``") + "`"
            text += f".{quoted}" if text else quoted
    return text


def _input(place: Place, ways: Iterable[Way]) -> column_lineage_dataset.InputField:
    source, path = place
    return column_lineage_dataset.InputField(
        namespace=source.namespace,
        name=source.name,
        field=text_of(path),
        transformations=[
            column_lineage_dataset.Transformation(type=way.type, subtype=way.subtype, masking=way.masking)
            for way in sorted(ways)
        ],
    )


def _by_place(item: tuple[Place, Any]) -> tuple[str, str, tuple[str, ...]]:
    (source, path), _ = item
    return source.namespace, source.name, path


def _source_key(source: Source) -> tuple[str, str]:
    return source.namespace, source.name


def _plain(datasets: Any) -> list[Any]:
    return [[each.namespace, each.name, str(each.facets)] for each in datasets or ()]


def _now() -> str:
    return datetime.now(UTC).isoformat()


__all__ = ["INDIRECT", "Reporter", "text_of"]
