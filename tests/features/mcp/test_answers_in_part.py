"""What a route leaves out of its answer is in the first lines of a tool's answer, which otherwise read as if it was all."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.config.settings import Settings
from api.features.mcp.result_text import text_of
from api.features.mcp.tools import tool_of
from api.features.mcp.tools.spec import ToolAnswer
from policies.model import Subject

SUBJECT = Subject("ana")
ORDERS, MAILS = "dataset:kafka://k:9092:orders", "dataset:kafka://k:9092:mails"
EDGE = {"source": ORDERS, "target": MAILS, "kind": "feeds"}


class Routes:
    """In place of this application's routes: each gives the same answer."""

    subject = SUBJECT

    def __init__(self, body: dict[str, Any]) -> None:
        self.instance, self._body = {Settings: Settings()}, body

    async def need(self, path: str, **query: object) -> dict[str, Any]:
        return self._body


def lead(tool: str, body: dict[str, Any], **given: object) -> list[str]:
    """The lines before the data."""
    wanted = tool_of(tool, SUBJECT)
    values: dict[str, Any] = {each.name: None for each in wanted.arguments} | given
    routes: Any = Routes(body)

    async def asked() -> ToolAnswer:
        return await wanted.ask(routes, values)

    return text_of(asyncio.run(asked()), 20_000).split("\nBetween the two marks")[0].splitlines()


def test_a_page_of_a_view_names_the_way_to_the_next() -> None:
    rows = [[number] for number in range(3)]
    assert lead("read_view", {"rows": rows, "next": "c3"}, view="v") == [
        "3 of 3 rows.",
        "More rows follow these: once you have all of them, call again with `next` as cursor.",
    ]
    assert lead("read_view", {"rows": rows, "next": None}, view="v") == ["3 of 3 rows."]


@pytest.mark.parametrize(
    ("tool", "body", "given", "counted"),
    [
        ("lineage", {"root": ORDERS, "nodes": [], "edges": [EDGE]}, {"dataset": ORDERS}, "1 of 1 edges."),
        ("impact", {"root": ORDERS, "affected": [{"id": MAILS}]}, {"dataset": ORDERS}, "1 of 1 affected."),
        ("path", {"paths": [[EDGE]]}, {"from": ORDERS, "to": MAILS}, "1 of 1 paths."),
    ],
)
def test_lineage_that_was_cut_off_is_not_read_as_all(
    tool: str, body: dict[str, Any], given: dict[str, object], counted: str
) -> None:
    assert lead(tool, {**body, "truncated": False}, **given) == [counted]
    first, note = lead(tool, {**body, "truncated": True}, **given)
    assert first == counted and note.startswith("More exist than these: ")
