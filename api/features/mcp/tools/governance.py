"""Tools about rights: where personal data is, who sees it, what one holds, and asking for more."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from api.features.mcp.arguments import Argument, WrongArguments
from api.features.mcp.calls import OwnRoutes, address
from api.features.mcp.tools.spec import (
    DATASET,
    FIELD,
    LIMIT,
    OFFSET,
    Tool,
    ToolAnswer,
    Values,
    find,
    page,
    without,
)
from api.wiring.clock import now

_MOST_DAYS = 36_500


async def _where_is(api: OwnRoutes, values: Values) -> ToolAnswer:
    asked = {name: values[name] for name in ("field", "entity", "term")}
    if sum(value is not None for value in asked.values()) != 1:
        raise WrongArguments("Send one of field, entity and term, as entity=EMAIL_ADDRESS.")
    body = await api.need("/reports/where-is", **asked)
    places, offset, total = page(body["places"], values)
    return ToolAnswer(
        {**without(body, "places"), "places": [without(each, "evidence") for each in places]}, "places", offset, total
    )


async def _who(api: OwnRoutes, values: Values) -> ToolAnswer:
    dataset = await find(api, values["dataset"])
    offset = values["offset"] or 0
    body = await api.need(
        "/access/datasets" + address(dataset.cluster, dataset.name),
        field=values["field"],
        name=values["who"],
        kind=values["kind"],
        asOf=values["at"],
        limit=values["limit"],
        offset=offset,
    )
    return ToolAnswer(body, "entries", offset, body["total"])


async def _grants(api: OwnRoutes, values: Values) -> ToolAnswer:
    me, body = await api.need("/me"), await api.need("/grants")
    own = [each for each in body["grants"] if _holds(me, each["subject"])]
    grants, offset, total = page(own, values)
    return ToolAnswer({"me": without(me, "capabilities"), "grants": grants}, "grants", offset, total)


async def _request(api: OwnRoutes, values: Values) -> ToolAnswer:
    days = values["days"]
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise WrongArguments(
            f"days is a number from 1 to {_MOST_DAYS:,}; leave it out for the longest that is allowed."
        )
    request = await api.post(
        "/access-requests",
        {
            "dataset": values["dataset"],
            "purpose": values["purpose"],
            "fields": values["fields"],
            "until": (now() + timedelta(days=days)).isoformat() if days is not None else None,
            "reason": values["reason"],
            "rows": values["rows"],
        },
    )
    return ToolAnswer(
        {"request": request}, note="A person decides on the request. Follow it with request_status and its id."
    )


async def _status(api: OwnRoutes, values: Values) -> ToolAnswer:
    if values["id"] is not None:
        return ToolAnswer({"request": await api.need("/access-requests" + address(values["id"]))})
    offset = values["offset"] or 0
    body = await api.need("/access-requests", mine=True, limit=20, offset=offset)
    return ToolAnswer({"requests": body["requests"]}, "requests", offset, body["total"])


def _holds(me: Mapping[str, Any], subject: Mapping[str, object]) -> bool:
    return subject.get("user") == me["user"] or subject.get("group") in me["groups"]


TOOLS = (
    Tool(
        "where_is",
        "Every place of a field, a kind of personal data or a glossary term: its flows, its readers, who may see it.",
        (
            Argument("field", others=("column", "path", "name")),
            Argument("entity", "as EMAIL_ADDRESS; PII for any", others=("pii", "personalData", "kind", "type")),
            Argument("term", others=("glossaryTerm",)),
            OFFSET,
        ),
        _where_is,
        others=("whereis", "find_personal_data", "find_field"),
    ),
    Tool(
        "who_has_access",
        "Who may read a dataset or a field, masked or not, by which rule.",
        (
            DATASET,
            FIELD,
            Argument("who", "one person, group or role", others=("user", "person", "group", "role", "subject")),
            Argument("kind", choices=("user", "group", "role"), others=("type",)),
            Argument("at", "as it was then, RFC 3339", others=("asOf", "when", "moment", "time")),
            LIMIT,
            OFFSET,
        ),
        _who,
        others=("access", "who_can_read", "get_access", "permissions"),
    ),
    Tool(
        "my_grants",
        "Who you are here, your roles and your grants.",
        (OFFSET,),
        _grants,
        others=("grants", "whoami", "me", "list_grants"),
    ),
    Tool(
        "request_access",
        "Ask to see data unmasked for a purpose. A person decides.",
        (
            DATASET,
            Argument("purpose", "what for", required=True, others=("usecase",)),
            Argument("fields", "paths or tags; all if left out", kind="texts", others=("field", "columns", "paths")),
            Argument("days", kind="integer", others=("duration", "durationDays")),
            Argument("reason", "for the approver", others=("justification", "comment", "why", "message")),
            Argument("rows", "SQL condition on the rows", others=("filter", "where")),
        ),
        _request,
        writes=True,
        elicits=("purpose", "days"),
        others=("create_access_request", "ask_for_access", "get_access_to"),
    ),
    Tool(
        "request_status",
        "Your access requests, or one by its id.",
        (Argument("id", others=("requestId", "request")), OFFSET),
        _status,
        others=("my_requests", "follow_request", "list_requests", "get_request"),
    ),
)
