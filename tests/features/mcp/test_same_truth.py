"""Every tool, called as everybody about everything, answers what the API answers to the same person: no more, no less.

What the API answers is asked here by itself, so a tool that left out a check of its route, asked with another credential, or
counted by itself would differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread
import pytest
from mcp import MCPError

from api.config.settings import Settings
from api.features.mcp.tools import TOOLS
from tests.agent_client import ToolResult, called
from tests.agent_world import PLANTED, AgentWorld

DATASETS = ("orders", "prod/clicks", "prod.customers", "payments", PLANTED, "nothing", "ordesr", "custmers")
SHORTER = frozenset(
    {"score", "highlights", "facets", "scan", "topic", "evidence", "details", "count", "lengths", "firstAt", "seenAt"}
    | {
        "reviewedAt",
        "location",
        "producer",
        "engine",
        "lastRun",
        "clockAhead",
        "columnTags",
        "sqlDialect",
        "capabilities",
    }
    | {"total", "limit", "offset"}
)
"""Keys of the API's answers that a tool leaves out to be brief, or has in its sentence."""
MOMENTS = ("at.", "generatedAt.", "usualSeconds.")
"""Keys whose value depends on when one asks."""
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class Case:
    """A call of a tool, and the requests that a person would send. `wanted` makes of their answers what the tool has to show;
    the first of them that is refused is what the tool must be refused with."""

    tool: str
    arguments: Mapping[str, Any]
    requests: tuple[tuple[str, Mapping[str, Any]], ...]
    wanted: Callable[..., Any] = lambda body: body
    items: str | None = None
    body: Mapping[str, Any] | None = None
    soft: frozenset[int] = field(default_factory=frozenset)


def _path_of(dataset: str) -> str:
    return f"prod/{dataset.removeprefix('prod/').removeprefix('prod.')}"


def _node(dataset: str) -> str:
    return f"dataset:kafka://localhost:9092:{_path_of(dataset).removeprefix('prod/')}"


def cases() -> Iterator[Case]:
    """Every tool; those about a dataset with each of them."""
    for query in ("email", "phone", "customers", PLANTED, "order", "zzz", "ordres"):
        yield Case("search", {"query": query}, (("/search", {"q": query, "limit": 20}),), items="hits")
    for tag in (
        {},
        {"entity": "PII"},
        {"entity": "PHONE_NUMBER"},
        {"owner": "otto"},
        {"tag": "sales"},
        {"tag": "nothing"},
    ):
        yield Case("list_datasets", tag, (("/datasets", {**tag, "limit": 20}),), items="datasets")
        yield Case("search", {"query": "", **tag}, (("/search", {**tag, "limit": 20}),), items="hits")
    for entity in ("EMAIL_ADDRESS", "PHONE_NUMBER", "PII", "NOTHING"):
        yield Case("where_is", {"entity": entity}, (("/reports/where-is", {"entity": entity}),), items="places")
    yield Case("where_is", {"field": "value.phone"}, (("/reports/where-is", {"field": "value.phone"}),), items="places")
    yield Case("request_status", {}, (("/access-requests", {"mine": "true"}),), items="requests")
    yield Case(
        "request_status", {"id": "req-none"}, (("/access-requests/req-none", {}),), lambda body: {"request": body}
    )
    yield Case("read_view", {}, (("/views", {}),), items="views")
    yield Case("read_view", {"view": "none"}, (("/views/none/rows", {}),), items="rows")
    yield Case("my_grants", {}, (("/me", {}), ("/grants", {})), _own_grants, items="grants")
    for dataset in DATASETS:
        yield from _about(dataset)


def _about(dataset: str) -> Iterator[Case]:
    path, node = f"/datasets/{_path_of(dataset)}", _node(dataset)
    yield Case(
        "describe_dataset",
        {"dataset": dataset},
        ((path, {}), (f"{path}/schema", {}), (f"{path}/classifications", {})),
        _described,
        items="fields",
        soft=frozenset({1, 2}),
    )
    yield Case(
        "check_contract",
        {"dataset": dataset},
        (
            (path, {}),
            ("/contracts", {"dataset": _path_of(dataset)}),
            (f"/contracts/{_path_of(dataset).replace('/', '.')}", {}),
        ),
        _promised,
        items="rules",
        soft=frozenset({2}),
    )
    known: tuple[tuple[str, Mapping[str, Any]], ...] = ((path, {}),)
    for direction in ("upstream", "downstream", "both"):
        asked = {"nodeId": node, "direction": direction}
        yield Case(
            "lineage",
            {"dataset": dataset, "direction": direction},
            (*known, ("/lineage", asked)),
            lambda _, body: body,
            items="edges",
        )
    yield Case(
        "impact", {"dataset": dataset}, (*known, ("/impact", {"nodeId": node})), lambda _, body: body, items="affected"
    )
    for other in ("clicks", "customers"):
        yield Case(
            "path",
            {"from": dataset, "to": other},
            (*known, (f"/datasets/prod/{other}", {}), ("/lineage/paths", {"from": node, "to": _node(other)})),
            lambda _, __, body: body,
            items="paths",
        )
    yield Case(
        "who_has_access",
        {"dataset": dataset},
        (*known, (f"/access/datasets/{_path_of(dataset)}", {})),
        lambda _, body: body,
        items="entries",
    )
    for sql in (
        f"SELECT * FROM prod.`{_path_of(dataset).removeprefix('prod/')}`",
        "SELECT nope FROM prod.orders",
        "DROP TABLE x",
    ):
        for tool, route in (("explain_query", "/query/explain"), ("run_query", "/query")):
            wanted = _explained if tool == "explain_query" else Case.wanted
            yield Case(tool, {"sql": sql}, ((route, {}),), wanted, body={"sql": sql})


