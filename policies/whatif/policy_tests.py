"""Tests of policies: who is to see what, written down and checked, against what is declared or what is proposed.

docs/reference/policies.md has the format. Nothing is read of a topic and nothing is written but the audit: who tested what,
for whom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from sqlglot import exp

from catalog.errors import InvalidInput, NotFound, SqlRefused
from catalog.near_names import did_you_mean
from catalog.paths import FieldPath
from policies.access.decision_service import DecisionSubject, decide_now, effect_of, subject_of
from policies.audit.actions import AuditAction
from policies.declared.state import View
from policies.model import DatasetFacts, Decision, Effect, Subject
from policies.plan import explain
from policies.plan.prepare import PreparedQuery, Preparer, check_possible
from policies.ports import Clock, FactsSource
from policies.query.door import AuditedGate
from policies.settings import PolicySettings
from policies.sql import trace
from policies.sql.names import fold, nearest
from policies.whatif import policy_expectations as expectations
from policies.whatif import tested_names
from policies.whatif.policy_cases import Case
from policies.whatif.policy_expectations import Unmet

ACTION: AuditAction = "policy.test"
_ALONE: dict[str, object] = {"mask": None, "filter": None, "clear_when": None, "columns": {}}


class CaseResult(TypedDict):
    """How one test ended."""

    name: str
    ok: bool
    problems: list[Unmet]
    reasons: list[str]


class Report(TypedDict):
    """How tests of policies ended."""

    cases: list[CaseResult]
    passed: int
    failed: int
    total: int


class PolicyTests:
    """The service behind `POST /api/v1/policies/test`."""

    def __init__(
        self,
        preparer: Preparer,
        trail: AuditedGate,
        facts: FactsSource,
        clock: Clock,
        settings: PolicySettings | None = None,
        reference: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._preparer, self._trail, self._facts, self._clock = preparer, trail, facts, clock
        self._settings = settings or PolicySettings()
        self._reference = reference

    def run(
        self,
        by: Subject,
        cases: Sequence[Case],
        view: View,
        facts_after: Callable[[DatasetFacts], DatasetFacts] = lambda facts: facts,
    ) -> Report:
        """Run tests for `by`, whom the audit names."""
        results: list[CaseResult] = []
        passed = 0
        for case in cases:
            problems, reasons = self._one(by, case, view, facts_after)
            passed += not problems
            results.append({"name": case.title, "ok": not problems, "problems": problems, "reasons": reasons})
        return {"cases": results, "passed": passed, "failed": len(results) - passed, "total": len(results)}

    def _one(
        self, by: Subject, case: Case, view: View, facts_after: Callable[[DatasetFacts], DatasetFacts]
    ) -> tuple[list[Unmet], list[str]]:
        now = case.at or self._clock()
        person = DecisionSubject(case.subject.user, frozenset(case.subject.groups), frozenset(case.subject.roles))
        who, gone = subject_of(view, person)

        def decide(subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
            return decide_now(view, subject, gone, facts_after(facts), purpose, now, self._settings)

        try:
            view.purposes.require(case.purpose)
            if case.sql is not None:
                return self._sql(by, case, case.sql, who, self._preparer.deciding(decide))
            self._trail.looked(by, ACTION, case.purpose, "", "allow", [case.dataset or ""], [f"for {who.user}"])
            facts = facts_after(self._facts.facts(self._reference(case.dataset or "")))
        except (NotFound, InvalidInput) as error:
            return [expectations.problem("dataset", "a known dataset", error.message)], []
        decision = decide_now(view, who, gone, facts, case.purpose, now, self._settings)
        return self._dataset(case, facts, decision)

    def _dataset(self, case: Case, facts: DatasetFacts, decision: Decision) -> tuple[list[Unmet], list[str]]:
        if case.field is not None:
            return self._field(case, case.field, facts, decision)
        problems = expectations.effect(case.expect, str(decision.effect))
        reasons = []
        for path, expected in case.expect.columns.items():
            about = case.model_copy(update={"expect": case.expect.model_copy(update={**_ALONE, "effect": expected})})
            mismatches, why = self._field(about, path, facts, decision)
            problems += [expectations.problem(f"column {path}", each["expected"], each["found"]) for each in mismatches]
            reasons += why
        reasons += [r.text for r in decision.reasons]
        return [*problems, *expectations.filters(case.expect, [decision])], list(dict.fromkeys(reasons))

    def _field(self, case: Case, field: str, facts: DatasetFacts, decision: Decision) -> tuple[list[Unmet], list[str]]:
        reasons = [*tested_names.unchecked(facts), *(r.text for r in decision.reasons)]
        try:
            place = FieldPath.parse(field)
        except InvalidInput as error:
            return [expectations.problem("field", "a field path", error.message)], []
        unknown = tested_names.unknown_field(facts, place)
        if unknown is not None:
            return [unknown], reasons
        columns = [c for c in decision.columns if tested_names.within(c.path, place)]
        if not columns:
            actual = "deny" if decision.effect is Effect.DENY else "gap"
            return [*expectations.effect(case.expect, actual), *expectations.filters(case.expect, [decision])], reasons
        reasons = [r.text for c in columns for r in c.reasons] or reasons
        problems = []
        for column in columns:
            about = f" of {column.path}" if column.path != field else ""
            problems += expectations.effect(case.expect, effect_of(column), about)
            problems += expectations.mask(case.expect, column, about)
        return [*problems, *expectations.filters(case.expect, [decision])], list(dict.fromkeys(reasons))

    def _sql(
        self, by: Subject, case: Case, sql: str, subject: Subject, preparer: Preparer
    ) -> tuple[list[Unmet], list[str]]:
        try:
            gated = self._trail.gate(by, sql, case.purpose, ACTION)
        except SqlRefused as error:
            return expectations.closed(case.expect, "refused"), [error.message]
        with self._trail.refusals(by, sql, case.purpose, ACTION):
            resolved = preparer.find(subject, gated, case.purpose)
        datasets = [table.reference for table in resolved.tables.values()]
        self._trail.looked(by, ACTION, case.purpose, sql, "allow", datasets, [f"for {subject.user}"])
        prepared = preparer.govern(gated, resolved)
        decisions = list(resolved.decisions.values())
        reasons = [r.text for d in decisions for r in d.reasons] + prepared.gaps
        if prepared.gaps or any(d.effect is Effect.DENY for d in decisions):
            return expectations.closed(case.expect, "deny"), reasons
        if (denied := _denied_column(prepared)) is not None:
            return expectations.closed(case.expect, "deny"), [f"{denied} may not be read.", *reasons]
        problem = gated.stream_problem() if gated.emit_changes else None
        if problem is not None:
            return expectations.closed(case.expect, "refused"), [problem]
        try:
            check_possible(prepared)
        except SqlRefused as error:
            return expectations.closed(case.expect, "refused"), [error.message]
        unknown = [
            each for governed in prepared.tables.values() for each in tested_names.unchecked(governed.table.facts)
        ]
        if not unknown and (problems := tested_names.unknown_columns(prepared)):
            return problems, reasons
        reasons = [*unknown, *reasons]
        outputs = _outputs(prepared)
        effect = "mask" if "mask" in outputs.values() else "allow"
        # `allow` of a query says that it runs; whether something of it is masked is asked for with `mask`.
        problems = [] if case.expect.effect == "allow" else expectations.effect(case.expect, effect)
        by_name = {fold(name): actual for name, actual in outputs.items()}
        for name, expected in case.expect.columns.items():
            missing = "no such column" + did_you_mean(nearest(name, outputs), lead="; ")
            actual = by_name.get(fold(name), missing)
            if actual != expected:
                problems.append(expectations.problem(f"column {name}", expected, actual))
        return [*problems, *expectations.filters(case.expect, decisions)], reasons


def _outputs(prepared: PreparedQuery) -> Mapping[str, str]:
    """Column of the result -> allow | mask | deny | derived."""
    words = {"clear": "allow", "masked": "mask", "denied": "deny", "withheld": "mask", "derived": "derived"}
    effects: dict[str, str] = {}
    for output in trace.outputs(prepared.gated.tree, prepared.columns()):
        header = explain.header(output, prepared.tables)
        effects[output.name] = (
            "mask" if header["effect"] == "derived" and header.get("masks") else words[header["effect"]]
        )
    return effects


def _denied_column(prepared: PreparedQuery) -> str | None:
    """A column that the query names and its subject may not read."""
    for column in prepared.gated.tree.find_all(exp.Column):
        names = [part.name for part in column.parts]
        for start in range(min(2, len(names))):
            for governed in prepared.tables.values():
                match = explain.find(governed, names[start])
                if match is None:
                    continue
                below = explain.within(governed, match, names[start + 1 :])
                if match.sql is None or (below and all(d.effect is Effect.DENY for d in below)):
                    return ".".join(names)
    return None
