"""A request for a Kafka consumer ends in an ACL on the topic, or on a masked copy that all with the same decision share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.wiring.access_services import EffectiveAccess
from catalog.broker_acls import BrokerAcl, BrokerAcls, Pattern, Resource
from catalog.errors import ErrorParts
from catalog.topic_details import AclsKnown
from policies.broker_rights.consumer_access import ConsumerReads
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.watch import RightsWatch
from tests.api_world import ApiWorld, orders, record, world
from tests.features.rights.test_rights_plan import acl
from tests.twins.views import MemoryServingTable, MemoryViewStates
from views.model import State
from views.runner.state import Generation, ViewState

BROKER = "localhost:9092"
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092"}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: orders}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: fresh}
spec: {owners: [{user: otto}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [PII]}, mask: {type: MASK_HASH}}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: shop}
spec: {owner: ana}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: billing}
spec: {owner: ana}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: shop-app}
spec: {principals: ["User:shop"], subject: {serviceAccount: shop}, consumerGroups: ["shop-*"]}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: billing}
spec: {principals: ["User:billing"], subject: {serviceAccount: billing}, consumerGroups: ["billing"]}
---
apiVersion: weir/v1
kind: Principal
metadata: {name: twice-1}
spec: {principals: ["User:twice"], subject: {user: ana}, clusters: ["pro*"]}
---
apiVersion: weir/v1
kind: User
metadata: {name: boss}
spec: {roles: [admin]}
"""
TWICE = """
apiVersion: weir/v1
kind: Principal
metadata: {name: twice-2}
spec: {principals: ["User:twice"], subject: {user: otto}, clusters: ["*od"]}
"""
MORE_MASKS = """
apiVersion: weir/v1
kind: Policy
metadata: {name: regions}
spec: {type: mask, match: {fields: [{dataset: prod/orders, path: value.region}]}, mask: {type: MASK_HASH}}
"""
RAW = acl("User:shop", "orders")
GROUP = acl("User:shop", "shop-", Resource.GROUP, pattern=Pattern.PREFIXED)


