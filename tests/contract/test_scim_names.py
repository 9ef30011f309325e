"""Names of a directory: none passes what it has to another person, and a directory keeps out nobody it was not given."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.api_world import ApiWorld, world
from tests.openid_world import Issuer, browser, declared, issuer, sign_in
from tests.scim_world import USER, Directory, service

ADMIN = "apiVersion: weir/v1\nkind: User\nmetadata: {name: %s}\nspec: {roles: [admin]}\n"
RELEASE = "/api/v1/directory/release"


@pytest.fixture
def weir(tmp_path: Any) -> Iterator[ApiWorld]:
    with world(tmp_path) as running:
        yield running


@pytest.fixture
def company(weir: ApiWorld) -> Iterator[Issuer]:
    with issuer() as running:
        weir.apply(declared("company", running.url, "[]"))
        yield running


def posted(directory: Directory, name: str, active: bool = True) -> Any:
    return directory.call("POST", "/Users", {"schemas": [USER], "userName": name, "active": active})


def renamed(directory: Directory, identifier: str, name: str) -> Any:
    return directory.patch(f"/Users/{identifier}", {"op": "replace", "path": "userName", "value": name})


def refused(answer: Any) -> str:
    assert answer.status_code == 409 and answer.json()["scimType"] == "uniqueness", answer.text
    return str(answer.json()["detail"])


def release(weir: ApiWorld, name: str) -> Any:
    done = weir.admin.post(RELEASE, json={"name": name})
    assert done.status_code == 200, done.text
    return done.json()


def test_a_directory_gives_no_name_of_a_linked_account_to_another(weir: ApiWorld, company: Issuer) -> None:
    weir.apply(ADMIN % "petra")
    company.people["s-petra"] = {"preferred_username": "petra"}
    company.people["s-mallory"] = {"preferred_username": "petra"}
    assert sign_in(browser(weir), "company", company, "s-petra").status_code == 303
    directory = Directory(weir)
    release(weir, "petra")
    petra = directory.user("petra")
    assert directory.call("DELETE", f"/Users/{petra}").status_code == 204
    release(weir, "petra")
    directory.user("petra")
    answer = sign_in(browser(weir), "company", company, "s-mallory")
    assert answer.status_code == 401 and "belongs to another account" in answer.text
    assert sign_in(browser(weir), "company", company, "s-petra").status_code == 303


def test_a_directory_does_not_lock_out_whom_it_was_not_given(weir: ApiWorld) -> None:
    weir.apply(ADMIN % "petra")
    petra, directory = weir.user("petra"), Directory(weir)
    nina = directory.user("nina")
    text = refused(posted(directory, "petra", active=False))
    assert "weir user release" in text
    refused(posted(directory, "Petra", active=False))
    refused(renamed(directory, nina, "Petra"))
    assert petra.get("/api/v1/me").json()["roles"] == ["admin"]
    # A rule of an administrator gives declared people to the directory, by name; never by a rename.
    weir.apply(
        "apiVersion: weir/v1\nkind: DirectoryRights\nmetadata: {name: company}\nspec: {adopt: [petra, 'ext-*']}\n"
    )
    refused(renamed(directory, nina, "petra"))
    kept = directory.user("petra")
    assert petra.get("/api/v1/me").status_code == 200
    directory.deactivate(kept)
    assert petra.get("/api/v1/me").status_code == 401


def test_an_administrator_takes_a_name_back_from_a_directory(weir: ApiWorld) -> None:
    weir.apply(ADMIN % "petra")
    directory = Directory(weir)
    assert release(weir, "Petra")["mentions"] == ["User petra"]
    directory.deactivate(directory.user("petra"))
    refused_token = weir.admin.post("/api/v1/tokens", json={"user": "petra"})
    assert refused_token.status_code == 400
    release(weir, "petra")
    assert weir.user("petra").get("/api/v1/me").json()["roles"] == ["admin"]
    assert directory.call("GET", '/Users?filter=userName eq "petra"').json()["totalResults"] == 0
    audit = weir.admin.get("/api/v1/audit", params={"action": "directory.release"}).json()["entries"]
    assert [(each["actor"], each["target"]) for each in audit] == [("admin", "petra"), ("admin", "Petra")]
    assert weir.user("nina").post(RELEASE, json={"name": "petra"}).status_code == 403
    unknown = weir.admin.post(RELEASE, json={"name": "nobody"})
    assert unknown.status_code == 404


@pytest.mark.parametrize("how", ["renamed", "removed"])
def test_a_name_passes_nothing_to_the_next_person(weir: ApiWorld, how: str) -> None:
    directory = Directory(weir)
    eva, mallory = directory.user("eva"), directory.user("mallory")
    weir.apply(ADMIN % "eva")
    if how == "renamed":
        assert renamed(directory, eva, "eva2").status_code == 200
    else:
        assert directory.call("DELETE", f"/Users/{eva}").status_code == 204
    assert "User eva" in refused(renamed(directory, mallory, "eva"))
    refused(posted(directory, "EVA"))
    assert weir.admin.post("/api/v1/tokens", json={"user": "eva"}).status_code == 400
    # One release is for one person.
    release(weir, "eva")
    assert renamed(directory, mallory, "eva").status_code == 200
    assert renamed(directory, mallory, "mallory").status_code == 200
    refused(renamed(directory, mallory, "eva"))


MENTIONS = {
    "Group g": "kind: Group\nmetadata: {name: g}\nspec: {members: [eva]}",
    "Grant g": """kind: Grant
