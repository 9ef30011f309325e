"""How far policies reach, over HTTP: fields, datasets, people and queries of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from policies.audit.log import AuditLog
from tests.api_world import ApiWorld, world

AT = "/api/v1/policy-reach"
DECLARED = """
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}, except: {users: [otto]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: eu}
spec: {type: row-filter, match: {datasets: ["prod/*"]}, subjects: {users: [ana]}, where: "region = 'EU'"}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: nowhere}
spec: {type: mask, match: {datasets: [prod/none]}, mask: {type: MASK_NULL}}
---
apiVersion: weir/v1
kind: Role
metadata: {name: officer}
spec: {permissions: ["report:read"]}
---
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [officer]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
"""
MAIL = "value.customer.email"


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as created:
        created.scan(bootstrapServers="localhost:9092", cluster="prod")
        created.apply(DECLARED)
        yield created


def reach(client: Any) -> dict[str, Any]:
    answer = client.get(AT)
    assert answer.status_code == 200, answer.text
    assert answer.json()["notes"] == []
    return {each["name"]: each for each in answer.json()["policies"]}


def test_fields_datasets_people_and_queries_of_each_policy(weir: ApiWorld) -> None:
    audit = weir.services[AuditLog]
    for fields in ([MAIL], ["value.region"]):
        audit.record("ana", "query", "prod/orders", "allow", (), {"fields": {"prod/orders": fields}})
    audit.record("ana", "query", "prod/orders", "deny", (), {"fields": {"prod/orders": [MAIL]}})
    reached = reach(weir.admin)
    assert set(reached) == {"mails", "eu", "nowhere"}
    tagged = [
        each["path"]
        for each in weir.admin.get("/api/v1/datasets/prod/orders/classifications").json()
        if each["entity"] == "EMAIL_ADDRESS"
    ]
    assert MAIL in tagged
    assert reached["mails"] == {"name": "mails", "fields": len(tagged), "datasets": 1, "people": 2, "queries": 1}
    assert reached["eu"] == {"name": "eu", "fields": None, "datasets": 1, "people": 1, "queries": 2}
    assert reached["nowhere"] == {"name": "nowhere", "fields": 0, "datasets": 0, "people": 3, "queries": 0}


def test_queries_are_for_who_reads_the_audit_and_all_of_it_for_officers_alone(weir: ApiWorld) -> None:
    assert reach(weir.user("petra"))["mails"]["queries"] is None
    assert weir.user("ana").get(AT).status_code == 403