class Story:
    """A world with the duties of the worker, a clock, and a runner of views that is the test."""

    def __init__(self, folder: Path) -> None:
        self.states = MemoryViewStates()
        self.states.beat(datetime.now(UTC) + timedelta(days=9))
        topics = {
            "orders": orders(30),
            "fresh": [record({"at": n}, offset=n) for n in range(30)],
        }
        self._world = world(folder, topics, view_states=self.states, serving=MemoryServingTable())
        self.weir: ApiWorld = self._world.__enter__()
        self.ahead = timedelta()
        self.weir.apply(DECLARED)
        self.weir.scan(cluster="prod", topics=["orders"])
        self.weir.acls.by_address[BROKER] = BrokerAcls(
            AclsKnown.YES, (), own="User:weir", topics=frozenset({"orders", "fresh"}), everyone_if_no_acl=False
        )
        services = self.weir.services
        self.watch, self.keeper = services[RightsWatch], services[CopyKeeper]
        self.watch._clock = self.keeper._clock = self.clock  # noqa: SLF001
        services[ConsumerReads]._clock = self.clock  # noqa: SLF001
        services[EffectiveAccess].moments.clock = self.clock
        self.ana, self.otto = self.weir.user("ana"), self.weir.user("otto")

    def clock(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def close(self) -> None:
        self._world.__exit__(None, None, None)

    def step(self, later: timedelta = timedelta(seconds=6)) -> None:
        self.ahead += later
        self.watch.step()
        self.keeper.step()
        self.watch.step()

    def ask(self, consumer: str = "shop", status: int = 201, **more: Any) -> dict[str, Any]:
        body = {"dataset": "prod/orders", "purpose": "audit", "consumer": consumer, **more}
        answer = self.ana.post("/api/v1/access-requests", json=body)
        assert answer.status_code == status, answer.text
        given: dict[str, Any] = answer.json()
        return given

    def approved(self, consumer: str = "shop", part: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        request = self.ask(consumer, **more)
        answer = self.otto.post(f"/api/v1/access-requests/{request['id']}/approve", json=part or {})
        assert answer.status_code == 200, answer.text
        given: dict[str, Any] = answer.json()
        return given

    def right(self, consumer: str = "shop", dataset: str = "prod/orders") -> dict[str, Any]:
        answer = self.ana.get("/api/v1/rights/consumer", params={"dataset": dataset, "consumer": consumer})
        assert answer.status_code == 200, answer.text
        given: dict[str, Any] = answer.json()
        return given

    def copies(self) -> list[dict[str, Any]]:
        copies: list[dict[str, Any]] = self.weir.admin.get("/api/v1/rights/copies").json()["copies"]
        return copies

    def built(self, copy: dict[str, Any]) -> None:
        """The runner has built a copy: it has a generation, and its topic is at the brokers."""
        generation = Generation(
            id=f"1-{'ab' * 8}",
            number=1,
            declared="d",
            cluster="prod",
            topic=copy["topic"],
            private=False,
            begins={0: 0},
            goal={"orders": {0: 30}},
            checkpoint="/state/1",
            columns=[["order_id", "string"]],
            keys=[],
            single=False,
            sources=["prod/orders"],
            reads="r",
            created="2026-11-23T10:00:00Z",
            why="it was declared",
            streams={"orders": "prod"},
            made_of=[],
        )
        state = ViewState(state=State.RUNNING, since="2026-11-23T10:00:00Z", active=generation)
        self.states.put(copy["view"], state.to_json())
        known = self.weir.acls.by_address[BROKER]
        self.weir.acls.by_address[BROKER] = replace(known, topics=known.topics | {copy["topic"]})

    def failed(self, copy: dict[str, Any], message: str) -> None:
        error: ErrorParts = {"code": "conflict", "message": message, "details": {}}
        self.states.put(copy["view"], ViewState(state=State.FAILED, since="x", error=error).to_json())

    def live(self) -> set[BrokerAcl]:
        return {each for each in self.weir.acls.by_address[BROKER].acls if each.allow}


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    opened = Story(tmp_path / "weir")
    yield opened
    opened.close()


def test_approved_unmasked_it_reads_the_topic_until_the_grant_ends(story: Story) -> None:
    assert story.right()["state"] == "none"
    story.ask()
    assert story.right()["state"] == "waiting"
    story.approved()
    assert story.right()["state"] == "opening" and story.live() == set()
    story.step()
    assert story.live() == {RAW, GROUP}  # nobody had to apply it: people approved it
    right = story.right()
    assert (right["state"], right["topic"], right["groups"]) == ("unmasked", "orders", ["shop-*"])
    assert 'consumer.subscribe(["orders"])' in right["clients"]["python"]
    story.step(timedelta(days=400))
    assert RAW not in story.live()
    assert story.right()["state"] == "ended"


def test_approved_masked_it_reads_a_copy_that_is_shared_and_goes_when_nobody_needs_it(story: Story) -> None:
    story.approved("shop-app", {"unmask": []})
    story.approved("billing", {"unmask": []})
    story.step()
    (copy,) = story.copies()  # one decision, one copy
    assert copy["readers"] == ["User:billing", "User:shop"] and copy["topic"].startswith("orders.masked-")
    assert story.right()["state"] == "building" and story.live() == set()
    story.built(copy)
    story.step()
    reads = {acl("User:shop", copy["topic"]), acl("User:billing", copy["topic"])}
    assert reads <= story.live() and RAW not in story.live()
    right = story.right()
    assert (right["state"], right["topic"]) == ("masked", copy["topic"])
    assert copy["topic"] in right["clients"]["spark"]
    findings = story.weir.admin.get("/api/v1/rights/findings", params={"kind": "rawReadWithoutGrant"}).json()
    assert findings["findings"] == []
    story.step(timedelta(days=400))
    assert not reads & story.live()
    story.step()
    (copy,) = story.copies()
    assert copy["readers"] == [] and copy["removedAt"] is not None  # its grace is told
    story.step(timedelta(hours=25))
    assert story.copies() == []


def test_another_decision_is_another_copy_and_the_old_one_closes_at_once(story: Story) -> None:
    story.approved("shop", {"unmask": []})
    story.step()
    (before,) = story.copies()
    story.built(before)
    story.step()
    assert acl("User:shop", before["topic"]) in story.live()
    story.weir.apply(MORE_MASKS)
    story.watch.step()
    assert acl("User:shop", before["topic"]) not in story.live()  # at the next step, before the new copy is there
    story.step()
    (after,) = [each for each in story.copies() if each["readers"]]
    assert after["topic"] != before["topic"]
    assert story.right()["state"] == "building"


@pytest.mark.parametrize("wide", [False, True])
def test_an_adopted_acl_on_a_copy_ends_with_the_right_to_the_copy(story: Story, wide: bool) -> None:
    story.approved("shop", {"unmask": []})
    grant = story.approved("billing", {"unmask": []})["grant"]
    story.step()
    (copy,) = story.copies()
    story.built(copy)
    name, pattern = ("orders.masked-", Pattern.PREFIXED) if wide else (copy["topic"], Pattern.LITERAL)
    by_hand = replace(acl("User:billing", name, pattern=pattern), host="10.0.0.7")
    story.weir.acls.create({}, [BROKER], [by_hand])
    body = {"cluster": "prod", "principal": "User:billing"}
    assert story.weir.admin.post("/api/v1/rights/adopt", json=body).status_code == 200
    story.step()
    assert by_hand in story.live()  # it may read the copy
    assert story.ana.delete(f"/api/v1/grants/{grant}").status_code == 200
    story.step(timedelta(seconds=1))
    assert not {each for each in story.live() if each.principal == "User:billing" and each.resource is Resource.TOPIC}
    assert acl("User:shop", copy["topic"]) in story.live()


def test_an_acl_made_by_hand_on_a_copy_of_others_is_reported(story: Story) -> None:
    story.approved("shop", {"unmask": []})
    story.step()
    (copy,) = story.copies()
    story.built(copy)
    story.step(timedelta(seconds=40))
    by_hand = acl("User:billing", copy["topic"])
    story.weir.acls.create({}, [BROKER], [by_hand])
    story.step(timedelta(seconds=40))
    findings = story.weir.admin.get("/api/v1/rights/findings", params={"kind": "changedByHand"}).json()["findings"]
    assert [each["principal"] for each in findings] == ["User:billing"]
    assert by_hand in story.live()  # somebody else's: reported, and left


def test_a_part_of_the_fields_is_a_copy_of_its_own(story: Story) -> None:
    story.approved("shop", {"unmask": []})
    story.approved("billing", {"unmask": ["value.customer.email"]})
    story.step()
    assert len({each["topic"] for each in story.copies()}) == 2


def test_a_topic_that_no_scan_has_looked_at_gets_no_copy(story: Story) -> None:
    story.approved("shop", {"unmask": []}, dataset="prod/fresh")
    story.step()
    right = story.right(dataset="prod/fresh")
    assert (right["state"], right["topic"], story.copies()) == ("blocked", None, [])
    assert right["text"].startswith("No scan has looked at prod/fresh yet") and "weir scan" in right["text"]


def test_a_copy_that_cannot_be_built_is_named(story: Story) -> None:
    story.approved("shop", {"unmask": []})
    story.step()
    (copy,) = story.copies()
    story.failed(copy, "The topic holds records that are not this view's.")
    story.step()
    right = story.right()
    assert right["state"] == "blocked" and "records that are not this view's" in right["text"]
    assert story.live() == set()


def test_a_grant_that_ends_while_its_copy_is_built_opens_nothing(story: Story) -> None:
    request = story.approved("shop", {"unmask": []})
    story.step()
    (copy,) = story.copies()
    revoked = story.ana.delete(f"/api/v1/grants/{request['grant']}")
    assert revoked.status_code == 200, revoked.text
    story.built(copy)
    story.step()
    assert story.live() == set() and story.right()["state"] == "ended"
    assert story.copies()[0]["removedAt"] is not None


def test_the_acl_of_a_topic_that_was_deleted_goes_with_an_apply_and_is_named(story: Story) -> None:
    story.approved()
    story.step()
    known = story.weir.acls.by_address[BROKER]
    story.weir.acls.by_address[BROKER] = replace(known, topics=frozenset({"fresh"}))
    right = story.right()
    assert right["state"] == "blocked" and right["text"].startswith("The topic orders is not at the brokers.")
    plan = story.weir.admin.get("/api/v1/rights/plan").json()
    assert [(c["action"], c["kind"]) for c in plan["changes"] if c["acl"] == str(RAW)] == [("delete", "topicGone")]


def test_consumers_that_cannot_be_asked_for_are_refused_in_a_sentence(story: Story) -> None:
    unknown = story.ask("nobody-knows", 400)["error"]["message"]
    assert "'nobody-knows' is not a known consumer at prod" in unknown
    story.weir.apply(TWICE)
    two = story.ask("twice", 409)["error"]["message"]
    assert "the person ana and the person otto" in two
    stranger = story.weir.user("eve").post(
        "/api/v1/access-requests", json={"dataset": "prod/orders", "purpose": "audit", "consumer": "shop"}
    )
    assert stranger.status_code in (403, 404), stranger.text
    other = story.otto.post(
        "/api/v1/access-requests", json={"dataset": "prod/orders", "purpose": "audit", "consumer": "shop"}
    )
    assert other.status_code == 403 and "is the service account shop" in other.json()["error"]["message"]


def test_a_principal_that_becomes_somebody_else_reads_nothing_by_the_grant(story: Story) -> None:
    story.approved()
    story.step()
    assert RAW in story.live()
    story.weir.apply(
        DECLARED.replace(
            'principals: ["User:shop"], subject: {serviceAccount: shop}',
            'principals: ["User:shop"], subject: {serviceAccount: billing}',
        )
    )
    story.watch.step()
    assert RAW not in story.live()
    story.step()
    assert story.right()["state"] == "blocked"


def test_an_extension_keeps_the_consumer(story: Story) -> None:
    request = story.approved()
    until = (datetime.now(UTC) + timedelta(days=60)).isoformat()
    asked = story.ana.post(f"/api/v1/grants/{request['grant']}/extend", json={"until": until})
    assert asked.status_code in (200, 201), asked.text
    assert asked.json()["consumer"]["principal"] == "User:shop"
