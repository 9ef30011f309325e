"""Grants: listing, revoking, and who has access."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotAllowed, NotFound
from policies.access.grants import Grants, status_at
from policies.access.who_has_access import Access, Way
from policies.matching import is_active
from policies.model import DatasetFacts, Effect, GrantStatus, Subject
from policies.settings import PolicySettings
from tests.twins.policies.stores import MemoryFacts
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
        "subject": subject,
        "dataset": "prod/orders",
        "purpose": "fraud-investigation",
        "status": "approved",
        "validFrom": "2026-05-01T00:00:00Z",
        "validTo": "2026-07-01T00:00:00Z",
        **more,
    }


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
    grants = world.state.view().grants["ana-clear"]
    assert status_at(grants, START) == "approved" and is_active(grants, START)
    late = datetime(2026, 7, 1, tzinfo=UTC)
    assert status_at(grants, late) == "expired" and not is_active(grants, late)
    early = datetime(2026, 4, 1, tzinfo=UTC)
    assert status_at(grants, early) == "approved" and not is_active(grants, early)


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
    with pytest.raises(Conflict, match=r"revoked already"):
        world.grants.revoke(world.user(user), "ana-clear")


def test_others_do_not_revoke(world: World) -> None:
    with pytest.raises(NotFound):
        world.grants.revoke(world.user("petra"), "ana-clear")
    with pytest.raises(NotFound):
        world.grants.revoke(world.user("ana"), "nothing")
    with pytest.raises(NotAllowed, match=r"an owner of prod/payments"):  # a member of the group sees it
        world.grants.revoke(world.user("grace"), "team")
    world.now = datetime(2026, 7, 1, tzinfo=UTC)
    with pytest.raises(Conflict, match=r"expired"):
        world.grants.revoke(world.user("ana"), "ana-clear")


def test_who_has_access_to_a_field(world: World) -> None:
    by_pair = {(a.kind, a.subject): a for a in world.grants.who_has_access("prod/orders", "value.customer.email")}
    assert by_pair["user", "ana"] == Access(
        "user",
        "ana",
        ("role analyst", "grant ana-clear"),
        False,
        None,
        datetime(2026, 7, 1, tzinfo=UTC),
        # A role has no end and no purpose: each way has its own.
        ways=(Way("role analyst"), Way("grant ana-clear", datetime(2026, 7, 1, tzinfo=UTC), "fraud-investigation")),
    )
    assert by_pair["user", "otto"].via == ("owner",) and not by_pair["user", "otto"].masked
    assert by_pair["user", "petra"].via == ("role privacy-officer",) and not by_pair["user", "petra"].masked
    grace = by_pair["user", "grace"]
    assert grace.masked and grace.mask == "MASK_HASH" and grace.rows == ("region = 'EU'",)
    assert ("user", "stranger") not in by_pair and ("role", "producer") not in by_pair
    assert ("group", "team-orders") in by_pair and ("role", "analyst") in by_pair
    assert by_pair["user", "ana"].to_json()["until"] == "2026-07-01T00:00:00Z"


@pytest.mark.parametrize("path", ["value.emial", "headers.nothing"])
def test_a_field_that_is_not_known_is_not_one_that_nobody_may_read(world: World, path: str) -> None:
    with pytest.raises(NotFound, match=f"prod/orders has no field {path} that is known") as unknown:
        world.grants.require_field("prod/orders", path)
    assert unknown.value.details == {"field": "path", "dataset": "prod/orders"}


def test_a_field_and_what_holds_it_are_known(world: World) -> None:
    for path in ("value.customer.email", "value.customer", "value"):
        world.grants.require_field("prod/orders", path)
    assert world.grants.who_has_access("prod/orders", "value.customer") != []


def test_who_has_access_for_a_purpose(world: World) -> None:
    accesses = world.grants.who_has_access("prod/payments", "value.card")
    grace = [a for a in accesses if a.subject == "grace"]
    assert [(a.purpose, a.rows, a.via) for a in grace] == [
        ("fraud-investigation", ("currency = 'EUR'",), ("grant team",))
    ]
    assert {a.subject for a in accesses} == {"grace", "fraud-team"}


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
    by_subject = {a.subject: a for a in world.grants.who_has_access("prod/orders") if a.kind == "user"}
    assert set(by_subject) == {"ana", "otto", "petra", "grace"} and not by_subject["ana"].masked
    with pytest.raises(DatasetNotFound):
        world.grants.who_has_access("prod/nothing")


def test_status_of_what_is_not_approved_stays(world: World) -> None:
    world.declare(("Grant", "p", grant({"user": "ana"}, status="pending")))
    stored_grant = world.state.view().grants["p"]
    assert status_at(stored_grant, datetime(2030, 1, 1, tzinfo=UTC)) is GrantStatus.PENDING
    assert world.state.decide(world.user("ana"), ORDERS).effect is Effect.ALLOW


# -- as the API gives it ----------------------------------------------------------------------------------------------


class Events:
    """An event sink that remembers."""

    def __init__(self) -> None:
        self.emitted: list[tuple[str, str, Any]] = []

    def emit(self, type: str, subject: str, data: Any = None) -> Any:
        self.emitted.append((type, subject, data))


def test_lists_are_in_order_the_one_that_ends_last_in_front(world: World) -> None:
    world.declare(
        ("Grant", "b", grant({"user": "ana"}, validTo="2026-06-20T00:00:00Z", purpose="care")),
        ("Grant", "a", grant({"user": "ana"}, validTo="2026-06-20T00:00:00Z", dataset="prod/*")),
        ("Grant", "c", grant({"user": "ana"}, validTo="2026-08-01T00:00:00Z", dataset="dev/orders")),
        ("Grant", "old", grant({"user": "ana"}, validTo="2026-05-02T00:00:00Z", purpose="past")),
    )
    assert names(world, "ana") == ["c", "ana-clear", "b", "a", "old"]
    assert names(world, "ana", dataset="prod/orders") == ["ana-clear", "b", "a", "old"]
    assert names(world, "ana", dataset="prod/else") == ["a"]
    assert [g.name for g in world.grants.active(world.user("ana"), "prod/orders")] == ["a", "b", "ana-clear"]
    assert world.grants.purposes(world.user("ana")) == ["care", "fraud-investigation"]
    assert world.grants.purposes(world.user("petra")) == []


def test_who_sees_the_grants_of_everybody(world: World) -> None:
    world.declare(
        ("User", "audrey", {"roles": ["auditor"]}),
        ("User", "tom", {"groups": ["team-orders"]}),
        ("Grant", "wide", grant({"user": "grace"}, dataset="prod/*")),
        ("Grant", "gone", grant({"user": "grace"}, dataset="prod/gone")),
    )
    everything = ["wide", "team", "gone", "ana-clear"]
    assert names(world, "audrey", everybody=True) == names(world, "admin", everybody=True) == everything
    assert names(world, "audrey") == names(world, "admin") == []
    assert names(world, "tom", everybody=True) == ["ana-clear"], "a pattern has no owner, nor has what is not there"
    assert names(world, "ana", everybody=True) == ["ana-clear"]
    assert names(world, "audrey", everybody=True, dataset="prod/payments") == ["wide", "team"]


def test_each_permission_alone_shows_the_grants_of_everybody(world: World) -> None:
    for number, (permission, revokes) in enumerate((("manage", True), ("audit:read", False), ("review", False))):
        role, user = f"r{number}", f"u{number}"
        world.declare(("Role", role, {"permissions": [permission]}), ("User", user, {"roles": [role]}))
        sees = permission != "review"
        assert names(world, user, everybody=True) == (["team", "ana-clear"] if sees else [])
        assert world.grants.may_revoke(world.user(user), world.state.view().grants["team"]) is revokes
        with pytest.raises(NotFound if not sees else Conflict if revokes else NotAllowed):
            for _ in range(2):
                world.grants.revoke(world.user(user), "team")


def test_a_revocation_is_written_and_announced(world: World) -> None:
    events = Events()
    world.grants = Grants(world.state, world.facts, world.identity, world.audit, world.clock, events=events)
    world.grants.revoke(world.user("otto"), "ana-clear", "over")
    entry = world.entries.rows[-1]
    assert (entry.actor, entry.action, entry.target, entry.decision) == ("otto", "grant.revoke", "prod/orders", "allow")
    assert (list(entry.reasons), entry.details["grant"]) == (["over"], "ana-clear")
    assert events.emitted == [
        ("grant.revoked", "ana-clear", {"dataset": "prod/orders", "user": ["ana"], "by": "otto"}),
    ]
    document = world.state.get("Grant", "ana-clear")
    assert document.by == "otto" and document.spec is not None
    assert document.spec["validTo"] == "2026-07-01T00:00:00Z" and document.spec["unmask"] == ["value.customer.email"]
    world.grants.revoke(world.user("otto"), "team")
    assert list(world.entries.rows[-1].reasons) == [] and "reason" not in (world.state.get("Grant", "team").spec or {})


def test_a_pending_grant_is_revoked_before_it_begins(world: World) -> None:
    world.declare(
        ("Grant", "p", grant({"user": "ana"}, status="pending")),
        ("Grant", "r", grant({"user": "ana"}, status="rejected")),
    )
    assert world.grants.revoke(world.user("ana"), "p").status is GrantStatus.REVOKED
    with pytest.raises(Conflict, match=r"^Grant r is rejected already") as raised:
        world.grants.revoke(world.user("ana"), "r")
    assert raised.value.details == {"grant": "r"}


def test_approvers_revoke_what_they_approved_and_auditors_only_see(world: World) -> None:
    world.declare(
        ("User", "audrey", {"roles": ["auditor"]}),
        ("Grant", "by-vera", grant({"user": "ana"}, approvedBy=["vera"])),
        ("User", "vera", {}),
    )
    grants = world.state.view().grants["by-vera"]
    may = {
        u: world.grants.may_revoke(world.user(u), grants) for u in ("ana", "vera", "otto", "admin", "audrey", "grace")
    }
    assert may == {"ana": True, "vera": True, "otto": True, "admin": True, "audrey": False, "grace": False}
    with pytest.raises(
        NotAllowed, match=r"^audrey may not revoke grant by-vera; an owner of prod/orders, an approver"
    ) as raised:
        world.grants.revoke(world.user("audrey"), "by-vera")
    assert raised.value.details == {"reasons": ["neither manager, owner, approver nor grantee"]}
    with pytest.raises(NotFound, match=r"'by-vera' that you may see"):
        world.grants.revoke(world.user("grace"), "by-vera")
    assert world.grants.revoke(world.user("vera"), "by-vera").status is GrantStatus.REVOKED


def test_a_revocation_that_cannot_be_written_ends_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that no grant can hold; and a grant that another has changed since it was read."""
    with pytest.raises(InvalidInput, match=r"^Grant team: spec.revokedBy"):
        world.grants.revoke(Subject("x" * 300, roles=frozenset({"admin"})), "team")
    before = world.state.get("Grant", "team")
    world.declare(("Grant", "team", grant({"group": "fraud-team"}, dataset="prod/payments", rows="a = 1")))
    with monkeypatch.context() as patch:
        patch.setattr(world.state, "get", lambda *_: before)
        with pytest.raises(Conflict):
            world.grants.revoke(world.user("otto"), "team")
    assert world.state.view().grants["team"].status is GrantStatus.APPROVED and not world.entries.rows


