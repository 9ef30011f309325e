"""Events to a topic: which of them count as taken when brokers answer out of order, and a new start after a failure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from catalog.adapters.kafka.events import KafkaEvents
from catalog.event_model import DeliveryFailed, Event
from catalog.settings import EventSettings

EVENTS = [Event(str(n), "weir.a.b", f"s{n}", datetime(2026, 3, 1, tzinfo=UTC), seq=n + 1) for n in range(4)]
LOST = KafkaError(KafkaError._MSG_TIMED_OUT)


class Answers:
    """A producer that answers for events by number, in the order given; for those left out never."""

    def __init__(self, *answers: tuple[int, KafkaError | None]) -> None:
        self._answers = answers
        self._asked: list[Callable[[Any, Any], None]] = []

    def produce(self, _topic: str, *, on_delivery: Callable[[Any, Any], None], **_: Any) -> None:
        self._asked.append(on_delivery)

    def flush(self, _seconds: float) -> int:
        for number, error in self._answers:
            self._asked[number](error, None)
        return len(self._asked) - len(self._answers)


class Refuses(Answers):
    def produce(self, _topic: str, **_: Any) -> None:
        raise KafkaException(KafkaError(KafkaError._FATAL))


def receiver(producer: Any) -> KafkaEvents:
    events = KafkaEvents("broker:9092", EventSettings())
    events._producer, events._ready = producer, True
    return events


@pytest.mark.parametrize(
    ("answers", "taken"),
    [
        ([(1, None), (2, None), (3, None), (0, LOST)], 0),
        ([(3, None), (0, None), (2, LOST), (1, None)], 2),
        ([(2, None), (0, None), (3, LOST)], 1),
        ([], 0),
    ],
)
def test_taken_is_what_came_before_the_first_event_that_is_not_there(
    answers: list[tuple[int, KafkaError | None]], taken: int
) -> None:
    sender = receiver(Answers(*answers))
    with pytest.raises(DeliveryFailed) as failed:
        sender.tell(EVENTS)
    assert failed.value.taken == taken
    assert (sender._ready, sender._producer) == (False, None)


def test_all_answered_in_any_order_is_all_told() -> None:
    sender = receiver(Answers((2, None), (0, None), (3, None), (1, None)))
    sender.tell(EVENTS)
    assert sender._ready and sender._producer is not None


def test_after_a_producer_failed_for_good_the_next_try_makes_another() -> None:
    sender = receiver(Refuses())
    with pytest.raises(DeliveryFailed) as failed:
        sender.tell(EVENTS)
    assert failed.value.taken == 0
    assert (sender._ready, sender._producer) == (False, None)
