"""An access request as its readers need it: may I decide it, what would it open, who sees that already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from catalog.change_cache import one_moment
from catalog.entities import is_personal
from catalog.paths import FieldPath
from policies.access.decision_service import effect_of
from policies.access.sessions import gone_because
from policies.access_request import OPEN, AccessRequest, RequestState
from policies.decision.visibility import ALL, NOTHING, DatasetKnowledge
from policies.decision.within_known import NOT_SEEN
from policies.declared.state import GovernanceState
from policies.matching import is_active, selection
from policies.model import UNSCANNED_TAG, DatasetFacts, Subject
from policies.ports import Clock
from policies.requests.approvers import Deciders
from policies.requests.records import KIND
from policies.settings import PolicySettings
from policies.workflow import Approvers

MOST_OPENED = 500
_MOST_PEOPLE = 500
"""Holders are counted one by one; of more people than these, only that there are more is shown."""


@dataclass(frozen=True, slots=True)
class OpenedField:
    """A field that the grant opens. entities: kinds of personal data in it; `clear`: shown without masks."""

    path: str
    entities: tuple[str, ...]
    clear: bool


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request as one reader sees it.

    request        with stages of owners of hidden datasets that do not name these
    instead_of     in whose place the reader would decide
    holders        how many other users see all of it unmasked; None for requests that are decided, and where the reader may not
                   decide
    deciders       the people who can decide the stage that waits; empty for requests that are decided
    usual_seconds  how long requests for the dataset took to be decided (the median; of all datasets where this one had none);
                   None where none was decided yet
    overdue        of break-glass: it was not reviewed in time
    """

    request: AccessRequest
    can_decide: bool
    instead_of: str | None
    opens: tuple[OpenedField, ...]
    holders: int | None
    overdue: bool
    deciders: Sequence[str] = ()
    usual_seconds: float | None = None


