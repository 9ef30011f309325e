"""What a reader may see of a view: their decision on the view itself, and never more than they have on its sources."""

from __future__ import annotations

from collections.abc import Callable

from api.joins.views.facts import ViewFacts
from policies.model import DatasetFacts, Decision, Effect, Subject
from views.declared import ViewSpec
from views.runner.state import Generation

Decide = Callable[[Subject, DatasetFacts, str | None], Decision]


class ViewDecisions:
    """Decides on the rows of one generation. Safe for threads."""

    def __init__(self, decide: Decide, facts: ViewFacts) -> None:
        self._decide, self._facts = decide, facts

    def decide(
        self, subject: Subject, name: str, spec: ViewSpec, generation: Generation, purpose: str | None
    ) -> Decision:
        """A decision on the fields `value.COLUMN`; see `policies.decision.sources`."""
        return self._decide(subject, self._facts.of(name, spec, generation), purpose)

    def whole(self, subject: Subject, name: str, spec: ViewSpec, generation: Generation) -> bool:
        """Whether the reader may read every row."""
        decision = self.decide(subject, name, spec, generation, None)
        return decision.effect is Effect.ALLOW and not decision.filters
