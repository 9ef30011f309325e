"""Decisions for others, simulations of changes, tests of policies, previews of masks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import InvalidInput, LimitExceeded, NotAllowed
from policies.access.decision_service import DecisionRequest, Decisions, DecisionSubject
from policies.masks import registry
from policies.masks.keys import MaskKeys
from policies.model import DatasetFacts, MaskType
from policies.plan.model import QueryPlan, Result
from policies.plan.prepare import Preparer
from policies.plan.settings import QuerySettings
from policies.query.door import AuditedGate
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.overlay import Proposed
from policies.whatif.policy_cases import read_cases
from policies.whatif.policy_tests import PolicyTests, Report
from policies.whatif.simulate import Outcome, Simulation
from tests.twins.policies.engine import MemoryEngine, MemoryTopics
from tests.unit.policies.query.test_query import ANA, TABLE, WrittenAudit
from tests.unit.policies.world import ORDERS, World, company

EMAIL = "value.customer.email"


@pytest.fixture
def world() -> World:
    return company()


def ask(world: World, caller: str, *asked: DecisionRequest) -> Sequence[Any]:
    return Decisions(world.state, world.facts, world.identity, world.audit, world.clock).decide(
        world.user(caller), asked
    )


# --- decisions ---------------------------------------------------------------------------------------------------------


def test_what_an_engine_is_told(world: World) -> None:
    (answer,) = ask(world, "ana", DecisionRequest("prod/orders", fields=(EMAIL, "value.nope")))
    assert (answer["effect"], answer["subject"]["user"]) == ("allow", "ana")
    email, nope = answer["columns"]
    assert (email["path"], email["effect"], email["mask"]) == (
        EMAIL,
        "mask",
        {"type": "MASK_HASH", "expression": None, "params": {}},
    )
    assert any("EMAIL_ADDRESS" in r["text"] for r in email["reasons"])
    assert nope["effect"] == "gap"
    (whole,) = ask(world, "ana", DecisionRequest("prod/orders"))
    effects = {c["path"]: c["effect"] for c in whole["columns"]}
    assert effects["value.amount"] == "allow" and effects["value.new_field"] in ("gap", "mask")
    assert len(effects) == len(ORDERS.fields)
    assert [e.action for e in world.entries.rows] == ["decision", "decision"]


def test_about_others_it_takes_a_permission(world: World) -> None:
    world.declare(("User", "gateway", {"roles": ["enforcer"]}))
    other = DecisionRequest("prod/orders", DecisionSubject("grace"))
    with pytest.raises(NotAllowed):
        ask(world, "ana", other)
    (answer,) = ask(world, "gateway", other)
    assert answer["effect"] == "allow" and answer["filters"] == ["region = 'EU'"]
    (own,) = ask(world, "ana", DecisionRequest("prod/orders", DecisionSubject("ana")))
    assert own["effect"] == "allow"
    with pytest.raises(NotAllowed):  # groups of one's own choice are another subject
        ask(world, "ana", DecisionRequest("prod/orders", DecisionSubject("ana", groups=frozenset({"privacy"}))))
    (guest,) = ask(
        world, "gateway", DecisionRequest("prod/orders", DecisionSubject("", roles=frozenset({"privacy-officer"})))
    )
    assert all(c["effect"] == "allow" for c in guest["columns"])


def test_who_is_gone_is_denied(world: World) -> None:
    world.declare(
        ("User", "gateway", {"roles": ["enforcer"]}), ("User", "ana", {"roles": ["analyst"], "disabled": True})
    )
    (answer,) = ask(world, "gateway", DecisionRequest("prod/orders", DecisionSubject("ana")))
    assert answer["effect"] == "deny" and "disabled" in answer["reasons"][0]["text"]


def test_a_batch_keeps_its_order_and_its_failures(world: World) -> None:
    answer = ask(
        world,
        "ana",
        DecisionRequest("prod/payments"),
        DecisionRequest("prod/nope"),
        DecisionRequest("prod/orders", fields=("value.[",)),
    )
    assert [f["effect"] for f in answer] == ["deny", "deny", "deny"]
    assert "error" not in answer[0] and answer[1]["error"]["code"] == "dataset_not_found"
    assert answer[2]["error"]["code"] == "invalid_input"
    for bad in ([DecisionRequest("prod/orders")] * 101, [DecisionRequest("prod/orders", action="delete")]):
        with pytest.raises(InvalidInput):
            ask(world, "ana", *bad)


# --- simulations -------------------------------------------------------------------------------------------------------


def simulate(world: World, *proposed: Proposed, **more: Any) -> Outcome:
    before = world.state.version()
    simulation = Simulation(world.state, world.facts, lambda: ["prod/orders", "prod/payments"], world.clock)
    answer = simulation.simulate(proposed, **more)
    assert world.state.version() == before and not world.entries.rows, "nothing is written"
    return answer


def test_who_loses_by_a_new_mask(world: World) -> None:
    mask = {
        "type": "mask",
        "match": {"fields": [{"dataset": "prod/orders", "path": "value.amount"}]},
        "mask": {"type": "MASK"},
    }
    answer = simulate(world, Proposed("Policy", "mask-amount", mask))
    assert {(c["user"], c["path"], c["change"], c["before"], c["after"]) for c in answer["changes"]} == {
        (user, "value.amount", "loss", "clear", "MASK") for user in ("ana", "grace", "otto", "petra")
    }
    assert (answer["gains"], answer["losses"], answer["total"], answer["truncated"]) == (0, 4, 4, False)
    assert answer["documents"] == [{"kind": "Policy", "name": "mask-amount", "action": "create"}]
    assert "mask-amount" in answer["changes"][0]["reasons"][-1]["text"]


def test_a_mask_that_can_be_undone_by_chosen_values_is_warned_of(world: World) -> None:
    def notes(match: dict[str, Any], mask: dict[str, Any], name: str = "keyed") -> list[str]:
        spec = {"type": "mask", "match": match, "mask": mask}
        return list(simulate(world, Proposed("Policy", name, spec))["notes"])

    everywhere = {
        "fields": [
            {"dataset": "prod/orders", "path": "value.amount"},
            {"dataset": "prod/payments", "path": "value.card"},
        ]
    }
    (shared,) = notes(everywhere, {"type": "TOKEN", "params": {"scope": "shop"}})
    assert "prod/orders, prod/payments" in shared and "in all of them" in shared and "Leave scope out" in shared
    (own,) = notes(everywhere, {"type": "HASH"})
    assert "recognize that value there" in own and "MASK_NULL" in own
    assert notes(everywhere, {"type": "MASK"}) == [] == notes({"datasets": ["dev/none"]}, {"type": "MASK_HASH"})
    declared = world.state.store.get("Policy", "mask-email")
    assert declared is not None and declared.spec is not None
    unchanged = Proposed("Policy", "mask-email", declared.spec)
    assert simulate(world, unchanged)["notes"] == [], "nothing changes"


def test_who_gains_when_a_policy_goes(world: World) -> None:
    answer = simulate(world, Proposed("Policy", "mask-email", None), user="ana")
    assert {c["path"] for c in answer["changes"]} >= {EMAIL} and answer["losses"] == 0 and answer["gains"] > 0
    assert all(c["user"] == "ana" for c in answer["changes"]) and answer["documents"][0]["action"] == "remove"


def test_a_role_that_opens_and_a_user_who_is_new(world: World) -> None:
    answer = simulate(world, Proposed("User", "zoe", {"roles": ["analyst"]}), dataset="prod/orders")
    assert {c["user"] for c in answer["changes"]} == {"zoe"} and answer["gains"] == len(ORDERS.fields)
    assert all(c["before"] == "denied" for c in answer["changes"])


def test_rows_are_told_apart(world: World) -> None:
    rule = {"type": "row-filter", "match": {"datasets": ["prod/orders"]}, "where": "amount > 5"}
    answer = simulate(world, Proposed("Policy", "big", rule))
    by_user = {c["user"]: (c["path"], c["change"], c["before"], c["after"]) for c in answer["changes"]}
    assert by_user["ana"] == (None, "loss", "all rows", "rows where (amount > 5)") and by_user["grace"][1] == "other"


def test_purposes_are_tried(world: World) -> None:
    grant = {
        "subject": {"user": "grace"},
        "dataset": "prod/payments",
        "purpose": "chargeback",
        "status": "approved",
        "validFrom": "2026-01-01T00:00:00Z",
        "validTo": "2027-01-01T00:00:00Z",
    }
    answer = simulate(world, Proposed("Grant", "g", grant))
    assert {(c["user"], c["purpose"], c["change"]) for c in answer["changes"]} == {("grace", "chargeback", "gain")}


def test_limits_and_refusals(world: World) -> None:
    mask = {"type": "mask", "match": {"datasets": ["*"]}, "mask": {"type": "MASK_NULL"}}
    answer = simulate(world, Proposed("Policy", "all", mask), limit=3)
    assert len(answer["changes"]) == 3 and answer["total"] > 3 and answer["truncated"]
    assert simulate(world)["total"] == 0
    with pytest.raises(InvalidInput, match="did you mean"):
        simulate(world, Proposed("Policy", "x", {**mask, "maks": {}}))


def test_proposed_tags_and_owners_of_datasets(world: World) -> None:
    def after(facts: DatasetFacts) -> DatasetFacts:
        fields = tuple(
            replace(f, tags={"EMAIL_ADDRESS": "proposed"}) if f.path == "value.amount" else f for f in facts.fields
        )
        return replace(facts, fields=fields)

    answer = simulate(world, dataset="prod/orders", facts_after=after)
    assert {c["path"] for c in answer["changes"]} == {"value.amount"} and answer["losses"] >= 1


# --- tests of policies -------------------------------------------------------------------------------------------------


def run(world: World, text: str, **more: Any) -> Report:
    class Tables:
        def find(self, name: str) -> Any:
            return replace(TABLE, facts=ORDERS)

    keys = MaskKeys(b"a secret for tests, sixteen or more")
    preparer = Preparer(Tables(), world.state, None, keys, QuerySettings())  # type: ignore[arg-type]
    written = WrittenAudit()
    service = PolicyTests(preparer, AuditedGate(written), world.facts, world.clock)
    answer = service.run(ANA, read_cases(text), more.get("view") or world.state.view())
    assert all((e.subject.user, e.action) == ("ana", "policy.test") for e in written.entries)
    assert bool(written.entries) is ("dataset:" in text or "sql:" in text)
    return answer


GOOD = f"""
cases:
  - {{subject: ana, dataset: prod/orders, field: {EMAIL}, expect: mask}}
  - {{subject: ana, dataset: prod/orders, field: {EMAIL}, expect: {{effect: masked, mask: mask_hash}}}}
  - {{subject: ana, dataset: prod/orders, field: value.amount, expect: clear}}
  - {{subject: ana, dataset: prod/payments, expect: deny}}
  - {{subject: {{roles: [analyst-eu]}}, dataset: prod/orders, expect: {{effect: allow, filter: "region='EU'"}}}}
  - {{subject: ana, dataset: prod/orders, expect: {{filter: none}}}}
  - {{subject: ana, sql: "DROP TABLE orders", expect: refused}}
  - {{subject: nobody, sql: "SELECT * FROM orders", expect: deny}}
  - {{name: by name, subject: petra, dataset: prod/orders, field: {EMAIL}, expect: clear, at: 2026-06-01T12:00:00Z}}
