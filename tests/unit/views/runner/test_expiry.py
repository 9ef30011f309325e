"""Rows that are over leave the view, also where the feed reads them late."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.views.runner.test_view_steps import SINK, World
from tests.view_twins import TwinReader, TwinTopics
from views.model import Positions
from views.ports import ViewRecord


class LateReader(TwinReader):
    """Gives nothing while its topics are late."""

    def poll(self, most: int, seconds: float) -> list[ViewRecord]:
        return [] if isinstance(self.topics, LateTopics) and self.topics.late else super().poll(most, seconds)


class LateTopics(TwinTopics):
    """Every record is over at once."""

    late = True

    def at(self, kafka: Mapping[str, str], topic: str, moment: object) -> Positions:
        return {0: len(self.records[topic])}

    def read(self, kafka: Mapping[str, str], topic: str, positions: Positions) -> TwinReader:
        return LateReader(self, topic, max(positions.get(0, 0), self.begins.get(topic, 0)))


def test_rows_that_were_read_after_their_time_leave_too() -> None:
    world = World()
    there = world.topics
    topics = LateTopics(world.fate, there.records, there.begins)
    world.topics = world.engine.topics = topics
    world.declare(sink=SINK, ttl="8 seconds")
    view = world.view()
    world.settle(view, 20)
    assert len(topics.there("copy")) == 3, "what nobody read yet is not cut"
    topics.late = False
    world.settle(view, 20)
    assert (world.rows(), topics.there("copy"), world.state()["counts"]["rowsExpired"]) == ({}, [], 3)
