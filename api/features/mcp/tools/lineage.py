"""Tools that show where data comes from and goes to."""

from __future__ import annotations

from api.features.mcp.arguments import Argument
from api.features.mcp.calls import OwnRoutes
from api.features.mcp.tools.spec import (
    DATASET,
    FIELD,
    OFFSET,
    Tool,
    ToolAnswer,
    Values,
    node_id,
    page,
    without,
)

_DEPTH = Argument("depth", kind="integer", others=("hops", "maxHops", "maxDepth"))
_CUT = "More exist than these: ask with a smaller depth, or of a dataset that is nearer."
_MORE_PATHS = "More exist than these: the shortest are here. Ask for a shorter part of the way to see the others."
_NODE_FACTS = ("columnTags", "location", "lastRun", "clockAhead", "producer", "engine", "sqlDialect")


async def _lineage(api: OwnRoutes, values: Values) -> ToolAnswer:
    body = await api.need(
        "/lineage",
        nodeId=await node_id(api, values["dataset"], values["field"]),
        direction=values["direction"] or "both",
        depth=values["depth"],
        level="column" if values["field"] else "dataset",
    )
    edges, offset, total = page(body["edges"], values)
    ends = {body["root"]} | {each[end] for each in edges for end in ("source", "target", "job") if each.get(end)}
    nodes = [without(each, *_NODE_FACTS) for each in body["nodes"] if not offset or each["id"] in ends]
    data = {**without(body, "nodes", "edges"), "nodes": nodes, "edges": edges}
    return ToolAnswer(data, "edges", offset, total, note=_CUT if body["truncated"] else "")


async def _path(api: OwnRoutes, values: Values) -> ToolAnswer:
    # One after the other: where both are unknown, the answer names the first, whichever is known to be missing sooner.
    source = await node_id(api, values["from"], values["from_field"])
    target = await node_id(api, values["to"], values["to_field"])
    body = await api.need("/lineage/paths", **{"from": source, "to": target})
    paths, offset, total = page(body["paths"], values)
    return ToolAnswer({**body, "paths": paths}, "paths", offset, total, note=_MORE_PATHS if body["truncated"] else "")


async def _impact(api: OwnRoutes, values: Values) -> ToolAnswer:
    body = await api.need(
        "/impact",
        nodeId=await node_id(api, values["dataset"], values["field"]),
        depth=values["depth"],
        change=values["change"],
    )
    affected, offset, total = page(body["affected"], values)
    data = {**without(body, "affected"), "affected": [without(each, "location") for each in affected]}
    return ToolAnswer(data, "affected", offset, total, note=_CUT if body["truncated"] else "")


TOOLS = (
    Tool(
        "lineage",
        "What feeds a dataset or a field, and what it feeds: nodes and edges.",
        (
            DATASET,
            FIELD,
            Argument("direction", choices=("upstream", "downstream", "both"), others=("way",)),
            _DEPTH,
            OFFSET,
        ),
        _lineage,
        others=("get_lineage", "upstream", "downstream"),
    ),
    Tool(
        "path",
        "The ways by which data gets from one dataset or field to another.",
        (
            Argument("from", "a dataset", required=True, others=("source", "fromDataset", "start")),
            Argument("to", "a dataset", required=True, others=("target", "toDataset", "end", "destination")),
            Argument("from_field", others=("sourceField", "sourceColumn")),
            Argument("to_field", others=("targetField", "targetColumn")),
            OFFSET,
        ),
        _path,
        others=("paths", "lineage_path", "get_lineage_paths_between"),
    ),
    Tool(
        "impact",
        "What a change of a dataset or a field affects downstream, with owners.",
        (
            DATASET,
            FIELD,
            Argument("change", choices=("drop", "rename", "retype", "mask", "lose")),
            _DEPTH,
            OFFSET,
        ),
        _impact,
        others=("impact_analysis", "affected"),
    ),
)
