"""Saved queries over HTTP: one's own, shared ones, and what is not shared is not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_world import ApiWorld, world

AT = "/api/v1/saved-queries"
PEOPLE = """
apiVersion: weir/v1
kind: Group
metadata: {name: team}
spec: {members: [otto]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {groups: [team]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
"""


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as created:
        yield created


def asked(name: str = "by region", **more: Any) -> dict[str, Any]:
    return {"name": name, "sql": "SELECT * FROM prod.orders WHERE region = :region", **more}


def test_a_query_is_kept_changed_and_forgotten(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    created = ana.post(AT, json=asked(chart={"kind": "bar", "x": "region", "y": "n"}, purpose="fraud"))
    assert created.status_code == 201, created.text
    body = created.json()
    assert body["owner"] == "ana"
    assert body["may"] == {"change": True, "delete": True}
    assert body["shared"] == {"everyone": False, "users": [], "groups": []}
    changed = ana.put(f"{AT}/{body['id']}", json=asked("other"))
    assert changed.json()["name"] == "other"
    assert changed.json()["chart"] is None
    assert changed.json()["createdAt"] == body["createdAt"]
    assert [q["name"] for q in ana.get(AT).json()["queries"]] == ["other"]
    assert ana.delete(f"{AT}/{body['id']}").json() == {"id": body["id"], "name": "other"}
    assert ana.get(AT).json()["queries"] == []
    assert ana.get(f"{AT}/{body['id']}").status_code == 404


HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: orders}
spec: {match: {datasets: [prod/orders]}, existence: {users: [otto]}}
"""


@pytest.mark.parametrize("name", ["prod.orders", "orders", "`prod`.`orders`"])
def test_a_shared_query_that_names_a_hidden_dataset_is_not_there(weir: ApiWorld, name: str) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod")
    weir.apply(PEOPLE + "---" + HIDDEN)
    ana, otto = weir.user("ana"), weir.user("otto")
    of_otto = otto.post(AT, json=asked(sql=f"SELECT * FROM {name}", shared={"everyone": True})).json()["id"]
    assert ana.get(AT).json()["queries"] == []
    assert ana.get(f"{AT}/{of_otto}").status_code == 404
    assert ana.put(f"{AT}/{of_otto}", json=asked()).status_code == 404
    assert [each["id"] for each in otto.get(AT).json()["queries"]] == [of_otto]
    own = ana.post(AT, json=asked(sql=f"SELECT * FROM {name}")).json()["id"]  # what one wrote oneself stays
    assert [each["id"] for each in ana.get(AT).json()["queries"]] == [own]


def test_what_is_not_shared_is_not_there_for_others_not_even_for_who_may_manage(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    id = ana.post(AT, json=asked()).json()["id"]
    for other in (otto, weir.admin):
        assert other.get(AT).json()["queries"] == []
        assert other.get(f"{AT}/{id}").status_code == 404
        assert other.put(f"{AT}/{id}", json=asked()).status_code == 404
        assert other.delete(f"{AT}/{id}").status_code == 404
    assert weir.anonymous().get(f"{AT}/{id}").status_code == 401


@pytest.mark.parametrize("shared", [{"everyone": True}, {"users": ["otto"]}, {"groups": ["team"]}])
def test_a_shared_query_opens_and_does_not_change(weir: ApiWorld, shared: dict[str, Any]) -> None:
    weir.apply(PEOPLE)
    ana, otto = weir.user("ana"), weir.user("otto")
    id = ana.post(AT, json=asked(shared=shared)).json()["id"]
    answer = otto.get(f"{AT}/{id}").json()
    assert answer["sql"] == asked()["sql"]
    assert answer["may"] == {"change": False, "delete": False}
    assert otto.put(f"{AT}/{id}", json=asked("mine")).status_code == 403
    assert otto.delete(f"{AT}/{id}").status_code == 403
    assert ana.put(f"{AT}/{id}", json=asked()).status_code == 200
    assert otto.get(f"{AT}/{id}").status_code == 404


def test_who_may_manage_deletes_what_is_shared_with_them(weir: ApiWorld) -> None:
    id = weir.user("ana").post(AT, json=asked(shared={"everyone": True})).json()["id"]
    assert weir.admin.get(f"{AT}/{id}").json()["may"] == {"change": False, "delete": True}
    assert weir.admin.delete(f"{AT}/{id}").status_code == 200


def test_a_name_is_taken_once_and_bad_input_names_the_field(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    ana.post(AT, json=asked())
    assert ana.post(AT, json=asked()).status_code == 409
    assert weir.user("otto").post(AT, json=asked()).status_code == 201
    for wrong in ({"name": " "}, {"sql": ""}, {"chart": {"kind": "pie", "x": "a"}}, {"rows": [1]}):
        refused = ana.post(AT, json={**asked("x"), **wrong})
        assert refused.status_code == 400, refused.text


def test_a_person_keeps_so_many_and_no_more(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.features.saved_queries.service.MOST_OF_ONE", 2)
    ana = weir.user("ana")
    assert [ana.post(AT, json=asked(f"q{n}")).status_code for n in range(3)] == [201, 201, 429]
    assert weir.user("otto").post(AT, json=asked()).status_code == 201


def test_sharing_and_deleting_are_in_the_audit_without_the_statement(weir: ApiWorld) -> None:
    ana = weir.user("ana")
    id = ana.post(AT, json=asked(shared={"users": ["otto"], "groups": ["team"]})).json()["id"]
    ana.delete(f"{AT}/{id}")
    answer = weir.admin.get("/api/v1/audit", params={"actor": "ana"})
    actions = {e["action"] for e in answer.json()["entries"] if e["target"] == id}
    assert actions == {"saved-query.share", "saved-query.delete"}
    shared = next(e for e in answer.json()["entries"] if e["action"] == "saved-query.share")
    assert shared["reasons"] == ["otto", "group:team"]
    assert "region" not in answer.text