metadata: {name: g}
spec: {subject: {user: eva}, dataset: prod/orders, purpose: x, validFrom: "2026-01-01T00:00:00Z",
  validTo: "2999-01-01T00:00:00Z", status: approved}""",
    "Policy p": """kind: Policy
metadata: {name: p}
spec: {type: mask, match: {datasets: ["*"]}, subjects: {everyone: true}, mask: {type: MASK_HASH}, except: {users: [eva]}}""",
    "Workflow w": """kind: Workflow
metadata: {name: w}
spec: {match: {datasets: ["*"]}, stages: [{name: one, approvers: {users: [eva]}}]}""",
    "Domain shop": "kind: Domain\nmetadata: {name: shop}\nspec: {datasets: ['prod/*'], admins: {users: [eva]}}",
    "Visibility hidden": """kind: Visibility
metadata: {name: hidden}
spec: {match: {datasets: ["prod/*"]}, existence: {users: [eva]}}""",
    "Principal app": "kind: Principal\nmetadata: {name: app}\nspec: {principals: ['User:app'], subject: {user: eva}}",
    "RequestTemplate often": """kind: RequestTemplate
metadata: {name: often}
spec: {datasets: [prod/orders], purpose: x, duration: 7d, subjects: {users: [eva]}}""",
    "DataProduct sales": "kind: DataProduct\nmetadata: {name: sales}\nspec: {datasets: [prod/orders], owners: [{user: eva}]}",
    "Cluster prod": """kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", owners: [{user: eva}]}""",
    "Dataset prod/orders": "kind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {owners: [{user: eva}]}",
    "View v": """kind: View
metadata: {name: v}
spec: {sql: SELECT order_id FROM prod.orders, key: [order_id], runAs: {user: eva}}""",
}


@pytest.mark.parametrize("what", MENTIONS)
def test_every_way_to_name_a_person_holds_a_name(weir: ApiWorld, what: str) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
    directory = Directory(weir)
    eva = directory.user("eva")
    weir.apply(f"apiVersion: weir/v1\n{MENTIONS[what]}\n")
    assert directory.call("DELETE", f"/Users/{eva}").status_code == 204
    assert what in refused(posted(directory, "eva"))


def test_a_shared_query_holds_a_name(weir: ApiWorld) -> None:
    directory = Directory(weir)
    eva = directory.user("eva")
    body = {"name": "q", "sql": "SELECT * FROM orders WHERE email = 'a@b.example'", "shared": {"users": ["eva"]}}
    saved = weir.admin.post("/api/v1/saved-queries", json=body)
    assert saved.status_code == 201, saved.text
    directory.call("DELETE", f"/Users/{eva}")
    assert f"SavedQuery {saved.json()['id']}" in refused(posted(directory, "eva"))


def test_a_delegation_holds_a_name(weir: ApiWorld) -> None:
    directory = Directory(weir)
    eva = directory.user("eva")
    until = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    set_ = weir.admin.put("/api/v1/me/delegation", json={"delegates": ["eva"], "until": until})
    assert set_.status_code == 200, set_.text
    directory.call("DELETE", f"/Users/{eva}")
    assert "Delegation admin" in refused(posted(directory, "eva"))


def test_a_name_that_nothing_mentions_comes_again(weir: ApiWorld) -> None:
    directory = Directory(weir)
    eva = directory.user("eva")
    directory.call("DELETE", f"/Users/{eva}")
    directory.user("eva")


def test_no_spelling_of_a_service_account_is_a_persons(weir: ApiWorld) -> None:
    weir.apply("apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: etl}\nspec: {owner: it}\n")
    program, directory = service(weir, "etl", ["read"]), Directory(weir)
    refused(posted(directory, "ETL", active=False))
    refused(renamed(directory, directory.user("nina"), "Etl"))
    release_refused = weir.admin.post(RELEASE, json={"name": "ETL"})
    assert release_refused.status_code == 404
    assert program.get("/api/v1/search?q=x").status_code == 200


def test_composed_and_decomposed_names_are_one_person(weir: ApiWorld) -> None:
    directory = Directory(weir)
    zoe = directory.user("zo\u00eb")
    refused(posted(directory, "zoe\u0308"))
    assert directory.call("GET", '/Users?filter=userName eq "zoe\u0308"').json()["totalResults"] == 1
    client = weir.user("zoe\u0308")
    assert client.get("/api/v1/me").json()["user"] == "zo\u00eb"
    directory.deactivate(zoe)
    assert client.get("/api/v1/me").status_code == 401
    for bad in ("a\u200bna", "a\u0007na", "\u202eana"):
        assert posted(directory, bad).status_code == 400
        assert weir.admin.post("/api/v1/tokens", json={"user": bad}).status_code == 400
        for kind in ("User", "ServiceAccount"):
            document = f'apiVersion: weir/v1\nkind: {kind}\nmetadata: {{name: "{bad}"}}\nspec: {{}}\n'
            assert weir.admin.post("/api/v1/apply", content=document.encode()).status_code == 400