"""


def test_expectations_that_hold(world: World) -> None:
    answer = run(world, GOOD)
    assert [c for c in answer["cases"] if not c["ok"]] == [] and (answer["passed"], answer["failed"]) == (9, 0)
    assert answer["cases"][-1]["name"] == "by name" and answer["cases"][0]["name"] == f"ana: {EMAIL}"


def test_expectations_that_do_not(world: World) -> None:
    answer = run(
        world,
        f"""
- {{subject: ana, dataset: prod/orders, field: {EMAIL}, expect: clear}}
- {{subject: ana, dataset: prod/orders, field: {EMAIL}, expect: {{mask: MASK}}}}
- {{subject: ana, dataset: prod/orders, expect: {{filter: "region = 'EU'"}}}}
- {{subject: ana, dataset: prod/nope, expect: deny}}
- {{subject: ana, dataset: prod/orders, field: value.nope, expect: clear}}
- {{subject: ana, sql: "SELECT id FROM orders", expect: {{columns: {{id: masked, other: clear}}}}}}
- {{subject: ana, sql: "SELECT order_id FROM orders ORDER BY order_id EMIT CHANGES", expect: clear}}
- {{subject: ana, sql: "SELECT session_user FROM orders", expect: clear}}
""",
    )
    assert [c["name"] for c in answer["cases"] if c["ok"]] == []
    first = answer["cases"][0]
    assert first["problems"] == [{"what": "effect", "expected": "allow", "found": "mask"}]
    assert any("mask-email" in reason for reason in first["reasons"])
    for refused in answer["cases"][6:]:
        assert refused["problems"] == [{"what": "effect", "expected": "allow", "found": "refused"}]
    assert answer["cases"][5]["problems"] == [{"what": "effect", "expected": "allow", "found": "deny"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cases: [", "not YAML"),
        ("cases: []", "cases"),
        ("- {subject: ana, expect: clear}", "dataset"),
        ("- {subject: ana, dataset: a/b, sql: x, expect: clear}", "dataset"),
        ("- 5", "cases.0"),
        ("- {subject: ana, dataset: a/b, expect: perhaps}", "expect"),
        ("- {subject: ana, dataset: a/b, expect: {}}", "names nothing"),
        ("- {subject: ana, dataset: a/b, expects: clear}", "expect"),
        ("", "cases"),
        ("!!python/object:os.system {}", "not YAML"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(text: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_cases(text)


def test_a_moment_may_be_given(world: World) -> None:
    request = world.approvals.create(
        world.user("ana"), "prod/orders", [EMAIL], purpose="x", valid_to=world.now + timedelta(days=3)
    )
    world.approvals.approve(world.user("otto"), request.id)
    world.approvals.approve(world.user("petra"), request.id)
    answer = run(
        world,
        f"""
