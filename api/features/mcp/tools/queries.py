"""Tools that read records, under the caller's decision: queries and views."""

from __future__ import annotations

from typing import TypedDict

from api.config.settings import Settings
from api.features.mcp.arguments import Argument
from api.features.mcp.calls import OwnRoutes, Parameter, address
from api.features.mcp.tools.spec import (
    LIMIT,
    OFFSET,
    PURPOSE,
    Tool,
    ToolAnswer,
    Values,
    only,
    page,
    without,
)
from policies.decision.agents import most_rows

_SQL = Argument("sql", "one SELECT, SHOW or DESCRIBE", required=True, others=("query", "statement", "q"))
_MORE_ROWS = "select fewer columns, or ask again with a condition that leaves out the rows shown"

_SHORTER_PAGE = "ask again with limit={shown}, which gives the cursor for the next rows"
_NEXT_PAGE = "More rows follow these: once you have all of them, call again with `next` as cursor."

_USUAL = 100
"""Rows of an answer where no number was asked for."""


def _rows(api: OwnRoutes, values: Values) -> int:
    """Rows to ask for, no more than the setting and the token of an agent allow."""
    asked: int = values["limit"] if values["limit"] is not None else _USUAL
    return most_rows(api.subject, min(asked, api.instance[Settings].mcp.rows))


async def _run(api: OwnRoutes, values: Values) -> ToolAnswer:
    limit = _rows(api, values)
    body = await api.post("/query", {"sql": values["sql"], "purpose": values["purpose"], "limit": limit})
    note = "" if not body["truncated"] else f"More rows exist; {len(body['rows'])} were read."
    return ToolAnswer(body, "rows", total=None, note=note, again=_MORE_ROWS)


class _Explained(TypedDict):
    decision: dict[str, object]
    tables: list[dict[str, object]]


async def _explain(api: OwnRoutes, values: Values) -> ToolAnswer:
    body = await api.post("/query/explain", {"sql": values["sql"], "purpose": values["purpose"]})
    return ToolAnswer(_brief(body), note="Nothing was read.")


def _brief(explained: _Explained) -> dict[str, object]:
    """An explanation without what it repeats. Of a query that would run, each column of the answer has its decision."""
    if explained["decision"]["effect"] != "allow":
        return {**explained}
    decision = without(explained["decision"], "reasons")
    tables = [without(each, "fields", "columns") for each in explained["tables"]]
    return {**explained, "decision": decision, "tables": tables}


async def _view(api: OwnRoutes, values: Values) -> ToolAnswer:
    if values["view"] is None:
        listed = await api.need("/views")
        views, offset, total = page(listed["views"], values)
        shown = [only(each, "name", "description", "state", "key", "columns", "sources", "sql") for each in views]
        return ToolAnswer({"views": shown}, "views", offset, total)
    asked: dict[str, Parameter] = {name: values[name] for name in ("key", "prefix", "where", "cursor", "purpose")}
    path, limit = f"/views{address(values['view'])}/rows", _rows(api, values)
    body = await api.need(path, limit=limit, **asked)
    note = _NEXT_PAGE if body["next"] is not None else ""
    again = _MORE_ROWS if values["key"] is not None else _SHORTER_PAGE
    return ToolAnswer(body, "rows", note=note, again=again)


TOOLS = (
    Tool(
        "explain_query",
        "What a query would show you, column by column, with the reasons. Reads nothing.",
        (_SQL, PURPOSE),
        _explain,
        others=("explain", "check_query", "dry_run"),
    ),
    Tool(
        "run_query",
        "Run governed SQL over topics. What you may not see arrives masked or is refused with the reason.",
        (_SQL, PURPOSE, LIMIT),
        _run,
        others=("query", "sql", "execute_query", "run_sql", "execute_sql"),
    ),
    Tool(
        "read_view",
        "Rows of a view by key; without a name, the list of views.",
        (
            Argument("view", others=("name", "dataset")),
            Argument("key", "one key; of several columns a JSON list", others=("id",)),
            Argument("prefix", "how the key begins", others=("keyPrefix",)),
            Argument("where", "SQL condition", others=("filter", "condition")),
            Argument("cursor", "`next` of the page before", others=("next", "pageToken")),
            PURPOSE,
            LIMIT,
            OFFSET,
        ),
        _view,
        others=("get_view", "views", "list_views", "view", "lookup"),
    ),
)
