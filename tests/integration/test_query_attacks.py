"""Two stores that differ only in what the asker may not see give the same answers and the same messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from gate_files import statements
from query_world import ANA, CANARIES, KEYS, World, load, unload

from catalog.errors import WeirError
from policies.adapters.kafka_offsets import KafkaOffsets
from policies.adapters.spark_engine import SparkEngine
from policies.adapters.spark_sessions import Sessions
from policies.model import Effect
from policies.query import GovernedQuery

pytestmark = pytest.mark.integration

ATTACKS = statements("attacks.sql")


@pytest.fixture(scope="module")
def services(stack: Any) -> Iterator[dict[str, tuple[World, GovernedQuery]]]:
    sessions = Sessions(stack.spark, 2)
    worlds = {store: load(stack.kafka, store) for store in ("a", "b")}
    engine, offsets = SparkEngine(sessions), KafkaOffsets()
    yield {s: (w, GovernedQuery(w, w, engine, offsets, w, KEYS)) for s, w in worlds.items()}
    sessions.close()
    for world in worlds.values():
        unload(world)


def ask(service: GovernedQuery, sql: str) -> Any:
    """Everything that leaves Weir for a query: the answer, or the error with its details."""
    try:
        return service.run(ANA, sql, "analysis").to_json()
    except WeirError as error:
        return {"code": error.code, "message": error.message, "details": error.details}


@pytest.mark.parametrize("sql", ATTACKS, ids=range(len(ATTACKS)))
def test_same_answer_over_both_stores(services: Any, sql: str) -> None:
    answers = {store: ask(service, sql) for store, (_, service) in services.items()}
    assert answers["a"] == answers["b"]
    text = repr(answers["a"])
    assert not [canary for canary in CANARIES if canary in text and canary not in sql]


def test_the_attacks_do_reach_the_engine(services: Any) -> None:
    """Equal refusals prove nothing: most attacks must have been answered, or failed inside the engine."""
    world, _ = services["a"]
    allowed = sum(entry.outcome == "allow" for entry in world.entries)
    assert allowed > len(ATTACKS) * 0.7


def test_the_stores_do_differ(services: Any) -> None:
    """The comparison can fail: with nothing masked or filtered the same queries tell the stores apart."""
    from dataclasses import replace

    from query_world import _decide

    answers = {}
    for store, (world, service) in services.items():
        opened = GovernedQuery(
            world,
            lambda subject, facts, purpose: replace(
                _decide(facts),
                filters=(),
                columns=tuple(replace(c, mask=None, effect=Effect.ALLOW) for c in _decide(facts).columns),
            ),
            service._engine, service._offsets, world, KEYS,
        )  # fmt: skip
        answers[store] = [
            ask(opened, sql) for sql in ("SELECT customer.email, card FROM orders", "SELECT count(*) FROM orders")
        ]
    assert answers["a"][0] != answers["b"][0]
    assert answers["a"][1] != answers["b"][1]


def test_without_the_barrier_a_hidden_row_is_probed(services: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Why the filter has a non-deterministic part: without it Spark evaluates the query's condition on hidden rows."""
    probe = "SELECT count(*) FROM orders WHERE 1 / (amount - 5) > 0"
    _, service = services["a"]
    assert ask(service, probe)["rows"] == [[11]]
    monkeypatch.setattr("policies.adapters.spark_engine.BARRIER", "true")
    assert ask(service, probe).get("message") == "A division by zero; try_divide gives NULL instead."
