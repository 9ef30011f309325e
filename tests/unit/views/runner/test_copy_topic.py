"""What the stream of a masked copy is given."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.unit.views.runner.test_view_steps import SINK, World
from tests.view_twins import TwinTopics
from views.declared import ViewSpec


class Compacted(TwinTopics):
    def compacted(self, kafka: Mapping[str, str], topic: str) -> bool:
        return topic == "copy"


@pytest.mark.parametrize(("topics", "compacted"), [(Compacted, True), (TwinTopics, False)])
def test_the_stream_of_a_copy_knows_whether_its_topic_is_compacted(topics: type[TwinTopics], compacted: bool) -> None:
    world = World()
    there = world.topics
    world.topics = world.engine.topics = topics(world.fate, there.records, there.begins)
    world.spec = ViewSpec.model_validate({"copyOf": "prod/people", "runAs": {"user": "rep"}, "sink": SINK})
    world.settle(world.view(), 12)
    (running,) = [each for each in world.engine.running if each.alive]
    assert running.plan.copy_to == 1 and running.plan.compacted is compacted
