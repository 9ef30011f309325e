"""What the pages ask of the HTTP door to offer only what somebody may do, and to show people what happened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from catalog.events.events import Events
from policies.access.identity import Identity
from tests.api_world import ApiWorld, world

DECLARED = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: "*"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: platform}
spec: {permissions: [manage, scan]}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: grace}
spec: {roles: [platform]}
---
apiVersion: weir/v1
kind: User
metadata: {name: gone}
spec: {roles: [platform], disabled: true}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: otto}]}
"""
ASKED = {"dataset": "prod/orders", "fields": ["value.customer.email"], "purpose": "campaign"}


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home")) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(DECLARED)
        yield weir


def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def test_me_says_of_every_permission_whether_one_holds_it_and_who_does(weir: ApiWorld) -> None:
    ana = ok(weir.user("ana").get("/api/v1/me"))["capabilities"]
    assert ana["manage"] == {"allowed": False, "roles": ["admin", "platform"], "users": ["admin", "grace"]}
    assert not any(each["allowed"] for each in ana.values())
    assert ok(weir.user("grace").get("/api/v1/me"))["capabilities"]["scan"]["allowed"]
    assert all(each["allowed"] for each in ok(weir.admin.get("/api/v1/me"))["capabilities"].values())


def test_a_dataset_says_what_the_caller_may_do_with_it(weir: ApiWorld) -> None:
    def may(user: str) -> Any:
        return ok(weir.user(user).get("/api/v1/datasets/prod/orders"))["may"]

    assert may("ana") == {"edit": False, "curate": False, "review": False, "access": False, "scan": False}
    assert may("otto") == {"edit": False, "curate": True, "review": True, "access": True, "scan": False}
    assert may("grace") == {"edit": True, "curate": True, "review": False, "access": False, "scan": True}


def test_a_classification_says_whether_the_caller_may_review_it(weir: ApiWorld) -> None:
    def may(client: TestClient) -> set[bool]:
        return {row["mayReview"] for row in ok(client.get("/api/v1/classifications"))["classifications"]}

    assert may(weir.admin) == {True} == may(weir.user("otto"))
    assert may(weir.user("ana")) == {False}


def test_a_pending_request_names_who_can_decide_and_how_long_that_takes(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    first = ok(ana.post("/api/v1/access-requests", json=ASKED), 201)
    assert first["deciders"] == ["otto"] and first["usualSeconds"] is None
    decided = ok(otto.post(f"/api/v1/access-requests/{first['id']}/approve"))
    assert decided["deciders"] == [] and decided["usualSeconds"] is None
    second = ok(ana.post("/api/v1/access-requests", json={**ASKED, "purpose": "again"}), 201)
    assert second["usualSeconds"] >= 0
    listed = ok(ana.get("/api/v1/access-requests", params={"state": "pending"}))["requests"]
    assert [each["deciders"] for each in listed] == [["otto"]]


def test_the_requester_is_told_by_the_stream_and_others_are_not(weir: ApiWorld) -> None:
    ana, otto, stranger = weir.user("ana"), weir.user("otto"), weir.user("grace-not")
    newest = ok(weir.admin.get("/api/v1/events"))["next"]
    answer = ok(ana.post("/api/v1/access-requests", json={**ASKED, "purpose": "told"}), 201)
    ok(otto.post(f"/api/v1/access-requests/{answer['id']}/deny", json={"reason": "no"}))

    from api.features.events.service import VisibleEvents
    from catalog.event_model import EventFilter

    events = weir.services[Events].list(EventFilter(after=newest), 10)
    assert [e.type for e in events] == ["weir.access.requested", "weir.access.decided"]

    def seen(client: TestClient) -> list[bool]:
        subject = weir.services[Identity].authenticate(client.headers["authorization"].partition(" ")[2])
        return [weir.services[VisibleEvents].may_see(subject, event) for event in events]

    assert seen(ana) == [True, True] == seen(otto)
    assert seen(stranger) == [False, False]


def test_a_stream_goes_by_the_rights_of_each_moment(tmp_path: Any) -> None:
    """Counts that an event has are for those who may scan now, not for those who could when the stream was opened."""
    from api.features.events.routes import stream
    from api.features.events.service import VisibleEvents
    from api.guard.credentials import Credential

    class Open:
        async def is_disconnected(self) -> bool:
            return False

    with world(tmp_path) as other:
        other.scan(bootstrapServers="localhost:9092")
        plain = other.user("ana")
        seen = {each["id"]: each for each in ok(plain.get("/api/v1/events"))["events"]}
        assert seen and seen != {each["id"]: each for each in ok(other.admin.get("/api/v1/events"))["events"]}
        given = Credential(plain.headers["authorization"].partition(" ")[2])

        async def first() -> list[str]:
            answer = await stream(Open(), other.services[VisibleEvents], other.services, given, 0)  # type: ignore[arg-type]
            blocks = [str(bytes(await anext(answer.body_iterator)), "utf-8") for _ in range(len(seen) + 1)]  # type: ignore[attr-defined]
            await answer.body_iterator.aclose()  # type: ignore[attr-defined]
            return blocks[1:]

        for block in asyncio.run(first()):
            event = json.loads(block.split("data: ", 1)[1])
            assert event == seen[event["id"]]


def test_a_cluster_that_only_a_scan_met_can_be_removed(weir: ApiWorld, tmp_path: Any) -> None:
    with world(tmp_path) as other:
        other.scan(bootstrapServers="localhost:9092")
        (cluster,) = ok(other.admin.get("/api/v1/clusters"))["clusters"]
        assert cluster["declared"] is False and cluster["datasets"] == 1
        path = f"/api/v1/clusters/{cluster['name']}"
        ok(other.user("ana").delete(path), 403)
        assert ok(other.admin.delete(path))["datasets"] == 1
        assert ok(other.admin.get("/api/v1/clusters"))["clusters"] == []
        assert ok(other.admin.get("/api/v1/datasets"))["total"] == 0
        ok(other.admin.delete(path), 404)
        # What a later scan meets is there again, with its topics.
        other.scan(bootstrapServers="localhost:9092")
        assert ok(other.admin.get("/api/v1/datasets"))["total"] == 1
        (name,) = [c["name"] for c in ok(other.admin.get("/api/v1/clusters"))["clusters"]]
        assert ok(other.admin.delete(f"/api/v1/declared/Cluster/{name}"))["datasets"] == 1
    refused = weir.admin.delete("/api/v1/clusters/prod")
    assert refused.status_code == 409 and "prod/orders" in json.dumps(refused.json())


def test_the_places_of_a_report_may_be_asked_for_first(weir: ApiWorld) -> None:
    asked = {"entity": "EMAIL_ADDRESS"}
    first = ok(weir.admin.get("/api/v1/reports/where-is", params={**asked, "access": False}))["places"]
    whole = ok(weir.admin.get("/api/v1/reports/where-is", params=asked))["places"]
    assert first and [place["access"] for place in first] == [None] * len(first)
    assert [{**place, "access": None} for place in whole] == first and any(place["access"] for place in whole)
    refused = weir.admin.get("/api/v1/reports/where-is", params={**asked, "access": False, "format": "csv"})
    assert refused.status_code == 400 and "leave access=false out, or take format=json" in refused.text


def test_the_report_names_its_author_time_and_inputs(weir: ApiWorld) -> None:
    page = weir.admin.get("/api/v1/reports/where-is", params={"entity": "EMAIL_ADDRESS", "format": "html"}).text
    for text in ("<dt>Made by</dt><dd>admin</dd>", "UTC</dd>", "sha256:", "Owner: otto", "Retention"):
        assert text in page
