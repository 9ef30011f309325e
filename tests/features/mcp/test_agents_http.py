"""The server for agents over HTTP, with the SDK's own client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from api.features.mcp.server import _listed
from api.features.mcp.tools import TOOLS
from tests.agent_client import Agent, ToolResult, called
from tests.agent_world import ORDER, PLANTED, AgentWorld

MOST_LISTED = 6_000


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    try:
        yield world
    finally:
        world.services.close()


@pytest.fixture(scope="module")
def ana(weir: AgentWorld) -> Agent:
    return weir.agent("ana")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed_briefly_for_clients_of_every_version(weir: AgentWorld, mode: str) -> None:
    async def listed(client: Any) -> Any:
        return await client.list_tools()

    answer = weir.agent("ana", mode=mode).within(listed)
    assert [each.name for each in answer.tools] == [each.name for each in TOOLS if each.scope is None]
    whole = answer.model_dump_json(by_alias=True, exclude_none=True)
    assert len(whole) < MOST_LISTED, f"tools/list has {len(whole)} characters"
    assert {each.name for each in answer.tools if not (each.annotations and each.annotations.read_only_hint)} == {
        "request_access"
    }


def test_a_client_without_a_token_learns_where_to_get_one(weir: AgentWorld) -> None:
    answer = weir.anonymous().post("/mcp", json={})
    assert answer.status_code == 401
    where = "http://testserver/.well-known/oauth-protected-resource/mcp"
    assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{where}"'
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        assert weir.anonymous().get(path).json() == {
            "resource": "http://testserver/mcp",
            "resource_name": "Weir",
            "authorization_servers": [],
            "bearer_methods_supported": ["header"],
        }


def test_a_cookie_is_no_credential_here(weir: AgentWorld) -> None:
    client = weir.anonymous()
    client.cookies.set("weir_session", "anything")
    assert client.post("/mcp", json={}).json()["error"]["message"].startswith("This request has no token")


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8484", "http://localhost:8484", 200),
        ("localhost:8484", "http://evil.example", 403),
        ("evil.example", "http://evil.example", 403),
        ("localhost:8484", "null", 403),
    ],
)
def test_a_page_of_another_address_may_not_call(weir: AgentWorld, host: str, origin: str, status: int) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream", "Host": host, "Origin": origin}
    assert weir.rest("ana").post("/mcp", json=message, headers=headers).status_code == status


def test_the_provider_is_named(weir: AgentWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    class Spec:
        issuer = "https://login.example.com/realms/shop"

    from policies.access.sign_in import SignIn

    monkeypatch.setattr(SignIn, "providers", lambda self: {"shop": Spec()})
    answer = weir.anonymous().get("/.well-known/oauth-protected-resource/mcp").json()
    assert answer["authorization_servers"] == ["https://login.example.com/realms/shop"]


def test_from_search_to_a_request_that_a_person_approves(weir: AgentWorld, ana: Agent) -> None:
    hits = ana.call("search", query="email").data["hits"]
    assert "prod/orders" in {each["reference"] for each in hits}
    answer = ana.call("request_access", dataset="orders", purpose="support", days=3, fields="value.customer.email")
    assert answer.lead.startswith("A person decides on the request.")
    request = answer.data["request"]
    assert (request["state"], request["requester"]) == ("pending", "ana")
    approved = weir.rest("otto").post(f"/api/v1/access-requests/{request['id']}/approve", json={})
    assert approved.status_code == 200, approved.text
    assert ana.call("request_status", id=request["id"]).data["request"]["state"] == "approved"
    mine = ana.call("my_grants").data
    assert mine["me"]["user"] == "ana" and [each["purpose"] for each in mine["grants"]] == ["support"]


def test_the_token_of_an_agent_narrows_tools_and_ends_at_once(weir: AgentWorld) -> None:
    person = weir.rest("ana")
    body = {"name": "helper", "purpose": "support", "datasets": ["prod/orders"], "rows": 10, "expiresIn": "7d"}
    answer = person.post("/api/v1/agents", json=body)
    assert answer.status_code == 201, answer.text
    agent = Agent(weir.app, answer.json()["token"])
    assert [each["name"] for each in agent.call("list_datasets").data["datasets"]] == ["orders"]
    assert agent.call("describe_dataset", dataset="clicks").error["code"] == "dataset_not_found"
    assert ":clicks" not in agent.call("lineage", dataset="orders").text
    agent.call("explain_query", sql="SELECT * FROM prod.orders")
    refused = agent.call("run_query", sql="SELECT * FROM prod.clicks")
    assert refused.failed
    entries = weir.admin.get("/api/v1/audit", params={"limit": 5, "actor": "ana"}).json()["entries"]
    assert entries[0]["details"]["agent"] == "helper" and entries[0]["details"]["tool"] == "run_query", entries[0]
    ended = person.delete(f"/api/v1/agents/{answer.json()['id']}")
    assert ended.status_code == 200, ended.text
    with pytest.raises(Exception):  # noqa: B017  # transports wrap the refusal in groups
        agent.call("my_grants")


def test_a_planted_instruction_arrives_as_data(ana: Agent) -> None:
    for answer in (ana.call("describe_dataset", dataset=PLANTED), ana.call("search", query="instructions")):
        assert PLANTED in answer.text and not _planted_outside(answer)
        assert ORDER[:50] in answer.text
        assert "\u202e" not in answer.text and "\\u202e" in answer.text and "\u200b" not in answer.text
        assert answer.text.count("</data-") == 2, "the planted end of the data is inside of it"
    named = ana.call("lineage", dataset="orders")
    assert PLANTED in (named.fenced or "") and not _planted_outside(named)


def test_a_planted_name_in_a_suggestion_arrives_as_data(ana: Agent) -> None:
    wrong = ana.call("describe_dataset", dataset=PLANTED[:-1])
    assert wrong.failed and PLANTED in wrong.error["message"] and not _planted_outside(wrong)


def _planted_outside(answer: ToolResult) -> bool:
    outside = answer.text.replace(answer.fenced or "", "")
    return PLANTED in outside or "SYSTEM:" in outside


def test_a_description_of_a_megabyte_is_cut(weir: AgentWorld, ana: Agent) -> None:
    weir.describe("clicks", "d" * 1_000_000)
    try:
        answer = ana.call("describe_dataset", dataset="clicks")
    finally:
        weir.describe("clicks", "Clicks")
    assert len(answer.text) <= 20_000 and "more characters]" in answer.text
    assert "Shown in part: long texts: 1." in answer.lead


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("serch", {}, "There is no tool 'serch'. Did you mean search?"),
        ("lineage", {"datasett": "orders"}, "'datasett' is not an argument here. Did you mean dataset?"),
        ("run_query", {}, "sql is missing"),
        ("where_is", {}, "Send one of field, entity and term"),
        ("request_access", {"dataset": "orders", "purpose": "p", "days": 0}, "days is a number from 1"),
    ],
)
def test_a_wrong_call_names_the_right_one(ana: Agent, tool: str, arguments: dict[str, Any], sentence: str) -> None:
    answer = ana.call(tool, arguments)
    assert answer.failed and answer.text.startswith(sentence), answer.text


ODD = [
    "../../etc/passwd",
    "a/b/c/d",
    "%2e%2e%2f",
    "orders?limit=1",
    "orders#x",
    "orders\u0000",
    "orders; DROP TABLE x",
    "\u202eorders",
    "ordérs",
    "😀" * 200,
    "x" * 100_000,
    " ",
    "dataset:",
    "dataset:~9999:x",
    "datasetField:a",
    "job:x:y",
    "urn:li:dataset:(urn:li:dataPlatform:kafka,orders,PROD)",
]


@pytest.mark.parametrize("name", ODD, ids=lambda name: ascii(name)[:30])
@pytest.mark.parametrize("tool", ["describe_dataset", "lineage", "who_has_access", "request_access", "read_view"])
def test_odd_names_are_refused_in_a_sentence(ana: Agent, tool: str, name: str) -> None:
    arguments = {"view" if tool == "read_view" else "dataset": name}
    if tool == "request_access":
        arguments["purpose"] = "p"
    answer = ana.call(tool, arguments)
    assert len(answer.text) <= 20_000
    if answer.failed and answer.fenced is not None:
        assert answer.error["code"] != "internal", answer.text


def raw_call(weir: AgentWorld, who: str, tool: str, arguments: str, **headers: str) -> Any:
    """The result of a call whose arguments are written as text, which the SDK's client could not send."""
    message = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}'
    sent = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json", **headers}
    answer = weir.rest(who).post("/mcp", content=message, headers=sent)
    assert answer.status_code == 200 and "mcp-session-id" not in answer.headers, answer.text
    return json.loads(answer.text.split("data: ", 1)[1].splitlines()[0])["result"]


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.parametrize("name", ["\\ud800", "or\\udfffders", "\\u0000"])
@pytest.mark.parametrize("tool", ["describe_dataset", "request_access", "search"])
def test_half_a_character_fails_nothing(weir: AgentWorld, tool: str, name: str, version: str) -> None:
    more = ',"purpose":"p"' if tool == "request_access" else ""
    given = f'{{"{"query" if tool == "search" else "dataset"}":"{name}"{more}}}'
    meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    message = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{given}{meta}}}}}'
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
        "MCP-Method": "tools/call",
        "MCP-Name": tool,
    }
    answer = weir.rest("ana").post("/mcp", content=message, headers=headers)
    assert answer.status_code in (200, 400), answer.text
    assert "internal" not in answer.text and "Traceback" not in answer.text, answer.text


