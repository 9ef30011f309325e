"""The registered schema of a view's output topic: one subject, `TOPIC-value`."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.errors import Conflict
from views import avro
from views.declared import Sink, ViewSpec
from views.model import Registered
from views.ports import Registry
from views.runner.result import columns_of


def subject_of(topic: str) -> str:
    return f"{topic}-value"


def avro_text(view: str, spec: ViewSpec, columns: Sequence[tuple[str, str]]) -> str | None:
    """The schema of a view's rows; None where they are JSON. Raises Conflict for names that Avro does not take."""
    if spec.sink is None or spec.sink.format != "avro":
        return None
    return avro.schema_of(columns_of(columns), avro.name_of(view))


def refuse_foreign(view: str, spec: ViewSpec, registry: Registry) -> None:
    """Raises Conflict for an output topic whose subject has the schema of something else; Unavailable."""
    sink = spec.sink
    if sink is None:
        return
    if not registry.has(sink.cluster):
        if sink.format == "avro":
            raise Conflict(
                f"The cluster {sink.cluster} has no schema registry, which format: avro needs; declare schemaRegistry.url,"
                " or write format: json.",
                details={"field": "spec.sink.format"},
            )
        return
    newest = registry.newest(sink.cluster, subject_of(sink.topic))
    if newest is None:
        return
    kind, text = newest
    place = {"topic": f"{sink.cluster}/{sink.topic}", "subject": subject_of(sink.topic)}
    if sink.format != "avro":
        raise Conflict(
            f"The topic {sink.cluster}/{sink.topic} has the schema {subject_of(sink.topic)} ({kind}) in the registry, and the"
            " view writes plain JSON; name another topic in sink, write format: avro, or delete the subject.",
            details=place,
        )
    if kind != "AVRO" or avro.full_name(text) != avro.name_of(view):
        raise Conflict(
            f"The registry has another schema for {sink.cluster}/{sink.topic} under {subject_of(sink.topic)}; name another"
            " topic in sink, or delete the subject.",
            details=place,
        )


def register(sink: Sink, text: str, registry: Registry) -> Registered:
    """Raises Conflict for a change that the subject's compatibility does not let through; Unavailable."""
    subject = subject_of(sink.topic)
    newest = registry.newest(sink.cluster, subject)
    if newest is not None and not avro.same(newest[1], text):
        accepted, reasons = registry.accepts(sink.cluster, subject, text)
        if not accepted:
            raise Conflict(
                f"The registry does not let the view's columns follow the schema {subject} has: name another topic in sink,"
                " or change the subject's compatibility.",
                details={"subject": subject, "reasons": reasons},
            )
    return Registered(registry.register(sink.cluster, subject, text), text)
