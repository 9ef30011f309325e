"""The inbox over HTTP: each person has rows of what they may know of and do, each with a page that lists what is counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from api.features.health.service import Health, Report
from api.features.inbox.service import Inboxes
from catalog.datasets.datasets import Datasets
from catalog.lags import GroupLag
from catalog.ports import CatalogStore
from policies.access.grants import Grants
from policies.access.identity import Identity
from tests.api_world import ApiWorld, orders, prepared, record, world

AT = "/api/v1/inbox"
DECLARED = """
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: officer}
spec: {permissions: [review, "report:read"]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reader}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: petra}
spec: {roles: [officer]}
---
apiVersion: weir/v1
kind: Domain
metadata: {name: shop}
spec: {datasets: ["prod/orders"], stewards: {users: [sam]}}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [reader]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: owners}
spec: {match: {datasets: ["prod/*"]}, stages: [{name: owner, approvers: {owners: true}}]}
"""
HIDDEN = """
apiVersion: weir/v1
kind: Visibility
metadata: {name: vault}
spec:
  match: {datasets: [prod/vault]}
  existence: {users: [otto]}
"""
MASKED = """
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}}
"""


@pytest.fixture
def topics() -> dict[str, Any]:
    vault = [record({"contact": f"p{n}@mail.example.com"}, offset=n) for n in range(50)]
    return {"orders": orders(50), "vault": vault}


@pytest.fixture
def weir(tmp_path: Path, topics: dict[str, Any]) -> Iterator[ApiWorld]:
    with prepared(tmp_path, topics, _state) as created:
        yield created


def _state(weir: ApiWorld) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod")
    weir.apply(DECLARED)


@pytest.fixture(autouse=True)
def _disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it is free, whatever this machine has."""
    _free(monkeypatch, 50)


