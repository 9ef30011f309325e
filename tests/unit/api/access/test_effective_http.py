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
from policies.audit_export import verify
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
    answer = weir.admin.get("/api/v1/explain/compare", params={
        "dataset": "prod/orders", "left": "late", "leftAsOf": before, "right": "otto",
    }).json()  # fmt: skip
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
    answer = weir.user("ana").get(
        "/api/v1/explain/compare", params={"dataset": "prod/orders", "leftAsOf": before}
    ).json()  # fmt: skip
    assert answer["left"]["shows"] == "clear" and answer["right"]["shows"] == "partly"
    assert [(c["kind"], c["name"], c["by"]) for c in answer["changed"]] == [("Grant", "ana-fraud", "admin")]
    state = weir.services.state
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
    weir.services.audit.record(
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

    weir.services.audit.record(
        "eva", "query", "prod/orders", "allow", (), {"fields": {"prod/orders": ["value.customer"]}, "grants": ["g-eva"]}
    )
    assert collected(person="eva") == ["query"] and collected(grant="g-eva") == ["query"]
    assert collected(field="value.customer.email", person="eva") == ["query"]  # what it is a part of was read
    assert collected(field="value", person="eva") == ["query"] and collected(field="key", person="eva") == []
    assert collected(field="value.customer", dataset="prod/orders", person="eva") == ["query"]
    assert collected(field="value.customer", dataset="prod/other") == []
    assert "grant.revoke" in collected(action="grant") and "grant.revoke" in collected(person="ana", action="grant")


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
