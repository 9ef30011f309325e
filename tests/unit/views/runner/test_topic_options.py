"""An output topic that is there already with other options: changed where Kafka can, else one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.views.runner.test_view_steps import SINK, World
from tests.view_twins import TwinTopics
from views.declared import Sink
from views.model import State
from views.ports import TopicOptions, TopicSettings
from views.runner.topic_options import alterations, config_of

THERE = TopicOptions(2, 1, {"cleanup.policy": "delete", "retention.ms": "604800000", "retention.bytes": "-1"})
COMPACT = TopicSettings(2, 1, compacted=True, ttl_ms=None)


def test_options_that_kafka_can_change_are_changed() -> None:
    asked = alterations(THERE, COMPACT, Sink(cluster="prod", topic="out"), keyed=True)
    assert asked.config == {"cleanup.policy": ("delete", "compact,delete"), "retention.ms": ("604800000", "-1")}
    assert asked.sentences("prod/out") == [
        "The topic prod/out is there already and gets cleanup.policy delete -> compact,delete, retention.ms 604800000 -> -1."
    ]
    swapped = TopicOptions(2, 1, config_of(COMPACT) | {"cleanup.policy": "delete,compact"})
    assert alterations(swapped, COMPACT, Sink(cluster="prod", topic="out"), keyed=True).sentences("prod/out") == []


@pytest.mark.parametrize(
    ("sink", "keyed", "partitions", "words"),
    [
        ({"partitions": 4}, False, 4, None),
        ({"partitions": 4}, True, None, "its keys would be in others"),
        ({"partitions": 1}, False, None, "takes none away"),
        ({"replication": 3}, False, None, "which Weir does not change"),
        ({"partitions": 2, "replication": 1}, True, None, None),
    ],
)
def test_partitions_and_replicas(sink: dict[str, Any], keyed: bool, partitions: int | None, words: str | None) -> None:
    asked = alterations(THERE, COMPACT, Sink(cluster="prod", topic="out", **sink), keyed)
    assert asked.partitions == partitions
    assert [words in each for each in asked.refused if words] == ([True] if words else [])


def test_the_topic_of_a_view_follows_its_declaration() -> None:
    world = World()
    world.declare(sink=SINK)
    view = world.view()
    world.settle(view)
    assert world.topics.config["copy"]["retention.ms"] == "-1"
    world.declare(sink=SINK, ttl="2h")
    world.settle(view)
    assert world.topics.config["copy"]["retention.ms"] == "7200000"
    assert any("retention.ms -1 -> 7200000" in reasons for action, reasons in world.journal if action == "view.start")
    world.declare(sink=SINK | {"partitions": 3}, ttl="2h")
    world.settle(view)
    state = world.state()
    assert state["state"] == State.FAILED and "write partitions: 1" in state["error"]["message"]
    world.declare(sink=SINK | {"partitions": 1}, ttl="2h")
    world.settle(view)
    assert world.state()["state"] == State.RUNNING


def test_a_topic_whose_options_are_hidden_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TwinTopics, "options", lambda *_: None)
    world = World()
    world.topics.records["copy"], world.topics.begins["copy"] = [], 0
    world.declare(sink=SINK | {"partitions": 3})
    world.settle(world.view())
    assert world.state()["state"] == State.RUNNING
