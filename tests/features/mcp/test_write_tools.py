"""Tools that change descriptions, tags and detections: a token needs their scope, and the person the right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.agent_client import Agent
from tests.agent_world import AgentWorld

API = "/api/v1"
WRITES = {"review": "review", "set_tags": "describe", "set_description": "describe"}
CALLS: dict[str, dict[str, Any]] = {
    "review": {
        "dataset": "orders",
        "field": "value.customer.email",
        "entity": "EMAIL_ADDRESS",
        "decision": "confirmed",
    },
    "set_tags": {"dataset": "orders", "add": "gold"},
    "set_description": {"dataset": "orders", "description": "Orders"},
}
MOST_LISTED = 7_000
LEAD = """
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [steward, analyst, admin]}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    world.apply(LEAD)
    try:
        yield world
    finally:
        world.services.close()


def token_of(weir: AgentWorld, who: str = "petra", *scopes: str, **more: Any) -> str:
    body = {"name": "writer", "purpose": "upkeep", "datasets": ["prod/orders"], "expiresIn": "7d", **more}
    answer = weir.rest(who).post(f"{API}/agents", json={**body, **({"scopes": list(scopes)} if scopes else {})})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


def agent_of(weir: AgentWorld, *scopes: str, **more: Any) -> Agent:
    return Agent(weir.app, token_of(weir, "petra", *(scopes or ("read", "review", "describe")), **more))


async def listed(client: Any) -> Any:
    return await client.list_tools()


def test_writes_are_listed_for_a_token_with_the_scope_and_for_no_other(weir: AgentWorld) -> None:
    def names(agent: Agent) -> set[str]:
        return {each.name for each in agent.within(listed).tools} & set(WRITES)

    assert names(weir.agent("petra")) == set(), "the token of a person is not limited to scopes"
    assert names(Agent(weir.app, token_of(weir))) == set(), "an agent has no write unless its scopes name it"
    assert names(agent_of(weir, "read", "review")) == {"review"}
    assert names(agent_of(weir, "read", "describe")) == {"set_tags", "set_description"}
    whole = agent_of(weir).within(listed)
    assert {each.name for each in whole.tools} >= set(WRITES)
    length = len(whole.model_dump_json(by_alias=True, exclude_none=True))
    assert length < MOST_LISTED, f"tools/list has {length} characters"


@pytest.mark.parametrize("tool", WRITES)
def test_a_call_without_the_scope_is_refused_by_the_tool_and_by_its_route(weir: AgentWorld, tool: str) -> None:
    for agent in (weir.agent("petra"), Agent(weir.app, token_of(weir))):
        refused = agent.call(tool, CALLS[tool])
        assert refused.failed and f"the scope {WRITES[tool]}" in refused.text, refused.text
    client = weir._client(token_of(weir))
    path = f"{API}/datasets/prod/orders"
    answer = (
        client.post(f"{path}/classifications", json={"path": "value", "entity": "X", "state": "confirmed"})
        if tool == "review"
        else client.patch(path, json={"description": "x"})
    )
    assert answer.status_code == 403 and answer.json()["error"]["details"]["reasons"] == ["scope"], answer.text


def test_what_was_set_is_declared_and_the_rest_stays(weir: AgentWorld) -> None:
    agent = agent_of(weir)
    before = declared(weir)
    assert agent.call("set_description", dataset="orders", description="Of the shop").data["action"] == "update"
    agent.call("set_tags", dataset="orders", add=["gold", "sales"], remove="nothing")
    agent.call("set_description", dataset="orders", column="value.region", text="Where it goes")
    agent.call("set_tags", dataset="orders", field="value.region", add="geo")
    after = declared(weir)
    assert after["owners"] == before["owners"] and after["tags"] == ["sales", "gold"]
    assert after["description"] == "Of the shop"
    assert after["fields"] == [{"path": "value.region", "description": "Where it goes", "tags": ["geo"]}]
    agent.call("set_tags", dataset="orders", field="value.region", remove="geo")
    agent.call("set_description", dataset="orders", field="value.region", description=" ")
    agent.call("set_tags", dataset="orders", remove="gold")
    assert weir.rest("petra").patch(
        f"{API}/datasets/prod/orders", json={"field": "value.region", "description": ""}
    ).json() == {
        "reference": "prod/orders",
        "field": "value.region",
        "description": "",
        "tags": [],
        "action": "update",
        "warnings": [],
    }
    assert "fields" not in declared(weir)


