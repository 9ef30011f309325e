"""A Weir with somebody of every role."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from api.guard.access import Entry
from policies.declared.builtin import BUILT_IN_ROLES
from policies.declared.spec_parts import PERMISSIONS
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, orders, record
from tests.rights_samples import API, FILL, SOON, Sample
from tests.scim_world import service

ROLES = tuple(sorted(BUILT_IN_ROLES))
SINGLE = {f"only-{each.replace(':', '-')}": each for each in sorted(PERMISSIONS)}
"""Roles that carry one permission."""

DECLARED = """
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: owner}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: holder}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: owners}
spec: {match: {datasets: ["prod/*"]}, stages: [{name: owner, approvers: {owners: true}}]}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: orders}
spec: {datasets: ["prod/*"], admins: {users: [lead]}, stewards: {users: [helper]}}
---
apiVersion: weir/v1
kind: Contract
metadata: {name: orders}
spec:
  apiVersion: v3.1.0
  kind: DataContract
  id: orders
  version: 1.0.0
  schema:
    - name: orders
      properties: [{name: order_id, logicalType: string, required: true}]
      customProperties: [{property: dataset, value: prod/orders}]
---
apiVersion: weir/v1
kind: AccessReview
metadata: {name: all}
spec:
  domain: orders
  scope: {datasets: ["prod/*"]}
  items: [grants, owners]
  reviewers: {owners: true}
  due: 14d
  onNoAnswer: keep
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: directory}
spec: {owner: it}
"""


def _people() -> str:
    roles = [f"kind: Role\nmetadata: {{name: {name}}}\nspec: {{permissions: [{may}]}}" for name, may in SINGLE.items()]
    people = [
        f"kind: User\nmetadata: {{name: {name if name in SINGLE else 'a-' + name}}}\nspec: {{roles: [{name}]}}"
        for name in (*ROLES, *SINGLE)
    ]
    return "\n---\n".join(f"apiVersion: weir/v1\n{each}" for each in (*roles, *people))


class RightsWorld(ApiWorld):
    """`caller` by a name: a role, `only-PERMISSION`, `person`, `owner` (of prod/orders), `holder` (of a grant and requests),
    `lead` and `helper` (admin and steward of a domain that has prod/*),
    `directory` (a service account with the scope `scim`), `nobody`."""

    def __init__(self, folder: Path) -> None:
        topics = {"orders": orders(20), "clicks": [record({"page": "/"}, offset=n) for n in range(5)]}
        super().__init__(folder, topics)
        self.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders", "clicks"])
        self.apply(_people())
        self.apply(DECLARED)
        names = {name: f"a-{name}" for name in ROLES} | {
            n: n for n in (*SINGLE, "person", "owner", "holder", "lead", "helper")
        }
        self.callers = {name: self.user(user) for name, user in names.items()}
        self.callers |= {"directory": service(self, "directory", ["scim"]), "nobody": self.anonymous()}
        self.requests = 0
        self.grant()  # which the review is about
        started = self.admin.post(f"{API}/access-reviews", json={"review": "all"})
        assert started.status_code == 201, started.text
        self.review: str = started.json()["id"]
        mine = self.callers["owner"].get(f"{API}/access-reviews/{self.review}/items", params={"mine": True}).json()
        self.item = next(each["number"] for each in mine["items"] if each["canDecide"])

    def sent(self, method: str, path: str, who: str, body: Any) -> dict[str, Any]:
        answer = self.callers[who].request(method, API + path, json=body)
        assert answer.status_code < 300, answer.text
        body_of: dict[str, Any] = answer.json()
        return body_of

    def request(self) -> str:
        """A request of `holder` that waits for `owner`."""
        self.requests += 1
        body = {"dataset": "prod/orders", "purpose": f"fraud-{self.requests}", "until": SOON}
        return str(self.sent("POST", "/access-requests", "holder", body)["id"])

    def grant(self) -> str:
        """A grant of `holder` that `owner` approved."""
        return str(self.sent("POST", f"/access-requests/{self.request()}/approve", "owner", {})["grant"])

    def saved(self) -> str:
        """A query that `holder` keeps and shares with nobody."""
        name = f"q{datetime.now(UTC).timestamp()}"
        return str(self.sent("POST", "/saved-queries", "holder", {"name": name, "sql": "SELECT 1"})["id"])

    def ask(self, who: str, route: Entry, sample: Sample) -> Any:
        """The answer to one caller."""
        values = {**FILL, **sample.fill}

        def part(match: re.Match[str]) -> str:
            value = values.get(match[1], "none")
            return value if isinstance(value, str) else value(self)

        path, more = re.sub(r"{(\w+)}", part, route.path), {}
        if route.case.startswith("?"):
            name, _, value = route.case[1:].partition("=")
            more = {name: value}
        client: CheckedClient = self.callers[who]
        body = sample.body(self) if callable(sample.body) else sample.body
        return client.request(
            route.method,
            path,
            params={**sample.query, **more},
            json=body if sample.text is None else None,
            content=sample.text.encode() if sample.text is not None else None,
            headers=dict(sample.headers),
        )
