"""SCIM by HTTP: what directories send, and what they and people get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from policies.declared.state import GovernanceState
from tests.api_world import ApiWorld, world
from tests.scim_world import GROUP, PATCH, RIGHTS, USER, Directory


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("scim")) as created:
        yield created


@pytest.fixture(scope="module")
def client(there: ApiWorld) -> Directory:
    return Directory(there)


@pytest.fixture
def directory(client: Directory) -> Iterator[Directory]:
    yield client
    for kind in ("Groups", "Users"):
        for each in client.call("GET", f"/{kind}").json()["Resources"]:
            assert client.call("DELETE", f"/{kind}/{each['id']}").status_code == 204


def failure(answer: Any, status: int, kind: str | None) -> str:
    """The detail of an error in SCIM's form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/scim+json")
    body = answer.json()
    assert body["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"] and body["status"] == str(status)
    assert body.get("scimType") == kind, body
    return str(body["detail"])


def test_a_person_is_created_read_and_found(directory: Directory) -> None:
    sent = {
        "schemas": [USER, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
        "userName": "Ana@x.example",
        "externalId": "00u1",
        "name": {"givenName": "Ana", "familyName": "B", "honorificPrefix": "Dr"},
        "emails": [{"value": "ana@x.example", "type": "work", "primary": True}],
        "password": "secret-canary",
        "phoneNumbers": [{"value": "+49 30 1234567", "type": "work"}],
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "sales"},
    }
    created = directory.call("POST", "/Users", sent)
    assert created.status_code == 201 and created.headers["content-type"].startswith("application/scim+json")
    body = created.json()
    assert body["active"] is True and body["name"] == {"givenName": "Ana", "familyName": "B"}
    assert "phoneNumbers" not in body and "password" not in body
    assert (
        created.headers["etag"] == body["meta"]["version"] and created.headers["location"] == body["meta"]["location"]
    )
    assert "canary" not in str(directory.world.services[GovernanceState].store.documents("ScimUser"))
    read = directory.call("GET", f"/Users/{body['id']}")
    assert read.json() == body
    assert directory.call("GET", f"/Users/{body['id']}", **{"If-None-Match": read.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ('userName eq "ANA"', ["ana"]),
        ('externalId eq "e-otto"', ["otto"]),
        ('externalId eq "E-OTTO"', []),
        ('userName sw "a" and active eq true', ["ana"]),
        ('userName co "nn" or displayName eq "the boss"', ["anna", "otto"]),
        ('not (userName sw "a")', ["otto"]),
        ('emails[type eq "work" and value co "@x"]', ["ana"]),
        ('userName eq "nobody"', []),
        ("active eq false", ["anna"]),
    ],
)
def test_filters(directory: Directory, wanted: str, names: list[str]) -> None:
    directory.user("ana", externalId="e-ana", emails=[{"value": "a@x.example", "type": "work"}])
    directory.user("anna", active=False)
    directory.user("otto", externalId="e-otto", displayName="The Boss")
    answer = directory.call("GET", f"/Users?filter={wanted}&sortBy=userName").json()
    assert [each["userName"] for each in answer.get("Resources", [])] == names
    assert answer["totalResults"] == len(names)


def test_pages(directory: Directory) -> None:
    for number in range(5):
        directory.user(f"u{number}")
    page = directory.call("GET", "/Users?sortBy=userName&startIndex=2&count=2").json()
    assert [u["userName"] for u in page["Resources"]] == ["u1", "u2"]
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (5, 2, 2)
    assert directory.call("GET", "/Users?count=0").json()["totalResults"] == 5
    assert failure(directory.call("GET", "/Users?count=x"), 400, "invalidValue")
    only = directory.call("GET", '/Users?attributes=userName&filter=userName eq "u1"').json()["Resources"][0]
    assert set(only) == {"schemas", "id", "userName"}


