"""Service accounts by HTTP: tokens with scopes and an end, rotated; limits on who asks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from api.app import access_by_route
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, world
from tests.scim_world import service

DECLARED = """apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: etl}
spec: {owner: data, roles: [admin]}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as running:
        running.apply(DECLARED)
        yield running


def asked(weir: ApiWorld, **asked: object) -> tuple[int, str]:
    answer = weir.admin.post("/api/v1/tokens", json={"user": "etl", **asked})
    return answer.status_code, answer.text


def client(weir: ApiWorld, token: str) -> CheckedClient:
    return CheckedClient(weir.app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {token}"})


def test_a_token_needs_scopes_that_there_are_and_an_end(weir: ApiWorld) -> None:
    assert asked(weir, days=90)[0] == 400
    assert asked(weir, scopes=["read"])[0] == 400
    assert asked(weir, scopes=["read"], days=400)[0] == 400
    assert asked(weir, scopes=[], days=9)[0] == 400
    status, text = asked(weir, scopes=["raed"], days=9)
    assert status == 400 and "lineage:write" in text
    assert asked(weir, scopes=["scim", "read"], days=9)[0] == 400
    assert asked(weir, scopes=["read"], days=9)[0] == 201
    person = weir.admin.post("/api/v1/tokens", json={"user": "ana", "scopes": ["scim"], "days": 9})
    assert person.status_code == 400


@pytest.mark.parametrize(
    ("scope", "method", "path", "status"),
    [
        ("read", "GET", "/api/v1/search?q=x", 200),
        ("read", "GET", "/api/v1/tokens", 403),  # needs the permission too, which the scope does not give
        ("read", "GET", "/api/v1/audit", 403),
        ("read", "POST", "/api/v1/query", 403),
        ("read", "POST", "/api/v1/apply", 403),
        ("query", "GET", "/api/v1/search?q=x", 403),
        ("query", "GET", "/api/v1/queries", 200),
        ("audit:read", "GET", "/api/v1/audit", 200),
        ("audit:read", "GET", "/api/v1/search?q=x", 403),
        ("manage", "GET", "/api/v1/search?q=x", 403),
        ("manage", "POST", "/api/v1/rebuild/nothing", 400),
        ("scan", "POST", "/api/v1/scans", 400),
        ("request", "POST", "/api/v1/scans", 403),
        ("request", "GET", "/api/v1/me", 200),
    ],
)
def test_a_token_opens_what_its_scope_names(weir: ApiWorld, scope: str, method: str, path: str, status: int) -> None:
    answer = service(weir, "etl", [scope]).request(method, path, json={} if method == "POST" else None)
    assert answer.status_code in ({400, 404, 422} if status == 400 else {status}), answer.text


def test_every_route_has_a_scope_and_none_gives_what_it_should_not() -> None:
    """Generated from the OpenAPI document: a change needs more than `read`, and nothing but `scim` opens SCIM."""
    seen = {
        (each.method.lower(), each.path): access.scope_for(each.method)
        for each, access in access_by_route().items()
        if each.path.startswith("/api/")
    }
    open_to_any = {p for (_, p), scope in seen.items() if scope is None}
    assert {p.split("/")[3] for p in open_to_any} == {"me", "auth"}
    read = {(m, p) for (m, p), scope in seen.items() if scope == "read" and m != "get"}
    assert read == {("post", "/api/v1/lineage/sql"), ("post", "/api/v1/search/opened")}
    assert "scim" not in seen.values()
    assert seen["post", "/api/v1/tokens"] == seen["post", "/api/v1/apply"] == "manage"
    assert (
        seen["get", "/api/v1/views/{name}/rows"]
        == seen["get", "/api/v1/datasets/{namespace}/{name}/records"]
        == "query"
    )


def test_rotation_keeps_two_good_for_the_overlap(weir: ApiWorld) -> None:
    first = weir.admin.post(
        "/api/v1/tokens", json={"user": "etl", "scopes": ["read"], "days": 30, "name": "nightly"}
    ).json()
    second = weir.admin.post(f"/api/v1/tokens/{first['id']}/rotate", json={"overlapHours": 2})
    assert second.status_code == 201, second.text
    new = second.json()
    assert new["scopes"] == ["read"] and new["before"]["id"] == first["id"]
    ends = datetime.fromisoformat(new["before"]["expiresAt"]) - datetime.now(UTC)
    assert timedelta(minutes=118) < ends <= timedelta(hours=2)
    for each in (first, new):
        assert client(weir, each["token"]).get("/api/v1/search?q=x").status_code == 200
    assert weir.admin.post(f"/api/v1/tokens/{first['id']}/rotate", json={}).status_code == 409
    last = weir.admin.post(f"/api/v1/tokens/{new['id']}/rotate", json={"overlapHours": 0}).json()
    assert client(weir, new["token"]).get("/api/v1/search?q=x").status_code == 401
    assert client(weir, last["token"]).get("/api/v1/search?q=x").status_code == 200
    listed = weir.admin.get("/api/v1/tokens", params={"user": "etl"}).json()["tokens"]
    by_id = {each["id"]: each for each in listed}
    assert by_id[first["id"]]["rotatedTo"] == new["id"] and by_id[first["id"]]["service"] is True
    assert by_id[last["id"]]["usedAt"] is not None and by_id[last["id"]]["scopes"] == ["read"]
    assert all(each["token"] not in str(listed) for each in (first, new, last))


def test_a_disabled_account_is_out(weir: ApiWorld) -> None:
    weir.apply(DECLARED.replace("etl", "old"))
    old = service(weir, "old", ["read"])
    assert old.get("/api/v1/search?q=x").status_code == 200
    weir.apply(DECLARED.replace("etl", "old").replace("owner: data", "owner: data, disabled: true"))
    assert old.get("/api/v1/search?q=x").status_code == 401
    assert weir.admin.delete("/api/v1/declared/ServiceAccount/old").status_code == 200
    assert old.get("/api/v1/search?q=x").status_code == 401


def test_a_name_is_a_persons_or_a_services(weir: ApiWorld) -> None:
    refused = weir.admin.post(
        "/api/v1/apply", content=DECLARED.replace("ServiceAccount", "User").replace("owner: data, ", "").encode()
    )
    assert refused.status_code == 400 and "There is a ServiceAccount" in refused.text.replace("there is", "There is")


def test_a_person_who_asks_too_often_gets_429_over_all_tokens(weir: ApiWorld) -> None:
    rates = weir.app.state.person_rates._rates
    object.__setattr__(rates, "search", 0.5)
    try:
        first, second = weir.user("busy"), weir.user("busy")
        answers = [each.get("/api/v1/search?q=x") for each in (first, second) * 4]
        assert [each.status_code for each in answers] == [200] * 5 + [429] * 3
        assert answers[-1].headers["retry-after"] == "2"
        assert answers[-1].json()["error"]["code"] == "limit_exceeded"
        assert weir.user("calm").get("/api/v1/search?q=x").status_code == 200
    finally:
        object.__setattr__(rates, "search", 200.0)


@pytest.mark.parametrize(
    ("scope", "method", "path", "status"),
    [
        ("review", "DELETE", "/api/v1/declared/Policy/classifications", 403),
        ("review", "DELETE", "/api/v1/clusters/classifications", 403),
        ("review", "DELETE", "/api/v1/tokens/classifications", 403),
        ("review", "POST", "/api/v1/rebuild/classifications", 403),
        ("manage", "DELETE", "/api/v1/tokens/classifications", 404),
        ("query", "GET", "/api/v1/views/rows", 403),
        ("read", "GET", "/api/v1/views/rows", 404),
        ("read", "GET", "/api/v1/datasets/prod/records", 404),
        ("query", "GET", "/api/v1/datasets/prod/records", 403),
    ],
)
def test_no_name_within_an_address_decides_what_a_scope_opens(
    weir: ApiWorld, scope: str, method: str, path: str, status: int
) -> None:
    answer = service(weir, "etl", [scope]).request(method, path)
    assert answer.status_code == status, answer.text