- {{subject: ana, purpose: x, dataset: prod/orders, field: {EMAIL}, expect: clear}}
- {{subject: ana, purpose: x, dataset: prod/orders, field: {EMAIL}, expect: mask, at: 2026-06-05T00:00:00Z}}
""",
    )
    assert answer["failed"] == 0, answer


# --- previews of masks -------------------------------------------------------------------------------------------------


def preview(mask: dict[str, Any], values: list[Any], kind: str = "STRING") -> Any:
    return MaskPreview(MemoryEngine(MemoryTopics({}))).show(mask, values, kind)


@pytest.mark.parametrize(
    ("mask", "kind", "value", "masked"),
    [
        ("Last-4", "STRING", "4111 1111", "xxxx 1111"),
        ("MASK_NULL", "INT", 5, None),
        ("MASK", "INT", 5, 0),
        ("MASK_DATE_SHOW_YEAR", "DATE", "1990-05-06", "1990-01-01"),
        ("GENERALIZE", "DECIMAL(6,2)", "123.45", "120.00"),
        ("MASK_DATE_SHOW_YEAR", "TIMESTAMP", "1990-05-06T10:00:00Z", "1990-01-01T00:00:00Z"),
        ("MASK", "BINARY", "AP8=", ""),
        ("EMAIL_DOMAIN", "STRING", None, None),
        ("MASK_NONE", "BOOLEAN", True, True),
    ],
)
def test_previews(mask: str, kind: str, value: Any, masked: Any) -> None:
    answer = preview({"type": mask}, [value], kind)
    assert answer["values"] == [{"value": value, "masked": masked}]


@pytest.mark.parametrize(
    ("mask", "values", "kind"),
    [
        ({"type": "NOPE"}, [], "STRING"),
        ({"type": "CUSTOM"}, ["a"], "STRING"),
        ({"type": "MASK", "x": 1}, [], "STRING"),
        ({"type": "CUSTOM", "expression": "reflect({col})"}, ["a"], "STRING"),
        ({"type": "MASK"}, ["x"], "INT"),
        ({"type": "MASK"}, ["x"], "STRUCT<a: INT>"),
        ({"type": "MASK"}, ["x"], "x INT, y"),
        ({"type": "MASK"}, ["x"] * 101, "STRING"),
        ({"type": "MASK"}, ["not a day"], "DATE"),
        ({}, [], "STRING"),
        ({"type": "MASK"}, ["\ud800"], "STRING"),
        ({"type": "MASK"}, [["x"]], "STRING"),
        ({"type": "MASK"}, [{}], "STRING"),
        ({"type": "MASK_HASH"}, ["0001-01-01T00:00:00+14:00"], "TIMESTAMP"),
        ({"type": "MASK"}, [float("nan")], "DOUBLE"),
        ({"type": "CUSTOM", "expression": "upper({col})"}, ["\udfff"], "STRING"),
    ],
)
def test_previews_that_cannot_be(mask: dict[str, Any], values: list[Any], kind: str) -> None:
    with pytest.raises(InvalidInput):
        preview(mask, values, kind)


@pytest.mark.parametrize("mask", [m for m in registry.installed().kinds if m != MaskType.CUSTOM])
@pytest.mark.parametrize("value", ["1e300000000", "1e-999999999", "NaN", "-Infinity", "1e39", "1" * 77, 10**90])
def test_a_decimal_that_none_of_sparks_could_be(mask: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match="is not of type DECIMAL"):
        preview({"type": str(mask)}, [value], "DECIMAL(38,2)")


def test_a_number_that_is_none_is_a_text() -> None:
    assert preview({"type": "MASK_NONE"}, ["NaN", "-inf"], "DOUBLE")["values"] == [
        {"value": "NaN", "masked": "NaN"},
        {"value": "-inf", "masked": "-Infinity"},
    ]


class SlowEngine(MemoryEngine):
    """Holds what it is asked until it is released."""

    def __init__(self) -> None:
        super().__init__(MemoryTopics({}))
        self.plans: list[QueryPlan] = []
        self.go, self.inside = threading.Event(), threading.Semaphore(0)

    def run(self, plan: QueryPlan) -> Result:
        self.plans.append(plan)
        self.inside.release()
        assert self.go.wait(10)
        return Result((), [[0, "X"]], False)


def test_previews_of_the_engine_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("policies.whatif.mask_preview._WAIT_SECONDS", 0.01)
    engine = SlowEngine()
    service = MaskPreview(engine)
    mask = {"type": "CUSTOM", "expression": "upper({col})"}
    threads = [threading.Thread(target=service.show, args=(mask, ["x"])) for _ in range(2)]
    for thread in threads:
        thread.start()
        assert engine.inside.acquire(timeout=10)
    with pytest.raises(LimitExceeded):
        service.show(mask, ["x"])
    engine.go.set()
    for thread in threads:
        thread.join(10)
    assert service.show(mask, ["x"])["values"] == [{"value": "x", "masked": "X"}]
    assert not any(plan.ansi for plan in engine.plans), "a mask is computed as the views of queries compute it"
