"""What a reader may see of a view: their decision on the view itself, and never more than they have on its sources.

A view runs under somebody else's decision, so its rows may hold what the reader would not get from the topics. Then it is
opened by a grant on the view, which its sources' owners approve, and by nothing else: no role and no pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from api.joins.facts import Facts
from api.joins.views.facts import ViewFacts
from catalog.errors import DatasetNotFound
from catalog.paths import VALUE, FieldPath
from policies.decision.places import Places
from policies.model import DatasetFacts, Decision, Effect, Reason, Subject
from views.declared import ViewSpec
from views.runner.state import Generation

Decide = Callable[[Subject, DatasetFacts, str | None], Decision]


class ViewDecisions:
    """Decides on the rows of one generation. Safe for threads."""

    def __init__(self, decide: Decide, facts: Facts, view_facts: ViewFacts) -> None:
        self._decide, self._facts, self._view_facts = decide, facts, view_facts

    def decide(
        self, subject: Subject, name: str, spec: ViewSpec, generation: Generation, purpose: str | None
    ) -> Decision:
        """A decision on the fields `value.COLUMN`."""
        decision = self._decide(subject, self._view_facts.of(name, spec, generation), purpose)
        if decision.effect is not Effect.ALLOW or decision.grants:
            return decision
        more = tuple(self._more(subject, generation, decision, purpose))
        if not more:
            return decision
        return replace(decision, effect=Effect.DENY, reasons=(*more, *decision.reasons))

    def whole(self, subject: Subject, name: str, spec: ViewSpec, generation: Generation) -> bool:
        """Whether the reader may read every row."""
        decision = self.decide(subject, name, spec, generation, None)
        return decision.effect is Effect.ALLOW and not decision.filters

    def _more(
        self, subject: Subject, generation: Generation, decision: Decision, purpose: str | None
    ) -> Iterator[Reason]:
        """What of the view the reader does not have on the sources, a reason for each source and column."""
        shown = Places(decision.columns)
        for source in generation.sources:
            try:
                own = self._decide(subject, self._facts.facts(source), purpose)
            except DatasetNotFound:
                yield Reason(
                    "view",
                    source,
                    f"{source} is not in the catalog any more, so what you may see of it is unknown",
                )
                continue
            if own.effect is not Effect.ALLOW:
                yield Reason("view", source, f"the view holds records of {source}, which you may not read")
                continue
            if sorted(f.where for f in own.filters) not in ([], generation.filtered.get(source, [])):
                yield Reason("view", source, f"the view holds rows of {source} that are hidden from you there")
            places = Places(own.columns)
            for column, fields in generation.origins.items():
                hidden = [path for reference, path in fields if reference == source and _hidden(places, path)]
                if hidden and shown.rule(VALUE.field(column)).mask is None:
                    yield Reason("view", column, f"{column} shows {source} {hidden[0]}, which is hidden from you there")


def _hidden(places: Places, path: str) -> bool:
    return places.rule(FieldPath.parse(path)).mask is not None
