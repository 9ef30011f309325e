"""An access request as its readers need it: may I decide it, what would it open, who sees that already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from catalog.entities import is_personal
from catalog.paths import FieldPath
from catalog.records import rfc3339
from policies.access.decision_service import effect_of
from policies.access.sessions import gone_because
from policies.access_request import OPEN, AccessRequest, RequestState
from policies.decision.visibility import ALL, NOTHING, Known
from policies.decision.within_known import NOT_SEEN
from policies.declared.state import GovernanceState
from policies.matching import is_active, selection
from policies.model import UNSCANNED_TAG, DatasetFacts, Subject
from policies.ports import Clock
from policies.requests.approvers import Deciders
from policies.requests.records import KIND
from policies.settings import PolicySettings

MOST_OPENED = 500
_MOST_PEOPLE = 500
"""Holders are counted one by one; of more people than these, only that there are more is shown."""


class RequestView:
    """Shapes for HTTP. One view of what is declared is used for a whole list."""

    def __init__(
        self, state: GovernanceState, deciders: Deciders, clock: Clock, settings: PolicySettings | None = None
    ) -> None:
        self._state, self._deciders, self._clock = state, deciders, clock
        self._settings = settings or PolicySettings()
        self.horizon: Callable[[Subject, DatasetFacts], Known] = lambda *_: ALL
        """What a subject may know of a dataset. Who decides on a request sees what it opens."""

    def show(self, subject: Subject, requests: Sequence[AccessRequest]) -> list[dict[str, Any]]:
        """Each as `AccessRequest.to_json`, with canDecide, insteadOf, opens [{path, entities}], holders, overdue,
        deciders and usualSeconds.

        `deciders`: the people who can decide the stage that waits; empty for requests that are decided. `usualSeconds`:
        how long requests for the dataset took to be decided (the median; of all datasets where this one had none), null
        where none was decided yet.
        `holders`: how many other users see all of it unmasked already; None for requests that are decided, and where the
        caller may not decide.
        """
        facts: dict[str, DatasetFacts | None] = {}
        counted: dict[tuple[str, tuple[str, ...]], int] = {}
        rows = []
        usual = self._usual() if any(request.state in OPEN for request in requests) else {}
        for request in requests:
            if request.dataset not in facts:
                facts[request.dataset] = self._deciders.facts_or_none(request.dataset)
            rows.append(self._one(subject, request, facts[request.dataset], counted))
            if request.state in OPEN:
                hidden = set() if rows[-1]["canDecide"] else self._hidden(subject, request, facts[request.dataset])
                people = (
                    []
                    if request.current.approvers.of in hidden
                    else self._deciders.people(request, facts[request.dataset])
                )
                rows[-1]["deciders"] = people
                rows[-1]["usualSeconds"] = usual.get(request.dataset, usual.get(None))
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
    ) -> dict[str, Any]:
        waiting = request.state in OPEN
        standing = self._deciders.standing(subject, request, request.current, facts) if waiting else None
        opens = opened(request, facts) if facts is not None else []
        if standing is None and facts is not None:
            opens = _cut(opens, self.horizon(subject, facts))
        holders = None
        if standing is not None and facts is not None:
            key = (request.dataset, tuple(o["path"] for o in opens))
            if key not in counted:
                counted[key] = self._holders(facts, key[1], request.requester)
            holders = counted[key]
        return {
            **(request.to_json() if standing is not None else self._without_sources(subject, request, facts)),
            "canDecide": standing is not None,
            "insteadOf": standing.instead_of if standing is not None else None,
            "opens": opens[:MOST_OPENED],
            "holders": holders,
            "deciders": [],
            "usualSeconds": None,
            "reviewBy": rfc3339(request.expires_at) if request.break_glass else None,
            "overdue": request.state is RequestState.REVIEW and self._clock() >= request.expires_at,
        }

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

    def _without_sources(self, subject: Subject, request: AccessRequest, facts: DatasetFacts | None) -> dict[str, Any]:
        """The request as JSON; stages of owners of hidden datasets do not name these."""
        answer = request.to_json()
        hidden = self._hidden(subject, request, facts)
        if not hidden:
            return answer
        names: dict[str, str] = {}
        for number, stage in enumerate(request.stages, 1):
            if stage.approvers.of in hidden:
                names[stage.name] = f"owner of {NOT_SEEN} ({number})"
        for stage in answer["stages"]:
            if stage["name"] in names:
                stage |= {"name": names[stage["name"]], "approvers": {"owners": True}}
        for vote in answer["decisions"]:
            if "stage" in vote:
                vote["stage"] = names.get(vote["stage"], vote["stage"])
        return {**answer, "stage": names.get(answer["stage"], answer["stage"])}

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


def _cut(opens: list[dict[str, Any]], horizon: Known) -> list[dict[str, Any]]:
    if not horizon.schema:
        return []
    return opens if horizon.evidence else [{**each, "entities": []} for each in opens]


def opened(request: AccessRequest, facts: DatasetFacts) -> list[dict[str, Any]]:
    """The fields the grant opens, with the kinds of personal data in them; `clear`: shown without masks."""
    fields, clear = selection(request.fields), selection(request.unmask)
    rows = []
    for field in facts.fields:
        tags = (*field.tags, *(() if field.classified else (UNSCANNED_TAG,)))
        path = FieldPath.parse(field.path)
        if fields.covers(path, tags):
            entities = sorted(tag for tag in tags if is_personal(tag) or tag == UNSCANNED_TAG)
            rows.append({"path": field.path, "entities": entities, "clear": clear.covers(path, tags)})
    return sorted(rows, key=lambda each: (not each["entities"], str(each["path"])))
