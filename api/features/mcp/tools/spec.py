"""What a tool is: a name, arguments, and the requests to routes that answer it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from api.features.mcp.arguments import Argument
from api.features.mcp.calls import OwnRoutes
from catalog.node_ids import read_id, write_id
from policies.model import Subject

DATASET = Argument("dataset", "as prod/orders", required=True, others=("topic", "table", "name", "id"), listed=False)
FIELD = Argument("field", "as value.customer.email", others=("path", "column", "fieldPath"))
LIMIT = Argument("limit", kind="integer", others=("max", "count", "size", "maxResults", "top"))
OFFSET = Argument("offset", kind="integer", others=("skip",))
PURPOSE = Argument("purpose", others=("reason", "why"))


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool found.

    data    JSON-ready
    items   key of the main list in `data`, which is cut where the answer is too long
    offset  items before the first one in `data`
    total   items in all; None: as many as `data` has after `offset`
    note    a sentence of Weir's own, without names and texts of others
    again   how to get the items that are left out, in place of `offset=`; `{shown}` is the number of items shown
    """

    data: dict[str, object]
    items: str | None = None
    offset: int = 0
    total: int | None = None
    note: str = ""
    again: str = "call again with offset={next}"


Values = Mapping[str, Any]
Ask = Callable[[OwnRoutes, Values], Awaitable[ToolAnswer]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    writes    whether a call changes something
    scope     what a token must be limited to and have, so that the tool is there at all; None: it is there for all
    others    further names that agents guess
    elicits   arguments for which the person at the agent is asked where they are missing
    question  what the person is asked before the tool does it, of its arguments; None: nothing
    """

    name: str
    about: str
    arguments: tuple[Argument, ...]
    ask: Ask
    writes: bool = False
    scope: str | None = None
    others: tuple[str, ...] = field(default=())
    elicits: tuple[str, ...] = ()
    question: Callable[[Values], str] | None = None

    def is_open_to(self, subject: Subject) -> bool:
        """Whether the token of a subject has the tool."""
        return self.scope is None or (subject.scopes is not None and self.scope in subject.scopes)

    def schema(self) -> dict[str, object]:
        """JSON Schema of its arguments."""
        required = [each.name for each in self.arguments if each.required]
        return {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.arguments},
            **({"required": required} if required else {}),
        }


@dataclass(frozen=True, slots=True)
class DatasetName:
    """A dataset by its names. `cluster`: its namespace where only producers of lineage know it."""

    namespace: str
    name: str
    cluster: str


async def find(api: OwnRoutes, dataset: str) -> DatasetName:
    """The dataset that a text means, as names in queries do. Raises Failed."""
    body = await api.need("/datasets/find", name=dataset)
    return DatasetName(body["namespace"], body["name"], body["cluster"] or body["namespace"])


async def node_id(api: OwnRoutes, text: str, field: str | None = None) -> str:
    """The node of lineage that a text means: a node id as it is, else a dataset's name, with a field of it where given."""
    if text.startswith(("dataset:", "datasetField:", "job:", "urn:")):
        parts = read_id(text)
        if field is None or parts is None or parts[0] != "dataset":
            return text
        return write_id("field", parts[1], parts[2], field)
    dataset = await find(api, text)
    return write_id("dataset" if field is None else "field", dataset.namespace, dataset.name, field)


def page(items: list[Any], values: Values) -> tuple[list[Any], int, int]:
    """(items from the offset on, offset, total) of a list that its route gives whole."""
    offset = values.get("offset") or 0
    return items[offset:], offset, len(items)


def only(given: Mapping[str, Any], *keys: str) -> dict[str, object]:
    """Some keys of an object, those it has."""
    return {key: given[key] for key in keys if key in given}


def without(given: Mapping[str, Any], *keys: str) -> dict[str, object]:
    """An object without some of its keys."""
    return {key: value for key, value in given.items() if key not in keys}