def test_a_revocation_keeps_what_else_was_declared(world: World) -> None:
    world.state.put("Grant", "labelled", {"labels": {"team": "x"}}, grant({"user": "ana"}))
    world.grants.revoke(world.user("ana"), "labelled")
    assert world.state.get("Grant", "labelled").metadata == {"labels": {"team": "x"}}


def test_a_grant_of_a_dataset_that_is_gone_can_still_be_revoked(world: World) -> None:
    world.declare(("Grant", "gone", grant({"user": "ana"}, dataset="prod/gone")))
    with pytest.raises(NotFound):
        world.grants.revoke(world.user("otto"), "gone")
    assert world.grants.revoke(world.user("ana"), "gone").status is GrantStatus.REVOKED


# -- who has access, entry by entry -----------------------------------------------------------------------------------

EMAIL = "value.customer.email"


@pytest.fixture
def crowd(world: World) -> World:
    world.declare(
        ("Group", "fraud-team", {"members": ["mia"], "roles": ["analyst"]}),
        ("Grant", "grace-rows", grant({"user": "grace"}, unmask=["EMAIL_ADDRESS"], rows="region = 'DE'")),
        ("Grant", "temps", grant({"role": "temp"}, dataset="prod/*", fields=["value.amount"])),
        ("Grant", "later", grant({"user": "max"}, validFrom="2026-06-20T00:00:00Z")),
        ("Grant", "visitor", grant({"user": "vic"}, fields=["value.order_id"])),
    )
    return world


