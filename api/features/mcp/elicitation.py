"""Questions to the person at an agent, where its client shows forms: what a call lacks, and whether a change is meant.

A question is a result (`InputRequiredResult`, protocol 2026-07-28), and the client calls again with the answer. So no session is
needed: an answer names its question by a digest of the call.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from api.features.mcp import arguments
from api.features.mcp.arguments import Value, WrongArguments
from api.features.mcp.fence import visible
from api.features.mcp.tools.spec import Tool, Values

Answers = Mapping[str, Any]


class Question(Exception):
    """The person has to be asked. `result` asks them."""

    def __init__(self, key: str, message: str, schema: dict[str, object]) -> None:
        super().__init__(message)
        form = ElicitRequestFormParams(message=message, requested_schema=schema)
        self.result = InputRequiredResult(input_requests={key: ElicitRequest(params=form)})


def shows_forms(session: Any) -> bool:
    """Whether the client of a session of the server takes questions with a form as results."""
    return session.protocol_version in MODERN_PROTOCOL_VERSIONS and declares_forms(session)


def declares_forms(session: Any) -> bool:
    """Whether the client shows forms at all. `elicitation: {}` means that it does."""
    capabilities = session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def completed(tool: Tool, given: Mapping[str, Any], answers: Answers) -> dict[str, Value]:
    """The arguments with what the person added, when they agreed to what the tool does. Raises Question, WrongArguments."""
    values = arguments.read(tool.arguments, given, may_lack=tool.elicits)
    missing = [each for each in tool.arguments if each.name in tool.elicits and values[each.name] is None]
    if missing:
        schema: dict[str, object] = {
            "type": "object",
            "properties": {each.name: each.schema() for each in missing},
            "required": [each.name for each in missing if each.required],
        }
        what = " and ".join(each.name for each in missing)
        of = f" of {visible(str(values['dataset']))}" if values.get("dataset") else ""
        answer = _answer(_key("arguments", tool, values), f"{tool.about}{of}: {what}?", schema, answers)
        values |= {name: value for name, value in arguments.read(missing, answer).items() if value is not None}
    if tool.question is not None:
        _answer(_key("confirm", tool, values), tool.question(values), {"type": "object", "properties": {}}, answers)
    return values


def _answer(key: str, message: str, schema: dict[str, object], answers: Answers) -> Mapping[str, Any]:
    """What the person filled in. Raises Question where they were not asked yet, WrongArguments where they declined."""
    answer = answers.get(key)
    if not isinstance(answer, ElicitResult):
        raise Question(key, message, schema)
    if answer.action != "accept":
        raise WrongArguments("The person at the agent did not agree, so nothing was done.")
    return answer.content or {}


def _key(kind: str, tool: Tool, values: Values) -> str:
    call = json.dumps([tool.name, values], sort_keys=True)
    return f"{kind}-{hashlib.sha256(call.encode(errors='surrogatepass')).hexdigest()[:32]}"
