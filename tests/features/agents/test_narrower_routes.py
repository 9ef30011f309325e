"""Every route of the API with the token of an agent that is narrower than its person, who may do everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from api.app import access_by_route
from tests.agent_world import PLANTED, AgentWorld
from tests.lineage_samples import IDENTITY, columns, dataset, run

API = "/api/v1"
HIDDEN = (
    "customers",
    "payments",
    "clicks",
    "vip",
    "hidden-policy",
    "hidden-domain",
    "hidden-customers",
    "hidden-orders",
)
"""Parts of names of what the token does not name: datasets, and what is about them alone."""
_ABOUT_HIDDEN = """
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [admin, steward, auditor, enforcer, producer, analyst]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: hidden-policy}
spec: {type: mask, match: {datasets: ["prod/customers"]}, mask: {type: MASK_NULL}}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: hidden-domain}
spec: {datasets: ["prod/customers"]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: customers, cluster: prod}
spec: {owners: [{user: otto}], tags: [vip]}
"""
FILLED = {
    "namespace": ("prod", "kafka://localhost:9092"),
    "name": ("customers", "orders", "hidden-policy", "hidden-domain", PLANTED, "prod", "pay"),
    "dataset": ("customers", "orders"),
    "cluster": ("prod",),
    "topic": ("customers", "orders"),
    "job": ("join", "pay", PLANTED),
    "run_id": ("r1", "r2", "r3"),
    "source": ("prod", "kafka://localhost:9092"),
    "kind": ("Dataset", "Policy", "Domain", "User"),
    "version": ("1",),
}
"""What a path is filled with: things that the token names, and things it does not."""
NODES = [f"dataset:kafka://localhost:9092:{each}" for each in ("orders", "customers", "payments")]
QUERIES: list[dict[str, Any]] = [
    {},
    {"nodeId": NODES[0], "direction": "both"},
    {"nodeId": NODES[1]},
    {"from": NODES[0], "to": NODES[2]},
    {"q": "phone", "prefix": "c", "text": "SELECT * FROM ", "sql": "SELECT * FROM ", "position": 14},
    {"entity": "PII", "tag": "vip", "limit": 1000},
    {"entity": "PHONE_NUMBER"},
    {"all": "true", "includeDeleted": "true", "everyone": "true"},
    {"name": "customer", "dataset": "prod/customers", "before": 1, "after": 2},
    {"dataset": "prod/orders", "depth": 9},
]


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentWorld]:
    world = AgentWorld(tmp_path_factory.mktemp("home"))
    world.apply(_ABOUT_HIDDEN)
    petra = world.rest("petra")
    for each in ("orders", "customers"):
        saved = {"name": f"hidden-{each}", "sql": f"SELECT * FROM prod.{each}"}
        assert petra.post(f"{API}/saved-queries", json=saved).status_code == 201
        asked = {"dataset": f"prod/{each}", "purpose": "support", "reason": "a case"}
        petra.post(f"{API}/access-requests", json=asked)
    try:
        yield world
    finally:
        world.services.close()


@pytest.fixture(scope="module")
def agent(weir: AgentWorld) -> Any:
    return narrow(weir)


def narrow(weir: AgentWorld, **more: Any) -> Any:
    """A client with the token of an agent of petra for one dataset, with every scope there is for agents."""
    scopes = ["read", "query", "request", "report:read"]
    body = {"name": "helper", "purpose": "support", "datasets": ["prod/orders"], "expiresIn": "7d", "scopes": scopes}
    answer = weir.rest("petra").post(f"{API}/agents", json={**body, **more})
    assert answer.status_code == 201, answer.text
    return weir._client(answer.json()["token"])


def routes(weir: AgentWorld, open_to_agents: bool) -> list[tuple[str, str]]:
    listed = access_by_route()
    return sorted({(e.method, e.path) for e, access in listed.items() if access.opens_to_agents is open_to_agents})


def paths(path: str) -> Iterator[str]:
    names = [part[1:-1].split(":")[0] for part in path.split("/") if part.startswith("{")]
    for values in itertools.product(*(FILLED.get(name, ("1",)) for name in names)):
        filled = path
        for name, value in zip(names, values, strict=True):
            filled = filled.replace(f"{{{name}}}", value.replace("/", "%2F")).replace(f"{{{name}:path}}", value)
        yield filled


def test_no_route_that_reads_names_what_the_token_does_not(weir: AgentWorld, agent: Any) -> None:
    problems = []
    tried = 0
    for method, path in routes(weir, True):
        if method != "GET" or path.endswith(("/stream", "/changes")):
            continue
        for filled, query in itertools.product(paths(path), QUERIES if "{" not in path else QUERIES[:2]):
            tried += 1
            answer = agent.get(filled, params=query)
            sent = f"{filled} {query}"
            assert answer.status_code != 500, sent
            problems += [
                f"{sent}: {answer.status_code} has {each}: {_around(answer.text, each)}"
                for each in HIDDEN
                if each in answer.text and each not in sent
            ]
    assert not problems, "\n".join(problems[:30])
    assert tried > 300


def _around(text: str, word: str) -> str:
    at = text.index(word)
    return text[max(0, at - 80) : at + 80]


def test_what_is_hidden_is_answered_as_what_is_not_there(weir: AgentWorld, agent: Any) -> None:
    """The same status and words for a name that exists and one that does not."""
    problems = []
    for method, path in routes(weir, True):
        if method != "GET" or ("{name}" not in path and "{dataset}" not in path and "{topic}" not in path):
            continue
        for filled in paths(path):
            if "customers" not in filled:
                continue
            hidden, missing = agent.get(filled), agent.get(filled.replace("customers", "custome45"))
            same = hidden.status_code == missing.status_code and hidden.text.replace("customers", "custome45")
            if not same or _timeless(same) != _timeless(missing.text):
                problems.append(f"{filled}: {hidden.text[:200]} | {missing.text[:200]}")
    assert not problems, "\n".join(problems)


def _timeless(text: str) -> str:
    import re

    return re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "", text)


def test_every_other_route_is_refused(weir: AgentWorld, agent: Any) -> None:
    problems = []
    for method, path in routes(weir, False):
        filled = next(paths(path))
        answer = agent.request(method, filled, json={} if method != "GET" else None)
        if answer.status_code != 403 and not _is_open(path):
            problems.append(f"{method} {filled}: {answer.status_code} {answer.text[:150]}")
    assert not problems, "\n".join(problems)


def _is_open(path: str) -> bool:
    """Routes that take no token, or one of another kind."""
    return path.startswith(("/healthz", "/readyz", "/.well-known", "/api/v1/auth/", "/metrics"))


def test_the_hash_of_a_report_does_not_tell_what_changes_elsewhere(weir: AgentWorld, agent: Any) -> None:
    def report() -> Any:
        answer = agent.get(f"{API}/reports/where-is", params={"entity": "PII"})
        assert answer.status_code == 200, answer.text
        body = answer.json()
        return body["inputsHash"], body["places"], body["gaps"]

    before = report()
    assert before[1]
    petra = weir.rest("petra")
    copied = dataset("payments", columnLineage=columns({"order": [("customers", "phone", IDENTITY)]}))
    event = run(11, [dataset("customers")], [copied], job="hidden-copy", run_id="r11")
    assert weir.admin.post(f"{API}/lineage", json=event).status_code == 201
    weir.fold()
    weir.describe("customers", "a new description")
    review = {"path": "value.phone", "entity": "PHONE_NUMBER", "state": "rejected", "reason": "vip"}
    petra.post(f"{API}/datasets/prod/customers/classifications", json=review)
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["customers"])
    assert report() == before
