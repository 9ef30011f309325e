"""What a decision is, case by case, in the words a reader will see."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.errors import Unavailable
from catalog.model import DatasetId
from policies.decision.decide import decide
from policies.declared.state import GovernanceState
from policies.model import (
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Grant,
    Mask,
    MaskPolicy,
    MaskType,
    Role,
    RowFilter,
    Subject,
    SubjectMatch,
    Target,
)
from tests.unit.policies.world import ORDERS, PAYMENTS, START, World, company

EVERYONE = SubjectMatch(everyone=True)
READS_ALL = {"reader": Role("reader", (Target(dataset="*"),))}
READER = Subject("rita", frozenset(), frozenset({"reader"}))


@pytest.fixture
def world() -> World:
    return company()


def ask(world: World, user: str, facts: DatasetFacts = ORDERS, purpose: str | None = None) -> Decision:
    return world.state.decide(world.user(user), facts, purpose)


def shown(decision: Decision, path: str) -> str:
    column = decision.column(path)
    assert column is not None, path
    if column.effect is Effect.DENY:
        return "deny"
    mask = str(column.mask.type) if column.mask else "clear"
    return f"{mask} unless {column.clear_when}" if column.clear_when else mask


def grant(**more: Any) -> tuple[str, str, dict[str, Any]]:
    spec = {
        "subject": {"user": "ana"},
        "dataset": "prod/orders",
        "fields": ["*"],
        "purpose": "fraud-investigation",
        "validFrom": "2026-01-01T00:00:00Z",
        "validTo": "2026-12-31T00:00:00Z",
        "status": "approved",
    }
    return "Grant", "g", {**spec, **more}


def test_nothing_is_open_by_default(world: World) -> None:
    decision = ask(world, "nobody")
    assert decision.effect is Effect.DENY and decision.columns == ()
    assert "No role, ownership or active grant of nobody opens prod/orders" in decision.reasons[0].text


def test_an_analyst_reads_masked(world: World) -> None:
    decision = ask(world, "ana")
    assert decision.effect is Effect.ALLOW and decision.filters == ()
    assert shown(decision, "value.customer.email") == "MASK_HASH"  # stricter than the last four of mask-personal
    assert shown(decision, "headers.actor") == "MASK_HASH"
    assert shown(decision, "value.items[].gift_email") == "MASK_HASH"
    assert shown(decision, "key") == "MASK_SHOW_LAST_4"
    assert shown(decision, "value.attributes{contact}") == "MASK_SHOW_LAST_4"
    assert shown(decision, "value.attributes{}") == "MASK_SHOW_LAST_4"  # beside a key with personal data
    assert shown(decision, "value.amount") == "clear"


def test_a_column_says_why(world: World) -> None:
    column = ask(world, "ana").column("value.customer.email")
    assert column is not None
    texts = [r.text for r in column.reasons]
    assert "EMAIL_ADDRESS: 98% of 1,000" in texts
    assert "Role analyst reads prod/orders." in texts
    assert "MASK_HASH by mask-email: tag EMAIL_ADDRESS." in texts
    assert any("2 masks" in text and "mask-email" in text for text in texts)


def test_an_owner_is_excepted_where_the_policy_says_so(world: World) -> None:
    decision = ask(world, "otto")
    assert shown(decision, "value.customer.email") == "clear"
    assert any(r.kind == "owner" for r in decision.reasons)


def test_an_unscanned_field_counts_as_personal(world: World) -> None:
    assert shown(ask(world, "ana"), "value.new_field") == "MASK_SHOW_LAST_4"  # mask-personal is about PII
    assert shown(ask(world, "petra"), "value.new_field") == "clear"


def test_an_unscanned_field_that_no_policy_covers_is_hidden_with_a_gap() -> None:
    decision = decide(READER, ORDERS, roles=READS_ALL, now=START)
    assert shown(decision, "value.new_field") == "MASK_NULL"
    others, new = decision.gaps
    assert "value.new_field" in new and "scan" in new
    assert others.startswith("value.attributes{} of prod/orders: keys that have neither been scanned nor declared")
    assert shown(decision, "value.attributes{}") == "MASK_NULL"
    assert shown(decision, "value.attributes{contact}") == "clear"
    sees = {"reader": replace(READS_ALL["reader"], sees_unscanned=True)}
    assert decide(READER, ORDERS, roles=sees, now=START).gaps == ()
    decision = decide(READER, ORDERS, roles=READS_ALL, now=START, unscanned_is_sensitive=False)
    assert shown(decision, "value.new_field") == "clear" and decision.gaps == ()


def test_many_unscanned_fields_are_named_and_counted() -> None:
    facts = replace(ORDERS, fields=tuple(FieldFacts(f"value.f{i}", classified=False) for i in range(50)))
    gaps = decide(READER, facts, roles=READS_ALL, now=START).gaps
    assert len(gaps) == 21 and gaps[-1].startswith("30 more fields")


def test_a_field_tagged_tomorrow_is_masked_tomorrow(world: World) -> None:
    assert shown(ask(world, "ana"), "value.amount") == "clear"
    tagged = [replace(f, tags={"IBAN_CODE": "3% of 1,000"}) if f.path == "value.amount" else f for f in ORDERS.fields]
    assert shown(ask(world, "ana", replace(ORDERS, fields=tuple(tagged))), "value.amount") == "MASK_SHOW_LAST_4"


def test_role_filters_apply_by_inheritance_and_all_at_once(world: World) -> None:
    assert ask(world, "grace").filters == (RowFilter("prod/orders", "region = 'EU'"),)
    world.declare(
        ("Role", "small", {"rowFilters": [{"dataset": "prod/*", "where": "amount < 10"}]}),
        ("User", "grace", {"roles": ["analyst-eu", "small"]}),
    )
    assert [f.where for f in ask(world, "grace").filters] == ["amount < 10", "region = 'EU'"]


def test_an_access_policy_asks_for_a_grant_and_the_purpose(world: World) -> None:
    assert ask(world, "otto", PAYMENTS).effect is Effect.DENY  # the owner too
    world.declare(grant(subject={"user": "grace"}, dataset="prod/payments", rows="currency = 'EUR'"))
    without = ask(world, "grace", PAYMENTS)
    assert without.effect is Effect.DENY
    assert any("state fraud-investigation with the query" in r.text for r in without.reasons)
    wrong = ask(world, "grace", PAYMENTS, "chargeback")
    assert wrong.effect is Effect.DENY and any("'chargeback'" in r.text for r in wrong.reasons)
    allowed = ask(world, "grace", PAYMENTS, "fraud-investigation")
    assert allowed.effect is Effect.ALLOW and allowed.grants == ("g",)
    assert [f.where for f in allowed.filters] == ["currency = 'EUR'"]
    assert allowed.expires == datetime(2026, 12, 31, tzinfo=UTC)
    assert shown(allowed, "value.card") == "MASK_SHOW_LAST_4"


def test_an_access_policy_on_a_tag_closes_that_field_alone(world: World) -> None:
    world.declare(
        ("Policy", "phones", {"type": "access", "match": {"tags": ["PHONE_NUMBER"]}, "requires": {"grant": True}})
    )
    decision = ask(world, "ana")
    assert shown(decision, "value.attributes{contact}") == "deny"
    assert shown(decision, "value.amount") == "clear"


def test_a_typed_purpose_proves_nothing(world: World) -> None:
    decision = ask(world, "ana", purpose="fraud-investigation")
    assert shown(decision, "value.customer.email") == "MASK_HASH"
    assert any(r.kind == "purpose" and "stating it opens nothing" in r.text for r in decision.reasons)


def test_a_purpose_excepts_where_a_grant_carries_it(world: World) -> None:
    world.declare(grant())
    assert shown(ask(world, "ana"), "value.customer.email") == "MASK_HASH"
    decision = ask(world, "ana", purpose="fraud-investigation")
    # mask-email excepts the purpose, mask-personal does not.
    assert shown(decision, "value.customer.email") == "MASK_SHOW_LAST_4"


def test_a_grant_unmasks_what_it_names_and_covers(world: World) -> None:
    world.declare(grant(fields=["value.customer"], unmask=["value.customer.email", "PHONE_NUMBER"]))
    decision = ask(world, "ana")
    assert shown(decision, "value.customer.email") == "clear"
    assert shown(decision, "value.customer.name") == "MASK_SHOW_LAST_4"
    assert shown(decision, "value.attributes{contact}") == "MASK_SHOW_LAST_4"  # named, but not among its fields
    assert shown(decision, "value.amount") == "clear"  # the role still opens the rest
    reasons = decision.column("value.customer.email")
    assert reasons is not None and any("until 2026-12-31" in r.text for r in reasons.reasons)


def test_another_stated_purpose_does_not_use_the_grant(world: World) -> None:
    world.declare(grant(unmask=["*"]))
    assert shown(ask(world, "ana"), "value.customer.email") == "clear"
    assert shown(ask(world, "ana", purpose="marketing"), "value.customer.email") == "MASK_HASH"


def test_a_grant_of_some_rows_unmasks_in_those(world: World) -> None:
    world.declare(grant(unmask=["EMAIL_ADDRESS"], rows="region = 'EU'"))
    decision = ask(world, "ana")
    assert shown(decision, "value.customer.email") == "MASK_HASH unless region = 'EU'"
    assert decision.filters == ()  # the role opens all rows


def test_a_grant_alone_opens_its_fields_and_rows(world: World) -> None:
    world.declare(grant(subject={"user": "sam"}, fields=["value.customer", "PHONE_NUMBER"], rows="a = 1", unmask=["*"]))
    decision = ask(world, "sam")
    assert [f.where for f in decision.filters] == ["a = 1"]
    assert shown(decision, "value.customer.email") == "clear"  # everywhere where a row is left
    assert shown(decision, "value.attributes{contact}") == "clear"
    assert shown(decision, "value.amount") == "deny"


def test_grants_of_different_rows_show_each_field_in_its_own(world: World) -> None:
    world.declare(
        grant(subject={"user": "sam"}, fields=["value.amount"], rows="a"),
        ("Grant", "h", grant(subject={"user": "sam"}, fields=["value.order_id"], rows="b")[2]),
    )
    decision = ask(world, "sam")
    assert [f.where for f in decision.filters] == ["(a) OR (b)"]
    assert shown(decision, "value.amount") == "MASK_NULL unless a"
    assert shown(decision, "value.order_id") == "MASK_NULL unless b"


@pytest.mark.parametrize(
    ("change", "now"),
    [
        ({"status": "pending"}, START),
        ({"status": "revoked"}, START),
        ({}, datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ({}, datetime(2026, 12, 31, tzinfo=UTC)),
        ({"dataset": "dev/orders"}, START),
        ({"subject": {"group": "fraud-team"}}, START),
    ],
)
def test_a_grant_that_does_not_hold_opens_nothing(world: World, change: dict[str, Any], now: datetime) -> None:
    world.declare(grant(**{"subject": {"user": "sam"}, **change}))
    world.now = now
    assert ask(world, "sam").effect is Effect.DENY


def test_the_edges_of_a_grants_time(world: World) -> None:
    world.declare(grant(subject={"user": "sam"}))
    world.now = datetime(2026, 1, 1, tzinfo=UTC)
    assert ask(world, "sam").effect is Effect.ALLOW
    world.now = datetime(2026, 12, 31, tzinfo=UTC) - timedelta(microseconds=1)
    assert ask(world, "sam").effect is Effect.ALLOW


def test_a_mask_on_a_container_covers_what_is_inside_and_the_other_way_round() -> None:
    def one(path: str) -> MaskPolicy:
        return MaskPolicy("p", (Target(dataset="prod/orders", path=path),), EVERYONE, Mask(MaskType.MASK))

    def masked(path: str) -> set[str]:
        decision = decide(
            READER, ORDERS, roles=READS_ALL, policies=[one(path)], now=START, unscanned_is_sensitive=False
        )
        return {c.path for c in decision.columns if c.mask}

    assert masked("value.customer") == {"value.customer.name", "value.customer.email"}
    assert masked("value.Customer.EMAIL") == {"value.customer.email"}  # Spark reads names in any case
    assert masked("value.attributes{}") == {"value.attributes{}", "value.attributes{contact}"}
    assert masked("value.attributes{contact}") == {"value.attributes{contact}"}
    # A key nobody has seen becomes a column of its own; a part of a leaf masks the leaf.
    assert masked("value.attributes{iban}") == {"value.attributes{iban}"}
    assert masked("value.amount.cents") == {"value.amount"}
    assert masked("headers") == {"headers.actor"}


def test_masks_that_cannot_be_compared_hide_more() -> None:
    def decision(*masks: Mask) -> str:
        policies = [MaskPolicy(f"p{i}", (Target(tag="PERSON"),), EVERYONE, m) for i, m in enumerate(masks)]
        return shown(decide(READER, ORDERS, roles=READS_ALL, policies=policies, now=START), "key")

    custom = Mask(MaskType.CUSTOM, "a")
    assert decision(custom, Mask(MaskType.CUSTOM, "b")) == "MASK_NULL"
    assert decision(custom, custom) == "CUSTOM"
    assert decision(custom, Mask(MaskType.MASK)) == "MASK_NULL"
    assert decision(custom, Mask("MASK_HASH")) == "MASK_NULL"
    assert decision(custom, Mask(MaskType.MASK_NONE)) == "CUSTOM"
    assert decision(custom, Mask(MaskType.DROP)) == "DROP"
    assert decision(Mask("MASK_SHOW_LAST_4"), Mask("MASK_SHOW_LAST_4", params={"show": 1})) == "MASK"
    assert decision(Mask(MaskType.MASK_NONE)) == "clear"
    assert decision(Mask(MaskType.MASK_NONE), Mask(MaskType.MASK_NULL)) == "MASK_NULL"


def test_a_mask_on_one_key_of_a_map_holds_for_all_that_is_under_that_key() -> None:
    """Whatever the values of the map are: texts, objects, maps again."""
    fields = ("value.m{}.pay", "value.m{}.n{}.x", "value.m{}.l[]", "value.t{}", "value.t{a}.x")
    facts = DatasetFacts(ORDERS.id, "prod/orders", tuple(map(FieldFacts, fields)))

    def masked(path: str) -> set[str]:
        """What the policy masks; other keys are hidden beside that, for they are not known."""
        policy = MaskPolicy("p", (Target(dataset="prod/orders", path=path),), EVERYONE, Mask(MaskType.MASK))
        decided = decide(READER, facts, roles=READS_ALL, policies=[policy], now=START)
        assert {c.mask.type for c in decided.columns if c.mask} <= {MaskType.MASK, MaskType.MASK_NULL}
        return {c.path for c in decided.columns if c.mask == Mask(MaskType.MASK)}

    assert masked("value.m{salary}") == {"value.m{salary}.pay", "value.m{salary}.n{}.x", "value.m{salary}.l[]"}
    assert masked("value.m{salary}.pay") == {"value.m{salary}.pay"}
    assert masked("value.m{a}.n{b}") == {"value.m{a}.n{b}.x"}
    assert masked("value.m{}.n{b}.x") == {"value.m{}.n{b}.x"}
    assert masked("value.t{b}") == {"value.t{b}"}
    tagged = DatasetFacts(
        ORDERS.id, "prod/orders", (FieldFacts("value.m{}.x"), FieldFacts("value.m{k}", {"PERSON": ""}))
    )
    policy = MaskPolicy("p", (Target(tag="PERSON"),), EVERYONE, Mask(MaskType.MASK))
    decided = decide(READER, tagged, roles=READS_ALL, policies=[policy], now=START)
    assert {c.path: bool(c.mask) for c in decided.columns} == {
        "value.m{}.x": True,  # keys that nobody knows, beside one with personal data
        "value.m{k}": True,
        "value.m{k}.x": True,
    }


def test_a_tag_on_a_dataset_holds_for_every_field() -> None:
    policy = MaskPolicy("p", (Target(tag="domain.sales"),), EVERYONE, Mask(MaskType.MASK))
    decision = decide(READER, ORDERS, roles=READS_ALL, policies=[policy], now=START)
    assert all(c.mask for c in decision.columns)


def test_a_role_that_inherits_what_is_not_there_opens_nothing() -> None:
    roles = {**READS_ALL, "heir": Role("heir", (Target(dataset="*"),), ("gone",))}
    decision = decide(Subject("rita", roles=frozenset({"heir", "reader"})), ORDERS, roles=roles, now=START)
    assert decision.effect is Effect.DENY and "inherits gone" in decision.gaps[0]
    # Holding a name that nobody declared is no harm: policies may except it.
    subject = Subject("rita", roles=frozenset({"reader", "undeclared"}))
    assert decide(subject, ORDERS, roles=READS_ALL, now=START).effect is Effect.ALLOW


def test_a_circle_of_roles_ends() -> None:
    roles = {"a": Role("a", inherits=("b",)), "b": Role("b", (Target(dataset="*"),), ("a",))}
    assert decide(Subject("x", roles=frozenset({"a"})), ORDERS, roles=roles, now=START).effect is Effect.ALLOW


def test_what_cannot_be_read_denies() -> None:
    broken = MaskPolicy("p", (Target(dataset="prod/orders", path="value..x"),), EVERYONE, Mask(MaskType.MASK))
    decision = decide(READER, ORDERS, roles=READS_ALL, policies=[broken], now=START)
    assert decision.effect is Effect.DENY and "Policy p cannot be read" in decision.gaps[0]
    assert decide(READER, PAYMENTS, roles=READS_ALL, policies=[broken], now=START).effect is Effect.ALLOW
    naive = decide(READER, ORDERS, roles=READS_ALL, now=datetime(2026, 1, 1))
    assert naive.effect is Effect.DENY and "no zone" in naive.gaps[0]
    crash = decide(READER, ORDERS, roles=None, now=START)  # type: ignore[arg-type]
    assert crash.effect is Effect.DENY and "could not be decided" in crash.gaps[0]


def test_a_grant_that_cannot_be_read_opens_nothing_and_closes_nothing() -> None:
    broken = Grant("g", EVERYONE, "*", START, START + timedelta(1), "x", fields=("value..x",))
    decision = decide(READER, ORDERS, roles=READS_ALL, grants=[broken], now=START)
    assert decision.effect is Effect.ALLOW and decision.grants == ()
    assert any("Grant g opens nothing" in gap for gap in decision.gaps)
    assert decide(Subject("x"), ORDERS, roles={}, grants=[broken], now=START).effect is Effect.DENY


def test_a_store_that_does_not_answer_denies(world: World) -> None:
    class Down:
        def version(self, kinds: object) -> int:
            raise Unavailable("The record store does not answer.")

    state = GovernanceState(Down(), world.clock)  # type: ignore[arg-type]
    decision = state.decide(Subject("otto"), ORDERS)
    assert decision.effect is Effect.DENY and "policies cannot be read" in decision.gaps[0]


def test_a_dataset_without_known_fields() -> None:
    empty = DatasetFacts(DatasetId("n", "x"), "prod/empty", ())
    decision = decide(READER, empty, roles=READS_ALL, now=START)
    assert decision.effect is Effect.ALLOW and decision.columns == ()
    only = Grant("g", EVERYONE, "*", START, START + timedelta(1), "x")
    decision = decide(Subject("x"), empty, roles={}, grants=[only], now=START)
    assert decision.effect is Effect.DENY and "scan it" in decision.gaps[0]


def test_a_change_is_seen_by_the_next_decision(world: World) -> None:
    world.declare(grant(subject={"user": "sam"}))
    assert ask(world, "sam").effect is Effect.ALLOW
    world.declare(grant(subject={"user": "sam"}, status="revoked"))
    assert ask(world, "sam").effect is Effect.DENY
