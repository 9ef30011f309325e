"""How far each policy reaches: the fields and datasets it meets, the people it holds for, the queries that came upon it."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import NotFound
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.declared.state import GovernanceState, View
from policies.matching import resolve
from policies.model import AccessPolicy, Policy
from policies.ports import Clock, FactsSource

SINCE = timedelta(days=7)
"""How far back queries are counted."""
MOST_QUERIES = 5_000
"""Queries that are looked through, the newest first."""
COUNTED_S = 3.0
"""How long datasets are looked through."""

_Met = Mapping[str, Mapping[str, set[str]]]
"""Policy -> dataset -> paths of its fields that the policy meets; of a row filter none."""


@dataclass(frozen=True, slots=True)
class PolicyReach:
    """fields    fields that the policy meets; None for a row filter, which meets whole datasets
    datasets  datasets with such a field
    people    declared people whom it holds for, by their names, groups and roles
    queries   queries since `PolicyReaches.SINCE` that read what it meets; None where the asker may not see the audit
    """

    name: str
    fields: int | None
    datasets: int
    people: int
    queries: int | None


@dataclass(frozen=True, slots=True)
class ReachReport:
    """notes: what was not counted to the end, in sentences."""

    policies: Sequence[PolicyReach]
    since: datetime
    notes: tuple[str, ...]


class PolicyReaches:
    """The service behind `/policy-reach`: for those who may know of every dataset."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        references: Callable[[], Iterable[str]],
        audit: AuditLog,
        clock: Clock,
        unscanned_is_sensitive: bool,
    ) -> None:
        """`references`: `CLUSTER/TOPIC` of every dataset that can be queried."""
        self._state, self._facts, self._references = state, facts, references
        self._audit, self._clock, self._sensitive = audit, clock, unscanned_is_sensitive

    def all(self, with_queries: bool) -> ReachReport:
        """Every policy that can be read, by name. `with_queries`: whether the asker may see the audit."""
        view, since = self._state.view(), self._clock() - SINCE
        met, notes = self._met(view)
        policies: list[Policy] = [*view.policies.masks, *view.policies.access, *view.policies.rows]
        people = _people(view, policies)
        queries = self._queries(met, since, notes) if with_queries else None
        rows = {each.name for each in view.policies.rows}
        return ReachReport(
            policies=[
                PolicyReach(
                    name=each.name,
                    fields=None if each.name in rows else sum(map(len, met[each.name].values())),
                    datasets=len(met[each.name]),
                    people=people[each.name],
                    queries=queries[each.name] if queries is not None else None,
                )
                for each in sorted(policies, key=lambda each: each.name)
            ],
            since=since,
            notes=tuple(notes),
        )

    def _met(self, view: View) -> tuple[_Met, list[str]]:
        met: dict[str, dict[str, set[str]]] = defaultdict(dict)
        until, references, looked = time.monotonic() + COUNTED_S, list(self._references()), 0
        for reference in references:
            if time.monotonic() > until:
                break
            looked += 1
            try:
                facts = self._facts.facts(reference)
            except NotFound:  # removed meanwhile
                continue
            plan = view.policies.plan(facts, self._sensitive)
            for path, number in zip(plan.paths, plan.group_of, strict=True):
                group = plan.groups[number]
                for bound in group.masks:
                    met[view.policies.masks[bound.index].name].setdefault(reference, set()).add(path)
                for bound in group.access:
                    met[view.policies.access[bound.index].name].setdefault(reference, set()).add(path)
            for policy in plan.rows:
                met[policy.name].setdefault(reference, set())
        if looked < len(references):
            return met, [f"Fields and datasets were counted in {looked:,} of {len(references):,} datasets."]
        return met, []

    def _queries(self, met: _Met, since: datetime, notes: list[str]) -> Counter[str]:
        """Policy -> queries that read a field which it meets, or a dataset of a row filter."""
        by_dataset: dict[str, list[tuple[str, set[str]]]] = defaultdict(list)
        for name, datasets in met.items():
            for reference, paths in datasets.items():
                by_dataset[reference].append((name, paths))
        where = AuditFilter(action="query", since=since, decision="allow")
        entries = self._audit.before(where, None, MOST_QUERIES)
        if len(entries) == MOST_QUERIES:
            notes.append(f"Of the queries of this week the newest {MOST_QUERIES:,} were looked through.")
        counted: Counter[str] = Counter()
        for entry in entries:
            if entry.action != "query":
                continue
            read = entry.details.get("fields") or {}
            counted.update(
                {
                    name
                    for reference, used in read.items()
                    for name, paths in by_dataset.get(reference, ())
                    if not paths or not paths.isdisjoint(used)
                }
            )
        return counted


def _people(view: View, policies: Iterable[Policy]) -> Counter[str]:
    """Policy -> declared people whom it holds for; a purpose that excepts a query excepts no person."""
    everybody = [resolve(view.subject(name), view.roles) for name in view.people if gone_because(view, name) is None]
    counted: Counter[str] = Counter()
    for each in policies:
        if isinstance(each, AccessPolicy):
            counted[each.name] = len(everybody)
            continue
        counted[each.name] = sum(who.among(each.subjects) and not who.among(each.exempt) for who in everybody)
    return counted