def _free(monkeypatch: pytest.MonkeyPatch, percent: int) -> None:
    size = 100 * 2**30
    usage = SimpleNamespace(total=size, used=size * (100 - percent) // 100, free=size * percent // 100)
    monkeypatch.setattr("api.features.inbox.operation.shutil.disk_usage", lambda _: usage)


def inbox(client: Any) -> dict[str, Any]:
    answer = client.get(AT)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def rows(client: Any, kind: str) -> list[dict[str, Any]]:
    answer = inbox(client)
    assert answer["uncounted"] == []
    return [each for each in answer["rows"] if each["kind"] == kind]


def row(client: Any, kind: str) -> dict[str, Any]:
    (one,) = rows(client, kind)
    return one


def test_a_row_of_detections_counts_what_its_list_counts(weir: ApiWorld) -> None:
    petra = weir.user("petra")
    one = row(petra, "detection")
    listed = petra.get("/api/v1/classifications", params={"state": "suggested"}).json()["total"]
    doubtful = petra.get("/api/v1/classifications", params={"doubtful": True}).json()["total"]
    assert one["count"] == listed > 0
    assert one["subject"] == f"{listed} detections"
    assert (f"{doubtful} doubtful" in one["text"]) is (doubtful > 0)
    assert (one["duty"], one["link"]) == ("officer", "/review?state=suggested")


def test_an_owner_reviews_their_own_datasets_alone(weir: ApiWorld) -> None:
    own = [
        each
        for each in weir.admin.get("/api/v1/datasets/prod/orders/classifications").json()
        if each["state"] == "suggested"
    ]
    one = row(weir.user("otto"), "detection")
    assert (one["count"], one["duty"]) == (len(own), "owner")
    assert rows(weir.user("ana"), "detection") == []


def test_people_who_see_personal_data_unmasked_are_counted_until_a_mask_holds(weir: ApiWorld) -> None:
    petra = weir.user("petra")
    before = {each["subject"] + " " + each["text"]: each for each in rows(petra, "unmasked")}
    mail = next(each for text, each in before.items() if "e-mail" in text)
    assert mail["count"] == 2, before  # ana by her role, otto as an owner
    assert mail["subject"] == "2 people"
    assert mail["link"] == "/reports?entity=EMAIL_ADDRESS"
    weir.apply(MASKED)
    assert not [each for each in rows(petra, "unmasked") if "e-mail" in each["text"]]
    assert rows(weir.user("ana"), "unmasked") == []


def test_topics_with_personal_data_and_without_an_owner(weir: ApiWorld) -> None:
    one = row(weir.user("petra"), "unowned")
    assert (one["count"], one["text"]) == (1, "has no owner")
    assert rows(weir.user("otto"), "unowned") == []


def test_who_may_not_know_of_a_dataset_gets_no_count_of_it(weir: ApiWorld) -> None:
    """A steward of a domain and an analyst: neither learns, by any row, that there is another dataset."""
    store = weir.services[CatalogStore]
    vault = next(each.id for each in store.outlines() if each.id.name == "vault")
    weir.services[Datasets].record_scan_failure(vault, "Spark ended at vault.")
    sam, ana, otto = (weir.user(name) for name in ("sam", "ana", "otto"))
    own = weir.admin.get("/api/v1/datasets/prod/orders/classifications").json()
    suggested = sum(each["state"] == "suggested" for each in own)
    assert row(sam, "new-data")["count"] == 2
    weir.apply(HIDDEN)
    assert row(weir.admin, "failed-scan")["count"] == 1
    assert row(sam, "detection")["count"] == suggested
    assert rows(sam, "unowned") == []
    for hidden_from in (sam, ana):
        assert rows(hidden_from, "failed-scan") == []
        assert row(hidden_from, "new-data")["count"] == 1
        assert "vault" not in hidden_from.get(AT).text
    assert row(otto, "new-data")["count"] == 2


def test_a_request_waits_for_its_owner_and_not_for_who_asked(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    until = (datetime.now(UTC) + timedelta(days=3)).isoformat()
    asked = ana.post("/api/v1/access-requests", json={"dataset": "prod/orders", "purpose": "fraud", "until": until})
    assert asked.status_code == 201, asked.text
    id = asked.json()["id"]
    one = row(otto, "request")
    assert (one["subject"], one["text"]) == ("1 request", "waits for your decision")
    assert one["link"] == f"/requests/{id}"
    assert one["since"] == asked.json()["createdAt"]
    assert rows(ana, "request") == []
    otto.post(f"/api/v1/access-requests/{id}/ask-back", json={"text": "Why?"})
    assert row(ana, "question")["link"] == f"/requests/{id}"
    assert rows(otto, "request") == []


def test_a_grant_that_ends_soon_is_its_holders(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    for days in (3, 30):
        until = (datetime.now(UTC) + timedelta(days=days)).isoformat()
        body = {"dataset": "prod/orders", "purpose": f"in {days}", "until": until}
        id = ana.post("/api/v1/access-requests", json=body).json()["id"]
        assert otto.post(f"/api/v1/access-requests/{id}/approve", json={}).status_code == 200
    one = row(ana, "grant")
    assert one["subject"] == "Your grant on prod/orders"
    assert one["until"] is not None
    assert rows(otto, "grant") == []


def test_a_broken_contract_is_its_owners_with_the_record_that_breaks_it(weir: ApiWorld, topics: dict[str, Any]) -> None:
    draft = weir.admin.get("/api/v1/contracts/draft", params={"dataset": "prod/orders"}).json()
    document = {**draft["document"], "status": "active"}
    weir.apply(
        yaml.safe_dump({"apiVersion": "weir/v1", "kind": "Contract", "metadata": {"name": "orders"}, "spec": document})
    )
    assert rows(weir.user("otto"), "contract") == []
    topics["orders"].append(record({"order_id": 7, "region": "EU"}, key="k50", offset=50))
    weir.scan(cluster="prod", topics=["orders"])
    one = row(weir.user("otto"), "contract")
    assert one["tone"] == "broken"
    assert one["subject"] == "Contract orders"
    assert one["text"] == "is broken at 0:50"
    assert one["link"] == "/datasets/prod/orders/contracts"
    assert rows(weir.user("ana"), "contract") == []


def test_lag_is_for_who_operates(weir: ApiWorld) -> None:
    store = weir.services[CatalogStore]
    at = datetime.now(UTC).replace(microsecond=0)
    store.add_lags([GroupLag("prod", "orders", "billing", 70_000), GroupLag("prod", "vault", "small", 3)], at)
    one = row(weir.admin, "consumer-lag")
    assert one["count"] == 1
    assert "most billing on orders: 70,000 records" in one["text"]
    assert rows(weir.user("petra"), "consumer-lag") == []


def test_a_scan_that_failed_is_told_once(weir: ApiWorld) -> None:
    datasets = weir.services[Datasets]
    datasets.record_scan_failure(next(iter(weir.services[CatalogStore].outlines())).id, "Spark ended.")
    one = row(weir.admin, "failed-scan")
    assert (one["count"], one["link"]) == (1, "/datasets?show=failed")
    assert rows(weir.user("ana"), "failed-scan") == []


def test_a_server_that_does_not_answer_is_for_who_operates(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Health, "check", lambda _: Report({"spark": "Spark does not answer.", "kafka": None}, 5_000))
    one = row(weir.admin, "server")
    assert (one["subject"], one["tone"]) == ("Spark", "broken")
    assert row(weir.admin, "lineage-lag")["count"] == 5_000
    assert rows(weir.user("ana"), "server") == []


def test_a_part_that_takes_too_long_keeps_no_other_back(weir: ApiWorld) -> None:
    let_go = threading.Event()

    def wait() -> None:
        let_go.wait(30)

    services = replace(weir.services[Inboxes].services, certificate_end=wait)
    slow = Inboxes(services, patience_s=2.0)
    subject = weir.services[Identity].current("petra")
    began = time.monotonic()
    answer = slow.of(subject)
    assert time.monotonic() - began < 20
    assert [each.part for each in answer.uncounted] == ["certificate"]
    assert "2 seconds" in answer.uncounted[0].message
    assert "detection" in {each.kind for each in answer.rows}
    let_go.set()
    slow.close()


def test_a_first_look_has_what_is_counted_soon_and_the_whole_look_joins_the_rest(weir: ApiWorld) -> None:
    let_go, begun = threading.Event(), []

    def wait() -> None:
        begun.append(1)
        let_go.wait(30)

    services = replace(weir.services[Inboxes].services, certificate_end=wait)
    slow = Inboxes(services, patience_s=30)
    subject = weir.services[Identity].current("petra")
    first = slow.of(subject, within_s=3)
    assert first.counting == ["certificate"] and first.uncounted == [] and first.next is None
    assert "detection" in {each.kind for each in first.rows}
    let_go.set()
    whole = slow.of(subject)
    assert whole.counting == [] and whole.uncounted == [] and begun == [1]
    assert [each.subject for each in whole.rows] == [each.subject for each in first.rows]
    slow.of(subject)
    assert begun == [1, 1], "what a whole look has read is counted again"
    slow.close()


@pytest.mark.parametrize(("within", "status"), [("1", 200), ("0", 400), ("soon", 400)])
def test_how_long_to_wait_is_a_number_of_seconds(weir: ApiWorld, within: str, status: int) -> None:
    answer = weir.admin.get("/api/v1/inbox", params={"within": within})
    assert answer.status_code == status, answer.text
    if status == 200:
        assert set(answer.json()) == {"rows", "uncounted", "counting", "next"}


def test_a_part_that_cannot_be_counted_says_so_and_the_others_are_there(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ValueError("a secret value")

    monkeypatch.setattr(Grants, "access_of_each", fail)
    answer = inbox(weir.user("petra"))
    assert [each["part"] for each in answer["uncounted"]] == ["people who see personal data"]
    assert "a secret value" not in str(answer)
    assert "detection" in {each["kind"] for each in answer["rows"]}
    assert answer["next"] is None


def test_a_disk_that_is_nearly_full_is_for_who_manages(weir: ApiWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows(weir.admin, "disk") == []
    _free(monkeypatch, 9)
    one = row(weir.admin, "disk")
    assert (one["subject"], one["text"]) == ("9.0 GiB", "free on the disk of Weir's folder, 9%")
    assert rows(weir.user("petra"), "disk") == []


def test_an_empty_inbox_says_what_to_do_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Health, "check", lambda _: Report({"kafka": None}, 0))
    with world(tmp_path, {}) as empty:
        assert inbox(empty.admin)["next"]["link"] == "/admin/clusters?add=cluster"
        assert inbox(empty.user("ana"))["next"]["link"] == "/search"


def test_nobody_reads_an_inbox_without_signing_in(weir: ApiWorld) -> None:
    assert weir.anonymous().get(AT).status_code == 401
