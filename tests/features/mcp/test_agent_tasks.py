"""Questions in plain words, answered by the tools on the shortest way, within a number of characters: see tasks.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.agent_client import ToolResult, called
from tests.agent_world import AgentWorld

TASKS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "tasks.yaml").read_text())


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        yield world
    finally:
        world.services.close()


def test_the_tools_answer_every_question(weir: AgentWorld) -> None:
    rows, problems = [], []
    for task in TASKS:
        results = weir.agent(task["who"]).within(partial(_walked, task["steps"]))
        size = sum(len(each.text) for each in results)
        rows.append(f"{len(results)} {size:6} of {task['characters']:6}  {task['who']}: {task['question']}")
        problems += [f"{task['who']}: {task['question']} {each}" for each in _problems(task, results[-1], size)]
    print("\nsteps, characters", *rows, sep="\n")
    assert not problems, "\n".join(problems)


async def _walked(steps: list[dict[str, Any]], client: Any) -> list[ToolResult]:
    return [await called(client, tool, arguments) for step in steps for tool, arguments in step.items()]


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
    yield from (f"has {each}" for each in task.get("unwanted", ()) if each in data)
