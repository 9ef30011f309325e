"""Dead letters: which records are looked up, and what is known after a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.views.runner.test_view_steps import SINK, World
from tests.view_twins import Fate, Killed, rows

BAD = {"id": "x", "email": "bad"}


def letters(world: World) -> list[dict[str, Any]]:
    return [json.loads(value or b"") for value, _, _ in world.topics.records.get("v.dead-letters", [])]


def test_a_record_that_does_not_fit_is_named_once_and_good_batches_are_not_looked_through() -> None:
    world = World()
    world.declare()
    view = world.view()
    world.settle(view)
    world.topics.records["people"] += rows([{"id": "p9", "email": "good@example.org"}])
    world.settle(view)
    assert world.engine.asked == [] and letters(world) == []
    world.topics.records["people"] += rows([BAD])
    world.settle(view, 20)
    (letter,) = letters(world)
    assert (letter["topic"], letter["partition"], letter["offset"], letter["generation"]) == ("people", 0, 4, 1)
    assert letter["fields"] == ["value.email"] and "bad" not in json.dumps(letter)
    assert world.state()["counts"]["deadLetters"] == 1
    view.close()
    world.settle(world.view(), 20)
    assert len(letters(world)) == 1, "what was looked through is kept"
    world.spec = None
    world.settle(world.view())
    assert "v.dead-letters" not in world.topics.records


def test_batches_that_nobody_saw_reported_are_looked_through() -> None:
    world = World()
    world.declare(sink=SINK)
    killed = world.view()
    world.settle(killed, 12)
    world.topics.records["people"] += rows([BAD])
    world.engine.advance()  # the runner is gone, the engine goes on
    world.settle(world.view(), 20)
    assert [each["offset"] for each in letters(world)] == [3]


@pytest.mark.parametrize("at", range(1, 60))
def test_killed_at_any_call_no_letter_is_missing(at: int) -> None:
    world = World(Fate())
    world.declare()
    world.topics.records["people"] += rows([BAD])
    world.fate.at = at
    view = world.view()
    for _ in range(2):
        try:
            world.settle(view, 30)
            break
        except Killed:
            world.engine.advance()
            view = world.view()
    assert {each["offset"] for each in letters(world)} == {3}


def test_a_topic_of_letters_with_other_records_is_refused() -> None:
    world = World()
    world.topics.records["v.dead-letters"], world.topics.begins["v.dead-letters"] = rows([{"id": "theirs"}]), 0
    world.declare()
    world.settle(world.view(), 10)
    assert world.state()["state"] == "failed" and "v.dead-letters" in world.state()["error"]["message"]
    world.declare(onError="stop")
    world.settle(world.view())
    assert world.state()["state"] == "running" and len(world.topics.records["v.dead-letters"]) == 1