def entries(world: World, dataset: str, path: str | None = None) -> dict[tuple[str, str, str | None], Access]:
    accesses = world.grants.who_has_access(dataset, path)
    keys = [(a.kind, a.subject, a.purpose) for a in accesses]
    assert len(set(keys)) == len(keys)
    assert keys == sorted(keys, key=lambda k: (k[0] != "user", k[0], k[1], k[2] or ""))
    return dict(zip(keys, accesses, strict=True))


def test_everybody_who_reads_a_field(crowd: World) -> None:
    by_subject = entries(crowd, "prod/orders", EMAIL)
    assert [(kind, name) for kind, name, _ in by_subject] == [
        *(("user", u) for u in ("ana", "grace", "mia", "otto", "petra")),
        ("group", "fraud-team"),
        ("group", "team-orders"),
        *(("role", r) for r in ("analyst", "analyst-eu", "privacy-officer")),
    ]
    nothing = {"legalBasis": None, "retention": None}
    assert by_subject["user", "grace", None].to_json() == {
        "kind": "user",
        "subject": "grace",
        "via": ["role analyst", "grant grace-rows"],
        "masked": True,
        "mask": "MASK_HASH",
        "until": "2026-07-01T00:00:00Z",
        "purpose": None,
        "rows": ["region = 'EU'"],
        "clearWhen": "region = 'DE'",
        "ways": [
            {"by": "role analyst", "until": None, "purpose": None} | nothing,
            {"by": "grant grace-rows", "until": "2026-07-01T00:00:00Z", "purpose": "fraud-investigation"} | nothing,
        ],
    }
    assert by_subject["group", "team-orders", None].mask == "MASK_SHOW_LAST_4"
    assert by_subject["user", "mia", None].to_json() | {"kind": "group", "subject": "fraud-team"} == (
        by_subject["group", "fraud-team", None].to_json()
    )
    assert by_subject["role", "analyst-eu", None].rows == ("region = 'EU'",)


