"""A directory that keeps people and groups here by SCIM, as a client of it does."""

from __future__ import annotations

from typing import Any

from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ACCOUNT = "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: directory}\nspec: {owner: it}\n"
RIGHTS = """apiVersion: weir/v1
kind: DirectoryRights
metadata: {name: company}
spec:
  rights:
    - {group: Stewards, roles: [steward]}
    - {group: "Data *", groupOfSameName: true}
"""


class Directory:
    """A client of `/scim/v2`. `call` gives the answer as it is."""

    def __init__(self, world: ApiWorld) -> None:
        world.apply(ACCOUNT)
        self.world = world
        self.client = service(world, "directory", ["scim"])

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        given = {"Content-Type": "application/scim+json", **headers}
        return self.client.request(method, f"/scim/v2{path}", json=body, headers=given)

    def user(self, name: str, **more: Any) -> str:
        """A new person; the id."""
        created = self.call("POST", "/Users", {"schemas": [USER], "userName": name, "active": True, **more})
        assert created.status_code == 201, created.text
        return str(created.json()["id"])

    def group(self, name: str, *members: str) -> str:
        """A new group; the id."""
        body = {"schemas": [GROUP], "displayName": name, "members": [{"value": each} for each in members]}
        created = self.call("POST", "/Groups", body)
        assert created.status_code == 201, created.text
        return str(created.json()["id"])

    def patch(self, path: str, *operations: dict[str, Any], **headers: str) -> Any:
        return self.call("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)}, **headers)

    def deactivate(self, identifier: str) -> None:
        done = self.patch(f"/Users/{identifier}", {"op": "replace", "value": {"active": False}})
        assert done.status_code == 200 and done.json()["active"] is False, done.text


def service(world: ApiWorld, name: str, scopes: list[str], days: int = 90) -> CheckedClient:
    """A client with a token of a service account."""
    created = world.admin.post("/api/v1/tokens", json={"user": name, "scopes": scopes, "days": days})
    assert created.status_code == 201, created.text
    return CheckedClient(
        world.app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {created.json()['token']}"}
    )
