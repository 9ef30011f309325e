"""ACLs end with the right; what is changed by hand is reported, and put right where the cluster is declared enforce."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.wiring.access_services import EffectiveAccess
from catalog.broker_acls import BrokerAcl, Operation, Pattern, Resource
from policies.broker_rights.difference import mark_of
from policies.broker_rights.watch import LOOK, RightsWatch
from tests.api_world import ApiWorld
from tests.features.rights.test_rights_plan import (
    BILLING,
    BROKER,
    DECLARED,
    FRAUD,
    NOT_FRAUD,
    acl,
    applied,
    keep,
    live,
    opened,
    plan,
    post,
)

ENFORCED = DECLARED.replace(
    'spec: {bootstrapServers: "localhost:9092"}',
    'spec: {bootstrapServers: "localhost:9092", rights: {mode: enforce}}',
)
GRANT = """
apiVersion: weir/v1
kind: Grant
metadata: {{name: g-1}}
spec: {{subject: {{user: billing}}, dataset: prod/orders, purpose: audit, unmask: ["*"], status: approved,
  validFrom: "2026-01-01T00:00:00Z", validTo: "{end}"}}
"""
RAW = acl("User:fraud", "orders")


class Watched:
    """A world and its duty, with a clock of its own."""

    def __init__(self, weir: ApiWorld) -> None:
        self.weir, self.ahead = weir, timedelta()
        self.watch = weir.services[RightsWatch]
        self.watch._clock = lambda: datetime.now(UTC) + self.ahead  # noqa: SLF001
        weir.services[EffectiveAccess].moments.clock = self.watch._clock  # noqa: SLF001

    def step(self, later: timedelta = timedelta()) -> int:
        self.ahead += later
        return self.watch.step()

    def look(self) -> int:
        return self.step(LOOK)

    def events(self) -> list[str]:
        events = self.weir.admin.get("/api/v1/events", params={"type": "weir.rights.drift"}).json()["events"]
        return [each["data"]["title"] for each in events]

    def by_hand(self, *acls: BrokerAcl, without: BrokerAcl | None = None) -> None:
        keep(self.weir, *({*self.weir.acls.by_address[BROKER].acls, *acls} - {without}))

    def findings(self) -> list[dict[str, Any]]:
        answer = self.weir.admin.get("/api/v1/rights/findings", params={"kind": "changedByHand"}).json()
        findings: list[dict[str, Any]] = answer["findings"]
        return findings


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    for weir in opened(tmp_path / "weir"):
        yield Watched(weir)


def test_a_right_that_ends_takes_its_acl_with_it(watched: Watched) -> None:
    weir = watched.weir
    assert watched.step() == 0 and live(weir) == set()  # nothing is made before somebody applied
    applied(weir)
    assert watched.step() == 0
    weir.apply(NOT_FRAUD)
    assert watched.step() == 1  # at the next step, without a look at everything
    assert live(weir) == (FRAUD | BILLING) - {RAW}
    (newest, *_) = weir.admin.get("/api/v1/audit", params={"action": "rights.apply"}).json()["entries"]
    assert newest["actor"] == "weir" and "1 changes (1 rightEnded)" in newest["reasons"][0]


def test_a_grant_opens_the_topic_until_it_ends(watched: Watched) -> None:
    weir = watched.weir
    weir.apply(GRANT.format(end=f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"))
    raw = acl("User:billing", "orders")
    applied(weir)
    assert raw in live(weir)
    assert watched.step() == 0
    assert watched.step(timedelta(minutes=59)) == 0 and raw in live(weir)
    assert watched.step(timedelta(minutes=2)) == 1 and raw not in live(weir)


def test_the_mark_of_a_weir_is_no_principal_that_nobody_knows(watched: Watched) -> None:
    weir = watched.weir
    applied(weir)
    principals = weir.admin.get("/api/v1/rights/principals").json()
    assert [p["principal"] for p in principals["principals"] if "_weir" in p["principal"]] == []
    findings = weir.admin.get("/api/v1/rights/findings").json()["findings"]
    assert [each for each in findings if "_weir" in (each["principal"] or "")] == []


def test_an_acl_made_by_hand_is_reported_and_stays(watched: Watched) -> None:
    weir = watched.weir
    keep(weir, acl("User:before", "orders"))
    applied(weir)
    watched.look()
    assert watched.events() == []  # what was there before is in the findings, and no drift
    mine = acl("User:eve", "ord", pattern=Pattern.PREFIXED)
    watched.by_hand(
        mine, acl("User:eve", "eves", Resource.GROUP), acl("User:fraud", "sensors", operation=Operation.ALL)
    )
    assert watched.look() == 0
    assert watched.events() == [f"ACLs made by hand at prod let somebody read past Weir: {mine}."]
    watched.look()
    assert len(watched.events()) == 1 and mine in live(weir)
    (finding,) = watched.findings()
    assert finding["acls"] == [str(mine)] and "adopt the ACL" in finding["fix"]
    post(weir.admin, "adopt", principal="User:eve")
    watched.by_hand(without=mine)
    watched.look()
    assert watched.findings() == []


def test_what_was_removed_by_hand_is_put_back_where_enforced_alone(watched: Watched) -> None:
    weir = watched.weir
    applied(weir)
    watched.by_hand(without=RAW)
    assert watched.look() == 0 and RAW not in live(weir)
    assert watched.events() == [f"{RAW} was removed by hand at prod."]
    assert plan(weir)["changes"][0]["kind"] == "topicReadAgain"
    weir.apply(ENFORCED)
    assert watched.look() == 1 and RAW in live(weir)
    refused = post(weir.admin, "undo", 409)
    assert "prod is declared enforce" in refused["error"]["message"]


def test_what_weir_deleted_and_somebody_made_again_goes_where_enforced(watched: Watched) -> None:
    weir = watched.weir
    weir.apply(ENFORCED)
    watched.look()
    assert live(weir) == FRAUD | BILLING  # made without a person, as the cluster is declared so
    weir.apply(NOT_FRAUD)
    watched.step()
    watched.by_hand(RAW)
    assert watched.look() == 1 and RAW not in live(weir)


def test_two_weirs_at_one_cluster_leave_each_other_alone(tmp_path: Path) -> None:
    for one in opened(tmp_path / "one"):
        for two in opened(tmp_path / "two"):
            two.acls.by_address = one.acls.by_address
            one.apply(ENFORCED), two.apply(ENFORCED)
            first, second = Watched(one), Watched(two)
            first.look(), second.look()
            one.apply(NOT_FRAUD)
            for _ in range(4):
                first.look(), second.look()
            assert live(one) == FRAUD | BILLING  # the second Weir grants it, and made it when the first had deleted it
            changes = len(one.acls.changed) + len(two.acls.changed)
            first.look(), second.look()
            assert len(one.acls.changed) + len(two.acls.changed) == changes
            assert "1 other Weir" in " ".join(plan(one)["notes"])
            assert {each for each in one.acls.by_address[BROKER].acls if not each.allow} != {mark_of("x")}


def test_missing_rights_of_weir_are_reported_once(watched: Watched) -> None:
    from catalog.errors import Conflict

    weir = watched.weir
    applied(weir)
    weir.apply(NOT_FRAUD)
    text = "Kafka at localhost:9092 does not let User:weir change ACLs; allow it to ALTER the cluster."
    weir.acls.after, weir.acls.ends = (
        len(weir.acls.changed),
        Conflict(text, details={"missing": "ALTER on the cluster"}),
    )
    watched.step()
    watched.step(timedelta(seconds=6))
    assert watched.events() == [text] and live(weir) == FRAUD | BILLING
    weir.acls.after = None
    watched.step(timedelta(seconds=6))
    assert RAW not in live(weir)
