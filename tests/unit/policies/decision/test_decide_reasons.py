"""Every reason of a decision, word for word: what a reader learns must be what was decided, and by which rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from catalog.errors import Unavailable
from catalog.model import DatasetId
from policies.decision.decide import decide
from policies.decision.policy_index import Compiled
from policies.model import (
    AccessPolicy,
    DatasetFacts,
    Decision,
    Effect,
    FieldFacts,
    Grant,
    Mask,
    MaskPolicy,
    MaskType,
    Policy,
    Role,
    RowFilter,
    RowPolicy,
    Subject,
    SubjectMatch,
    Target,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
EVERYONE = SubjectMatch(everyone=True)
ORDERS = (Target(dataset="prod/orders"),)
FACTS = DatasetFacts(
    DatasetId("kafka://x:1", "orders"),
    "prod/orders",
    (
        FieldFacts("value.a", {"PERSON": "98% of 1,000"}),
        FieldFacts("value.b", {"GOLD": ""}),
        FieldFacts("value.c", classified=False),
    ),
    frozenset({"sales"}),
    SubjectMatch(users=frozenset({"otto"}), groups=frozenset({"team"})),
)
READER = Role("reader", (Target(dataset="prod/*"),), row_filters=(RowFilter("prod/*", "r1"), RowFilter("dev/*", "r9")))
ROWS: list[Policy] = [
    RowPolicy("p-eu", ORDERS, EVERYONE, "r2", SubjectMatch(users=frozenset({"petra"}), purposes=frozenset({"fraud"}))),
    RowPolicy("p-otto", ORDERS, SubjectMatch(users=frozenset({"otto"})), "r3"),
    RowPolicy("p-fraud", ORDERS, SubjectMatch(purposes=frozenset({"fraud"})), "r4"),
]
UNSCANNED = (
    "value.c of prod/orders has neither been scanned nor declared, so it is hidden; scan the dataset, or declare the"
    " field's tags (an empty list if it holds nothing personal)."
)
OPENED = ("role", "reader", "Role reader reads prod/*.")
R1 = ("row-filter", "reader", "Only rows where r1 (role reader).")
R2 = ("row-filter", "p-eu", "Only rows where r2 (policy p-eu).")
R4 = ("row-filter", "p-fraud", "Only rows where r4 (policy p-fraud).")
SPAN = "until 2026-06-02 12:00:00 UTC."


def grant(name: str = "g1", **more: Any) -> Grant:
    spec = {
        "subject": SubjectMatch(users=frozenset({"ana"})),
        "dataset": "prod/orders",
        "valid_from": NOW - DAY,
        "valid_to": NOW + DAY,
        "purpose": "fraud",
    }
    return Grant(name, **{**spec, **more})


def ask(
    user: str = "ana",
    *grants: Grant,
    roles: tuple[Role, ...] = (READER,),
    policies: Any = (),
    facts: Any = FACTS,
    purpose: str | None = None,
    groups: tuple[str, ...] = (),
) -> Decision:
    who = Subject(user, frozenset(groups), frozenset(role.name for role in roles))
    return decide(
        who, facts, roles={r.name: r for r in roles}, policies=policies, grants=grants, purpose=purpose, now=NOW
    )


def why(reasons: Any) -> list[tuple[str, str, str]]:
    return [(r.kind, r.name, r.text) for r in reasons]


def column(decision: Decision, path: str) -> list[tuple[str, str, str]]:
    outcome = decision.column(path)
    assert outcome is not None
    return why(outcome.reasons)


def test_filters_of_roles_and_policies() -> None:
    decision = ask(policies=ROWS)
    assert why(decision.reasons) == [OPENED, R1, R2] and decision.gaps == (UNSCANNED,)
    assert decision.filters == (RowFilter("prod/orders", "r1"), RowFilter("prod/orders", "r2"))
    assert (decision.dataset, decision.reference, decision.grants, decision.expires) == (
        FACTS.id,
        "prod/orders",
        (),
        None,
    )
    own = ask("otto", roles=(), policies=ROWS)
    assert why(own.reasons) == [
        ("owner", "prod/orders", "Owner of prod/orders."),
        R2,
        ("row-filter", "p-otto", "Only rows where r3 (policy p-otto)."),
    ]
    assert why(ask("zoe", roles=(), groups=("team",)).reasons)[0] == ("owner", "prod/orders", "Owner of prod/orders.")


def test_the_same_row_is_asked_for_once() -> None:
    twice = RowPolicy("p-again", ORDERS, EVERYONE, "r1")
    decision = ask(policies=[twice])
    assert [f.where for f in decision.filters] == ["r1"] and len(why(decision.reasons)) == 3


def test_who_is_excepted_from_a_row_policy() -> None:
    decision = ask("petra", policies=ROWS)
    assert why(decision.reasons) == [OPENED, R1, ("policy", "p-eu", "Excepted from policy p-eu.")]
    assert [f.where for f in decision.filters] == ["r1"]


def test_a_grant_for_the_stated_purpose_excepts_from_a_row_policy() -> None:
    by = ("policy", "p-eu", "Excepted from policy p-eu by grant g1, g2 for fraud.")
    decision = ask("ana", grant(), grant("g2", rows="x", valid_to=NOW + 2 * DAY), policies=ROWS, purpose="fraud")
    assert why(decision.reasons) == [OPENED, R1, by, R4]
    assert [f.where for f in decision.filters] == ["r1", "r4"]
    assert (decision.grants, decision.expires) == (("g1", "g2"), NOW + DAY)


def test_a_grant_of_some_rows_excepts_in_those_and_one_of_some_fields_not_at_all() -> None:
    decision = ask("ana", grant(rows="x"), grant("g2", fields=("value.a",)), policies=ROWS, purpose="fraud")
    assert [f.where for f in decision.filters] == ["(r2) OR (x)", "r1", "r4"]
    assert ("row-filter", "p-eu", "Only rows where (r2) OR (x) (policy p-eu).") in why(decision.reasons)
    assert decision.grants == ("g1",)
    alone = ask("ana", grant("g2", fields=("value.a",)), policies=ROWS, purpose="fraud")
    assert why(alone.reasons) == [OPENED, R1, R2, R4] and alone.grants == ()


def test_a_purpose_that_no_grant_carries() -> None:
    decision = ask(policies=ROWS, purpose="fraud")
    text = "No active grant of ana for prod/orders carries the purpose 'fraud', so stating it opens nothing."
    assert why(decision.reasons) == [OPENED, ("purpose", "fraud", text), R1, R2, R4]
    closed = ask("ana", grant(), grant("g2", purpose="care"), roles=(), purpose="zz")
    text = (
        "No active grant of ana for prod/orders carries the purpose 'zz', so stating it opens nothing."
        " Yours carry: care, fraud; with another purpose stated they are not used."
    )
    nothing = "No role, ownership or active grant of ana opens prod/orders; request access."
    assert why(closed.reasons) == [("purpose", "zz", text), ("default", "deny", nothing)]
    assert closed.effect is Effect.DENY and closed.gaps == () and closed.columns == ()
    assert (closed.dataset, closed.reference) == (FACTS.id, "prod/orders")


def test_what_a_grant_alone_opens() -> None:
    decision = ask("ana", grant(fields=("value.a",), unmask=("*",), rows="x"), roles=(), policies=ROWS)
    opened = ("grant", "g1", f"Opened by grant g1 for fraud where x, {SPAN}")
    assert why(decision.reasons) == [opened, R2, ("row-filter", "grant", "Only rows where x (by grant).")]
    assert [f.where for f in decision.filters] == ["r2", "x"]
    assert column(decision, "value.a") == [("tag", "PERSON", "PERSON: 98% of 1,000"), opened]
    assert column(decision, "value.b") == [
        ("default", "deny", "No role, ownership or active grant opens this field; request access to it."),
    ]
    assert (decision.grants, decision.expires, decision.gaps) == (("g1",), NOW + DAY, ())


def test_a_grant_that_covers_no_field() -> None:
    decision = ask("ana", grant(fields=("value.zz",)), roles=(), purpose="fraud")
    assert decision.effect is Effect.DENY
    assert why(decision.reasons) == [
        ("default", "deny", "No role, ownership or active grant opens this field; request access to it."),
    ]


def test_a_grant_that_cannot_be_read_is_a_gap() -> None:
    closed = ask("ana", grant(fields=("value..zz",)), roles=())
    (gap,) = closed.gaps
    assert gap.startswith("Grant g1 opens nothing, because it cannot be read: Field path 'value..zz'")
    assert why(closed.reasons)[1:] == [("gap", "prod/orders", gap)]
    open_ = ask("ana", grant(unmask=("value..zz",)))
    assert open_.gaps == (gap, UNSCANNED) and open_.effect is Effect.ALLOW


def test_a_dataset_without_fields_is_closed_to_grants() -> None:
    facts = replace(FACTS, fields=())
    gap = "No field of prod/orders is known yet, so no grant can open one; scan it."
    decision = ask("ana", grant(), roles=(), facts=facts)
    assert decision.gaps == (gap,) and why(decision.reasons) == [("gap", "prod/orders", gap)]
    text = "No active grant of ana for prod/orders carries the purpose 'x', so stating it opens nothing."
    stated = ask(facts=facts, purpose="x", policies=ROWS)
    assert stated.effect is Effect.ALLOW and why(stated.reasons) == [OPENED, ("purpose", "x", text), R1, R2]


def test_what_an_access_policy_asks_for() -> None:
    def asks(purposes: set[str], *grants: Grant, purpose: str | None = None, needs: bool = True) -> Any:
        policy = AccessPolicy("acc", (Target(tag="PERSON"),), needs, frozenset(purposes))
        return column(ask("ana", *grants, policies=[policy], purpose=purpose), "value.a")

    care = grant(purpose="care")
    assert asks({"fraud", "care"}, care) == [
        ("policy", "acc", "Policy acc asks for a stated purpose; state care with the query."),
    ]
    assert asks({"fraud", "care"}, care, grant()) == [
        ("policy", "acc", "Policy acc asks for a stated purpose; state care or fraud with the query."),
    ]
    missing = "Policy acc asks for an active grant for care or fraud; there is none."
    assert asks({"fraud", "care"}) == asks({"fraud", "care"}, purpose="care") == [("policy", "acc", missing)]
    assert asks({"fraud", "care"}, grant(purpose="zz")) == [("policy", "acc", missing)]
    assert asks({"fraud"}, care, purpose="care") == [
        ("policy", "acc", "Policy acc asks for an active grant for fraud; there is none."),
    ]
    assert asks(set()) == [("policy", "acc", "Policy acc asks for an active grant; there is none.")]
    assert asks(set(), needs=False) == [("tag", "PERSON", "PERSON: 98% of 1,000"), OPENED]
    tag, opened = ("tag", "PERSON", "PERSON: 98% of 1,000"), ("grant", "g1", f"Opened by grant g1 for care, {SPAN}")
    assert asks(set(), care) == [tag, opened, ("policy", "acc", "Policy acc asks for a grant, and there is one.")]
    assert asks({"care"}, care, purpose="care", needs=False) == [
        tag,
        opened,
        ("policy", "acc", "Policy acc asks for a grant for care, and there is one."),
    ]


def test_two_access_policies_are_both_asked() -> None:
    both = [
        AccessPolicy("one", ORDERS, True, frozenset({"care"})),
        AccessPolicy("two", ORDERS, True, frozenset({"fraud"})),
    ]
    assert ask("ana", grant(purpose="care"), policies=both, purpose="care").effect is Effect.DENY
    assert ask("ana", grant(purpose="care"), policies=both[:1], purpose="care").effect is Effect.ALLOW
    rows = [AccessPolicy("one", ORDERS), AccessPolicy("two", ORDERS)]
    decision = ask("ana", grant(rows="x"), grant("g2", rows="y"), policies=rows)
    assert [f.where for f in decision.filters] == ["(x) OR (y)", "r1"]


def test_why_a_mask_holds_or_is_lifted() -> None:
    masks = [
        MaskPolicy(
            "m1",
            (Target(tag="PERSON"),),
            EVERYONE,
            Mask(MaskType.MASK),
            SubjectMatch(users=frozenset({"petra"}), purposes=frozenset({"fraud"})),
        ),
        MaskPolicy("m2", (Target(dataset="prod/orders", path="value.a"),), EVERYONE, Mask(MaskType.MASK_NONE)),
        MaskPolicy("m3", (Target(dataset="prod/*"),), SubjectMatch(users=frozenset({"zoe"})), Mask(MaskType.DROP)),
    ]
    tag = ("tag", "PERSON", "PERSON: 98% of 1,000")
    assert column(ask(policies=masks), "value.a") == [tag, OPENED, ("policy", "m1", "MASK by m1: tag PERSON.")]
    assert column(ask("petra", policies=masks), "value.a") == [
        tag,
        OPENED,
        ("policy", "m1", "Excepted from MASK by m1: tag PERSON."),
    ]
    clear = ("grant", "g1", f"Shown unmasked by grant g1 for fraud, {SPAN}")
    lifted = ("policy", "m1", "MASK of m1 (tag PERSON) is lifted.")
    stated = ask("ana", grant(), policies=masks, purpose="fraud")
    assert column(stated, "value.a") == [tag, OPENED, clear, lifted] and stated.grants == ("g1",)
    assert why(stated.reasons) == [OPENED, clear, R1]
    unmasked = ask("ana", grant(unmask=("PERSON",)), policies=masks)
    # A mask that shows everything is lifted as well; it says so, and nothing else.
    none = ("policy", "m2", "MASK_NONE of m2 (path value.a of prod/orders) is lifted.")
    assert column(unmasked, "value.a") == [tag, OPENED, clear, lifted, none]
    some = ask("ana", grant(unmask=("value.a",), rows="x"), policies=masks)
    where = ("grant", "g1", f"Shown unmasked by grant g1 for fraud where x, {SPAN}")
    assert column(some, "value.a") == [
        tag,
        OPENED,
        where,
        ("policy", "m1", "MASK by m1: tag PERSON."),
        ("grant", "rows", "Unmasked only in rows where x."),
    ]
    zoe = ask("zoe", policies=masks)
    assert column(zoe, "value.b") == [
        ("tag", "GOLD", "GOLD"),
        OPENED,
        ("policy", "m3", "DROP by m3: dataset prod/*."),
    ]


def test_an_unscanned_field_says_so_until_a_grant_shows_it() -> None:
    tag = ("tag", "UNSCANNED", "UNSCANNED: neither scanned nor declared")
    assert column(ask(), "value.c") == [
        tag,
        OPENED,
        ("gap", "UNSCANNED", "MASK_NULL by UNSCANNED: neither scanned nor declared."),
    ]
    decision = ask("ana", grant(unmask=("value.c",)))
    assert column(decision, "value.c") == [
        tag,
        OPENED,
        ("grant", "g1", f"Shown unmasked by grant g1 for fraud, {SPAN}"),
        ("gap", "UNSCANNED", "MASK_NULL of UNSCANNED (neither scanned nor declared) is lifted."),
    ]
    assert decision.grants == ("g1",)


def test_tags_of_the_dataset_and_personal_data_say_what_they_rest_on() -> None:
    def text(tag: str) -> str:
        policy = MaskPolicy("m", (Target(tag=tag),), EVERYONE, Mask(MaskType.MASK))
        return column(ask(policies=[policy]), "value.a")[-1][2]

    assert text("sales") == "MASK by m: tag sales of the dataset."
    assert text("PII") == "MASK by m: PII, by tag PERSON."


def test_what_a_role_reads_is_named_as_it_was_declared() -> None:
    def read(*targets: Target) -> list[tuple[str, str, str]]:
        return [r for r in why(ask(roles=(Role("r", targets),)).reasons) if r[0] == "role"]

    assert read(Target(tag="sales")) == [("role", "r", "Role r reads tag sales.")]
    assert read(Target(dataset="prod/orders", path="value.a")) == [("role", "r", "Role r reads prod/orders value.a.")]
    assert read(Target(dataset="prod/*", tag="sales")) == [("role", "r", "Role r reads prod/*.")]
    for nothing in (
        Target(),
        Target(path="value.a"),
        Target(tag="other"),
        Target(dataset="dev/*"),
        Target(dataset="prod/*", tag="other"),
        Target(dataset="dev/*", tag="sales"),
    ):
        assert ask(roles=(Role("r", (nothing,)),)).effect is Effect.DENY, nothing
        assert read(nothing, Target(dataset="*")) == [("role", "r", "Role r reads *.")], "the next one counts"
    one = ask(roles=(Role("r", (Target(dataset="*", path="value.a"),)),))
    assert {c.path: c.effect.value for c in one.columns} == {"value.a": "allow", "value.b": "deny", "value.c": "deny"}


def test_fields_that_cannot_be_read_are_gaps() -> None:
    decision = ask(facts=replace(FACTS, fields=(*FACTS.fields, FieldFacts("value..y"))))
    assert decision.effect is Effect.ALLOW and [c.path for c in decision.columns] == ["value.a", "value.b", "value.c"]
    assert decision.gaps[0] == UNSCANNED and decision.gaps[1].startswith("Field path 'value..y' cannot be read")


def test_a_policy_that_cannot_be_read_closes_the_dataset() -> None:
    broken = MaskPolicy("bad", (Target(dataset="prod/orders", path="value..x"),), EVERYONE, Mask(MaskType.MASK))
    decision = ask(policies=[broken], purpose="zz")
    (gap,) = decision.gaps
    assert decision.effect is Effect.DENY and gap.startswith("Policy bad cannot be read: Field path 'value..x'")
    assert why(decision.reasons) == [("gap", "prod/orders", gap)]
    assert ask(policies=Compiled([broken])).effect is Effect.DENY
    anywhere = replace(broken, match=(Target(tag="NOBODY", path="value..x"),))
    assert ask(policies=[anywhere]).effect is Effect.DENY, "which datasets it is about is not known"


def test_a_role_that_cannot_be_read_closes_everything_for_its_holder() -> None:
    decision = ask(roles=(READER, Role("bad", problem="it is broken")), purpose="zz")
    assert decision.gaps == ("Role bad cannot be read: it is broken",)
    assert why(decision.reasons) == [("gap", "prod/orders", "Role bad cannot be read: it is broken")]


def test_what_fails_on_the_way_denies_and_says_which_kind_of_failure() -> None:
    def broken(error: Exception) -> tuple[Decision, str]:
        class Policies(list[Policy]):
            def __iter__(self) -> Any:
                raise error

        decision = ask(policies=Policies())
        (gap,) = decision.gaps
        assert decision.effect is Effect.DENY and why(decision.reasons) == [("gap", "prod/orders", gap)]
        assert (decision.dataset, decision.reference) == (FACTS.id, "prod/orders")
        return decision, gap

    head = "Nothing of prod/orders is opened, because it could not be decided: "
    assert broken(KeyError("a secret"))[1] == f"{head}the decision failed (KeyError)."
    assert broken(Unavailable("The store does not answer."))[1] == f"{head}The store does not answer."
