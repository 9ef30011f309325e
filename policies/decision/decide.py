"""May this subject read this dataset, and what of it? A pure function: same arguments, same answer, no I/O.

Default deny. What is read off the code below, and docs/reference/policies.md explains at length:

- A dataset opens by a role's read target, by ownership, or by an active grant. Where an access policy matches (the
  dataset, or a field of it), roles and ownership are not enough: it takes an active grant with one of its purposes,
  and the query must state that purpose.
- A purpose counts only when an active grant of the subject for this dataset carries it, or a purpose that covers it. A
  stated purpose also limits the query to such grants. What holds for a purpose holds for all that it covers.
- Of several masks the strictest wins; one is lifted by a grant's `unmask`, never beyond the grant's `fields`. A grant
  with `rows` lifts in those rows only (`clear_when`).
- Every row filter of every role of the subject applies, whatever opened the dataset.
- A stream view gives nobody more than its sources do, unless a grant opens the view itself (`sources.py`).
- An agent that acts for a person gets what the person gets, less what its token takes away (`agents.py`).
- Whatever cannot be decided is denied, and `gaps` names what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from catalog.errors import WeirError
from policies.decision import agents, row_conditions
from policies.decision.columns import columns
from policies.decision.policy_index import Compiled, Plan
from policies.decision.row_conditions import ALWAYS, Condition
from policies.decision.sources import no_more_than_sources
from policies.decision.standing import Asking
from policies.matching import dataset_matches
from policies.model import (
    DatasetFacts,
    Decision,
    Effect,
    Grant,
    Policy,
    Reason,
    Role,
    RowFilter,
    RowPolicy,
    Subject,
)
from policies.purposes import NO_PURPOSES, Purposes


def decide(
    subject: Subject,
    facts: DatasetFacts,
    *,
    roles: Mapping[str, Role],
    policies: Compiled | Iterable[Policy] = (),
    grants: Iterable[Grant] = (),
    purpose: str | None = None,
    now: datetime,
    unscanned_is_sensitive: bool = True,
    purposes: Purposes = NO_PURPOSES,
) -> Decision:
    """What the subject may read of one dataset at `now` for `purpose`. Never raises: what fails is denied, with a gap.

    `grants` may hold grants of others, expired ones, of other datasets; only those that count are used. Pass the same
    `Compiled` and the same `facts` object again to be fast. A stated purpose that `purposes` does not know opens nothing.
    """
    try:
        agent = subject.agent
        if agent is not None:
            refused = agents.refusal(agent, facts.reference, purpose)
            if refused is not None:
                return Decision(facts.id, facts.reference, Effect.DENY, reasons=(refused,))
            purpose, subject = agent.purpose, replace(subject, agent=None)
        if not purposes.is_known(purpose):
            why = Reason("purpose", purpose or "", purposes.unknown(purpose or ""))
            return Decision(facts.id, facts.reference, Effect.DENY, reasons=(why,))
        grants = tuple(grants)
        compiled = policies if isinstance(policies, Compiled) else Compiled(policies)
        plan = compiled.plan(facts, unscanned_is_sensitive)
        asking = Asking(subject, facts, compiled, roles, grants, purpose, now, purposes)
        decision = _Case(plan, asking).decide()

        def source(below: DatasetFacts) -> Decision:
            return decide(
                subject,
                below,
                roles=roles,
                policies=compiled,
                grants=grants,
                purpose=purpose,
                now=now,
                unscanned_is_sensitive=unscanned_is_sensitive,
                purposes=purposes,
            )

        if facts.sources:
            decision = no_more_than_sources(decision, facts, source, asking.granted)
        if agent is None or not agent.masked_only:
            return decision
        return agents.masked(decision, agent, facts, compiled, lambda of: compiled.plan(of, unscanned_is_sensitive))
    except Exception as error:  # whatever goes wrong here must deny, not open and not crash into a half answer
        what = error.message if isinstance(error, WeirError) else f"the decision failed ({type(error).__name__})."
        return denied(facts, f"Nothing of {facts.reference} is opened, because it could not be decided: {what}")


def denied(facts: DatasetFacts, gap: str) -> Decision:
    """The answer where something needed for a decision is missing."""
    return Decision(facts.id, facts.reference, Effect.DENY, reasons=(Reason("gap", facts.reference, gap),), gaps=(gap,))


class _Case:
    """One decision being made."""

    def __init__(self, plan: Plan, asking: Asking) -> None:
        self.plan, self.asking = plan, asking
        self.facts = plan.facts
        self.gaps = [*asking.gaps, *plan.problems]
        self.reasons: list[Reason] = []

    def decide(self) -> Decision:
        who = self.asking.who
        if who.problems or self.plan.problems:
            return self._deny()
        self.reasons += self.asking.purpose_note()
        if not self.asking.standing and not self.asking.usable:
            text = f"No role, ownership or active grant of {who.user} opens {self.facts.reference}; request access."
            self.reasons.append(Reason("default", "deny", text))
            return self._deny()
        parts, used = self._filters()
        decided = columns(self.plan, self.asking, row_conditions.both(*parts))
        if not decided.any_open and (self.plan.paths or not self.asking.standing):
            self.reasons = [*self.asking.purpose_note(), *decided.reasons]
            if not self.plan.paths:
                self.gaps.append(f"No field of {self.facts.reference} is known yet, so no grant can open one; scan it.")
            return self._deny()
        if decided.rows != ALWAYS:
            parts.append(decided.rows)
            self._filter_reason("grant", decided.rows, "by grant")
        opened = decided.reasons if decided.any_open else tuple(reason for reason, _ in self.asking.standing)
        used |= decided.used
        counted = [g for g in self.asking.active if g.name in used]
        return Decision(
            dataset=self.facts.id,
            reference=self.facts.reference,
            effect=Effect.ALLOW,
            columns=decided.columns,
            filters=tuple(
                RowFilter(self.facts.reference, text) for text in sorted({row_conditions.text(part) for part in parts})
            ),
            reasons=(*opened, *self.reasons),
            gaps=(*self.gaps, *decided.gaps, *self.plan.unreadable),
            grants=tuple(sorted({g.name for g in counted})),
            expires=min((g.valid_to for g in counted), default=None),
        )

    def _deny(self) -> Decision:
        reasons = (*self.reasons, *(Reason("gap", self.facts.reference, gap) for gap in self.gaps))
        return Decision(self.facts.id, self.facts.reference, Effect.DENY, reasons=reasons, gaps=tuple(self.gaps))

    def _filters(self) -> tuple[list[Condition], set[str]]:
        """The filters of roles and policies, and the grants that except from one."""
        parts: list[Condition] = []
        used: set[str] = set()
        for name, role in self.asking.who.roles.items():
            for row_filter in role.row_filters if role is not None else ():
                if dataset_matches(row_filter.dataset, self.facts.reference):
                    parts.append(row_conditions.rows([row_filter.where]))
                    self._filter_reason(name, parts[-1], f"role {name}")
        for policy in self.plan.rows:
            part = self._policy_rows(policy, used)
            if part != ALWAYS:
                parts.append(part)
                self._filter_reason(policy.name, part, f"policy {policy.name}")
        return parts, used

    def _policy_rows(self, policy: RowPolicy, used: set[str]) -> Condition:
        """The rows a policy leaves; ALWAYS where it is not about the subject. Adds the grants an exception rests on."""
        who, purpose, path = self.asking.who, self.asking.purpose, self.asking.path
        if not (who.among(policy.subjects) or not policy.subjects.purposes.isdisjoint(path)):
            return ALWAYS
        if who.among(policy.exempt):
            self.reasons.append(Reason("policy", policy.name, f"Excepted from policy {policy.name}.", exception=True))
            return ALWAYS
        here = row_conditions.rows([policy.where])
        if policy.exempt.purposes.isdisjoint(path):
            return here
        # The rows it hides would show in every column, so a grant of some fields does not lift it.
        whole = [u.grant for u in self.asking.usable if u.fields.everything]
        used.update(g.name for g in whole)
        if whole:
            text = (
                f"Excepted from policy {policy.name} by grant {', '.join(sorted(g.name for g in whole))} for {purpose}."
            )
            self.reasons.append(Reason("policy", policy.name, text, exception=True))
        return row_conditions.either(here, row_conditions.rows(g.rows for g in whole))

    def _filter_reason(self, name: str, part: Condition, by: str) -> None:
        self.reasons.append(Reason("row-filter", name, f"Only rows where {row_conditions.text(part)} ({by})."))