def declared(weir: AgentWorld) -> dict[str, Any]:
    answer = weir.admin.get(f"{API}/declared/Dataset", params={"name": "prod/orders"}).json()
    spec: dict[str, Any] = answer["documents"][0]["spec"]
    return spec


def test_a_review_is_the_persons_and_the_audit_names_the_agent(weir: AgentWorld) -> None:
    answer = agent_of(weir).call("review", CALLS["review"])
    verdict = answer.data["personalData"]
    assert (verdict["state"], verdict["reviewedBy"]) == ("confirmed", "petra")
    entry = weir.admin.get(f"{API}/audit", params={"agent": "writer", "action": "classification"}).json()["entries"][0]
    assert (entry["actor"], entry["details"]["tool"], entry["details"]["agent"]) == ("petra", "review", "writer")


@pytest.mark.parametrize("tool", WRITES)
def test_an_agent_writes_no_more_than_its_person(weir: AgentWorld, tool: str) -> None:
    agent = Agent(weir.app, token_of(weir, "ana", "read", "review", "describe"))
    assert agent.call(tool, CALLS[tool]).error["code"] == "not_allowed"


@pytest.mark.parametrize("tool", WRITES)
def test_a_dataset_that_the_token_does_not_name_is_not_there(weir: AgentWorld, tool: str) -> None:
    agent = agent_of(weir)
    hidden = agent.call(tool, {**CALLS[tool], "dataset": "prod/clicks"})
    missing = agent.call(tool, {**CALLS[tool], "dataset": "prod/clickz"})
    assert hidden.error["code"] == "dataset_not_found"
    assert str(hidden.error).replace("clicks", "clickz") == str(missing.error)


def test_a_refusal_names_no_tag_of_datasets_that_the_token_does_not_name(weir: AgentWorld) -> None:
    clicks = "metadata: {cluster: prod, name: clicks}\nspec: {owners: [{user: otto}], tags: [restructuring]}"
    weir.apply(f"apiVersion: weir/v1\nkind: Dataset\n{clicks}\n")
    call = {"dataset": "orders", "add": "restructurin"}
    whole = agent_of(weir, datasets=["prod/orders", "prod/clicks"]).call("set_tags", call)
    assert whole.failed and "restructuring" in whole.text
    part = agent_of(weir).call("set_tags", call)
    assert not part.failed and "restructuring" not in part.text, part.text
    assert not agent_of(weir).call("set_tags", dataset="orders", remove="restructurin").failed


def test_an_agent_that_sees_masked_values_alone_takes_no_mark_of_personal_data_away(weir: AgentWorld) -> None:
    agent = agent_of(weir, maskedOnly=True)
    rejected = agent.call("review", {**CALLS["review"], "decision": "rejected"})
    removed = agent.call("set_tags", dataset="orders", field="value.customer.email", remove="EMAIL_ADDRESS")
    for each in (rejected, removed):
        assert each.failed and "shows masked values only" in each.error["message"], each.text
    assert not agent.call("review", CALLS["review"]).failed


def test_an_agent_that_sees_masked_values_alone_adds_no_tag_that_may_show_more(weir: AgentWorld) -> None:
    """A tag brings the mask of its policy, which may be weaker, and ends the mask of a field that no scan looked at."""
    agent = agent_of(weir, maskedOnly=True)
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: unread}\nspec: {owners: [{user: otto}]}\n"
    )
    blind = agent_of(weir, maskedOnly=True, datasets=["prod/unread"])
    calls = (
        (agent, {"dataset": "orders", "field": "value.customer.name", "add": "EMAIL_ADDRESS"}),
        (agent, {"dataset": "orders", "add": "EMAIL_ADDRESS"}),
        (blind, {"dataset": "unread", "field": "value.phone", "add": "gold"}),
        (blind, {"dataset": "unread", "field": "value", "add": "gold"}),
    )
    for each, arguments in calls:
        refused = each.call("set_tags", arguments)
        assert refused.failed and "shows masked values only" in refused.error["message"], (arguments, refused.text)
    assert not agent.call("set_tags", dataset="orders", field="value.region", add="geo").failed
    assert not blind.call("set_tags", dataset="unread", add="gold").failed