def _promised(dataset: Any, listed: Any, contract: Any) -> Any:
    """The rules of the one contract that this world has of a dataset, where the API lists it."""
    if not listed["contracts"]:
        return {"dataset": dataset["reference"], "contracts": [], "rules": []}
    (promise,) = contract["promises"]
    about = {key: contract[key] for key in ("name", "title", "version", "status", "owner", "state", "notes")}
    rules = [
        {"contract": contract["name"], **{k: v for k, v in each.items() if k != "path"}} for each in promise["rules"]
    ]
    return {
        "dataset": dataset["reference"],
        "contracts": [{**about, "checkedAt": promise["checkedAt"], "withheld": promise["withheld"]}],
        "rules": sorted(rules, key=lambda rule: rule["state"] != "broken"),
    }


def _explained(body: Any) -> Any:
    """Of a query that would run, the decision on each column of the answer; those on all columns of its tables repeat them."""
    if body["decision"]["effect"] != "allow":
        return body
    tables = [{key: each[key] for key in each.keys() - {"fields", "columns"}} for each in body["tables"]]
    return {**body, "decision": {**body["decision"], "reasons": []}, "tables": tables}


def _own_grants(me: Any, body: Any) -> Any:
    own = [each for each in body["grants"] if _holds(me, each["subject"])]
    return {"me": me, "grants": own}


def _holds(me: Any, subject: Any) -> bool:
    return subject.get("user") == me["user"] or subject.get("group") in me["groups"]


def _described(dataset: Any, schema: Any, verdicts: Any) -> Any:
    fields = schema.get("fields", [])
    return {"dataset": dataset, "schema": schema, "personalData": verdicts, "fields": fields}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    settings = Settings()
    settings.mcp.answer_characters = 400_000
    settings.api.rate_requests = settings.api.rate_queries = settings.api.rate_searches = 0
    world = AgentWorld(tmp_path_factory.mktemp("home"), settings=settings)
    try:
        yield world
    finally:
        world.services.close()


ROLES = ("admin", "auditor", "enforcer", "producer", "steward")
WHO = (*ROLES, "ana", "otto", "petra", "nobody-special", "reader-token", "query-token")
"""Everybody of `AgentWorld`; the last two are tokens limited to one scope."""


def test_every_tool_is_walked() -> None:
    written = {each.name for each in TOOLS if each.writes}  # what they refuse is compared in tests of their own
    assert {each.tool for each in cases()} | written == {each.name for each in TOOLS}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("who", WHO)
def test_a_tool_says_what_the_api_says_to_the_same_person(weir: AgentWorld, who: str) -> None:
    every = list(cases())

    rest = weir.rest(who)

    async def all_of_them(client: Any) -> list[str]:
        problems: list[str] = []
        for case in every:
            result = await called(client, case.tool, case.arguments)
            differences = await anyio.to_thread.run_sync(_all_differences, rest, case, result)
            problems += [f"{case.tool} {dict(case.arguments)}: {each}" for each in differences]
        return problems

    problems = weir.agent(who).within(all_of_them)
    assert not problems, "\n".join(problems[:20])


def _all_differences(rest: Any, case: Case, result: ToolResult) -> list[str]:
    return list(_differences(rest, case, result))


def _differences(rest: Any, case: Case, result: ToolResult) -> Iterator[str]:
    bodies = []
    for number, (path, query) in enumerate(case.requests):
        if case.body is not None:
            body = dict(case.body) if path == "/query" else {"sql": case.body["sql"]}
            answer = rest.post(f"/api/v1{path}", json=body)
        else:
            answer = rest.get(f"/api/v1{path}", params=query)
        if answer.status_code >= 400 and number not in case.soft:
            yield from _same_refusal(answer, result)
            return
        bodies.append(answer.json())
    if result.failed:
        yield f"is refused, the API answers: {result.text[:300]}"
        return
    wanted = case.wanted(*bodies)
    yield from _within(result.data, wanted, "")
    if case.items is not None:
        total = next(
            (body["total"] for body in bodies[-1:] if isinstance(body, dict) and "total" in body),
            len(wanted[case.items]),
        )
        counted = f"{len(wanted[case.items])} of {total} {case.items}"
        if not result.lead.startswith(counted):
            yield f"counts {result.lead[:80]!r}, not {counted!r}"


