"""A person at an agent is asked for what a call lacks, and whether a change is meant, where the client shows forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from mcp_types import ElicitRequestFormParams, ElicitResult

from tests.agent_client import Agent
from tests.agent_world import AgentWorld
from tests.features.mcp.test_write_tools import CALLS, LEAD, WRITES, declared, token_of


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    world.apply(LEAD)
    try:
        yield world
    finally:
        world.services.close()


class Person:
    """Answers forms. `forms`: what they were shown."""

    def __init__(self, action: str = "accept", **content: Any) -> None:
        self._action, self._content = action, content
        self.forms: list[ElicitRequestFormParams] = []

    async def __call__(self, context: Any, form: Any) -> ElicitResult:
        self.forms.append(form)
        content = {name: value for name, value in self._content.items() if name in form.requested_schema["properties"]}
        return ElicitResult(action=self._action, content=content if self._action == "accept" else None)


def test_what_a_request_lacks_is_asked_for(weir: AgentWorld) -> None:
    person = Person(purpose="returns", days=2)
    answer = weir.agent("ana", person=person).call("request_access", dataset="orders")
    assert not answer.failed, answer.text
    request = answer.data["request"]
    assert (request["purpose"], request["state"]) == ("returns", "pending") and request["until"]
    (form,) = person.forms
    assert "prod" not in form.message and "orders" in form.message and "purpose and days" in form.message
    assert form.requested_schema["required"] == ["purpose"]
    assert set(form.requested_schema["properties"]) == {"purpose", "days"}


def test_a_person_may_leave_days_out(weir: AgentWorld) -> None:
    person = Person()
    answer = weir.agent("ana", person=person).call("request_access", dataset="clicks", purpose="returns")
    assert not answer.failed and len(person.forms) == 1, answer.text


def test_nobody_is_asked_for_what_is_there(weir: AgentWorld) -> None:
    person = Person("decline")
    answer = weir.agent("otto", person=person).call("request_access", dataset="orders", purpose="returns", days=1)
    assert person.forms == [] and "did not agree" not in answer.text


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_who_does_not_answer_asks_for_nothing(weir: AgentWorld, action: str) -> None:
    before = weir.agent("ana").call("request_status").data
    answer = weir.agent("ana", person=Person(action)).call("request_access", dataset="orders")
    assert answer.failed and answer.text == "The person at the agent did not agree, so nothing was done."
    assert weir.agent("ana").call("request_status").data == before


@pytest.mark.parametrize(
    ("content", "sentence"),
    [({}, "purpose is missing"), ({"purpose": "p", "days": "many"}, "days is a whole number, not 'many'.")],
)
def test_a_form_that_is_filled_in_badly_is_refused(weir: AgentWorld, content: dict[str, Any], sentence: str) -> None:
    answer = weir.agent("ana", person=Person(**content)).call("request_access", dataset="orders")
    assert answer.failed and sentence in answer.text, answer.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_without_forms_an_error_names_the_argument(weir: AgentWorld, mode: str) -> None:
    answer = weir.agent("ana", mode=mode).call("request_access", dataset="orders")
    assert answer.failed and answer.text.startswith("purpose is missing"), answer.text


def test_a_client_of_an_earlier_version_is_not_asked_over_http(weir: AgentWorld) -> None:
    """Its answer to a form would need a session, and there is none."""
    person = Person(purpose="returns")
    answer = weir.agent("ana", mode="legacy", person=person).call("request_access", dataset="orders")
    assert person.forms == [] and answer.text.startswith("purpose is missing"), answer.text


@pytest.mark.parametrize("tool", WRITES)
def test_a_change_is_made_when_the_person_agrees(weir: AgentWorld, tool: str) -> None:
    token = token_of(weir, "petra", "read", "review", "describe")
    person = Person()
    assert not Agent(weir.app, token, person=person).call(tool, CALLS[tool]).failed
    assert "orders" in person.forms[0].message and person.forms[0].requested_schema["properties"] == {}


def test_a_change_is_not_made_when_the_person_declines(weir: AgentWorld) -> None:
    token = token_of(weir, "petra", "read", "review", "describe")
    before = declared(weir)
    person = Person("decline")
    answer = Agent(weir.app, token, person=person).call("set_description", dataset="orders", description="Other\u202e")
    assert answer.failed and "did not agree" in answer.text and declared(weir) == before
    assert "\u202e" not in person.forms[0].message and "\\u202e" in person.forms[0].message


def test_an_answer_counts_for_its_own_question_alone(weir: AgentWorld) -> None:
    token = token_of(weir, "petra", "read", "review", "describe")

    async def ask(client: Any, tags: str, answers: Any = None) -> Any:
        given = {"dataset": "orders", "add": tags}
        return await client.session.call_tool("set_tags", given, input_responses=answers, allow_input_required=True)

    async def work(client: Any) -> tuple[Any, Any]:
        first = await ask(client, "one")
        (key,) = first.input_requests
        return first, await ask(client, "other", {key: ElicitResult(action="accept", content={})})

    first, second = Agent(weir.app, token, person=Person()).within(work)
    assert first.result_type == second.result_type == "input_required"
    assert "other" in next(iter(second.input_requests.values())).params.message
