"""Tests of policies: who is to see what, written down and checked, against what is declared or what is proposed.

docs/policies.md has the format. Nothing is read of a topic and nothing is written, the audit neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import yaml
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from sqlglot import exp

from catalog.errors import InvalidInput, NotFound, SqlRefused, WeirError
from catalog.paths import FieldPath
from policies import explain, gate
from policies.decisions import Named, decide_now, effect_of, subject_of
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Subject
from policies.ports import Clock, FactsSource
from policies.query_prepare import Prepared, Preparer, check_environment
from policies.settings import PolicySettings
from policies.sql import trace
from policies.sql.names import fold
from policies.state import View

MOST_CASES = 2000
_MOST_BYTES = 1024 * 1024
_EFFECTS = {"clear": "allow", "masked": "mask", "denied": "deny"}


def _word(value: Any) -> Any:
    return _EFFECTS.get(value, value) if isinstance(value, str) else value


Word = Annotated[Literal["allow", "mask", "deny", "gap", "refused", "derived"], BeforeValidator(_word)]


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Who(_Spec):
    user: str = ""
    groups: list[str] = []
    roles: list[str] = []


class Expected(_Spec):
    """What is to hold; what is not named is not looked at."""

    effect: Word | None = None
    mask: str | None = None
    filter: str | list[str] | None = None
    clear_when: str | None = None
    columns: dict[str, Word] = {}

    @model_validator(mode="after")
    def _something(self) -> Expected:
        if not self.model_fields_set:
            raise ValueError("names nothing; give effect, mask, filter, clear_when or columns")
        return self


class Case(_Spec):
    name: str = ""
    subject: Who
    purpose: str | None = None
    dataset: str | None = None
    field: str | None = None
    sql: str | None = None
    at: AwareDatetime | None = None
    expect: Expected

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        who, expect = data.get("subject"), data.get("expect")
        short = {**data}
        if isinstance(who, str):
            short["subject"] = {"user": who}
        if isinstance(expect, str):
            short["expect"] = {"effect": expect}
        return short

    @model_validator(mode="after")
    def _place(self) -> Case:
        if (self.sql is None) == (self.dataset is None):
            raise ValueError("needs a dataset (with a field, or without), or sql")
        if self.sql is not None and self.field is not None:
            raise ValueError("takes field with dataset only; name the columns of sql under expect.columns")
        return self

    @property
    def title(self) -> str:
        who = self.subject.user or ", ".join([*self.subject.groups, *self.subject.roles])
        return self.name or f"{who}: {self.sql or self.field or self.dataset}"


class Cases(_Spec):
    cases: Annotated[list[Case], Field(min_length=1, max_length=MOST_CASES)]


def read_cases(text: str) -> list[Case]:
    """Cases from YAML. Raises InvalidInput naming the case and the field."""
    if len(text.encode()) > _MOST_BYTES:
        raise InvalidInput("The tests are larger than 1 MiB; split them into several files.")
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f" (line {line + 1})" if line is not None else ""
        raise InvalidInput(f"The tests are not YAML{where}; write cases: [...], see docs/policies.md.") from None
    try:
        return Cases.model_validate(data if isinstance(data, dict) else {"cases": data}).cases
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"The tests cannot be used: {where}: {first['msg'][:300]}.",
            details={
                "problems": [{"field": ".".join(map(str, e["loc"])), "problem": e["msg"]} for e in error.errors()]
            },
        ) from None


class PolicyTests:
    """The service behind `POST /api/v1/policies/test`."""

    def __init__(
        self,
        preparer: Preparer,
        facts: FactsSource,
        clock: Clock,
        settings: PolicySettings | None = None,
        reference: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._preparer, self._facts, self._clock = preparer, facts, clock
        self._settings = settings or PolicySettings()
        self._reference = reference

    def run(
        self,
        cases: Sequence[Case],
        view: View,
        facts_after: Callable[[DatasetFacts], DatasetFacts] = lambda facts: facts,
    ) -> dict[str, Any]:
        """{cases: [{name, ok, problems: [{what, expected, found}], reasons}], passed, failed, total}."""
        results: list[dict[str, Any]] = []
        passed = 0
        for case in cases:
            problems, reasons = self._one(case, view, facts_after)
            passed += not problems
            results.append({"name": case.title, "ok": not problems, "problems": problems, "reasons": reasons})
        return {"cases": results, "passed": passed, "failed": len(results) - passed, "total": len(results)}

    def _one(
        self, case: Case, view: View, facts_after: Callable[[DatasetFacts], DatasetFacts]
    ) -> tuple[list[dict[str, Any]], list[str]]:
        now = case.at or self._clock()
        named = Named(case.subject.user, frozenset(case.subject.groups), frozenset(case.subject.roles))
        who, gone = subject_of(view, named)

        def decide(subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
            return decide_now(view, subject, gone, facts_after(facts), purpose, now, self._settings)

        try:
            if case.sql is not None:
                return self._sql(case, case.sql, who, self._preparer.deciding(decide))
            facts = facts_after(self._facts.facts(self._reference(case.dataset or "")))
        except (NotFound, InvalidInput) as error:
            return [_problem("dataset", "a known dataset", error.message)], []
        decision = decide_now(view, who, gone, facts, case.purpose, now, self._settings)
        return self._dataset(case, decision)

    def _dataset(self, case: Case, decision: Decision) -> tuple[list[dict[str, Any]], list[str]]:
        reasons = [r.text for r in decision.reasons]
        if case.field is None:
            return [*_effect(case.expect, str(decision.effect)), *_filters(case.expect, [decision])], reasons
        try:
            place = FieldPath.parse(case.field)
        except InvalidInput as error:
            return [_problem("field", "a field path", error.message)], []
        columns = [c for c in decision.columns if _within(c.path, place)]
        if not columns:
            found = "deny" if decision.effect is Effect.DENY else "gap"
            return [*_effect(case.expect, found), *_filters(case.expect, [decision])], reasons
        reasons = [r.text for c in columns for r in c.reasons] or reasons
        problems = []
        for column in columns:
            about = f" of {column.path}" if column.path != case.field else ""
            problems += _effect(case.expect, effect_of(column), about)
            problems += _mask(case.expect, column, about)
        return [*problems, *_filters(case.expect, [decision])], list(dict.fromkeys(reasons))

    def _sql(
        self, case: Case, sql: str, subject: Subject, preparer: Preparer
    ) -> tuple[list[dict[str, Any]], list[str]]:
        try:
            gated = gate.check(sql)
        except SqlRefused as error:
            return _closed(case.expect, "refused"), [error.message]
        found = preparer.find(subject, gated, case.purpose)
        prepared = preparer.govern(gated, found)
        decisions = list(found.decisions.values())
        reasons = [r.text for d in decisions for r in d.reasons] + prepared.gaps
        if prepared.gaps or any(d.effect is Effect.DENY for d in decisions):
            return _closed(case.expect, "deny"), reasons
        if (denied := _denied_column(prepared)) is not None:
            return _closed(case.expect, "deny"), [f"{denied} may not be read.", *reasons]
        problem = gated.stream_problem() if gated.emit_changes else None
        if problem is not None:
            return _closed(case.expect, "refused"), [problem]
        try:
            check_environment(prepared)
        except SqlRefused as error:
            return _closed(case.expect, "refused"), [error.message]
        shown = _outputs(prepared)
        effect = "mask" if "mask" in shown.values() else "allow"
        # `allow` of a query says that it runs; whether something of it is masked is asked for with `mask`.
        problems = [] if case.expect.effect == "allow" else _effect(case.expect, effect)
        known = {fold(name): said for name, said in shown.items()}
        for name, wanted in case.expect.columns.items():
            said = known.get(fold(name), "no such column")
            if said != wanted:
                problems.append(_problem(f"column {name}", wanted, said))
        return [*problems, *_filters(case.expect, decisions)], reasons


def _outputs(prepared: Prepared) -> Mapping[str, str]:
    """Column of the result -> allow | mask | deny | derived."""
    words = {"clear": "allow", "masked": "mask", "denied": "deny", "withheld": "mask", "derived": "derived"}
    found: dict[str, str] = {}
    for output in trace.outputs(prepared.gated.tree, prepared.columns()):
        said = explain.header(output, prepared.tables)
        found[output.name] = "mask" if said["effect"] == "derived" and said.get("masks") else words[said["effect"]]
    return found


def _denied_column(prepared: Prepared) -> str | None:
    """A column that the query names and its subject may not read."""
    for column in prepared.gated.tree.find_all(exp.Column):
        names = [part.name for part in column.parts]
        for start in range(min(2, len(names))):
            for governed in prepared.tables.values():
                found = explain.find(governed, names[start])
                if found is None:
                    continue
                below = explain.within(governed, found, names[start + 1 :])
                if found.sql is None or (below and all(d.effect is Effect.DENY for d in below)):
                    return ".".join(names)
    return None


def _within(path: str, place: FieldPath) -> bool:
    mine = FieldPath.parse(path)
    return place.contains(mine) or mine.contains(place)


def _problem(what: str, expected: Any, found: Any) -> dict[str, Any]:
    return {"what": what, "expected": expected, "found": found}


def _effect(expect: Expected, found: str, about: str = "") -> list[dict[str, Any]]:
    if expect.effect is None or expect.effect == found:
        return []
    return [_problem(f"effect{about}", expect.effect, found)]


def _closed(expect: Expected, found: str) -> list[dict[str, Any]]:
    """Of a query that would not run: whatever else was expected of it does not hold."""
    return [] if expect.effect == found else [_problem("effect", expect.effect or "allow", found)]


def _mask(expect: Expected, column: ColumnDecision, about: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if expect.mask is not None:
        named = str(column.mask.type) if column.mask is not None and column.effect is Effect.ALLOW else "none"
        if named != expect.mask.upper():
            found.append(_problem(f"mask{about}", expect.mask, named))
    if expect.clear_when is not None and _sql_text(expect.clear_when) != _sql_text(column.clear_when or ""):
        found.append(_problem(f"clear_when{about}", expect.clear_when, column.clear_when or "none"))
    return found


def _filters(expect: Expected, decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    if expect.filter is None:
        return []
    wanted = [expect.filter] if isinstance(expect.filter, str) else expect.filter
    wanted = [w for w in wanted if w and w.lower() != "none"]
    found = sorted({f.where for d in decisions for f in d.filters})
    if sorted(map(_sql_text, wanted)) == sorted(map(_sql_text, found)):
        return []
    return [_problem("filter", "; ".join(wanted) or "none", "; ".join(found) or "none")]


def _sql_text(text: str) -> str:
    """A condition without its blanks and outer brackets, for comparing."""
    shown = "".join(text.split())
    while shown.startswith("(") and shown.endswith(")"):
        shown = shown[1:-1]
    return shown


__all__ = ["Case", "PolicyTests", "WeirError", "read_cases"]
