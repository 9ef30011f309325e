"""A moment that is asked about: what was declared then, what providers gave, and what of it is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from catalog.errors import InvalidInput
from policies.declared.state import GovernanceState, View
from policies.effective.people import Given, SignedIn
from policies.model import DatasetFacts
from policies.ports import Clock, FactsSource
from policies.settings import PolicySettings

NotKept = Callable[[str, datetime], Sequence[str]]
"""`CLUSTER/TOPIC`, a past moment -> sentences on what of the dataset at that moment is not kept."""

_PROVIDERS_NOW = (
    "Of people whom only an identity provider knows, those with a session that continues are here; others get what their"
    " groups and roles here open, once they sign in."
)
_PROVIDERS_THEN = (
    "What identity providers gave people at that time is not kept, so only declared groups and roles count; sign-ins with"
    " the groups and roles they gave are in the audit (action sign-in)."
)

_BEARERS = (
    "People who come with tokens of the identity provider in WEIR_OIDC are here only as they are declared: what their tokens"
    " give them is known while they ask."
)


@dataclass(frozen=True, slots=True)
class Moment:
    """`at`: for decisions; `as_of`: None where it is the present.

    notes     what is not known, in sentences
    problems  documents that cannot be read, by name, for those who may see all
    """

    at: datetime
    as_of: datetime | None
    view: View
    given: Given
    notes: tuple[str, ...]
    problems: tuple[str, ...] = ()

    def notes_for(self, all_: bool) -> tuple[str, ...]:
        """The notes as somebody may have them: who may not see all gets the number of problems, and no name in them."""
        if all_ or not self.problems:
            return (*self.problems, *self.notes)
        many = len(self.problems)
        documents = "One declared document" if many == 1 else f"{many} declared documents"
        unread = f"{documents} cannot be read, so an answer may be stricter than it should be."
        return (unread, *self.notes)


@dataclass(slots=True)
class Moments:
    """Gives moments and the facts of datasets at them; the services of this package share one."""

    state: GovernanceState
    source: FactsSource
    clock: Clock
    signed_in: SignedIn | None = None
    not_kept: NotKept = lambda _reference, _at: ()
    settings: PolicySettings = field(default_factory=PolicySettings)
    bearers: bool = False
    """Whether another issuer's bearer tokens are good here (WEIR_OIDC)."""

    def of(self, as_of: datetime | None) -> Moment:
        """Raises InvalidInput for a moment that is still to come."""
        now = self.clock()
        if as_of is not None and as_of > now:
            raise InvalidInput(
                f"{as_of:%Y-%m-%dT%H:%M:%SZ} is still to come; ask about a moment that is over, or leave it out for the present.",
                details={"field": "asOf"},
            )
        view = self.state.view(as_of)
        by_session = self.signed_in.given_now() if self.signed_in is not None and as_of is None else {}
        notes = []
        if view.providers:
            notes.append(_PROVIDERS_NOW if as_of is None else _PROVIDERS_THEN)
        if self.bearers:
            notes.append(_BEARERS)
        return Moment(
            at=as_of or now, as_of=as_of, view=view, given=by_session, notes=tuple(notes), problems=view.problems
        )

    def facts(self, reference: str, moment: Moment) -> DatasetFacts:
        """Raises DatasetNotFound."""
        return self.source.facts(reference, moment.as_of)

    def missing(self, reference: str, moment: Moment) -> Sequence[str]:
        """Sentences on what of a dataset at the moment is not kept."""
        return self.not_kept(reference, moment.as_of) if moment.as_of is not None else ()
