"""Tokens and sessions of a name that is a service account's now, or was: none opens more than the account's own would."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.declared.state import GovernanceState
from policies.ports import TokenRecord
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, world
from tests.openid_world import browser, declared, issuer, sign_in
from tests.scim_world import service

JOB = "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: %s}\nspec: {owner: it, roles: [admin]}\n"
USER = "apiVersion: weir/v1\nkind: User\nmetadata: {name: %s}\nspec: {roles: [admin]}\n"
SEARCH = "/api/v1/search?q=x"


@pytest.fixture
def weir(tmp_path: Any) -> Iterator[ApiWorld]:
    with world(tmp_path) as running:
        yield running


def made(weir: ApiWorld, **asked: Any) -> Any:
    answer = weir.admin.post("/api/v1/tokens", json=asked)
    assert answer.status_code == 201, answer.text
    return answer.json()


def status(weir: ApiWorld, token: str) -> int:
    client = CheckedClient(weir.app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {token}"})
    return client.get(SEARCH).status_code


def test_a_persons_token_and_session_are_no_service_accounts(weir: ApiWorld) -> None:
    with issuer() as company:
        weir.apply(declared("company", company.url, "[]"))
        company.people["s-job"] = {"preferred_username": "job"}
        client = browser(weir)
        assert sign_in(client, "company", company, "s-job").status_code == 303
        tokens = [made(weir, user="job"), made(weir, user="job", days=3000, scopes=["manage", "read"])]
        assert client.get("/api/v1/me").status_code == 200
        weir.apply(JOB % "job")
        assert client.get("/api/v1/me").status_code == 401
        assert [status(weir, each["token"]) for each in tokens] == [401, 401]
        assert not weir.services[Sessions].store.sessions("job")


def test_what_was_there_before_the_check_is_refused_too(weir: ApiWorld) -> None:
    """As of a store in which both are already."""
    endless = made(weir, user="job")
    weir.services[GovernanceState].on_person = lambda *_: None
    weir.apply(JOB % "job")
    assert status(weir, endless["token"]) == 401
    rotated = weir.admin.post(f"/api/v1/tokens/{endless['id']}/rotate", json={})
    assert rotated.status_code == 400


@pytest.mark.parametrize("how", ["deleted", "disabled", "pruned"])
def test_an_account_that_ends_takes_its_tokens_along(weir: ApiWorld, how: str) -> None:
    weir.apply(JOB % "etl")
    token = made(weir, user="etl", scopes=["read"], days=9)["token"]
    assert status(weir, token) == 200
    if how == "deleted":
        assert weir.admin.delete("/api/v1/declared/ServiceAccount/etl").status_code == 200
    elif how == "disabled":
        weir.apply((JOB % "etl").replace("owner: it", "owner: it, disabled: true"))
    else:
        done = weir.admin.post("/api/v1/apply?prune=true", content=(JOB % "other").encode())
        assert done.status_code == 200, done.text
    weir.apply(JOB % "etl")
    assert status(weir, token) == 401
    assert status(weir, made(weir, user="etl", scopes=["read"], days=9)["token"]) == 200


def test_a_programs_token_is_never_a_persons(weir: ApiWorld) -> None:
    weir.apply(JOB % "etl")
    token = made(weir, user="etl", scopes=["read", "manage"], days=9)["token"]
    weir.services[GovernanceState].on_person, kept = (
        (lambda *_: None),
        weir.services[GovernanceState].on_person,
    )  # deleted by an older Weir
    weir.admin.delete("/api/v1/declared/ServiceAccount/etl")
    weir.services[GovernanceState].on_person = kept
    weir.apply(USER % "etl")
    assert status(weir, token) == 401


def test_revoking_a_token_ends_those_it_took_the_place_of(weir: ApiWorld) -> None:
    weir.apply(JOB % "etl")
    first = made(weir, user="etl", scopes=["read"], days=30)
    second = weir.admin.post(f"/api/v1/tokens/{first['id']}/rotate", json={"overlapHours": 720}).json()
    third = weir.admin.post(f"/api/v1/tokens/{second['id']}/rotate", json={"overlapHours": 720}).json()
    assert [status(weir, each["token"]) for each in (first, second, third)] == [200] * 3
    assert weir.admin.delete(f"/api/v1/tokens/{second['id']}").status_code == 200
    assert [status(weir, each["token"]) for each in (first, second, third)] == [401, 401, 200]
    assert weir.admin.delete(f"/api/v1/tokens/{third['id']}").status_code == 200
    assert status(weir, third["token"]) == 401
    audit = weir.admin.get("/api/v1/audit", params={"action": "token.revoke"}).json()["entries"]
    assert audit[-1]["reasons"] == [f"{first['id']}, whose place it took"]


def test_a_rotated_token_lives_no_longer_than_the_setting(weir: ApiWorld) -> None:
    weir.apply(JOB % "etl")
    first = made(weir, user="etl", scopes=["read"], days=300)
    weir.services[Identity]._settings.service_token_days = 30
    second = weir.admin.post(f"/api/v1/tokens/{first['id']}/rotate", json={"overlapHours": 0})
    assert second.status_code == 201, second.text
    lasts = datetime.fromisoformat(second.json()["expiresAt"]) - datetime.now(UTC)
    assert timedelta(days=29) < lasts <= timedelta(days=30)


def test_a_rotation_at_the_moment_of_an_end_ends_too(weir: ApiWorld) -> None:
    weir.apply(JOB % "etl")
    first = made(weir, user="etl", scopes=["read"], days=30)
    store = weir.services[Identity]._tokens
    rotate = type(store).rotate

    def meanwhile(token_id: str, successor: TokenRecord, expires_at: datetime) -> bool:
        weir.apply((JOB % "etl").replace("owner: it", "owner: it, disabled: true"))
        return rotate(store, token_id, successor, expires_at)

    store.rotate = meanwhile  # type: ignore[method-assign]
    answer = weir.admin.post(f"/api/v1/tokens/{first['id']}/rotate", json={"overlapHours": 720})
    assert answer.status_code in (400, 409), answer.text
    weir.apply(JOB % "etl")
    alive = [t for t in weir.admin.get("/api/v1/tokens?user=etl").json()["tokens"] if t["revokedAt"] is None]
    assert alive == []


@pytest.mark.parametrize("name", ["weir", "Weir", "Admin", "ADMIN"])
def test_no_account_has_a_name_of_weirs_own(weir: ApiWorld, name: str) -> None:
    assert weir.admin.post("/api/v1/apply", content=(JOB % name).encode()).status_code == 400


def test_a_limited_token_neither_sees_nor_ends_sessions(weir: ApiWorld) -> None:
    with issuer() as company:
        weir.apply(declared("company", company.url, "[]"))
        company.people["s-ana"] = {"preferred_username": "ana"}
        client = browser(weir)
        sign_in(client, "company", company, "s-ana")
        (session,) = client.get("/api/v1/auth/sessions").json()["sessions"]
        token = made(weir, user="ana", scopes=["lineage:write"], days=9)["token"]
        limited = CheckedClient(weir.app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {token}"})
        assert limited.get("/api/v1/auth/sessions").status_code == 403
        assert limited.delete(f"/api/v1/auth/sessions/{session['id']}").status_code == 403
        assert limited.get("/api/v1/me").status_code == 200
        assert client.get("/api/v1/me").status_code == 200


def test_who_has_access_takes_a_scope_of_its_own(weir: ApiWorld) -> None:
    weir.apply(JOB % "etl")
    read, report = service(weir, "etl", ["read"]), service(weir, "etl", ["report:read"])
    for path in ("/api/v1/access/people/etl", "/api/v1/access/unused"):
        assert read.get(path).status_code == 403
        assert report.get(path).status_code == 200
