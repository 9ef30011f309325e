"""Who is admin of one domain asks every route about another's dataset: the answers are those for a dataset that is not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from policies.audit.log import AuditLog
from tests.api_world import ApiWorld
from tests.unit.api.visible.test_hidden_dataset import (
    API,
    MISSING,
    NAME,
    OWNER,
    as_of,
    built,
    calls,
    found_in,
    gets,
    posts,
    shape,
)

DOMAINS = f"""
apiVersion: weir/v1
kind: Domain
metadata: {{name: shop}}
spec: {{datasets: [prod/orders, prod/clicks], admins: {{users: [out]}}, stewards: {{users: [out]}}}}
---
apiVersion: weir/v1
kind: Domain
metadata: {{name: {NAME}}}
spec: {{datasets: ["prod/{NAME}*", "prod/{MISSING}*"], admins: {{users: [{OWNER}]}}}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: {NAME}.rows, domain: {NAME}}}
spec: {{type: mask, match: {{datasets: ["prod/{NAME}*"]}}, mask: {{type: MASK_NULL}}}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    for opened in built(tmp_path_factory.mktemp("domains"), True):
        opened.apply(DOMAINS)
        yield opened


@pytest.fixture(scope="module")
def admin_of_shop(weir: ApiWorld) -> TestClient:
    return weir.user("out")


def test_no_get_route_shows_another_domain(weir: ApiWorld, admin_of_shop: TestClient) -> None:
    problems, asked = [], 0
    for path, operation in gets(weir):
        pairs = zip(calls(path, operation, NAME), calls(path, operation, MISSING), strict=True)
        for (at, query), (other_at, other_query) in pairs:
            mine, other = admin_of_shop.get(at, params=query), admin_of_shop.get(other_at, params=other_query)
            asked += 1
            question = f"{at} {json.dumps(query)}"
            if words := found_in(mine.text, question):
                problems.append(f"{question}: shows {words}: {mine.text[:600]}")
            answers = [(each.status_code, shape(as_of(as_of(each.text, NAME), MISSING))) for each in (mine, other)]
            if answers[0] != answers[1]:
                problems.append(f"{question}: {mine.status_code} {other.status_code}")
    assert asked > 300
    assert not problems, f"{len(problems)} of {asked}:\n" + "\n".join(problems[:20])


def changes(name: str) -> list[tuple[str, str, Any]]:
    def applied(kind: str, metadata: str, spec: str) -> tuple[str, str, Any]:
        return "POST", "/apply", f"apiVersion: weir/v1\nkind: {kind}\nmetadata: {metadata}\nspec: {spec}\n"

    match = f"{{datasets: [prod/{name}]}}"
    of_shop = (
        "{apiVersion: weir/v1, kind: Policy, metadata: {name: shop.t, domain: shop}, spec: {type: mask, match: {datasets:"
        " [prod/orders]}, mask: {type: MASK_NULL}}}"
    )
    review = {
        "domain": "shop",
        "scope": {"datasets": [f"prod/{name}"]},
        "items": ["grants"],
        "reviewers": {"owners": True},
        "onNoAnswer": "keep",
    }
    return [
        *(("POST", path, body) for path, body in posts(name)),
        applied("Dataset", f"{{name: {name}, cluster: prod}}", "{}"),
        applied("Domain", f"{{name: {name}}}", f"{{datasets: [prod/{name}], admins: {{users: [out]}}}}"),
        applied(
            "Policy",
            f"{{name: shop.x, domain: {name}}}",
            f"{{type: access, match: {match}, requires: {{grant: true}}}}",
        ),
        applied(
            "Policy",
            f"{{name: {name}.rows, domain: {name}}}",
            f"{{type: access, match: {match}, requires: {{grant: true}}}}",
        ),
        applied(
            "Policy", "{name: shop.x, domain: shop}", f"{{type: access, match: {match}, requires: {{grant: true}}}}"
        ),
        applied("Visibility", "{name: shop.x, domain: shop}", f"{{match: {match}, existence: everyone}}"),
        *(
            ("DELETE", f"/declared/{kind}/{each}", None)
            for kind, each in (
                ("Policy", f"of-{name}"),
                ("Policy", f"{name}.rows"),
                ("Domain", name),
                ("Dataset", f"prod%2F{name}"),
                ("Workflow", "vault"),
                ("Visibility", "vault"),
            )
        ),
        ("POST", "/decisions", {"dataset": f"prod/{name}", "subject": "otto"}),
        *(
            ("POST", f"/policies/simulate{query}", text)
            for query, text in (
                (f"?dataset=prod/{name}", of_shop),
                (f"?remove=Policy/{name}.rows", ""),
                (f"?remove=Policy/of-{name}", ""),
                ("", of_shop.replace("prod/orders", f"prod/{name}")),
                ("", f"{{apiVersion: weir/v1, kind: Dataset, metadata: {{name: {name}, cluster: prod}}, spec: {{}}}}"),
            )
        ),
        *(
            ("POST", "/scans", {"cluster": "prod", "topics": each})
            for each in ([name], ["orders", name], [f"{name[:2]}*"])
        ),
        *(
            ("POST", "/access-reviews", {"name": "shop.r", "spec": {**review, **more}})
            for more in (
                {},
                {"domain": name},
                {"reviewers": {"users": [OWNER]}, "scope": {"datasets": ["prod/orders", f"prod/{name}"]}},
            )
        ),
        ("POST", "/access-reviews", {"review": f"of-{name}"}),
    ]


def test_no_change_of_another_domain_is_taken_or_answered_apart(weir: ApiWorld, admin_of_shop: TestClient) -> None:
    problems = []
    for (method, path, body), (_, other_path, other_body) in zip(changes(NAME), changes(MISSING), strict=True):
        answers = []
        for at, given in ((path, body), (other_path, other_body)):
            sent = (
                {"content": given.encode()} if isinstance(given, str) else {"json": given} if given is not None else {}
            )
            answers.append(admin_of_shop.request(method, API + at, **sent))
        question = f"{method} {path} {body}"
        if words := found_in(answers[0].text, question):
            problems.append(f"{question}: shows {words}: {answers[0].text[:400]}")
        if (method == "DELETE" or path == "/apply") and answers[0].status_code not in (400, 403):
            problems.append(f"{question}: {answers[0].status_code}")
        one, other = ((each.status_code, shape(as_of(as_of(each.text, NAME), MISSING))) for each in answers)
        if one != other:
            problems.append(f"{question}: {one}\n   {other}")
    assert not problems, f"{len(problems)}:\n" + "\n".join(problems[:20])


def test_its_own_people_see_the_domain_and_others_do_not(weir: ApiWorld, admin_of_shop: TestClient) -> None:
    def names(client: TestClient, kind: str) -> list[str]:
        return [each["metadata"]["name"] for each in client.get(f"{API}/declared/{kind}").json()["documents"]]

    assert names(admin_of_shop, "Domain") == ["shop"]
    assert names(weir.admin, "Domain") == ["shop", NAME]
    assert NAME in names(weir.user(OWNER), "Domain") and f"{NAME}.rows" in names(weir.user(OWNER), "Policy")


def test_its_reports_and_its_audit_show_nothing_of_another(weir: ApiWorld, admin_of_shop: TestClient) -> None:
    """Where-is, simulation and audit of the admin's own domain, which others are written about in the same entries."""
    both = {"prod/orders": ["value.order_id"], f"prod/{NAME}": [f"value.{NAME}"]}
    weir.services[AuditLog].record(
        OWNER, "query", f"prod/orders, prod/{NAME}", "deny", [f"policy {NAME}.rows"], {"fields": both, "sql": NAME}
    )
    paths = [
        "/domains",
        "/domains/shop",
        "/domains/shop/datasets",
        "/domains/shop/audit",
        "/reports/where-is?entity=PII",
        "/reports/where-is?field=order_id",
        "/reports/where-is?entity=NOTHING",
        "/access-reviews",
    ]
    for path in paths:
        answer = admin_of_shop.get(API + path)
        assert answer.status_code == 200, path
        # Who did something is in the audit of what it was done to.
        words = [each for each in found_in(answer.text, path) if (path, each) != ("/domains/shop/audit", OWNER)]
        assert not words, f"{path}: {words}: {answer.text[:600]}"
    audit = admin_of_shop.get(f"{API}/domains/shop/audit").json()["entries"]
    assert [each["partial"] for each in audit if each["actor"] == OWNER] == [True]
    assert {each for entry in audit for each in entry["datasets"]} <= {"prod/orders", "prod/clicks"}