def test_failures_are_in_the_form_of_scim(directory: Directory, there: ApiWorld) -> None:
    directory.user("ana")
    failure(directory.call("POST", "/Users", {"schemas": [USER], "userName": "ANA"}), 409, "uniqueness")
    failure(directory.call("POST", "/Users", {"schemas": [USER], "userName": "admin"}), 409, "uniqueness")
    failure(directory.call("POST", "/Users", {"schemas": [USER], "userName": "directory"}), 409, "uniqueness")
    failure(directory.call("POST", "/Users", {"schemas": [USER]}), 400, "invalidValue")
    failure(directory.call("POST", "/Users", {"schemas": [USER], "userName": " x "}), 400, "invalidValue")
    failure(directory.call("GET", "/Users?filter=userName eq"), 400, "invalidFilter")
    failure(directory.call("GET", "/Users/unknown"), 404, None)
    failure(directory.call("GET", "/Me"), 404, None)
    failure(
        directory.client.post("/scim/v2/Users", content=b"{", headers={"Content-Type": "application/json"}),
        400,
        "invalidSyntax",
    )
    failure(there.anonymous().get("/scim/v2/Users"), 401, None)
    failure(there.admin.get("/scim/v2/Users"), 403, None)
    assert directory.client.get("/api/v1/me").status_code == 403
    assert directory.client.get("/api/v1/search?q=x").status_code == 403


def test_a_misspelt_attribute_is_refused_not_dropped(directory: Directory) -> None:
    ana = directory.user("ana")
    failure(
        directory.call("POST", "/Users", {"schemas": [USER], "userName": "b", "activ": False}), 400, "invalidSyntax"
    )
    assert directory.patch(f"/Users/{ana}", {"op": "replace", "path": "activ", "value": False}).status_code == 400
    assert directory.patch(f"/Users/{ana}", {"op": "remove", "path": "active"}).status_code == 400
    assert directory.call("GET", f"/Users/{ana}").json()["active"] is True


OKTA = [{"op": "replace", "value": {"active": False}}]
ENTRA = [{"op": "Replace", "path": "active", "value": "False"}]
ENTRA_WITHOUT_PATH = [{"op": "Replace", "value": {"active": "False"}}]
CAPITALS = [{"op": "REPLACE", "path": "Active", "value": False}]
QUALIFIED = [{"op": "replace", "path": f"{USER}:active", "value": False}]


@pytest.mark.parametrize("operations", [OKTA, ENTRA, ENTRA_WITHOUT_PATH, CAPITALS, QUALIFIED])
def test_every_known_way_to_deactivate(directory: Directory, there: ApiWorld, operations: Any) -> None:
    ana = directory.user("ana")
    client = there.user("ana")
    assert client.get("/api/v1/me").status_code == 200
    done = directory.patch(f"/Users/{ana}", *operations)
    assert done.status_code == 200 and done.json()["active"] is False
    assert client.get("/api/v1/me").status_code == 401


def test_entra_changes_a_person(directory: Directory) -> None:
    ana = directory.user("ana")
    extension = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
    done = directory.patch(
        f"/Users/{ana}",
        {"op": "Add", "path": 'emails[type eq "work"].value', "value": "a@x.example"},
        {
            "op": "Replace",
            "value": {"displayName": "Ana B", "name.givenName": "Ana", f"{extension}:department": "sales"},
        },
        {"op": "Add", "path": f"{extension}:manager", "value": "someone"},
    )
    assert done.status_code == 200, done.text
    body = done.json()
    assert body["emails"] == [{"value": "a@x.example", "type": "work"}]
    assert (body["displayName"], body["name"]) == ("Ana B", {"givenName": "Ana"})


def test_okta_replaces_a_person(directory: Directory) -> None:
    ana = directory.user("ana", displayName="Old")
    body = {
        "schemas": [USER],
        "id": ana,
        "userName": "ana",
        "externalId": "00u",
        "groups": [],
        "meta": {"resourceType": "User"},
    }
    done = directory.call("PUT", f"/Users/{ana}", {**body, "active": False})
    assert done.status_code == 200, done.text
    assert done.json()["active"] is False and "displayName" not in done.json()
    # Without `active` nobody is let in again.
    assert directory.call("PUT", f"/Users/{ana}", body).json()["active"] is False


