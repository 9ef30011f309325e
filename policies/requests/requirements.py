"""What a request for access needs: fields that are there, stages of approval, and an end; by the workflows about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput, NotAllowed
from policies import workflow
from policies.access_request import AccessRequest
from policies.decision.decide import decide
from policies.decision.within_known import NOT_SEEN, facts_within
from policies.declared import access_specs, convert
from policies.declared.state import GovernanceState
from policies.matching import EVERYTHING
from policies.model import DatasetFacts, Effect, Subject
from policies.requests.grant_terms import grant_spec
from policies.requests.scope import RequestedFields, check_rows, matching_workflows, read_fields, shortest
from policies.settings import PolicySettings
from policies.workflow import NOBODY, Approvers, Stage, Workflow

OWNERS = (Stage("owner", Approvers(owners=True)),)
"""Who decides where no workflow is about the dataset."""


@dataclass(frozen=True, slots=True)
class Required:
    """What a request needs.

    stages         of approval, in their order
    longest        for how long its grant may open something
    expires_after  how long it waits for a decision
    """

    stages: tuple[Stage, ...]
    longest: timedelta
    expires_after: timedelta


class Requirements:
    """What requests need, by what is declared now."""

    def __init__(
        self, state: GovernanceState, settings: PolicySettings, check_condition: Callable[[str], Iterable[str]]
    ) -> None:
        """`check_condition` gives the fields that rows name, and raises InvalidInput for rows that cannot be used."""
        self._state, self._settings, self._check_condition = state, settings, check_condition

    def require_opening(self, subject: Subject, facts: DatasetFacts, request: AccessRequest, now: datetime) -> None:
        """Raises InvalidInput for a grant that would open nothing, as with a purpose that no access policy takes."""
        view = self._state.view()
        spec = access_specs.GrantSpec.model_validate(grant_spec(request, now))
        granted = convert.grant(request.id, spec)
        decisions = [
            decide(
                subject,
                facts,
                roles=view.roles,
                policies=view.policies,
                grants=[granted],
                purpose=purpose,
                now=now,
                purposes=view.purposes,
            )
            for purpose in dict.fromkeys((request.purpose, *view.stated([granted])))
        ]
        decision = decisions[0]
        if all(each.effect is Effect.DENY for each in decisions):
            why = " ".join(r.text for r in decision.reasons)
            raise InvalidInput(f"This would open nothing of {facts.reference}: {why}", details={"field": "purpose"})

    def workflows(self, facts: DatasetFacts, asked: RequestedFields) -> Sequence[Workflow]:
        """Every workflow about what is asked for. Raises Conflict while one cannot be read: it may be about it too."""
        view = self._state.view()
        broken = [text for text in view.problems if text.startswith("Workflow ")]
        if broken:
            raise Conflict(f"Access cannot be asked for while a workflow cannot be read: {broken[0]}")
        return matching_workflows(view.workflows, facts, asked)

    def asked(
        self,
        subject: Subject,
        facts: DatasetFacts,
        fields: Sequence[str],
        unmask: Sequence[str] | None,
        rows: str | None,
    ) -> RequestedFields:
        """What is asked for, checked against what the subject may know of the dataset. Raises InvalidInput."""
        if EVERYTHING in facts.reference:  # a grant on it would open every dataset that fits
            raise InvalidInput(
                f"{facts.reference} has a * in its name, which a grant takes for any text, so access to it alone cannot be given;"
                " request the datasets by their names.",
                details={"field": "dataset"},
            )
        knowledge = self._state.known(subject, facts)
        visible = facts_within(knowledge, facts)
        if rows is not None:
            columns = self._check_condition(rows)
            if not knowledge.schema:
                text = f"You may not know the schema of {facts.reference}; ask without a row condition."
                raise InvalidInput(text, details={"field": "rows"})
            check_rows(visible, columns)
        return read_fields(visible, fields, unmask)

    def about(self, subject: Subject, facts: DatasetFacts, asked: RequestedFields) -> Sequence[Workflow]:
        """The workflows about what is asked for; of a stream view those of every topic that it comes from, too.

        Raises NotAllowed where one of these topics has none, or is not in the catalog any more.
        """
        about = {each.name: each for each in self.workflows(facts, asked)}
        for topic, below in facts.topics.items():
            own = self.workflows(below, RequestedFields(("*",), ("*",))) if below is not None else ()
            if not own:
                knowledge = self._state.known(subject, below or DatasetFacts(facts.id, topic, ()))
                name = topic if knowledge.lineage and self._state.known(subject, facts).lineage else NOT_SEEN
                raise NotAllowed(
                    f"{facts.reference} comes from {name}, for which no workflow allows emergency access; make a request.",
                    details={"reasons": [f"no workflow is about {name}"]},
                )
            about |= {each.name: each for each in own}
        return list(about.values())

    def required(self, facts: DatasetFacts, asked: RequestedFields) -> Required:
        """By every workflow that is about what is asked for. Raises Conflict while one cannot be read."""
        workflows = self.workflows(facts, asked)
        longest = shortest((w.max_duration for w in workflows), timedelta(days=self._settings.max_grant_days))
        expires = shortest(
            (w.request_expires_after for w in workflows), timedelta(days=self._settings.request_expires_days)
        )
        stages = workflow.joined(workflows) or (OWNERS if facts.owners != NOBODY or not facts.sources else ())
        return Required((*stages, *workflow.of_sources(facts)), longest, expires)
