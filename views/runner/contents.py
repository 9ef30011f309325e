"""What a generation would hold and how it would run, before anything of it exists. Pure but for the plan's Kafka options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from views.declared import ViewSpec
from views.durations import span
from views.model import StreamPlan
from views.runner.build import Built, start_of
from views.runner.result import flows, inherited, made_of, origins

PRIVATE_TOPIC = "_weir.views."


def with_form(spec: ViewSpec, current: Built) -> ViewSpec:
    """A copy has the form of its source where none is declared: Avro of Avro, else JSON (text of text)."""
    sink = spec.sink
    if spec.copyOf is None or sink is None or "format" in sink.model_fields_set:
        return spec
    form: Literal["json", "avro"] = "avro" if current.tables[0].table.value.format == "decoded avro" else "json"
    return spec.model_copy(update={"sink": sink.model_copy(update={"format": form})})


def place_of(view: str, spec: ViewSpec, current: Built, number: int) -> tuple[str, str]:
    """(cluster, topic) of the records of a view's generation `number`."""
    if spec.sink is not None:
        return spec.sink.cluster, spec.sink.topic
    return current.sources[0].partition("/")[0], f"{PRIVATE_TOPIC}{view}.{number}"


def plan_of(
    view: str,
    spec: ViewSpec,
    current: Built,
    generation: str,
    topic: str,
    checkpoint: str,
    kafka: Mapping[str, str],
    most_offsets: int,
    since: str | None = None,
) -> StreamPlan:
    """What the engine runs. `since`: see `start_of`."""
    return StreamPlan(
        view=view,
        generation=generation,
        sql=current.sql,
        tables=current.tables,
        mode=current.shape.mode,
        keys=current.shape.key,
        start=start_of(spec, since),
        topic=topic,
        kafka=kafka,
        checkpoint=checkpoint,
        trigger=span(spec.trigger),
        most_offsets=most_offsets,
        single=current.shape.single,
        strict=spec.onError == "stop",
        copy_to=int(spec.copyOf is not None),
    )


class Contents(TypedDict):
    """Fields of a `Generation`."""

    columns: list[list[str]]
    keys: list[str]
    single: bool
    sources: list[str]
    reads: str
    compacted: dict[str, bool]
    notes: list[str]
    tags: dict[str, dict[str, str]]
    origins: dict[str, list[list[str]]]
    made_of: list[list[Any]]
    filtered: dict[str, list[str]]


def contents(current: Built, schema: Sequence[tuple[str, str]]) -> Contents:
    """The fields of a `Generation` that follow from what it runs and the columns of its result."""
    by_column = flows(current.prepared, [name for name, _ in schema])
    return {
        "columns": [[name, kind] for name, kind in schema],
        "keys": list(current.shape.key),
        "single": current.shape.single,
        "sources": list(current.sources),
        "reads": current.reads,
        "compacted": dict(current.compacted),
        "notes": list(current.shape.notes),
        "tags": inherited(by_column),
        "origins": origins(by_column),
        "made_of": made_of(by_column),
        "filtered": {
            each.table.reference: sorted(condition.where for condition in each.decision.filters)
            for each in current.prepared.tables.values()
        },
    }
