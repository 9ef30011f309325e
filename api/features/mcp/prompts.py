"""Prompts: questions that people ask often, with the tools that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from api.features.mcp.fence import visible


@dataclass(frozen=True, slots=True)
class _Question:
    name: str
    about: str
    arguments: Mapping[str, str]
    text: str


_QUESTIONS = (
    _Question(
        "where_is_personal_data",
        "Where a kind of personal data is, who reads it and who may see it",
        {"entity": "a kind of personal data, as EMAIL_ADDRESS or PHONE_NUMBER"},
        "Answer: where is {entity} in our topics? Call where_is with entity={entity}. For each place give the dataset, the field,"
        " its owners, where it flows, and who sees it unmasked. Name the gaps that the answer lists.",
    ),
    _Question(
        "what_breaks",
        "What breaks when a dataset changes, and whom to notify",
        {"dataset": "a dataset, as prod/orders"},
        "Answer: what breaks when {dataset} changes, and whom do I notify? Call describe_dataset, then impact with"
        " dataset={dataset}. List what is affected by its owners, nearest first.",
    ),
    _Question(
        "get_access",
        "Find out what one may see of a dataset, and ask for the rest",
        {"dataset": "a dataset, as prod/orders", "purpose": "what the data is for"},
        "I need {dataset} for this purpose: {purpose}. Call explain_query with SELECT * FROM {dataset} and the purpose, and list"
        " which columns are masked or refused and why. Ask me before you call request_access.",
    ),
)


def listed() -> list[Prompt]:
    """Every prompt."""
    return [
        Prompt(
            name=each.name,
            description=each.about,
            arguments=[
                PromptArgument(name=name, description=about, required=True) for name, about in each.arguments.items()
            ],
        )
        for each in _QUESTIONS
    ]


def filled(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """A prompt with its arguments. Raises MCPError naming what is unknown or missing."""
    question = next((each for each in _QUESTIONS if each.name == name), None)
    if question is None:
        names = ", ".join(each.name for each in _QUESTIONS)
        raise MCPError(INVALID_PARAMS, f"There is no prompt '{visible(name, 60)}'. The prompts are {names}.")
    missing = [each for each in question.arguments if not given.get(each)]
    if missing:
        raise MCPError(INVALID_PARAMS, f"{missing[0]} is missing: {question.arguments[missing[0]]}.")
    text = question.text.format(**{each: visible(given[each]) for each in question.arguments})
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=question.about, messages=[message])
