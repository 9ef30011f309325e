"""Questions in plain words, answered by the tools on the shortest way, within a number of characters: see tasks.yaml.

`pytest -s` prints the table: calls, characters, bound, who asks, the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from policies.query.service import GovernedQuery
from tests.agent_client import Agent, ToolResult, agent_of, called
from tests.agent_world import AgentWorld
from tests.features.agents.test_agents_http import Rows
from tests.query_door import NoOffsets
from tests.served_view import ServedView, served_view

TASKS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "tasks.yaml").read_text())
LEAST_TASKS, MOST_CALLS, MOST_CHARACTERS = 40, 2, 100_000
DECLARED = """
apiVersion: weir/v1
kind: Role
metadata: {name: marketing}
spec: {read: [{dataset: prod/customers}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: wanda}
spec: {roles: [admin]}
"""
SPENT = {"ida@example.com": 42, "leo@example.com": 7, "zoe@example.com": 9}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    queries = world.services[GovernedQuery]
    queries._engine = Rows()
    queries._offsets = queries.preparer._offsets = NoOffsets()
    world.apply(DECLARED)
    body = {"name": "writer", "purpose": "upkeep", "datasets": ["prod/orders"], "expiresIn": "7d"}
    scopes = ["read", "review", "describe"]
    created = world._client(world.token("wanda")).post("/api/v1/agents", json={**body, "scopes": scopes})
    world.tokens["writer"] = created.json()["token"]
    try:
        yield world
    finally:
        world.services.close()


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedView]:
    with served_view(tmp_path_factory.mktemp("view")) as served:
        served.serve(served.generation())
        served.write(SPENT)
        yield served


def test_the_tools_answer_every_question(weir: AgentWorld, view: ServedView) -> None:
    agents: dict[tuple[str, str], Agent] = {}
    rows, problems = [], []
    for task in TASKS:
        place = task.get("world", "catalog"), task["who"]
        if place not in agents:
            agents[place] = agent_of(view.world, place[1]) if place[0] == "view" else weir.agent(place[1])
        results = agents[place].within(partial(_walked, task["steps"]))
        size = sum(len(each.text) for each in results)
        rows.append((len(results), size, task["characters"], task["who"], task["question"]))
        problems += [f"{task['who']}: {task['question']} {each}" for each in _problems(task, results[-1], size)]
    print(_table(rows))
    assert not problems, "\n".join(problems)
    assert len({each["question"] + each["who"] for each in TASKS}) == len(TASKS) >= LEAST_TASKS
    assert max(calls for calls, *_ in rows) <= MOST_CALLS
    assert sum(size for _, size, *_ in rows) <= MOST_CHARACTERS


def _table(rows: list[tuple[int, int, int, str, str]]) -> str:
    lines = [f"{calls:5} {size:10,} {most:8,}  {who:8} {question}" for calls, size, most, who, question in rows]
    total = f"{sum(row[0] for row in rows):5} {sum(row[1] for row in rows):10,} {'':8}  all {len(rows)}"
    return "\n".join(["", "calls characters    bound  who      question", *lines, total])


async def _walked(steps: list[dict[str, Any]], client: Any) -> list[ToolResult]:
    results: list[ToolResult] = []
    for step in steps:
        for tool, arguments in step.items():
            known = _known(results[-1].data if results else None)
            given = {
                name: known.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()
            }
            results.append(await called(client, tool, given))
    return results


def _known(answer: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a step may name of the answer before it."""
    answer = answer or {}
    now = datetime.now(UTC)
    moments = {"$justNow": now - timedelta(seconds=1), "$lastWeek": now - timedelta(days=7)}
    known = {"$request": answer.get("request", {}).get("id"), "$next": answer.get("next")}
    return known | {name: moment.isoformat() for name, moment in moments.items()}


def _problems(task: dict[str, Any], last: ToolResult, size: int) -> Iterator[str]:
    if size > task["characters"]:
        yield f"takes {size} characters, {task['characters']} are allowed"
    if "refused" in task:
        if not last.failed or last.error["code"] != task["refused"]:
            yield f"is not refused with {task['refused']}: {last.text[:300]}"
        return
    if last.failed:
        yield f"is refused: {last.text[:300]}"
    data = last.fenced or ""
    yield from (f"lacks {each}: {data[:600]}" for each in task.get("wanted", ()) if each not in data)
    yield from (f"has {each}: {data[:600]}" for each in task.get("unwanted", ()) if each in data)
