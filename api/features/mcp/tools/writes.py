"""Tools that change descriptions, tags and detections. They are there for a token whose scopes name them."""

from __future__ import annotations

from api.features.mcp.arguments import Argument, WrongArguments
from api.features.mcp.calls import OwnRoutes, address
from api.features.mcp.fence import visible
from api.features.mcp.tools.catalog import OF_VERDICT
from api.features.mcp.tools.spec import DATASET, Tool, ToolAnswer, Values, find, only

_FIELD = Argument("field", others=("path", "column", "fieldPath"))
_LONGEST_SHOWN = 300


async def _path(api: OwnRoutes, values: Values) -> str:
    dataset = await find(api, values["dataset"])
    return "/datasets" + address(dataset.namespace, dataset.name)


async def _review(api: OwnRoutes, values: Values) -> ToolAnswer:
    body = {
        "path": values["field"],
        "entity": values["entity"],
        "state": values["decision"],
        "reason": values["reason"],
    }
    verdict = await api.post(f"{await _path(api, values)}/classifications", body)
    return ToolAnswer({"personalData": only(verdict, *OF_VERDICT)})


async def _set_tags(api: OwnRoutes, values: Values) -> ToolAnswer:
    if values["add"] is None and values["remove"] is None:
        raise WrongArguments("Send add or remove, as add=sales.")
    body = {"field": values["field"], "addTags": values["add"], "removeTags": values["remove"]}
    return ToolAnswer(await api.patch(await _path(api, values), body))


async def _set_description(api: OwnRoutes, values: Values) -> ToolAnswer:
    body: dict[str, object] = {"field": values["field"], "description": values["description"]}
    return ToolAnswer(await api.patch(await _path(api, values), body))


def _of(values: Values) -> str:
    dataset = visible(values["dataset"])
    return f"{visible(values['field'])} of {dataset}" if values["field"] is not None else dataset


def _about_review(values: Values) -> str:
    entity = visible(values["entity"], 60)
    return f"Is it right that {entity} in {_of(values)} becomes {values['decision']}?"


def _about_tags(values: Values) -> str:
    parts = [
        f"{verb} {', '.join(visible(each, 60) for each in values[key])}"
        for key, verb in (("add", "add"), ("remove", "take away"))
        if values[key] is not None
    ]
    return f"Tags of {_of(values)}: {' and '.join(parts)}?"


def _about_description(values: Values) -> str:
    return f"Describe {_of(values)} as: {visible(values['description'], _LONGEST_SHOWN)}"


TOOLS = (
    Tool(
        "review",
        "Confirm or reject a kind of personal data in a field.",
        (
            DATASET,
            Argument("field", required=True, others=_FIELD.others),
            Argument("entity", "as EMAIL_ADDRESS", required=True, others=("kind", "type", "pii")),
            Argument(
                "decision", required=True, choices=("confirmed", "rejected", "suggested"), others=("state", "verdict")
            ),
            Argument("reason", others=("comment", "why")),
        ),
        _review,
        writes=True,
        scope="review",
        others=("review_detection", "review_classification", "confirm", "reject"),
        question=_about_review,
    ),
    Tool(
        "set_tags",
        "Add or take away tags of a dataset or a field.",
        (
            DATASET,
            _FIELD,
            Argument("add", kind="texts", others=("tags", "tag", "addTags")),
            Argument("remove", kind="texts", others=("delete", "removeTags")),
        ),
        _set_tags,
        writes=True,
        scope="describe",
        others=("tag", "add_tags", "add_tag", "remove_tags"),
        question=_about_tags,
    ),
    Tool(
        "set_description",
        "Describe a dataset or a field.",
        (DATASET, _FIELD, Argument("description", required=True, others=("text", "comment"))),
        _set_description,
        writes=True,
        scope="describe",
        others=("update_description", "describe_as", "add_description"),
        question=_about_description,
    ),
)