def test_a_token_that_ends_between_two_calls_is_refused_at_once(weir: AgentWorld) -> None:
    token = weir.admin.post("/api/v1/tokens", json={"user": "ana"}).json()
    agent = Agent(weir.app, token["token"])

    async def revoked(client: Any) -> Any:
        before = await called(client, "my_grants", {})
        await _in_thread(lambda: weir.admin.delete(f"/api/v1/tokens/{token['id']}"))
        try:
            return before, await called(client, "my_grants", {})
        except Exception as error:
            return before, error

    before, after = agent.within(revoked)
    assert not before.failed and isinstance(after, Exception)


async def _in_thread(work: Any) -> Any:
    import anyio.to_thread

    return await anyio.to_thread.run_sync(work)


def test_a_session_is_not_kept_so_it_cannot_be_replayed(weir: AgentWorld) -> None:
    """Who calls is read from each request's own token, whatever session it names."""
    for who in ("ana", "otto"):
        result = raw_call(weir, who, "my_grants", "{}", **{"Mcp-Session-Id": "0" * 32})
        assert f'"user":"{who}"' in result["content"][0]["text"]


def test_two_hundred_calls_at_once_get_their_own_answers(weir: AgentWorld) -> None:
    import anyio

    answers: dict[int, ToolResult] = {}

    async def many(client: Any) -> None:
        async def one(number: int) -> None:
            answers[number] = await called(client, "list_datasets", {"limit": 1, "offset": number % 3})

        async with anyio.create_task_group() as group:
            for number in range(200):
                group.start_soon(one, number)

    weir.agent("petra").within(many)
    assert len(answers) == 200 and not any(each.failed for each in answers.values())
    first = {number: answers[number].data["datasets"][0]["name"] for number in range(3)}
    assert len(set(first.values())) == 3
    assert all(answers[n].data["datasets"][0]["name"] == first[n % 3] for n in range(200))