class RequestView:
    """Requests for their readers. One view of what is declared is used for a whole list."""

    def __init__(
        self, state: GovernanceState, deciders: Deciders, clock: Clock, settings: PolicySettings | None = None
    ) -> None:
        self._state, self._deciders, self._clock = state, deciders, clock
        self._settings = settings or PolicySettings()
        self.horizon: Callable[[Subject, DatasetFacts], DatasetKnowledge] = lambda *_: ALL
        """What a subject may know of a dataset. Who decides on a request sees what it opens."""

    def one(self, subject: Subject, request: AccessRequest) -> ShownRequest:
        """A single request."""
        return self.show(subject, [request])[0]

    def show(self, subject: Subject, requests: Sequence[AccessRequest]) -> list[ShownRequest]:
        """Requests, in their order, by what is declared now."""
        with one_moment():
            return self._rows(subject, requests)

    def _rows(self, subject: Subject, requests: Sequence[AccessRequest]) -> list[ShownRequest]:
        facts: dict[str, DatasetFacts | None] = {}
        counted: dict[tuple[str, tuple[str, ...]], int] = {}
        rows = []
        usual = self._usual() if any(request.state in OPEN for request in requests) else {}
        for request in requests:
            if request.dataset not in facts:
                facts[request.dataset] = self._deciders.facts_or_none(request.dataset)
            shown = self._one(subject, request, facts[request.dataset], counted)
            if request.state in OPEN:
                hidden = set() if shown.can_decide else self._hidden(subject, request, facts[request.dataset])
                is_hidden = request.current.approvers.of in hidden
                people = [] if is_hidden else self._deciders.people(request, facts[request.dataset])
                seconds = usual.get(request.dataset, usual.get(None))
                shown = replace(shown, deciders=people, usual_seconds=seconds)
            rows.append(shown)
        return rows

    def _usual(self) -> dict[str | None, float]:
        """dataset -> the median of seconds from asking to the last word; None -> that of all."""
        took: dict[str | None, list[float]] = defaultdict(list)
        for state in (RequestState.APPROVED, RequestState.DENIED):
            for document in self._state.store.documents(KIND, label=str(state)):
                request = AccessRequest.from_json(document.spec or {})
                if request.votes and not request.break_glass:
                    seconds = (request.votes[-1].at - request.created_at).total_seconds()
                    took[request.dataset].append(seconds)
                    took[None].append(seconds)
        return {dataset: median(times) for dataset, times in took.items()}

    def _one(
        self,
        subject: Subject,
        request: AccessRequest,
        facts: DatasetFacts | None,
        counted: dict[tuple[str, tuple[str, ...]], int],
    ) -> ShownRequest:
        waiting = request.state in OPEN
        standing = self._deciders.standing(subject, request, request.current, facts) if waiting else None
        opens = opened(request, facts) if facts is not None else []
        if standing is None and facts is not None:
            opens = _cut(opens, self.horizon(subject, facts))
        holders = None
        if standing is not None and facts is not None:
            key = (request.dataset, tuple(each.path for each in opens))
            if key not in counted:
                counted[key] = self._holders(facts, key[1], request.requester)
            holders = counted[key]
        return ShownRequest(
            request=request if standing is not None else self._without_sources(subject, request, facts),
            can_decide=standing is not None,
            instead_of=standing.instead_of if standing is not None else None,
            opens=tuple(opens[:MOST_OPENED]),
            holders=holders,
            overdue=request.state is RequestState.REVIEW and self._clock() >= request.expires_at,
        )

    def _hidden(self, subject: Subject, request: AccessRequest, facts: DatasetFacts | None) -> set[str]:
        """Datasets of stages that the reader may not know of, or not as sources of what is asked for."""
        sources = {stage.approvers.of for stage in request.stages if stage.approvers.of is not None}
        if not sources:
            return set()
        if facts is not None and not self.horizon(subject, facts).lineage:
            return sources
        hidden = set()
        for each in sources:
            source = self._deciders.facts_or_none(each)
            if source is None and facts is not None:
                source = DatasetFacts(facts.id, each, ())
            knowledge = self.horizon(subject, source) if source is not None else NOTHING
            if not (knowledge.existence and knowledge.lineage):
                hidden.add(each)
        return hidden

    def _without_sources(self, subject: Subject, request: AccessRequest, facts: DatasetFacts | None) -> AccessRequest:
        """The request; stages of owners of hidden datasets do not name these."""
        hidden = self._hidden(subject, request, facts)
        names = {
            stage.name: f"owner of {NOT_SEEN} ({number})"
            for number, stage in enumerate(request.stages, 1)
            if stage.approvers.of in hidden
        }
        stages = (
            replace(stage, name=names[stage.name], approvers=Approvers(owners=True)) if stage.name in names else stage
            for stage in request.stages
        )
        votes = (replace(vote, stage=names.get(vote.stage, vote.stage)) for vote in request.votes)
        return replace(request, stages=tuple(stages), votes=tuple(votes)) if names else request

    def _holders(self, facts: DatasetFacts, paths: Sequence[str], but: str) -> int:
        """Users other than one who see all of these fields unmasked now, with or without a purpose they may state."""
        view, now = self._state.view(), self._clock()
        people = set(view.users) | facts.owners.users | {m for g in view.groups.values() for m in g.members}
        people |= {u for g in view.grants.values() if is_active(g, now) for u in g.subject.users}
        every_path = set(paths)
        count = 0
        for name in sorted(people - view.removed_users - {but})[:_MOST_PEOPLE]:
            if gone_because(view, name) is not None:
                continue
            subject = view.subject(name)
            stated = view.stated(g for g in view.grants_of(subject) if is_active(g, now))
            for purpose in (None, *stated):
                decision = view.decide(subject, facts, purpose, now, self._settings.unscanned_is_sensitive)
                clear = {c.path for c in decision.columns if effect_of(c) == "allow"}
                if every_path and every_path <= clear:
                    count += 1
                    break
        return count


def _cut(opens: list[OpenedField], horizon: DatasetKnowledge) -> list[OpenedField]:
    if not horizon.schema:
        return []
    return opens if horizon.evidence else [replace(each, entities=()) for each in opens]


def opened(request: AccessRequest, facts: DatasetFacts) -> list[OpenedField]:
    """The fields the grant opens, those with personal data first."""
    fields, clear = selection(request.fields), selection(request.unmask)
    rows = []
    for field in facts.fields:
        tags = (*field.tags, *(() if field.classified else (UNSCANNED_TAG,)))
        path = FieldPath.parse(field.path)
        if fields.covers(path, tags):
            entities = sorted(tag for tag in tags if is_personal(tag) or tag == UNSCANNED_TAG)
            rows.append(OpenedField(field.path, tuple(entities), clear.covers(path, tags)))
    return sorted(rows, key=lambda each: (not each.entities, each.path))
