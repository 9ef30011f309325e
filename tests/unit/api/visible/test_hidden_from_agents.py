"""For an agent the datasets that its token does not name are not there, though its person owns them and administers all of Weir.

Every route is asked about such a dataset and about one that does not exist, as in `test_hidden_dataset`; the person has a grant
on it, a request for it, a saved query of it and an admin's sight of everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld
from tests.unit.api.visible.test_hidden_dataset import (
    API,
    LINEAGE,
    MISSING,
    NAME,
    OWNER,
    apart,
    as_of,
    built,
    calls,
    found_in,
    gets,
    posts,
    shape,
)

PERSON = f"""
apiVersion: weir/v1
kind: User
metadata: {{name: {OWNER}}}
spec: {{roles: [analyst, admin, steward, auditor]}}
"""
GRANT = f"""
apiVersion: weir/v1
kind: Grant
metadata: {{name: vault-{NAME}}}
spec:
  subject: {{user: {OWNER}}}
  dataset: prod/{NAME}
  purpose: support
  validFrom: 2026-01-01T00:00:00Z
  validTo: 2099-01-01T00:00:00Z
  status: approved
"""
WRITES = {
    "review": f"POST {API}/datasets/{{namespace}}/{{name}}/classifications",
    "describe": f"PATCH {API}/datasets/{{namespace}}/{{name}}",
}
"""Scope -> the one route that it opens for changes."""
SCOPES = ["read", "query", "request", "report:read", "review", "describe"]


def agent_of(weir: ApiWorld, person: TestClient, **more: Any) -> TestClient:
    body = {
        "name": "helper",
        "purpose": "support",
        "datasets": ["prod/orders", "prod/clicks"],
        "expiresIn": "7d",
        "scopes": SCOPES,
        **more,
    }
    answer = person.post(f"{API}/agents", json=body)
    assert answer.status_code == 201, answer.text
    return weir._client(answer.json()["token"])


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    for weir in built(tmp_path_factory.mktemp("hidden"), True):
        weir.apply(PERSON)
        weir.apply(GRANT)
        yield weir


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    for twin in built(tmp_path_factory.mktemp("twin"), False):
        twin.apply(PERSON)
        yield twin


@pytest.fixture(scope="module")
def agent(weir: ApiWorld) -> TestClient:
    person = weir.user(OWNER)
    asked = person.post(f"{API}/access-requests", json={"dataset": f"prod/{NAME}", "purpose": "support"})
    assert asked.status_code == 201, asked.text
    saved = person.post(f"{API}/saved-queries", json={"name": f"all of {NAME}", "sql": f"SELECT * FROM prod.{NAME}"})
    assert saved.status_code == 201, saved.text
    assert person.get(f"{API}/datasets/prod/{NAME}").status_code == 200
    return agent_of(weir, person)


def shown(text: str, question: str) -> list[str]:
    return [each for each in found_in(text, question) if each != OWNER]


def test_no_get_route_tells_an_agent_of_it(weir: ApiWorld, agent: TestClient) -> None:
    problems, asked = [], 0
    for path, operation in gets(weir):
        pairs = zip(calls(path, operation, NAME), calls(path, operation, MISSING), strict=True)
        for (at, query), (other_at, other_query) in pairs:
            mine, other = agent.get(at, params=query), agent.get(other_at, params=other_query)
            asked += 1
            question = f"{at} {json.dumps(query)}"
            if mine.status_code >= 500 and mine.status_code != 503:
                problems.append(f"{question}: {mine.status_code} {mine.text[:200]}")
            if words := shown(mine.text, question):
                problems.append(f"{question}: shows {words}: {mine.text[:600]}")
            if (mine.status_code, shape(as_of(mine.text, NAME))) != (
                other.status_code,
                shape(as_of(other.text, MISSING)),
            ):
                problems.append(f"{question}: {mine.status_code} {other.status_code} {apart(mine.text, other.text)}")
    assert asked > 300
    assert not problems, f"{len(problems)} of {asked}:\n" + "\n".join(problems[:40])


def test_no_post_route_does(weir: ApiWorld, agent: TestClient) -> None:
    problems = []
    for (path, body), (other_path, other_body) in zip(posts(NAME), posts(MISSING), strict=True):
        mine, other = agent.post(API + path, json=body), agent.post(API + other_path, json=other_body)
        question = f"{path} {json.dumps(body)}"
        if mine.status_code >= 500 and mine.status_code != 503:
            problems.append(f"{question}: {mine.status_code} {mine.text[:200]}")
        if words := shown(mine.text, question):
            problems.append(f"{question}: shows {words}: {mine.text[:600]}")
        if (mine.status_code, shape(as_of(mine.text, NAME))) != (other.status_code, shape(as_of(other.text, MISSING))):
            problems.append(f"{question}: {mine.status_code} {other.status_code} {apart(mine.text, other.text)}")
    assert not problems, "\n".join(problems)


def test_lists_and_counts_are_as_in_a_world_without_it(weir: ApiWorld, twin: ApiWorld, agent: TestClient) -> None:
    other = agent_of(twin, twin.user(OWNER))
    problems, compared = [], 0
    for path, operation in gets(weir):
        for at, query in calls(path, operation, NAME):
            if path.removeprefix(API).startswith(LINEAGE) and not path.endswith(("/search", "/suggest", "/related")):
                continue
            compared += 1
            mine, theirs = agent.get(at, params=query), other.get(at, params=query)
            if (mine.status_code, shape(mine.text)) != (theirs.status_code, shape(theirs.text)):
                problems.append(
                    f"{at} {query}: {mine.status_code} {theirs.status_code} {apart(mine.text, theirs.text)}"
                )
    assert compared > 60
    assert not problems, f"{len(problems)} of {compared}:\n" + "\n".join(problems[:20])


def test_what_the_token_names_is_there_as_for_its_person(agent: TestClient) -> None:
    assert agent.get(f"{API}/datasets/prod/orders").status_code == 200
    listed = agent.get(f"{API}/datasets").json()
    assert sorted(each["name"] for each in listed["datasets"]) == ["clicks", "orders"]
    assert agent.get(f"{API}/search", params={"q": "orders"}).json()["total"] >= 1
    places = agent.get(f"{API}/reports/where-is", params={"entity": "PII"})
    assert places.status_code == 200, places.text
    assert "orders" in places.text and "alone" in places.text


@pytest.mark.parametrize("writes", [False, True])
def test_an_agent_changes_what_its_scopes_name_alone(weir: ApiWorld, writes: bool) -> None:
    """Each other route that changes something is refused to it before anything of the request is read."""
    scopes = SCOPES if writes else [each for each in SCOPES if each not in WRITES]
    agent = agent_of(weir, weir.user(OWNER), name=f"changes-{writes}", scopes=scopes)
    open_to_agents = {
        f"POST {API}{each}"
        for each in (
            "/query",
            "/query/check",
            "/query/complete",
            "/query/explain",
            "/lineage/sql",
            "/search/opened",
            "/access-requests",
            "/access-requests/bundle",
        )
    } | {f"DELETE {API}/queries/{{id}}", "POST /mcp"}
    if writes:
        open_to_agents |= set(WRITES.values())
    opened = set()
    for path, operations in weir.app.openapi()["paths"].items():
        for method in set(operations) - {"get", "head", "parameters"}:
            at = path.replace("{namespace}", "prod").replace("{name}", "orders").replace("{id}", "1")
            at = at.replace("{kind}", "Policy").replace("{user}", "ana").replace("{what}", "search")
            answer = agent.request(method, at, json={})
            if answer.status_code not in (401, 403) and "/auth/" not in path:
                opened.add(f"{method.upper()} {path}")
    assert opened <= open_to_agents, sorted(opened - open_to_agents)
    assert opened >= (set(WRITES.values()) if writes else set())