NO_MESSAGES = ["", "{", "[]", "null", '{"jsonrpc":"2.0"}', '[{"jsonrpc":"2.0","id":1}]', "\ud83d", "x" * 5_000_000]


@pytest.mark.parametrize("body", NO_MESSAGES, ids=lambda body: ascii(body)[:20])
def test_a_body_that_is_no_message_is_refused_without_a_trace(weir: AgentWorld, body: str) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    answer = weir.user("ana").post("/mcp", content=body.encode(errors="replace"), headers=headers)
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text[:200])
    assert "Traceback" not in answer.text


def test_without_a_message_a_sentence_names_what_to_send(weir: AgentWorld) -> None:
    answer = weir.user("ana").post("/mcp")
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json")
    assert answer.json()["error"]["message"].startswith("Send one message of JSON-RPC 2.0 as JSON")


def test_each_answer_is_within_its_size(weir: AgentWorld) -> None:
    for tool in TOOLS:
        assert len(json.dumps(_listed(tool).model_dump(by_alias=True, exclude_none=True))) < 800, tool.name


def test_prompts_name_tools_that_there_are(weir: AgentWorld) -> None:
    async def prompts(client: Any) -> Any:
        listed = (await client.list_prompts()).prompts
        return [
            (await client.get_prompt(each.name, {a.name: "orders" for a in each.arguments or ()}))
            .messages[0]
            .content.text
            for each in listed
        ]

    texts = weir.agent("ana").within(prompts)
    assert len(texts) == 3 and any("Call where_is with entity=orders." in text for text in texts)