def test_everybody_who_reads_something_of_a_dataset(crowd: World) -> None:
    by_subject = entries(crowd, "prod/orders")
    assert {name for kind, name, _ in by_subject if kind == "user"} == {"ana", "grace", "mia", "otto", "petra", "vic"}
    ana = by_subject["user", "ana", None]
    assert (ana.masked, ana.mask, ana.until) == (False, "MASK_SHOW_LAST_4", datetime(2026, 7, 1, tzinfo=UTC))
    vic = by_subject["user", "vic", None]
    assert (vic.via, vic.masked, vic.mask, vic.clear_when) == (("grant visitor",), False, None, None)
    assert by_subject["role", "temp", None].via == ("grant temps",)
    assert ("user", "max", None) not in by_subject, "the grant has not begun"
    amount = entries(crowd, "prod/orders", "value.amount")
    assert by_subject["role", "temp", None] == amount["role", "temp", None] and ("user", "vic", None) not in amount
    assert entries(crowd, "prod/orders", "value.nothing") == {}
    grace = by_subject["user", "grace", None]
    assert (grace.mask, grace.clear_when) == ("MASK_SHOW_LAST_4", "region = 'DE'"), "not of the first masked field"


def test_a_place_names_the_ways_to_it_alone(crowd: World) -> None:
    crowd.declare(("Grant", "visitor-2", grant({"user": "vic"}, fields=["value.amount"])))
    assert entries(crowd, "prod/orders", "value.amount")["user", "vic", None].via == ("grant visitor-2",)
    assert set(entries(crowd, "prod/orders")["user", "vic", None].via) == {"grant visitor", "grant visitor-2"}