def _same_refusal(answer: Any, result: ToolResult) -> Iterator[str]:
    if not result.failed:
        yield f"answers where the API refuses with {answer.status_code}: {result.text[:300]}"
        return
    error, wanted = dict(result.error), dict(answer.json()["error"])
    if f"HTTP {answer.status_code}" not in result.lead:
        yield f"{result.lead[:80]!r} is not HTTP {answer.status_code}"
    if wanted["code"] == "dataset_not_found":
        # A tool takes `orders`, a path names the cluster too, so the sentence quotes another text. What is suggested is the same.
        error, wanted = ({"code": each["code"], "nearest": each["details"]["nearest"]} for each in (error, wanted))
    if error != wanted:
        yield f"is refused with {error}, the API refuses with {wanted}"


def _within(shown: Any, wanted: Any, at: str) -> Iterator[str]:
    """Where `shown` has something else than `wanted`; it may leave out empty keys and those of SHORTER."""
    if isinstance(shown, dict) and isinstance(wanted, dict):
        for key in shown.keys() - wanted.keys():
            yield f"{at}{key} is not in the API's answer"
        for key, value in wanted.items():
            if key in shown:
                yield from _within(shown[key], value, f"{at}{key}.")
            elif not _is_empty(value) and key not in SHORTER and not at.startswith("schema."):
                yield f"{at}{key} is missing"
    elif isinstance(shown, list) and isinstance(wanted, list):
        if len(shown) != len(wanted):
            yield f"{at} has {len(shown)} items, the API {len(wanted)}"
        for number, (one, other) in enumerate(zip(shown, wanted, strict=False)):
            yield from _within(one, other, f"{at}{number}.")
    elif shown != wanted and not at.endswith(MOMENTS):
        yield f"{at} is {shown!r}, the API has {wanted!r}"


def _is_empty(value: Any) -> bool:
    """Whether nothing is left of it without empty keys."""
    if isinstance(value, dict):
        return all(_is_empty(each) for each in value.values())
    return value in EMPTY


@pytest.mark.sampled(4)
@pytest.mark.parametrize("who", WHO)
def test_resources_are_the_datasets_of_the_same_person(weir: AgentWorld, who: str) -> None:
    """What may be known is listed and read, as the tool shows it; what may not is refused as the tool refuses it."""

    async def everything(client: Any) -> Any:
        read = []
        for dataset in DATASETS:
            name = _path_of(dataset)
            tool = await called(client, "describe_dataset", {"dataset": name})
            read.append((name, tool, await _resource(client, f"weir://dataset/{name}")))
        try:
            return {each.uri for each in (await client.list_resources()).resources}, read
        except MCPError as refused:
            return refused.message, read

    listed, read = weir.agent(who).within(everything)
    answer = weir.rest(who).get("/api/v1/datasets")
    if answer.status_code == 200:
        assert listed == {f"weir://dataset/{each['reference']}" for each in answer.json()["datasets"]}
    else:
        assert f"HTTP {answer.status_code}" in listed
    for name, tool, resource in read:
        assert (resource.failed, resource.data) == (tool.failed, tool.data), name


async def _resource(client: Any, uri: str) -> ToolResult:
    try:
        return ToolResult((await client.read_resource(uri)).contents[0].text, False)
    except MCPError as refused:
        return ToolResult(refused.message, True)


@pytest.mark.parametrize("who", ["admin", "ana", "nobody-special", "query-token"])
def test_prompts_are_the_same_for_everybody(weir: AgentWorld, who: str) -> None:
    """They hold what the caller gave and nothing of the catalog, so that there is nothing to decide."""

    async def texts(client: Any) -> list[str]:
        prompts = (await client.list_prompts()).prompts
        given = [{each.name: "prod/customers" for each in prompt.arguments or ()} for prompt in prompts]
        filled = [await client.get_prompt(prompt.name, more) for prompt, more in zip(prompts, given, strict=True)]
        return [str(each.messages[0].content.text) for each in filled]

    assert weir.agent(who).within(texts) == weir.agent("petra").within(texts)


def test_a_request_is_refused_with_the_words_of_the_api(weir: AgentWorld) -> None:
    asked = [("reader-token", "orders"), ("ana", "customers"), ("ana", "nothing"), ("nobody-special", "custmers")]
    for who, dataset in asked:
        answer = weir.rest(who).post("/api/v1/access-requests", json={"dataset": dataset, "purpose": "support"})
        result = weir.agent(who).call("request_access", dataset=dataset, purpose="support")
        assert result.failed and answer.status_code >= 400
        assert result.error == answer.json()["error"], who


def test_hidden_names_are_in_no_answer(weir: AgentWorld) -> None:
    """What ana may not know of is in no answer to her, whatever she asks; only what she typed herself comes back."""
    every = [each for each in cases() if "customers" not in str(each.arguments)]

    async def all_of_them(client: Any) -> list[ToolResult]:
        return [await called(client, case.tool, case.arguments) for case in every]

    for case, result in zip(every, weir.agent("ana").within(all_of_them), strict=True):
        assert "prod/customers" not in result.text and ":customers" not in result.text, (case.tool, case.arguments)