GROUPS = """apiVersion: weir/v1
kind: DirectoryRights
metadata: {name: company}
spec: {rights: [%s]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: boss}
spec: {inherits: [steward]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/orders"}]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: admins}
spec: {roles: [%s]}
"""


@pytest.mark.parametrize(
    "rule",
    ['{group: "*", groupOfSameName: true}', '{group: "*", groups: [admins]}', '{group: "ad*", groups: [admins, team]}'],
)
def test_a_pattern_gives_no_group_that_carries_a_permission(weir: ApiWorld, rule: str) -> None:
    directory = Directory(weir)
    directory.group("admins", directory.user("ana"))
    client = weir.user("ana")
    weir.apply(GROUPS % (rule, "reader"))
    me = client.get("/api/v1/me").json()
    assert "admins" in me["groups"] and me["roles"] == ["reader"]
    weir.apply(GROUPS % (rule, "boss"))  # the group gets its role later than the rule
    me = client.get("/api/v1/me").json()
    assert (set(me["groups"]) <= {"team"}, me["roles"], me["permissions"]) == (True, [], [])
    weir.apply(GROUPS % ("{group: admins, groupOfSameName: true}", "boss"))  # a rule that names the group means it
    assert client.get("/api/v1/me").json()["roles"] == ["boss"]


@pytest.mark.parametrize("who", ["admins", "stewards"])
def test_a_pattern_gives_no_group_that_has_a_domain(weir: ApiWorld, who: str) -> None:
    directory = Directory(weir)
    directory.group("data-hr", directory.user("ana"))
    client = weir.user("ana")
    weir.apply(GROUPS % ('{group: "data-*", groupOfSameName: true}', "reader"))
    assert client.get("/api/v1/me").json()["groups"] == ["data-hr"]
    domain = f"kind: Domain\nmetadata: {{name: hr}}\nspec: {{datasets: ['prod/*'], {who}: {{groups: [data-hr]}}}}"
    weir.apply(f"apiVersion: weir/v1\n{domain}\n")  # the group gets the domain later than the rule
    assert client.get("/api/v1/me").json()["groups"] == []
    weir.apply(GROUPS % ("{group: data-hr, groupOfSameName: true}", "reader"))
    assert client.get("/api/v1/me").json()["groups"] == ["data-hr"]


def test_an_apply_names_what_a_pattern_does_not_give(weir: ApiWorld) -> None:
    weir.apply(GROUPS % ("{group: admins, groupOfSameName: true}", "boss"))
    rule = '{group: "*", groupOfSameName: true}, {group: "x*", roles: [steward], groups: [team]}'
    answer = weir.admin.post("/api/v1/apply?dryRun=true", content=(GROUPS % (rule, "boss")).encode()).json()
    (notes,) = [each["notes"] for each in answer["changes"] if each["kind"] == "DirectoryRights"]
    assert notes == [
        "the rule for '*' does not give the group admins: rules with * give nothing that carries a permission",
        "the rule for 'x*' does not give the role steward: rules with * give nothing that carries a permission",
    ]


def test_a_pattern_gives_no_role_that_carries_a_permission(weir: ApiWorld) -> None:
    directory = Directory(weir)
    directory.group("data-eu", directory.user("ana"))
    weir.apply(GROUPS % ('{group: "data-*", roles: [steward, reader]}', "reader"))
    assert weir.user("ana").get("/api/v1/me").json()["roles"] == ["reader"]


def test_the_audit_names_so_many_members_and_counts_the_others(weir: ApiWorld) -> None:
    directory = Directory(weir)
    directory.group("All", *(directory.user(f"u{number:02}") for number in range(53)))
    (entry,) = weir.admin.get("/api/v1/audit", params={"action": "directory.group.create"}).json()["entries"]
    assert len(entry["details"]["added"]) == 50 and entry["details"]["notNamed"] == 3


def test_the_audit_names_members(weir: ApiWorld) -> None:
    directory = Directory(weir)
    ana, ben = directory.user("ana"), directory.user("ben")
    group = directory.group("Stewards", ana)
    at = f"/Groups/{group}"
    directory.patch(at, {"op": "replace", "path": "members", "value": [{"value": ben}]})
    directory.call("DELETE", at)

    def users(action: str) -> Any:
        (entry,) = weir.admin.get("/api/v1/audit", params={"action": f"directory.group.{action}"}).json()["entries"]
        return entry["details"]

    assert users("create") == {"users": ["ana"], "added": ["ana"], "removed": [], "notNamed": 0}
    assert users("change") == {"users": ["ana", "ben"], "added": ["ben"], "removed": ["ana"], "notNamed": 0}
    assert users("remove") == {"users": ["ben"], "added": [], "removed": ["ben"], "notNamed": 0}
