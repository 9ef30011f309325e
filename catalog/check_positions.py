"""How far checks of new records came in each partition of a dataset; kept in the transaction that keeps what they saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from catalog.model import DatasetId


@dataclass(frozen=True, slots=True)
class CheckPosition:
    """Where the next check of a dataset begins.

    number      counts the checks; two checkers at once see by it that the other was first
    next        partition -> the first offset that no check looked at
    topic_id    Kafka's id of the topic, which a topic that is made again does not have; "" where the brokers give none
    checked_at  when the last check ended
    newest      RFC 3339 time of the newest record that a check saw
    unread      records that no check looked at, since too many came at once or retention took them before
    """

    dataset: DatasetId
    number: int = 0
    next: Mapping[int, int] = field(default_factory=dict)
    topic_id: str = ""
    checked_at: datetime | None = None
    newest: str | None = None
    unread: int = 0


class CheckPositionStore(Protocol):
    """Keeps positions; the twins in memory and SQL have one contract."""

    def check_position(self, dataset: DatasetId) -> CheckPosition | None: ...

    def put_check_position(self, position: CheckPosition) -> None:
        """Insert or replace by dataset."""
