"""Scenarios through the doors that need no server: decide, decisions for engines, explain, the view's rules, previews,
who has access, break-glass. The same files go through HTTP and Spark in tests/integration/test_scenario_doors.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog.errors import WeirError
from catalog.paths import FieldPath
from policies.access.decision_service import DecisionAnswer, DecisionRequest, Decisions, DecisionSubject, column_json
from policies.decision.places import Places
from policies.masks import registry
from policies.masks.keys import MaskKeys
from policies.matching import is_active
from policies.model import Effect, MaskType, Subject
from policies.plan import explain
from policies.plan.views import govern
from policies.sql.tables import TableRef
from tests import policy_scenarios as scenarios
from tests.twins.policies.stores import MemoryFacts
from tests.unit.policies.world import START, World

KEYS = MaskKeys(b"a secret for tests, sixteen or more")


class Told:
    """One scenario with its services."""

    def __init__(self, file: Path) -> None:
        self.world = World(facts=MemoryFacts())
        self.scenario = scenarios.load(file, START)
        self.world.facts.known[scenarios.REFERENCE] = self.scenario.facts
        self.world.declare(*self.scenario.documents)
        w = self.world
        self.decisions = Decisions(w.state, w.facts, w.identity, w.audit, w.clock)
        for use in self.scenario.break_glass:
            asked = {"fields": use["fields"], "purpose": use["purpose"], "reason": use["reason"]}
            try:
                w.approvals.emergency.use(w.user(use["user"]), scenarios.REFERENCE, **asked)
            except WeirError as error:
                assert use.get("refused", "to be opened") in error.message
            else:
                assert "refused" not in use, f"{use} opened"

    def asked(self, person: scenarios.Person, *fields: str) -> DecisionAnswer:
        """The door for engines, for one person."""
        question = DecisionRequest(scenarios.REFERENCE, DecisionSubject(person.user), person.purpose, fields)
        (answer,) = self.decisions.decide(Subject("admin", roles=frozenset({"admin"})), [question])
        assert "error" not in answer
        return answer


@pytest.fixture(params=scenarios.FILES, ids=lambda file: file.stem)
def case(request: pytest.FixtureRequest) -> Told:
    return Told(request.param)


def people(case: Told) -> list[scenarios.Person]:
    return [p for p in case.scenario.people if not p.denied]


def no(problems: Any) -> None:
    actual = [problem for problem in problems if problem]
    assert not actual, "\n".join(actual)


def test_decisions(case: Told) -> None:
    for person in case.scenario.people:
        answer = case.asked(person)
        assert answer["effect"] == person.dataset, f"{person.user}: {answer['reasons']}"
        if person.filters is not None:
            assert answer["filters"] == sorted(person.filters)
        if person.denied:
            continue
        decision = case.world.state.decide(case.world.user(person.user), case.scenario.facts, person.purpose)
        assert decision.effect is Effect.ALLOW
        columns = {c["path"]: c for c in answer["columns"]}
        no(scenarios.column_problem("decisions", person, path, columns.get(path)) for path in person.fields)
        decided = {c.path: column_json(c) for c in decision.columns}
        no(scenarios.column_problem("decide", person, path, decided.get(path)) for path in person.fields)


def test_one_field_asked_for_alone(case: Told) -> None:
    for person in people(case):
        for path in person.fields:
            (first, *_) = [c for c in case.asked(person, path)["columns"] if c["path"] == path]
            no([scenarios.column_problem("one field", person, path, first)])


def test_the_view_has_the_decided_rule_of_each_place(case: Told) -> None:
    """What the view runs is `Places.rule`; at a place that is a field of its own it must be that field's decision."""
    for person in people(case):
        decision = case.world.state.decide(case.world.user(person.user), case.scenario.facts, person.purpose)
        places = Places(decision.columns)
        for path, expected in person.fields.items():
            if any(p != path and p.startswith(f"{path}.") for p in (f.path for f in case.scenario.facts.fields)):
                continue  # a text that holds fields: rows of the scenario show what it comes to
            rule, want = places.rule(FieldPath.parse(path)), scenarios.wanted(expected)
            mask = "DROP" if want["effect"] == "deny" else want["mask"] and want["mask"]["type"]
            assert (rule.mask and rule.mask.type) == mask, f"{path} of {person.user}"
            assert rule.clear_when == ((want["clearWhen"],) if want["clearWhen"] else ())
        columns = govern(case.scenario.table(), decision, KEYS).shown
        if person.columns is not None:
            assert [c.name for c in columns if not c.name.startswith("_")] == list(person.columns), person.user


def test_explain(case: Told) -> None:
    for person in people(case):
        decision = case.world.state.decide(case.world.user(person.user), case.scenario.facts, person.purpose)
        governed = govern(case.scenario.table(), decision, KEYS)
        shown = explain.table_json(TableRef(("orders",)), case.scenario.table(), decision, governed)
        fields = {f["path"]: f for f in shown["fields"]}
        for path in person.fields:
            want, got = scenarios.wanted(person.fields[path]), fields[path]
            assert got["mask"] == (want["mask"] and want["mask"]["type"]), f"explain: {path} of {person.user}"
            assert (got["effect"] == "deny") is (want["effect"] == "deny") and got["clearWhen"] == want["clearWhen"]
        for column in governed.columns:
            if column.path is None or column.sql is None or column.name == "_value":
                continue
            described = explain.describe(column.decisions, True, column.note)
            mine = [path for path in person.fields if column.path.contains(FieldPath.parse(path))]
            masks = {
                scenarios.wanted(person.fields[p])["mask"]["type"]
                for p in mine
                if scenarios.wanted(person.fields[p])["mask"]
            }
            assert masks <= set(described.get("masks", ())), (
                f"explain: column {column.name} of {person.user}: {described}"
            )


def test_who_has_access(case: Told) -> None:
    view, now = case.world.state.view(), case.world.clock()
    for person in case.scenario.people:
        paths = list(person.fields) or [case.scenario.facts.fields[0].path]
        grants = view.grants_of(case.world.user(person.user)) if person.signs_in else ()
        stated = any(is_active(g, now) and g.purpose == person.purpose for g in grants)
        for path in paths:
            entries = [a.to_json() for a in case.world.grants.who_has_access(scenarios.REFERENCE, path)]
            no([scenarios.access_problem(person, path, entries, stated)])


def test_each_scenario_has_something_to_see_and_something_to_hide() -> None:
    assert len(scenarios.FILES) >= 12
    masks: set[str] = set()
    for file in scenarios.FILES:
        scenario = scenarios.load(file, START)
        wants = [scenarios.wanted(e)["effect"] for p in scenario.people for e in p.fields.values()]
        masks |= {
            w["mask"]["type"] for p in scenario.people for w in map(scenarios.wanted, p.fields.values()) if w["mask"]
        }
        denied = (
            [p for p in scenario.people if p.denied]
            + list(scenario.break_glass)
            + [p for p in scenario.people if p.filters]
        )
        assert set(wants) - {"allow"} or denied, file.name
        assert all(p.denied or (p.fields and p.select and p.rows) for p in scenario.people), file.name
    assert masks == set(registry.installed().kinds) - {MaskType.MASK_NONE}
