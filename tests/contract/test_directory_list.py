"""`/directory`: whom a directory keeps here, who is out and since when, what groups give; declared people stay apart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.api_world import ApiWorld, world
from tests.scim_world import RIGHTS, Directory

DECLARED = "apiVersion: weir/v1\nkind: User\nmetadata: {name: otto}\nspec: {}\n"


@pytest.fixture
def weir(tmp_path: Any) -> Iterator[ApiWorld]:
    with world(tmp_path) as running:
        yield running


def shown(weir: ApiWorld, path: str = "", **query: Any) -> Any:
    answer = weir.admin.get(f"/api/v1/directory{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_nothing_is_there_before_a_directory_is_connected(weir: ApiWorld) -> None:
    weir.apply(DECLARED)
    shown_now = shown(weir)
    assert shown_now["people"] == {"active": 0, "deactivated": 0, "removed": 0}
    assert (shown_now["groups"], shown_now["rules"]) == (0, 0)
    assert shown(weir, "/people") == {"people": [], "total": 0}
    assert shown(weir, "/groups") == {"groups": [], "total": 0}


def test_people_of_the_directory_by_state(weir: ApiWorld) -> None:
    weir.apply(DECLARED)
    directory = Directory(weir)
    ana, eva = directory.user("ana", displayName="Ana Alba"), directory.user("Eva")
    directory.user("nina")
    directory.group("Stewards", ana)
    before = datetime.now(UTC).replace(microsecond=0)
    directory.deactivate(ana)
    first = shown(weir, "/people", state="deactivated")["people"][0]
    assert datetime.fromisoformat(first["outSince"]) >= before
    # A later change of a person who is out does not change since when.
    directory.patch(f"/Users/{ana}", {"op": "replace", "value": {"displayName": "Ana B"}})
    assert directory.call("DELETE", f"/Users/{eva}").status_code == 204
    assert shown(weir)["people"] == {"active": 1, "deactivated": 1, "removed": 1}
    listed = {each["name"]: each for each in shown(weir, "/people")["people"]}
    assert list(listed) == ["ana", "Eva", "nina"]
    assert listed["ana"] == {
        "name": "ana",
        "displayName": "Ana B",
        "state": "deactivated",
        "outSince": first["outSince"],
        "groups": ["Stewards"],
        "declared": False,
    }
    assert listed["Eva"]["state"] == "removed" and listed["Eva"]["outSince"]
    assert listed["nina"]["state"] == "active" and listed["nina"]["outSince"] is None


def test_who_is_declared_besides_is_marked(weir: ApiWorld) -> None:
    directory = Directory(weir)
    weir.apply(
        DECLARED + "---\napiVersion: weir/v1\nkind: DirectoryRights\nmetadata: {name: company}\nspec: {adopt: [otto]}\n"
    )
    directory.user("otto")
    assert [each["declared"] for each in shown(weir, "/people")["people"]] == [True]


def test_pages_and_parts_of_names(weir: ApiWorld) -> None:
    directory = Directory(weir)
    for name in ("ana", "anton", "eva"):
        directory.user(name)
    page = shown(weir, "/people", text="AN", limit=1, offset=1)
    assert ([each["name"] for each in page["people"]], page["total"]) == (["anton"], 2)
    assert weir.admin.get("/api/v1/directory/people?state=gone").status_code == 400


def test_groups_and_what_rules_give(weir: ApiWorld) -> None:
    weir.apply(RIGHTS)
    directory = Directory(weir)
    directory.group("Stewards", directory.user("ana"))
    directory.group("Data core")
    directory.group("Others")
    assert shown(weir)["rules"] == 2
    assert shown(weir, "/groups")["groups"] == [
        {"name": "Data core", "members": 0, "givesGroups": ["Data core"], "givesRoles": []},
        {"name": "Others", "members": 0, "givesGroups": [], "givesRoles": []},
        {"name": "Stewards", "members": 1, "givesGroups": [], "givesRoles": ["steward"]},
    ]


def test_the_address_is_the_configured_one_or_of_this_machine(weir: ApiWorld) -> None:
    at = weir.admin.get("/api/v1/directory", headers={"Host": "localhost:8484"}).json()["address"]
    assert at == "http://localhost:8484/scim/v2"
    assert weir.admin.get("/api/v1/directory", headers={"Host": "weir.example.com"}).json()["address"] is None


def test_it_is_for_administrators(weir: ApiWorld) -> None:
    for path in ("", "/people", "/groups"):
        assert weir.user("ana").get(f"/api/v1/directory{path}").status_code == 403
