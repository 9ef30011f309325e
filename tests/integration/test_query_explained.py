"""What is explained of a query is the same over two stores that differ only in what the asker may not see.

A third of the attacks, over Kafka and an engine as users have them. Topics have names of their own in each store, which
no explanation shows; offsets are equal where the asker sees all rows, and a row filter hides the others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from catalog.errors import SqlRefused, WeirError
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.gate import gate
from policies.query.service import GovernedQuery
from tests.gate_files import statements
from tests.query_world import ANA, KEYS, World, _decide, load, tells, unload

pytestmark = pytest.mark.integration

SLICES = 4


def _asked() -> list[str]:
    """A third of the attacks that pass the gate: a refusal is the same before any store is looked at."""
    passed = []
    for sql in statements("attacks.sql"):
        with contextlib.suppress(SqlRefused):
            gate.check(sql)
            passed.append(sql)
    return passed[::3]


ASKED = _asked()


@pytest.fixture(scope="module")
def services(stack: Any) -> Iterator[list[GovernedQuery]]:
    worlds = [load(stack.kafka, store) for store in ("a", "b")]
    sessions = Sessions(stack.engine, 1)
    yield [_service(world, sessions) for world in worlds]
    sessions.close()
    for world in worlds:
        unload(world)


def _service(world: World, sessions: Sessions) -> GovernedQuery:
    return GovernedQuery(world, world, SparkEngine(sessions), KafkaOffsets(), world, KEYS)


def explained(service: GovernedQuery, sql: str) -> Any:
    try:
        return service.explain(ANA, sql, "analysis")
    except WeirError as error:
        return {"code": error.code, "message": error.message, "details": error.details}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(SLICES))
def test_same_explanation_over_both_stores(services: list[GovernedQuery], part: int) -> None:
    asked = ASKED[part::SLICES]
    problems = [tells(sql, [explained(service, sql) for service in services]) for sql in asked]
    assert [each for each in problems if each] == []


def test_most_are_explained(services: list[GovernedQuery]) -> None:
    """Equal errors prove nothing: most of what is compared has columns with their decisions."""
    answers = [explained(services[0], sql) for sql in ASKED[::4]]
    assert sum(bool(answer.get("columns")) for answer in answers) > len(answers) / 2
    assert all("window" in answer or "code" in answer for answer in answers)


def test_the_comparison_can_fail(services: list[GovernedQuery], monkeypatch: pytest.MonkeyPatch) -> None:
    """With no row filter the explanations show how many records there are, which differs."""
    monkeypatch.setattr(World, "__call__", lambda _, subject, facts, purpose: replace(_decide(facts), filters=()))
    answers = [explained(service, "SELECT order_id FROM orders") for service in services]
    assert answers[0]["columns"] == answers[1]["columns"]
    assert answers[0] != answers[1]
