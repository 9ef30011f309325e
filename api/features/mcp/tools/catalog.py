"""Tools that show what there is: search, datasets, one dataset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from api.features.mcp.arguments import Argument
from api.features.mcp.calls import OwnRoutes, address
from api.features.mcp.tools.spec import (
    DATASET,
    LIMIT,
    OFFSET,
    Tool,
    ToolAnswer,
    Values,
    find,
    only,
    page,
    without,
)

_CLUSTER = Argument("cluster", others=("namespace", "env", "environment"))
_OWNER = Argument("owner", others=("team", "user"))
_TAG = Argument("tag", others=("tags", "label"))
_ENTITY = Argument("entity", "as EMAIL_ADDRESS; PII for any", others=("pii", "personalData", "classification"))
_LIMIT_OF_PAGE = 20
_UNREAD = ("score", "highlights")
_OF_SCHEMA = ("version", "source", "shapes", "withheld")
_OF_FIELD = ("path", "types", "presence", "nullShare", "distinct", "description", "tags", "withheld", "declared")
OF_VERDICT = ("path", "entity", "score", "state", "source", "reviewedBy", "reason")


async def _search(api: OwnRoutes, values: Values) -> ToolAnswer:
    offset = values["offset"] or 0
    body = await api.need(
        "/search",
        q=values["query"],
        kind=values["kind"],
        limit=values["limit"] or _LIMIT_OF_PAGE,
        offset=offset,
        **{name: values[name] for name in ("tag", "owner", "entity", "cluster")},
    )
    hits = [without(each, *_UNREAD) for each in body["hits"]]
    data = {**without(body, "facets", "hits"), "hits": hits}
    return ToolAnswer(data, "hits", offset, body["total"])


async def _datasets(api: OwnRoutes, values: Values) -> ToolAnswer:
    offset = values["offset"] or 0
    body = await api.need(
        "/datasets",
        q=values["name"],
        limit=values["limit"] or _LIMIT_OF_PAGE,
        offset=offset,
        **{name: values[name] for name in ("tag", "owner", "entity", "cluster")},
    )
    return ToolAnswer(
        {"datasets": [without(each, "scan", "topic") for each in body["datasets"]]}, "datasets", offset, body["total"]
    )


async def described(api: OwnRoutes, values: Values) -> ToolAnswer:
    dataset = await find(api, values["dataset"])
    path = "/datasets" + address(dataset.namespace, dataset.name)
    details = await api.need(path)
    schema, verdicts = await api.get(f"{path}/schema"), await api.get(f"{path}/classifications")
    data: dict[str, object] = {"dataset": details}
    fields: list[Any] = []
    if schema.failed:
        data["schema"] = schema.body
    else:
        data["schema"] = only(schema.body, *_OF_SCHEMA)
        fields = [only(each, *_OF_FIELD) for each in schema.body["fields"]]
    data["personalData"] = verdicts.body if verdicts.failed else [only(each, *OF_VERDICT) for each in verdicts.body]
    shown, offset, total = page(fields, values)
    return ToolAnswer({**data, "fields": shown}, "fields", offset, total)


TOOLS = (
    Tool(
        "search",
        "Find datasets and fields by words, tags, owners, personal data.",
        (
            Argument("query", "words", others=("q", "text", "keywords", "search", "term")),
            Argument("kind", choices=("dataset", "field"), others=("type",)),
            _TAG,
            _OWNER,
            _ENTITY,
            _CLUSTER,
            LIMIT,
            OFFSET,
        ),
        _search,
        others=("search_datasets", "find", "search_catalog", "search_entities"),
    ),
    Tool(
        "list_datasets",
        "List datasets (topics, tables) with owners, tags and state.",
        (
            Argument("name", "part of the name", others=("query", "q", "contains", "pattern", "topic")),
            _TAG,
            _OWNER,
            _ENTITY,
            _CLUSTER,
            LIMIT,
            OFFSET,
        ),
        _datasets,
        others=("list_topics", "list_tables", "get_datasets", "topics"),
    ),
    Tool(
        "describe_dataset",
        "One dataset: description, owners, schema with types and presence, personal data, what you may do. No values.",
        (replace(DATASET, listed=True), OFFSET),
        described,
        others=("get_dataset", "describe", "describe_topic", "get_schema", "schema", "get_entity", "dataset"),
    ),
)
