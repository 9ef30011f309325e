"""Answers of `/events`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about
from catalog.event_model import DeliveryState
from catalog.records import rfc3339


class Event(Answer):
    """A CloudEvent 1.0."""

    specversion: Literal["1.0"]
    id: str
    source: str
    type: str = about("weir.schema.changed, weir.scan.failed, ...")
    subject: str = about("CLUSTER/TOPIC, the id of a scan, the name of a grant, ...")
    time: Time
    datacontenttype: Literal["application/json"]
    sequence: str = about("Counts upwards; text that sorts.")
    data: FreeForm = about("Names, counts, places and times; docs/how-to/events.md has the keys of each type.")


class Events(Answer):
    """Events."""

    events: list[Event]
    next: int = about("`after` of the next question.")


class Delivery(Answer):
    """How far one receiver of events is."""

    receiver: str = about("kafka, or webhook:NAME.")
    position: int = about("Sequence of the last event it took.")
    failures: int = about("Tries in a row that failed.")
    failed_at: Time | None
    next_try_at: Time | None
    problem: str | None
    delivered_at: Time | None
    dropped: int = about("Events it never got.")
    behind: int = about("Events that wait for it.")


class Deliveries(Answer):
    """Every receiver of events."""

    deliveries: list[Delivery]


def delivery(state: DeliveryState, behind: int) -> Delivery:
    """How far a receiver is. `behind`: kept events that it has not got yet."""
    return Delivery(
        receiver=state.name,
        position=state.position,
        failures=state.failures,
        failed_at=rfc3339(state.failed_at),
        next_try_at=rfc3339(state.next_try_at),
        problem=state.problem,
        delivered_at=rfc3339(state.delivered_at),
        dropped=state.dropped,
        behind=behind,
    )