def test_groups_and_their_members(directory: Directory) -> None:
    ana, ben, eva = (directory.user(name) for name in ("ana", "ben", "eva"))
    group = directory.group("Stewards", ana)
    at = f"/Groups/{group}"

    def members() -> set[str]:
        return {each["value"] for each in directory.call("GET", at).json().get("members", [])}

    assert (
        directory.patch(at, {"op": "Add", "path": "members", "value": [{"value": ben}, {"value": eva}]}).status_code
        == 200
    )
    assert members() == {ana, ben, eva}
    assert directory.patch(at, {"op": "remove", "path": f'members[value eq "{ben}"]'}).status_code == 200
    assert members() == {ana, eva}
    # Entra's older form: a remove with a value.
    assert directory.patch(at, {"op": "Remove", "path": "members", "value": [{"value": eva}]}).status_code == 200
    assert members() == {ana}
    assert directory.patch(at, {"op": "replace", "path": "members", "value": [{"value": eva}]}).status_code == 200
    assert members() == {eva}
    # Okta's form of a renamed group: no path, with its id.
    assert (
        directory.patch(at, {"op": "replace", "value": {"id": group, "displayName": "Keepers"}}).json()["displayName"]
        == "Keepers"
    )
    assert directory.patch(at, {"op": "remove", "path": "members"}).status_code == 200
    assert members() == set()
    failure(directory.patch(at, {"op": "add", "path": "members", "value": [{"value": group}]}), 400, "invalidValue")
    read = directory.call("GET", '/Groups?filter=displayName eq "keepers"&excludedAttributes=members').json()
    assert read["totalResults"] == 1 and "members" not in read["Resources"][0]
    assert directory.call("DELETE", at).status_code == 204
    failure(directory.call("GET", at), 404, None)


def test_two_changes_at_once(directory: Directory) -> None:
    ana = directory.user("ana")
    tag = directory.call("GET", f"/Users/{ana}").headers["etag"]
    operation = {"op": "replace", "path": "displayName", "value": "One"}
    assert directory.patch(f"/Users/{ana}", operation, **{"If-Match": tag}).status_code == 200
    failure(directory.patch(f"/Users/{ana}", {**operation, "value": "Two"}, **{"If-Match": tag}), 412, None)
    failure(directory.call("DELETE", f"/Users/{ana}", **{"If-Match": tag}), 412, None)
    assert directory.call("GET", f"/Users/{ana}").json()["displayName"] == "One"


def test_groups_give_rights_by_declared_rules_alone(directory: Directory, there: ApiWorld) -> None:
    ana = directory.user("dora")
    directory.group("Stewards", ana)
    directory.group("Data EU", ana)
    client = there.user("dora")
    assert client.get("/api/v1/me").json()["roles"] == []
    there.apply(RIGHTS)
    me = client.get("/api/v1/me").json()
    assert (me["roles"], me["groups"]) == (["steward"], ["Data EU"])
    # Declared by hand besides: the sum counts, and what the directory takes back is gone alone.
    there.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: dora}\nspec: {roles: [auditor]}\n")
    assert client.get("/api/v1/me").json()["roles"] == ["auditor", "steward"]
    group = directory.call("GET", '/Groups?filter=displayName eq "Stewards"').json()["Resources"][0]["id"]
    directory.patch(f"/Groups/{group}", {"op": "remove", "path": f'members[value eq "{ana}"]'})
    assert client.get("/api/v1/me").json()["roles"] == ["auditor"]


def test_a_removed_name_is_out_until_the_directory_gives_it_again(directory: Directory, there: ApiWorld) -> None:
    ana = directory.user("ana")
    old = there.user("ana")
    assert directory.call("DELETE", f"/Users/{ana}").status_code == 204
    assert old.get("/api/v1/me").status_code == 401
    refused = there.admin.post("/api/v1/tokens", json={"user": "Ana"})
    assert refused.status_code == 400 and "removed by the directory" in refused.json()["error"]["message"]
    directory.user("ana")
    assert old.get("/api/v1/me").status_code == 401  # tokens of before stay revoked
    assert there.user("ana").get("/api/v1/me").status_code == 200


def test_a_renamed_person_leaves_nothing_under_the_old_name(directory: Directory, there: ApiWorld) -> None:
    ana = directory.user("ana")
    old = there.user("ana")
    done = directory.patch(f"/Users/{ana}", {"op": "replace", "path": "userName", "value": "ana.b"})
    assert done.json()["userName"] == "ana.b"
    assert old.get("/api/v1/me").status_code == 401
    assert there.user("ana.b").get("/api/v1/me").status_code == 200


def test_what_the_service_describes(directory: Directory) -> None:
    config = directory.call("GET", "/ServiceProviderConfig").json()
    assert config["patch"] == {"supported": True} and config["etag"] == {"supported": True}
    kinds = directory.call("GET", "/ResourceTypes").json()
    assert [each["id"] for each in kinds["Resources"]] == ["User", "Group"]
    schema = directory.call("GET", f"/Schemas/{USER}").json()
    assert {each["name"] for each in schema["attributes"]} >= {"userName", "active", "emails"}
    assert directory.call("GET", f"/Schemas/{GROUP}").status_code == 200
    failure(directory.call("GET", '/Schemas?filter=id eq "x"'), 403, None)
    assert PATCH