def test_an_agent_that_sees_masked_values_alone_brings_no_rejected_detection_back(weir: AgentWorld) -> None:
    call = {**CALLS["review"], "decision": "rejected"}
    try:
        assert not agent_of(weir).call("review", call).failed
        back = agent_of(weir, maskedOnly=True).call("review", CALLS["review"])
        assert back.failed and "shows masked values only" in back.error["message"]
    finally:
        assert not agent_of(weir).call("review", CALLS["review"]).failed


@pytest.mark.parametrize(
    ("tool", "more", "sentence"),
    [
        ("set_tags", {}, "Send add or remove"),
        ("set_tags", {"add": "a b"}, "a tag is one word"),
        ("set_tags", {"add": "EMAIL_ADDRESS\u200b"}, "a tag is one word"),
        ("review", {"field": "value.region", "entity": "DO THIS", "decision": "confirmed"}, "a tag is one word"),
        ("set_tags", {"add": "x", "remove": "x"}, "both to be added and removed"),
        ("set_tags", {"add": "x", "field": "value.regoin"}, "Did you mean value.region?"),
        ("set_tags", {"add": "x", "field": "nowhere at all"}, "path"),
        ("set_description", {"description": "x" * 1_000_000}, "at most 20,000 characters"),
        ("review", {"field": "value.region", "entity": "X", "decision": "yes"}, "decision is one of"),
        ("review", {"field": "value.region", "entity": "NOTHING", "decision": "rejected"}, "no classification"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(weir: AgentWorld, tool: str, more: dict[str, Any], sentence: str) -> None:
    refused = agent_of(weir).call(tool, {"dataset": "orders", **more})
    assert refused.failed and sentence in refused.text, refused.text[:600]


def test_edits_at_once_are_all_kept(weir: AgentWorld) -> None:
    from concurrent.futures import ThreadPoolExecutor

    clients = [weir.rest("petra") for _ in range(4)]

    def add(number: int) -> int:
        answer = clients[number].patch(
            f"{API}/datasets/prod/clicks", json={"addTags": [f"batch{number}"]}, params={"allowUnknown": "true"}
        )
        return int(answer.status_code)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(add, range(4))) == {200}
    tags = weir.rest("petra").get(f"{API}/datasets/prod/clicks").json()["tags"]
    assert set(tags) >= {f"batch{n}" for n in range(4)}


def test_a_dataset_of_no_named_cluster_is_refused_in_a_sentence(weir: AgentWorld) -> None:
    from tests.lineage_samples import dataset, run

    outside = {"namespace": "s3://bucket", "name": "a/b"}
    assert weir.admin.post(f"{API}/lineage", json=run(9, [outside], [dataset("clicks")])).status_code == 201
    weir.fold()
    answer = weir.rest("petra").patch(f"{API}/datasets/s3%3A%2F%2Fbucket/a%2Fb", json={"description": "x"})
    assert answer.status_code == 409 and "s3://bucket/a/b is in no cluster" in answer.json()["error"]["message"]


def test_what_is_declared_under_another_name_of_the_cluster_stays(weir: AgentWorld) -> None:
    """An edit by the one name must not take owners and tags away that are declared by the other: a tag masks data."""
    spec = "{owners: [{user: otto}], tags: [sales], fields: [{path: value.note, tags: [EMAIL_ADDRESS]}]}"
    topic = "metadata: {cluster: second, name: payments}"
    weir.apply(
        'apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: second}\nspec: {bootstrapServers: "localhost:9092"}\n---\n'
        f"apiVersion: weir/v1\nkind: Dataset\n{topic}\nspec: {spec}\n"
    )
    petra, at = weir.rest("petra"), f"{API}/datasets/prod/payments"
    answer = petra.patch(at, json={"description": "Money"})
    assert (answer.status_code, answer.json()["action"]) == (200, "update"), answer.text
    after = petra.get(at).json()
    assert (after["owners"], after["tags"]) == (["otto"], ["sales"])
    assert ("value.note", "EMAIL_ADDRESS") in {
        (each["path"], each["entity"]) for each in petra.get(f"{at}/classifications").json()
    }
    weir.apply("apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: payments}\nspec: {}\n")
    twice = petra.patch(at, json={"description": "Money"})
    assert twice.status_code == 409 and "declared twice" in twice.json()["error"]["message"], twice.text
