"""Who has access and why, by HTTP: lists, people, unused rights, comparisons, and who may ask; the signed audit export."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from policies.adapters.signing import verified
from policies.audit.actions import AuditAction
from policies.audit.file_check import verify
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.ports import Change
from tests.api_world import ApiWorld, orders, world

SOON = (datetime.now(UTC) + timedelta(days=9)).isoformat()
LONG_AGO = (datetime.now(UTC) - timedelta(days=200)).isoformat()
RULES = f"""
apiVersion: weir/v1
kind: Role
metadata: {{name: reader}}
spec: {{read: [{{dataset: "prod/*"}}]}}
---
apiVersion: weir/v1
kind: Group
metadata: {{name: sales}}
spec: {{members: [ana, ben], roles: [reader]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{roles: [reader]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: aud}}
spec: {{roles: [auditor]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: nobody}}
spec: {{}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: mask-mail}}
spec:
  type: mask
  match: {{fields: [{{dataset: prod/orders, path: value.region}}]}}
  mask: {{type: MASK_HASH}}
  subjects: {{everyone: true}}
  except: {{users: [otto], purposes: [fraud]}}
---
apiVersion: weir/v1
kind: Grant
metadata: {{name: ana-fraud}}
spec:
  subject: {{user: ana}}
  dataset: prod/orders
  unmask: ["*"]
  purpose: fraud
  validFrom: "{LONG_AGO}"
  validTo: "{SOON}"
  status: approved
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    folder: Path = tmp_path_factory.mktemp("access")
    with world(folder, {"orders": orders(20)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        opened.apply(RULES)
        yield opened


def entries(answer: Any) -> dict[str, dict[str, Any]]:
    return {e["name"] + (f" for {e['purpose']}" if e["purpose"] else ""): e for e in answer.json()["entries"]}


def test_each_reader_of_a_field_comes_with_the_rules_behind_it(weir: ApiWorld) -> None:
    answer = weir.admin.get("/api/v1/access/datasets/prod/orders", params={"field": "value.region"})
    collected = entries(answer)
    assert answer.status_code == 200 and set(collected) == {"ana", "ben", "otto"}
    assert collected["ben"]["shows"] == "masked" and collected["ben"]["masks"] == ["MASK_HASH"]
    (role,) = [r for r in collected["ben"]["rules"] if r["kind"] == "role"]
    assert role["name"] == "reader" and role["how"] == ["group sales"]
    assert collected["otto"]["shows"] == "clear"
    kinds = {(r["kind"], r["name"]): r for r in collected["otto"]["rules"]}
    assert kinds["role", "reader"]["how"] == ["named"] and ("exception", "mask-mail") in kinds
    assert collected["ana"]["shows"] == "clear" and collected["ana"]["until"] is not None
    (grant,) = [r for r in collected["ana"]["rules"] if r["kind"] == "grant"]
    assert (grant["name"], grant["purpose"], grant["how"]) == ("ana-fraud", "fraud", ["named"])
    assert answer.json()["people"] == {"clear": 2, "partly": 0, "masked": 1, "none": 3}  # admin, aud, nobody


def test_of_the_past_it_is_what_was_declared_then_and_what_is_not_known_is_stated(weir: ApiWorld) -> None:
    before = datetime.now(UTC).isoformat()
    weir.apply("apiVersion: weir/v1\nkind: User\nmetadata: {name: late}\nspec: {roles: [reader]}")
    place = "/api/v1/access/datasets/prod/orders"
    assert "late" in entries(weir.admin.get(place))
    then = weir.admin.get(place, params={"asOf": before})
    assert "late" not in entries(then) and any("their past is not kept" in note for note in then.json()["notes"])
    assert weir.admin.get(place).json()["notes"] == []
    assert weir.admin.get(place, params={"asOf": "2001-01-01T00:00:00Z"}).status_code == 404
    assert weir.admin.get(place, params={"asOf": "2999-01-01T00:00:00Z"}).status_code == 400
    weir.admin.delete("/api/v1/declared/User/late")
    answer = weir.admin.get(
        "/api/v1/explain/compare",
        params={
            "dataset": "prod/orders",
            "left": "late",
            "leftAsOf": before,
            "right": "otto",
        },
    ).json()
    assert answer["left"]["shows"] == "none" and answer["right"]["shows"] == "clear"


def test_a_list_can_be_had_as_a_file(weir: ApiWorld) -> None:
    place = "/api/v1/access/datasets/prod/orders"
    lines = weir.admin.get(place, params={"format": "jsonl", "field": "value.region"}).text.splitlines()
    assert {json.loads(line)["name"] for line in lines} >= {"ana", "ben", "otto"}
    rows = list(csv.DictReader(io.StringIO(weir.admin.get(place, params={"format": "csv"}).text)))
    (ben,) = [row for row in rows if row["name"] == "ben"]
    assert ben["how"] == "role reader: group sales" and "MASK_HASH" in ben["masks"]


def test_pages_and_filters(weir: ApiWorld) -> None:
    place = "/api/v1/access/datasets/prod/orders"
    whole = weir.admin.get(place, params={"kind": ["user", "group", "role"]}).json()
    assert {"group", "role", "user"} == {e["kind"] for e in whole["entries"]}
    page = weir.admin.get(place, params={"kind": ["user", "group", "role"], "limit": 1, "offset": 1}).json()
    assert page["entries"] == whole["entries"][1:2] and page["total"] == whole["total"]
    only = weir.admin.get(place, params={"field": "value.region", "shows": "masked"})
    assert set(entries(only)) == {"ben"}
    assert weir.admin.get(place, params={"field": "value.nothing"}).status_code == 404
    assert weir.admin.get("/api/v1/access/datasets/prod/nothing").status_code == 404


def test_a_person_sees_what_they_see_and_others_may_not(weir: ApiWorld) -> None:
    ben, aud, nobody = weir.user("ben"), weir.user("aud"), weir.user("nobody")
    sheet = ben.get("/api/v1/access/people/ben").json()
    assert sheet["roles"] == [{"name": "reader", "how": ["group sales"]}] and sheet["groups"] == ["sales"]
    assert [(e["dataset"], e["shows"]) for e in sheet["entries"]] == [("prod/orders", "partly")]
    assert sheet["datasets"] == {"clear": 0, "partly": 1, "masked": 0, "none": 0}
    none = nobody.get("/api/v1/access/people/nobody").json()
    assert none["entries"][0]["shows"] == "none"
    assert ben.get("/api/v1/access/people/otto").status_code == 403
    assert ben.get("/api/v1/access/datasets/prod/orders").status_code == 403
    assert aud.get("/api/v1/access/people/otto").json()["entries"][0]["shows"] == "clear"
    assert aud.get("/api/v1/access/datasets/prod/orders").status_code == 200
    compared = {"dataset": "prod/orders", "left": "ben", "right": "otto"}
    assert ben.get("/api/v1/explain/compare", params=compared).status_code == 403
    assert ben.get("/api/v1/explain/compare", params={"dataset": "prod/orders"}).status_code == 400
    report = weir.admin.get("/api/v1/audit", params={"action": "report", "person": "aud"}).json()["entries"]
    assert {e["target"] for e in report} == {"otto", "prod/orders"}


def test_two_people_are_compared(weir: ApiWorld) -> None:
    params = {"dataset": "prod/orders", "left": "ben", "right": "otto"}
    answer = weir.admin.get("/api/v1/explain/compare", params=params).json()
    (field,) = answer["fields"]
    assert (field["path"], field["left"]["effect"], field["right"]["effect"]) == ("value.region", "mask", "allow")
    assert [(r["kind"], r["name"]) for r in answer["rules"]["right"]] == [("exception", "mask-mail")]
    assert answer["holds"]["left"] == {"groups": ["sales"], "roles": []} and answer["same"] > 0


def test_one_person_is_compared_at_two_moments_with_what_became_of_the_rules(weir: ApiWorld) -> None:
    before = datetime.now(UTC).isoformat()
    assert weir.admin.delete("/api/v1/grants/ana-fraud").status_code == 200
    answer = (
        weir.user("ana").get("/api/v1/explain/compare", params={"dataset": "prod/orders", "leftAsOf": before}).json()
    )
    assert answer["left"]["shows"] == "clear" and answer["right"]["shows"] == "partly"
    assert [(c["kind"], c["name"], c["by"]) for c in answer["changed"]] == [("Grant", "ana-fraud", "admin")]
    state = weir.services[GovernanceState]
    collected = state.store.get("Grant", "ana-fraud")
    assert collected is not None and collected.spec is not None
    again = Change(
        "Grant", "ana-fraud", {k: v for k, v in collected.spec.items() if k != "revokedBy"} | {"status": "approved"}
    )
    state.store.apply([again], datetime.now(UTC))


def test_rights_that_nobody_used_are_found_from_the_audit(weir: ApiWorld) -> None:
    def unused(**params: Any) -> set[tuple[str, str, str | None]]:
        answer = weir.admin.get("/api/v1/access/unused", params={"days": 30, **params}).json()
        return {(r["kind"], r["name"], r["person"]) for r in answer["rights"]}

    assert {("grant", "ana-fraud", "ana"), ("role", "reader", "ana"), ("role", "reader", "ben")} <= unused()
    weir.services[AuditLog].record(
        "ana",
        "query",
        "prod/orders",
        "allow",
        (),
        {"fields": {"prod/orders": ["value.region"]}, "grants": ["ana-fraud"]},
    )
    assert unused(person="ana") == set() and ("role", "reader", "ben") in unused()
    mine = weir.user("ben").get("/api/v1/access/unused", params={"days": 30}).json()
    assert {r["person"] for r in mine["rights"]} == {"ben"}
    assert any("The audit begins" in note for note in mine["notes"])


def test_the_audit_is_found_by_person_dataset_field_and_grant(weir: ApiWorld) -> None:
    def collected(**params: str) -> list[str]:
        return [e["action"] for e in weir.admin.get("/api/v1/audit", params=params).json()["entries"]]

    weir.services[AuditLog].record(
        "eva", "query", "prod/orders", "allow", (), {"fields": {"prod/orders": ["value.customer"]}, "grants": ["g-eva"]}
    )
    assert collected(person="eva") == ["query"] and collected(grant="g-eva") == ["query"]
    assert collected(field="value.customer.email", person="eva") == ["query"]  # what it is a part of was read
    assert collected(field="value", person="eva") == ["query"] and collected(field="key", person="eva") == []
    assert collected(field="value.customer", dataset="prod/orders", person="eva") == ["query"]
    assert collected(field="value.customer", dataset="prod/other") == []
    assert "grant.revoke" in collected(action="grant") and "grant.revoke" in collected(person="ana", action="grant")


def test_an_owner_learns_of_others_what_the_rules_of_their_dataset_need_and_no_more(weir: ApiWorld) -> None:
    weir.apply(
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\nspec: {owners: [{user: nobody}]}\n---\n"
        "apiVersion: weir/v1\nkind: Group\nmetadata: {name: union}\nspec: {members: [ben], roles: [card]}\n---\n"
        "apiVersion: weir/v1\nkind: Role\nmetadata: {name: card}\nspec: {read: [{dataset: other/x}]}\n---\n"
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: left}\nspec: {roles: [reader], disabled: true}"
    )
    owner = weir.user("nobody")
    sheet = owner.get("/api/v1/access/people/ben").json()
    assert sheet["groups"] == [] and sheet["roles"] == [{"name": "reader", "how": ["group sales"]}]
    assert weir.admin.get("/api/v1/access/people/ben").json()["groups"] == ["sales", "union"]
    left, unknown = (owner.get(f"/api/v1/access/people/{name}").json() for name in ("left", "no-such-person"))
    assert {**left, "person": "", "at": ""} == {**unknown, "person": "", "at": ""} and left["gone"] is None
    assert weir.admin.get("/api/v1/access/people/left").json()["gone"] is not None
    params = {"dataset": "prod/orders", "left": "ben", "right": "left"}
    compared = owner.get("/api/v1/explain/compare", params=params).json()
    assert compared["holds"]["left"] == {"groups": [], "roles": ["reader"]} and compared["rules"]["right"] == []
    weir.apply("apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\nspec: {owners: []}")


def test_what_cannot_be_read_is_named_to_those_who_may_see_all(weir: ApiWorld) -> None:
    store = weir.services[GovernanceState].store
    store.apply([Change("Policy", "secret-plan", {"type": "unknown-type"})], datetime.now(UTC))
    try:
        mine = weir.user("ben").get("/api/v1/access/people/ben").json()["notes"]
        assert "One declared document cannot be read" in mine[0] and not any("secret-plan" in note for note in mine)
        assert any("secret-plan" in note for note in weir.admin.get("/api/v1/access/people/ben").json()["notes"])
    finally:
        store.apply([Change("Policy", "secret-plan", None)], datetime.now(UTC))


def test_who_changed_a_role_is_for_those_who_may_see_all(weir: ApiWorld) -> None:
    before = datetime.now(UTC).isoformat()
    weir.apply("apiVersion: weir/v1\nkind: Role\nmetadata: {name: reader}\nspec: {read: [{dataset: other/x}]}")
    params = {"dataset": "prod/orders", "left": "ben", "leftAsOf": before}
    mine = weir.user("ben").get("/api/v1/explain/compare", params=params).json()
    all_ = weir.admin.get("/api/v1/explain/compare", params=params).json()
    weir.apply('apiVersion: weir/v1\nkind: Role\nmetadata: {name: reader}\nspec: {read: [{dataset: "prod/*"}]}')
    assert [(c["name"], c["by"]) for c in mine["changed"]] == [("reader", None)]
    assert [(c["name"], c["by"]) for c in all_["changed"]] == [("reader", "admin")]


def test_asking_about_everybodys_unused_rights_is_in_the_audit(weir: ApiWorld) -> None:
    def asked(name: str) -> list[str]:
        params = {"action": "report.access", "actor": name}
        return [e["target"] for e in weir.admin.get("/api/v1/audit", params=params).json()["entries"]]

    before = len(asked("aud"))
    assert weir.user("aud").get("/api/v1/access/unused").status_code == 200
    assert asked("aud")[0] == "unused rights" and len(asked("aud")) == before + 1
    weir.user("ben").get("/api/v1/access/unused")
    assert asked("ben") == []


def test_the_audit_finds_what_changed_the_rights_of_a_person_a_grant_and_a_dataset(weir: ApiWorld) -> None:
    def collected(**params: str) -> list[str]:
        answer = weir.admin.get("/api/v1/audit", params={"limit": 100, **params}).json()
        return [e["action"] for e in answer["entries"] if e["actor"] == "admin" or e["action"].startswith("directory")]

    weir.apply(
        "apiVersion: weir/v1\nkind: User\nmetadata: {name: mia}\nspec: {roles: [reader]}\n---\n"
        "apiVersion: weir/v1\nkind: Group\nmetadata: {name: crew}\nspec: {members: [max, eli], roles: [reader]}\n---\n"
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\nspec: {owners: [{user: olga}]}\n---\n"
        "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: etl}\nspec: {roles: [reader]}\n---\n"
        + RULES.split("---\n")[-1].replace("ana-fraud", "g-pay").replace("user: ana", "user: zoe")
    )
    for name in ("mia", "max", "eli", "olga", "etl", "zoe"):
        assert collected(person=name) == ["apply"], name
    assert collected(grant="g-pay") == ["apply"] and "apply" in collected(dataset="prod/orders")
    weir.apply("apiVersion: weir/v1\nkind: Group\nmetadata: {name: crew}\nspec: {members: [max], roles: [reader]}")
    assert collected(person="eli") == ["apply", "apply"]  # what took the right away
    assert collected(person="max") == ["apply"]  # nothing of his changed
    weir.apply("apiVersion: weir/v1\nkind: Group\nmetadata: {name: crew}\nspec: {members: [max], roles: []}")
    assert collected(person="max") == ["apply", "apply"]  # his group's roles did
    for kind, name in (("User", "mia"), ("Grant", "g-pay"), ("Group", "crew")):
        assert weir.admin.delete(f"/api/v1/declared/{kind}/{name}").status_code == 200
    assert collected(person="mia") == ["delete", "apply"] and collected(grant="g-pay")[0] == "delete"
    assert collected(person="zoe")[0] == "delete" and collected(person="max")[0] == "delete"
    token = weir.admin.post("/api/v1/tokens", json={"user": "etl", "scopes": ["read"], "days": 1}).json()
    assert weir.admin.post(f"/api/v1/tokens/{token['id']}/rotate", json={"overlapHours": 1}).status_code == 201
    assert collected(person="etl")[:2] == ["token.rotate", "token.create"]
    actions: tuple[AuditAction, ...] = (
        "directory.user.create", "directory.user.change", "directory.user.remove", "directory.user.cut",
    )  # fmt: skip
    for action in actions:
        weir.services[AuditLog].record("scim-job", action, "dora", "allow", ["was dorothea"])
    assert len(collected(person="dora")) == 4 and collected(person="dorothea") == ["directory.user.change"]
    weir.apply("apiVersion: weir/v1\nkind: Dataset\nmetadata: {cluster: prod, name: orders}\nspec: {owners: []}")


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_is_signed_and_checked_without_weir(weir: ApiWorld, form: str) -> None:
    file = weir.admin.get("/api/v1/audit/export", params={"format": form}).content
    key = weir.admin.get("/api/v1/audit/key").json()["key"]
    checked = verify(file.splitlines(keepends=True), verified, [key])
    assert checked.holds and checked.complete and checked.trusted and checked.first == 1
    assert weir.user("ben").get("/api/v1/audit/export").status_code == 403
    assert weir.admin.get("/api/v1/audit", params={"action": "audit.export"}).json()["entries"]
    part = weir.admin.get("/api/v1/audit/export", params={"format": form, "person": "aud"}).content
    some = verify(part.splitlines(keepends=True), verified)
    assert some.holds and not some.trusted and some.signed is not None and some.signed["where"] == {"person": "aud"}
