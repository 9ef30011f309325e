"""The server for agents with the token of an agent: its limits hold in every tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from api.features.mcp.fence import as_json, visible
from policies.query.service import GovernedQuery
from tests.agent_client import Agent
from tests.agent_world import AgentWorld
from tests.features.agents.test_agents_http import Rows
from tests.features.mcp.test_agents_http import raw_call
from tests.query_door import NoOffsets

API = "/api/v1"
SQL = "SELECT order_id FROM prod.orders"
HIDDEN = ("customers", "payments", "clicks")
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "email"}),
    ("search", {}),
    ("list_datasets", {}),
    ("describe_dataset", {"dataset": "orders"}),
    ("lineage", {"dataset": "orders"}),
    ("impact", {"dataset": "orders"}),
    ("where_is", {"entity": "PII"}),
    ("who_has_access", {"dataset": "orders"}),
    ("my_grants", {}),
    ("request_status", {}),
    ("read_view", {}),
    ("explain_query", {"sql": "SELECT * FROM prod.orders"}),
]


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    queries = world.services[GovernedQuery]
    queries._engine = Rows()
    queries._offsets = queries.preparer._offsets = NoOffsets()
    world.apply(
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: petra}\nspec: {roles: [steward, analyst, admin, auditor]}"
    )
    asked = {"datasets": [f"prod/{each}" for each in ("orders", *HIDDEN)], "purpose": "support", "reason": "a case"}
    assert world.rest("petra").post(f"{API}/access-requests/bundle", json=asked).status_code == 201
    try:
        yield world
    finally:
        world.services.close()


def token_of(weir: AgentWorld, **more: Any) -> str:
    scopes = ["read", "query", "request", "report:read"]
    body = {"name": "helper", "purpose": "support", "datasets": ["prod/orders"], "expiresIn": "7d", "scopes": scopes}
    answer = weir.rest("petra").post(f"{API}/agents", json={**body, **more})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[f"{tool}-{n}" for n, (tool, _) in enumerate(CALLS)])
def test_no_tool_names_a_dataset_that_the_token_does_not(
    weir: AgentWorld, tool: str, arguments: dict[str, Any]
) -> None:
    answer = Agent(weir.app, token_of(weir)).call(tool, arguments)
    assert not answer.failed, answer.text
    assert [each for each in HIDDEN if each in answer.text] == [], answer.text
    assert not answer.data.get("requests") or [each["dataset"] for each in answer.data["requests"]] == ["prod/orders"]


@pytest.mark.parametrize("tool", ["describe_dataset", "lineage", "impact", "who_has_access", "request_access"])
def test_such_a_dataset_is_refused_as_one_that_does_not_exist(weir: AgentWorld, tool: str) -> None:
    agent = Agent(weir.app, token_of(weir))
    more = {"purpose": "support"} if tool == "request_access" else {}
    hidden, missing = (agent.call(tool, dataset=f"prod/{each}", **more) for each in ("payments", "paymentz"))
    assert hidden.failed and missing.failed
    assert json.dumps(hidden.error).replace("payments", "paymentz") == json.dumps(missing.error)


def test_a_query_without_a_limit_gets_as_many_rows_as_the_token_gives_in_an_answer(weir: AgentWorld) -> None:
    agent = Agent(weir.app, token_of(weir, rows=30, rowsADay=70))
    for more in ({}, {"limit": 500}):
        answer = agent.call("run_query", sql=SQL, **more)
        assert not answer.failed, answer.text
        assert len(answer.data["rows"]) == 30
    refused = agent.call("run_query", sql=SQL)
    assert refused.failed and "rows a day" in refused.error["message"] and "Try again in" in refused.lead


def test_the_audit_names_the_tool_that_was_called_whatever_a_header_says(weir: AgentWorld) -> None:
    token = token_of(weir, name="named")
    weir.tokens["named"] = token
    for headers in ({"X-Weir-Tool": "forged"}, {"x-weir-tool": "approve"}):
        raw_call(weir, "named", "run_query", json.dumps({"sql": SQL, "limit": 1}), **headers)
    entries = weir.admin.get(f"{API}/audit", params={"agent": "named"}).json()["entries"]
    tools = {each["details"].get("tool") for each in entries if each["action"].startswith("query")}
    assert tools == {"run_query"}
    by_tool = weir.admin.get(f"{API}/audit", params={"agent": "named", "tool": "run_query"}).json()["entries"]
    assert by_tool and {each["details"]["tool"] for each in by_tool} == {"run_query"}
    assert weir.admin.get(f"{API}/audit", params={"agent": "named", "tool": "explain_query"}).json()["entries"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        '{"sql": "SELECT 1", "limit": ' + "9" * 5_000 + "}",
        '{"sql": "SELECT 1", "limit": 1e400}',
        '{"sql": "SELECT 1", "limit": NaN}',
        '{"sql": ' + "[" * 200 + "]" * 200 + "}",
        '{"sql": {"a": 1}}',
        '{"sql": 5, "limit": 99999999999999999999}',
    ],
    ids=["long", "infinite", "nan", "deep", "object", "large"],
)
def test_arguments_of_odd_types_are_refused_in_a_sentence(weir: AgentWorld, arguments: str) -> None:
    message = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_query","arguments":' + arguments + "}}"
    )
    sent = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = weir.rest("ana").post("/mcp", content=message, headers=sent)
    assert answer.status_code in (200, 400), (answer.status_code, answer.text[:500])
    assert "internal" not in answer.text and "Traceback" not in answer.text, answer.text[:800]


@pytest.mark.parametrize("host", ['a" , Bearer realm="evil', "a\tb", 'x"y', "a b", "evil.example/@x"])
def test_a_host_that_is_no_name_is_not_written_into_the_answer_header(weir: AgentWorld, host: str) -> None:
    answer = weir.anonymous().post("/mcp", json={}, headers={"Host": host})
    assert answer.status_code == 400, answer.headers
    assert "The Host header is not the name of a host" in answer.text
    assert "www-authenticate" not in answer.headers


@pytest.mark.parametrize("host", ["localhost", "weir.example.com:8484", "[::1]:8484", "10.0.0.1"])
def test_a_host_that_is_a_name_is(weir: AgentWorld, host: str) -> None:
    answer = weir.anonymous().post("/mcp", json={}, headers={"Host": host})
    assert f'"http://{host}/.well-known/oauth-protected-resource/mcp"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize(
    "hidden", ["\u3164", "\uffa0", "\u115f", "\u034f", "\u17b4", "\ufe0f", "\u200b", "\u2800", "\u202e", "\U000e0041"]
)
def test_a_character_that_does_not_show_is_written_out(hidden: str) -> None:
    for shown in (as_json([f"a{hidden}b"]), visible(f"a{hidden}b")):
        assert hidden not in shown
        assert "\\u" in shown
    assert json.loads(as_json([f"a{hidden}b"])) == [f"a{hidden}b"]


@pytest.mark.parametrize(
    "body", ["[%s, %s]", "{", "[]", '{"jsonrpc": "2.0", "id": 1, "params": {"secret": "a value"}}']
)
def test_what_is_no_message_is_refused_without_the_names_of_classes(weir: AgentWorld, body: str) -> None:
    message = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    sent = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = weir.rest("ana").post("/mcp", content=body.replace("%s", message), headers=sent)
    assert answer.status_code == 400
    assert "not one message of JSON-RPC" in answer.json()["error"]["message"]
    for word in ("JSONRPCRequest", "pydantic", "a value", "input_"):
        assert word not in answer.text


def test_there_is_no_stream_to_listen_to(weir: AgentWorld) -> None:
    answer = weir.rest("ana").get("/mcp", headers={"Accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
