"""Grants: listing, revoking, and who has access."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, DatasetNotFound, NotAllowed, NotFound
from policies.grants import Access, Way, grant_json, status_at
from policies.model import Effect, GrantStatus
from tests.unit.policies.world import ORDERS, START, World, company


@pytest.fixture
def world() -> World:
    world = company()
    world.declare(
        ("Grant", "ana-clear", grant({"user": "ana"}, unmask=["value.customer.email"], approvedBy=["otto"])),
        ("Grant", "team", grant({"group": "fraud-team"}, dataset="prod/payments", rows="currency = 'EUR'")),
    )
    return world


def grant(subject: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "subject": subject, "dataset": "prod/orders", "purpose": "fraud-investigation", "status": "approved",
        "validFrom": "2026-05-01T00:00:00Z", "validTo": "2026-07-01T00:00:00Z", **more,
    }  # fmt: skip


def names(world: World, user: str, **more: Any) -> list[str]:
    return [g.name for g in world.grants.list(world.user(user), **more)]


def test_everyone_sees_their_own_grants(world: World) -> None:
    assert names(world, "ana") == ["ana-clear"]
    assert names(world, "grace") == ["team"]  # by group
    assert names(world, "otto") == [] and names(world, "otto", everybody=True) == ["team", "ana-clear"]
    assert names(world, "petra", everybody=True) == []
    assert names(world, "admin", everybody=True) == ["team", "ana-clear"]
    assert names(world, "admin", everybody=True, dataset="prod/orders") == ["ana-clear"]


def test_active_grants_and_purposes(world: World) -> None:
    assert [g.name for g in world.grants.active(world.user("ana"), "prod/orders")] == ["ana-clear"]
    assert world.grants.active(world.user("ana"), "prod/payments") == []
    assert world.grants.purposes(world.user("grace")) == ["fraud-investigation"]
    world.now = datetime(2026, 7, 1, tzinfo=UTC)
    assert world.grants.active(world.user("ana"), "prod/orders") == []


def test_a_grant_past_its_end_is_shown_expired(world: World) -> None:
    found = world.state.view().grants["ana-clear"]
    assert grant_json(found, START)["status"] == "approved" and grant_json(found, START)["active"]
    late = grant_json(found, datetime(2026, 7, 1, tzinfo=UTC))
    assert late["status"] == "expired" and not late["active"]
    early = grant_json(found, datetime(2026, 4, 1, tzinfo=UTC))
    assert early["status"] == "approved" and not early["active"]


@pytest.mark.parametrize("user", ["ana", "otto", "admin"])
def test_grantee_owner_and_manager_revoke(world: World, user: str) -> None:
    revoked = world.grants.revoke(world.user(user), "ana-clear", "done")
    assert revoked.status is GrantStatus.REVOKED
    column = world.state.decide(world.user("ana"), ORDERS).column("value.customer.email")
    assert column is not None and column.mask is not None
    spec = world.state.get("Grant", "ana-clear").spec or {}
    assert (spec["status"], spec["revokedBy"], spec["reason"]) == ("revoked", user, "done")
    entry = world.entries.rows[-1]
    assert (entry.actor, entry.action, entry.details["grant"]) == (user, "grant.revoke", "ana-clear")
    with pytest.raises(Conflict, match="revoked already"):
        world.grants.revoke(world.user(user), "ana-clear")


def test_others_do_not_revoke(world: World) -> None:
    with pytest.raises(NotFound):
        world.grants.revoke(world.user("petra"), "ana-clear")
    with pytest.raises(NotFound):
        world.grants.revoke(world.user("ana"), "nothing")
    with pytest.raises(NotAllowed, match="an owner of prod/payments"):  # a member of the group sees it
        world.grants.revoke(world.user("grace"), "team")
    world.now = datetime(2026, 7, 1, tzinfo=UTC)
    with pytest.raises(Conflict, match="expired"):
        world.grants.revoke(world.user("ana"), "ana-clear")


def test_who_has_access_to_a_field(world: World) -> None:
    found = {(a.kind, a.subject): a for a in world.grants.who_has_access("prod/orders", "value.customer.email")}
    assert found["user", "ana"] == Access(
        "user", "ana", ("role analyst", "grant ana-clear"), False, None, datetime(2026, 7, 1, tzinfo=UTC),
        # A role has no end and no purpose: each way has its own.
        ways=(Way("role analyst"), Way("grant ana-clear", datetime(2026, 7, 1, tzinfo=UTC), "fraud-investigation")),
    )  # fmt: skip
    assert found["user", "otto"].via == ("owner",) and not found["user", "otto"].masked
    assert found["user", "petra"].via == ("role privacy-officer",) and not found["user", "petra"].masked
    grace = found["user", "grace"]
    assert grace.masked and grace.mask == "MASK_HASH" and grace.rows == ("region = 'EU'",)
    assert ("user", "stranger") not in found and ("role", "producer") not in found
    assert ("group", "team-orders") in found and ("role", "analyst") in found
    assert found["user", "ana"].to_json()["until"] == "2026-07-01T00:00:00Z"


def test_who_has_access_for_a_purpose(world: World) -> None:
    found = world.grants.who_has_access("prod/payments", "value.card")
    grace = [a for a in found if a.subject == "grace"]
    assert [(a.purpose, a.rows, a.via) for a in grace] == [
        ("fraud-investigation", ("currency = 'EUR'",), ("grant team",))
    ]
    assert {a.subject for a in found} == {"grace", "fraud-team"}


def test_who_had_access_on_the_day(world: World) -> None:
    world.sleep(days=10)
    world.grants.revoke(world.user("otto"), "ana-clear")
    world.state.delete("User", "grace")

    def clear(as_of: datetime | None) -> set[str]:
        access = world.grants.who_has_access("prod/orders", "value.customer.email", as_of)
        return {a.subject for a in access if a.kind == "user" and not a.masked}

    def readers(as_of: datetime | None) -> set[str]:
        access = world.grants.who_has_access("prod/orders", "value.customer.email", as_of)
        return {a.subject for a in access if a.kind == "user"}

    assert clear(START + timedelta(days=1)) == {"ana", "otto", "petra"}
    assert clear(None) == {"otto", "petra"}
    assert readers(START + timedelta(days=1)) - readers(None) == {"grace"}


def test_who_has_access_to_a_whole_dataset(world: World) -> None:
    found = {a.subject: a for a in world.grants.who_has_access("prod/orders") if a.kind == "user"}
    assert set(found) == {"ana", "otto", "petra", "grace"} and not found["ana"].masked
    with pytest.raises(DatasetNotFound):
        world.grants.who_has_access("prod/nothing")


def test_status_of_what_is_not_approved_stays(world: World) -> None:
    world.declare(("Grant", "p", grant({"user": "ana"}, status="pending")))
    found = world.state.view().grants["p"]
    assert status_at(found, datetime(2030, 1, 1, tzinfo=UTC)) is GrantStatus.PENDING
    assert world.state.decide(world.user("ana"), ORDERS).effect is Effect.ALLOW
