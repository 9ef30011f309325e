"""Access reviews of a domain: its admins start, decide and close them; what opens more than its datasets is not theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, orders, world

API = "/api/v1"


def grant(name: str, dataset: str, user: str = "rita") -> str:
    return (
        f"---\napiVersion: weir/v1\nkind: Grant\nmetadata: {{name: {name}}}\nspec: {{subject: {{user: {user}}},"
        f" dataset: '{dataset}', purpose: x, validFrom: 2026-01-01T00:00:00Z, validTo: 2030-01-01T00:00:00Z,"
        " status: approved}\n"
    )


DECLARED = (
    """
apiVersion: weir/v1
kind: Domain
metadata: {name: hr}
spec: {datasets: ["prod/hr.*"], admins: {users: [ada, abe], groups: [hr-leads]}, stewards: {users: [stan]}}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: fin}
spec: {datasets: ["prod/fin.*"], admins: {users: [finn]}}
---
apiVersion: weir/v1
kind: Group
metadata: {name: fin-people}
spec: {members: [fred]}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {name: of-hr}
spec: {domain: hr, scope: {datasets: ["prod/hr.*"]}, items: [grants], reviewers: {owners: true}, onNoAnswer: revoke}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {name: of-fin}
spec: {domain: fin, scope: {datasets: ["prod/fin.*"]}, items: [grants], reviewers: {owners: true}, onNoAnswer: revoke}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {name: of-all}
spec: {scope: {datasets: ["prod/hr.*"]}, items: [grants], reviewers: {owners: true}, onNoAnswer: revoke}
"""
    + grant("on-pay", "prod/hr.pay")
    + grant("on-staff", "prod/hr.staff", "ada")
    + grant("on-all", "prod/*", "sol")
    + grant("on-ledger", "prod/fin.ledger", "fred")
)


def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    topics = {name: orders(5) for name in ("hr.pay", "hr.staff", "fin.ledger")}
    with world(tmp_path_factory.mktemp("reviews"), topics) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=list(topics))
        opened.apply(DECLARED)
        yield opened


@pytest.fixture
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    yield from built(tmp_path_factory)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    """For tests that change nothing which others look at."""
    yield from built(tmp_path_factory)


def spec(**more: Any) -> dict[str, Any]:
    return {
        "domain": "hr",
        "scope": {"datasets": ["prod/hr.*"]},
        "items": ["grants", "owners"],
        "reviewers": {"owners": True},
        "onNoAnswer": "keep",
    } | more


def start(client: TestClient, **body: Any) -> tuple[int, Any]:
    answer = client.post(f"{API}/access-reviews", json=body)
    return answer.status_code, answer.json()


def items(client: TestClient, review: str) -> dict[str, Any]:
    answer = client.get(f"{API}/access-reviews/{review}/items")
    assert answer.status_code == 200, answer.text
    return {each["name"]: each for each in answer.json()["items"]}


def decide(client: TestClient, review: str, *numbers: int, verdict: str = "revoke") -> int:
    body = {"items": list(numbers), "verdict": verdict, "reason": "left the project"}
    return client.post(f"{API}/access-reviews/{review}/decisions", json=body).status_code


def test_a_review_from_start_to_evidence_by_the_admins_of_a_domain(w: ApiWorld) -> None:
    ada, abe = w.user("ada"), w.user("abe")
    status, review = start(ada, name="spring", spec=spec())
    assert status == 201 and review["manages"] is True and review["counts"]["items"] == 2
    assert any(each.startswith("1 grants open more than datasets of domain hr") for each in review["notes"])
    rights = items(ada, review["id"])
    assert set(rights) == {"on-pay", "on-staff"} and "prod/*" not in str(review)
    assert rights["on-pay"]["canDecide"] and not rights["on-staff"]["canDecide"]  # the second is ada's own
    assert decide(ada, review["id"], rights["on-staff"]["number"]) == 403
    assert decide(ada, review["id"], rights["on-pay"]["number"]) == 200
    assert w.user("rita").get(f"{API}/grants").json()["grants"][0]["status"] == "revoked"
    assert decide(abe, review["id"], rights["on-staff"]["number"], verdict="keep") == 200
    assert abe.post(f"{API}/access-reviews/{review['id']}/close", json={}).json()["state"] == "closed"
    report = abe.get(f"{API}/access-reviews/{review['id']}/report").json()
    assert report["holds"] is True and {each["name"] for each in report["items"]} == {"on-pay", "on-staff"}


def test_a_declared_review_of_the_domain_is_started_and_no_other(w: ApiWorld) -> None:
    ada = w.user("ada")
    assert start(ada, review="of-hr")[0] == 201
    refusals = [start(ada, review=name) for name in ("of-fin", "of-all", "nothing")]
    assert [status for status, _ in refusals] == [403, 403, 403]
    assert len({str(body) for _, body in refusals}) == 1
    assert start(w.user("finn"), review="of-fin")[0] == 201


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"domain": "fin"}, 403),
        ({"domain": "nothing"}, 403),
        ({"domain": None}, 403),
        ({"scope": {"datasets": ["prod/*"]}}, 400),
        ({"scope": {"datasets": ["prod/fin.ledger"]}}, 400),
        ({"scope": {"datasets": ["prod/hr.pay", "*"]}}, 400),
        ({"scope": {"people": ["rita"]}}, 400),
        ({"scope": {"tags": ["PII"]}}, 400),
        ({"items": ["grants", "roles"]}, 400),
        ({"reviewers": {"groups": ["fin-people"]}}, 403),
        ({"reviewers": {"groups": ["no-such-people"]}}, 403),
        ({"reviewers": {"roles": ["admin"]}}, 403),
        ({"reviewers": {"owners": True, "fallback": {"groups": ["fin-people"]}}}, 403),
        ({"reviewers": {"groups": ["hr-leads"], "users": ["stan"]}}, 201),
    ],
)
def test_a_review_that_is_about_more_does_not_start(shared: ApiWorld, more: dict[str, Any], status: int) -> None:
    assert start(shared.user("ada"), name="x", spec=spec(**more))[0] == status
    assert start(shared.user("stan"), name="x", spec=spec(**more))[0] == 403


def test_reviews_of_others_are_not_there(w: ApiWorld) -> None:
    """Also one of the installation that is about datasets of the domain alone: whose it is, is in `domain`."""
    ada, finn = w.user("ada"), w.user("finn")
    others = [start(finn, review="of-fin")[1]["id"], start(w.admin, review="of-all")[1]["id"]]
    mine = start(ada, review="of-hr")[1]["id"]
    assert [each["id"] for each in ada.get(f"{API}/access-reviews").json()["reviews"]] == [mine]
    assert ada.get(f"{API}/access-reviews").json()["total"] == 1
    for other in others:
        for route in ("", "/items"):
            refused, missing = (ada.get(f"{API}/access-reviews/{each}{route}") for each in (other, "none"))
            assert refused.status_code == missing.status_code == 404
            assert refused.text.replace(other, "none") == missing.text
        assert ada.get(f"{API}/access-reviews/{other}/report").status_code == 403
        assert ada.get(f"{API}/access-reviews/none/report").status_code == 403
        assert decide(ada, other, 1) == 404 == decide(ada, "none", 1)
        assert ada.post(f"{API}/access-reviews/{other}/close", json={}).status_code == 404
    stan = w.user("stan")
    assert stan.get(f"{API}/access-reviews/{mine}").status_code == 404
    assert stan.get(f"{API}/access-reviews").json()["total"] == 0


def test_who_is_no_admin_any_more_runs_it_no_longer(w: ApiWorld) -> None:
    ada = w.user("ada")
    review = start(ada, review="of-hr")[1]["id"]
    w.apply(
        "apiVersion: weir/v1\nkind: Domain\nmetadata: {name: hr}\n"
        "spec: {datasets: ['prod/hr.*'], admins: {users: [abe]}}\n"
    )
    assert ada.get(f"{API}/access-reviews/{review}").status_code == 404
    assert decide(ada, review, 1) == 404
    assert w.user("abe").get(f"{API}/access-reviews/{review}").status_code == 200


def test_a_domain_that_was_narrowed_has_no_review_of_what_it_had(w: ApiWorld) -> None:
    ada = w.user("ada")
    review = start(ada, review="of-hr")[1]["id"]
    w.admin.delete(f"{API}/declared/AccessReview/of-hr")
    w.apply(
        "apiVersion: weir/v1\nkind: Domain\nmetadata: {name: hr}\n"
        "spec: {datasets: ['prod/hr.pay'], admins: {users: [ada]}}\n"
    )
    assert ada.get(f"{API}/access-reviews/{review}").status_code == 404


def test_a_declared_review_is_wholly_within_its_domain(shared: ApiWorld) -> None:
    text = DECLARED[DECLARED.index("kind: AccessReview") - len("apiVersion: weir/v1\n") :].split("---")[0]
    wide = text.replace("prod/hr.*", "prod/*")
    answer = shared.admin.post(f"{API}/apply", content=wide.encode())
    assert answer.status_code == 400 and "prod/* may match datasets outside of domain hr" in answer.text
    assert shared.admin.post(f"{API}/apply", content=text.replace("hr,", "none,").encode()).status_code == 400
