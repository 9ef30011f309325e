"""Resources: a dataset as `weir://dataset/CLUSTER/TOPIC`, with the text that describe_dataset gives."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from api.features.mcp.calls import Failed, OwnRoutes
from api.features.mcp.fence import visible
from api.features.mcp.result_text import text_of, text_of_failure
from api.features.mcp.tools import catalog

_START = "weir://dataset/"
_PAGE = 100
_TYPE = "text/plain"


def templates() -> ListResourceTemplatesResult:
    """The one form of address."""
    template = ResourceTemplate(
        uri_template=f"{_START}{{cluster}}/{{topic}}",
        name="dataset",
        description="One dataset, as describe_dataset answers.",
        mime_type=_TYPE,
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def listed(api: OwnRoutes, cursor: str | None) -> ListResourcesResult:
    """A page of the datasets that the caller may know of. Raises MCPError for a cursor that is none of ours."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 16):
        raise MCPError(INVALID_PARAMS, "cursor is not one that resources/list gave; leave it out for the first page.")
    offset = int(cursor or 0)
    try:
        body = await api.need("/datasets", limit=_PAGE, offset=offset)
    except Failed as error:
        raise MCPError(INVALID_PARAMS, text_of_failure(error.reply, 5_000)) from None
    shown = [
        Resource(uri=_uri(*each["reference"].split("/", 1)), name=visible(each["reference"]), mime_type=_TYPE)
        for each in body["datasets"]
    ]
    after = offset + len(shown)
    return ListResourcesResult(resources=shown, next_cursor=str(after) if shown and after < body["total"] else None)


async def read(api: OwnRoutes, uri: str, most: int) -> ReadResourceResult:
    """The text of one dataset, decided as the tool's. Raises MCPError with the words of the route, or with the right form."""
    cluster, slash, topic = uri.removeprefix(_START).partition("/")
    if not uri.startswith(_START) or not (cluster and slash and topic) or "/" in topic:
        raise MCPError(INVALID_PARAMS, f"There is no resource '{visible(uri)}'; write {_START}CLUSTER/TOPIC.")
    values = {"dataset": f"{unquote(cluster)}/{unquote(topic)}", "offset": None}
    try:
        answer = await catalog.described(api, values)
    except Failed as error:
        raise MCPError(INVALID_PARAMS, text_of_failure(error.reply, most)) from None
    text = text_of(replace(answer, again="call describe_dataset with offset={next}"), most)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_TYPE, text=text)])


def _uri(cluster: str, topic: str) -> str:
    return f"{_START}{quote(cluster, safe='')}/{quote(topic, safe='')}"