def test_a_place_around_fields_is_masked_when_all_of_it_is(crowd: World) -> None:
    both = entries(crowd, "prod/orders", "value.customer")["user", "mia", None]
    assert (both.masked, both.mask) == (True, "MASK_SHOW_LAST_4")
    ana = entries(crowd, "prod/orders", "value.customer")["user", "ana", None]
    assert (ana.masked, ana.mask) == (False, "MASK_SHOW_LAST_4"), "the name is masked, the e-mail is unmasked"


def test_one_entry_for_each_way_a_purpose_changes_what_is_seen(crowd: World) -> None:
    crowd.declare(
        ("Grant", "two", grant({"user": "mia"}, purpose="care", unmask=[EMAIL], validTo="2026-06-20T00:00:00Z")),
        ("Grant", "three", grant({"user": "mia"})),
        ("Grant", "old", grant({"user": "mia"}, purpose="past", unmask=["*"], validTo="2026-05-20T00:00:00Z")),
    )
    by_purpose = {k[2]: a for k, a in entries(crowd, "prod/orders", EMAIL).items() if k[1] == "mia"}
    assert list(by_purpose) == [None, "fraud-investigation"], "with purpose care it is as without one"
    assert (by_purpose[None].masked, by_purpose[None].via) == (False, ("role analyst", "grant two"))
    assert by_purpose[None].until == datetime(2026, 6, 20, tzinfo=UTC)
    fraud = by_purpose["fraud-investigation"]
    assert (fraud.masked, fraud.mask, fraud.via) == (True, "MASK_SHOW_LAST_4", ("role analyst", "grant three"))


def test_what_needs_no_purpose_comes_first(crowd: World) -> None:
    crowd.declare(
        ("Grant", "two", grant({"user": "mia"}, purpose="care", unmask=[EMAIL])),
        ("Grant", "three", grant({"user": "mia"}, purpose="AML")),
    )
    assert [k[2] for k in entries(crowd, "prod/orders", EMAIL) if k[1] == "mia"] == [None, "AML"]


def test_disabled_and_deleted_users_have_no_access(crowd: World) -> None:
    crowd.declare(("User", "mia", {"disabled": True}), ("User", "petra", {"disabled": True}), ("User", "vic", {}))
    crowd.state.delete("User", "vic")
    crowd.state.delete("User", "otto")
    assert {k[1] for k in entries(crowd, "prod/orders") if k[0] == "user"} == {"ana", "grace"}


def test_unscanned_fields_are_open_where_the_settings_say_so(crowd: World) -> None:
    crowd.state.delete("Policy", "mask-personal")

    def mask(settings: PolicySettings | None) -> str | None:
        grants = Grants(crowd.state, crowd.facts, crowd.identity, crowd.audit, crowd.clock, settings)
        (ana,) = [a for a in grants.who_has_access("prod/orders", "value.new_field") if a.subject == "ana"]
        return ana.mask

    assert mask(None) == "MASK_NULL" and mask(PolicySettings(unscanned_is_sensitive=False)) is None


def test_access_on_a_day_is_by_what_was_known_of_the_dataset_on_that_day(world: World) -> None:
    moments: list[datetime | None] = []

    class Facts(MemoryFacts):
        def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
            moments.append(as_of)
            return super().facts(reference, as_of)

    grants = Grants(world.state, Facts(ORDERS), world.identity, world.audit, world.clock)
    grants.who_has_access("prod/orders", None, START)
    grants.who_has_access("prod/orders")
    assert moments == [START, None]


def test_a_path_that_cannot_be_read(world: World) -> None:
    with pytest.raises(InvalidInput):
        world.grants.who_has_access("prod/orders", "value..x")


def test_owners_read_a_dataset_without_known_fields(world: World) -> None:
    world.facts.known["prod/orders"] = replace(ORDERS, fields=())
    by_subject = entries(world, "prod/orders")
    assert ("user", "otto", None) in by_subject and by_subject["user", "otto", None].masked is False
    assert (by_subject["user", "otto", None].via, by_subject["user", "otto", None].ways) == (
        ("owner",),
        (Way("owner"),),
    )
    assert entries(world, "prod/orders", "value.x") == {}
