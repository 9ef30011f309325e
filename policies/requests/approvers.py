"""Who may decide a stage of an access request: its approvers, their substitutes, and delegates of those away."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import Conflict, NotAllowed, NotFound
from policies.access.identity import Identity
from policies.access.people_index import PeopleIndex
from policies.access.sessions import gone_because
from policies.access_request import OPEN, AccessRequest
from policies.decision.agents import reaches
from policies.decision.domains import Power
from policies.declared.state import GovernanceState
from policies.matching import resolve
from policies.model import DatasetFacts, Subject, SubjectMatch
from policies.ports import FactsSource
from policies.requests.delegation import Delegations
from policies.requests.talk import MANAGERS
from policies.responsible import Responsibility, Responsible, own_owners
from policies.spellings import name_key, same_person
from policies.workflow import Approvers, Stage


@dataclass(frozen=True, slots=True)
class Standing:
    """By what right somebody decides: None = their own, else in whose place.

    escalated   as one who manages, since no approver answered
    """

    instead_of: str | None = None
    escalated: bool = False


class Deciders:
    """Answers for all requests; the services of requests and their lists share it."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        identity: Identity,
        delegations: Delegations,
        managers_decide: bool = False,
        responsibility: Responsibility = own_owners,
    ) -> None:
        """`managers_decide`: whether those who manage decide requests that were escalated to them."""
        self._responsibility = responsibility
        self._managers_decide = managers_decide
        self._people: PeopleIndex | None = None
        self._state, self._facts, self._identity, self._delegations = state, facts, identity, delegations

    def standing(
        self, subject: Subject, request: AccessRequest, stage: Stage, facts: DatasetFacts | None
    ) -> Standing | None:
        """The right to decide a stage now; None when there is none. One's own goes before another's."""
        if same_person(subject.user, request.requester):
            return None
        mine, voted = name_key(subject.user), [each for each in request.votes if each.stage == stage.name]
        decided = {name_key(name) for each in voted for name in (each.by, each.instead_of) if name}
        if mine not in decided and self.is_approver(subject, request, stage, facts):
            return Standing()
        if any(name_key(each.by) == mine for each in voted):
            return None
        for away in self._delegations.for_delegate(subject.user):
            if same_person(away, request.requester) or name_key(away) in decided or self._gone(away):
                continue
            if self.is_approver(self._identity.current(away), request, stage, facts):
                return Standing(away)
        # The owners of a topic below a view guard data of theirs: their silence is no consent of somebody else.
        brought = self._managers_decide and request.escalated >= MANAGERS and stage.approvers.of is None
        if brought and stage.name == request.current.name:
            return Standing(escalated=True) if mine not in decided and self._manages(subject) else None
        return None

    def require(self, subject: Subject, request: AccessRequest, facts: DatasetFacts | None) -> Standing:
        """The right to decide the stage that waits. Raises NotAllowed; Conflict where a delegate has voted in the subject's place.

        An approver who has voted already passes: `request_transitions.vote` has the better message.
        """
        stage = request.current
        standing = self.standing(subject, request, stage, facts)
        if standing is not None:
            return standing
        for vote in request.votes:
            if vote.stage == stage.name and vote.instead_of == subject.user:
                raise Conflict(
                    f"{vote.by} has decided stage {stage.name!r} of access request {request.id} in place of"
                    f" {subject.user} already; others must follow.",
                    details={"id": request.id},
                )
        if self.is_approver(subject, request, stage, facts):
            return Standing()
        raise NotAllowed(
            f"{subject.user} is not an approver of stage {stage.name!r} of access request {request.id}.",
            details={"reasons": [f"stage {stage.name} asks for {names(stage.approvers)}"]},
        )

    def people(self, request: AccessRequest, facts: DatasetFacts | None, most: int = 50) -> list[str]:
        """Users who can decide the stage that waits, by name: declared ones, owners and delegates; not the requester.

        People whom only an identity provider knows are not among them.
        """
        index = self.index()
        stage = request.current
        of = stage.approvers.of
        owned = self.facts_or_none(of) if of is not None else facts
        users = index.matching(stage.approvers.people) | set(self.delegates(request))
        if stage.approvers.owners and owned is not None:
            users |= index.matching(owned.owners)
        if stage.approvers.owners:
            claiming = [each for each in self._state.view().domains.values() if each.has(of or request.dataset)]
            users = users.union(*(index.matching(each.admins) for each in claiming))
        users |= index.permitted("manage")  # where they decide: `standing` knows
        deciders = []
        for user in sorted(users - {request.requester}):
            if not self._gone(user) and self.standing(self._identity.current(user), request, stage, facts):
                deciders.append(user)
                if len(deciders) == most:
                    break
        return deciders

    def delegates(self, request: AccessRequest) -> list[str]:
        """Delegates who act now for approvers of the present stage."""
        facts = self.facts_or_none(request.dataset)
        deciders: set[str] = set()
        for each in self._delegations.acting():
            away = each.user
            if same_person(away, request.requester) or self._gone(away):
                continue
            if self.is_approver(self._identity.current(away), request, request.current, facts):
                deciders |= {
                    name for name in each.delegates if not same_person(name, request.requester) and not self._gone(name)
                }
        return sorted(deciders)

    def managers(self, request: AccessRequest) -> list[str]:
        """People who manage, but the requester."""
        return sorted(self.index().permitted("manage") - {request.requester})

    def index(self) -> PeopleIndex:
        """People by group and role, of the present view."""
        view = self._state.view()
        index = self._people
        if index is None or not index.is_of(view):
            self._people = index = PeopleIndex(view)
        index.view = view
        return index

    def can_decide(self, subject: Subject, request: AccessRequest, facts: DatasetFacts | None = None) -> bool:
        """Whether the request waits for this subject's word; never for an agent's."""
        if request.state not in OPEN or subject.agent is not None:
            return False
        about = facts if facts is not None else self.facts_or_none(request.dataset)
        return self.standing(subject, request, request.current, about) is not None

    def may_see(self, subject: Subject, request: AccessRequest) -> bool:
        """Requester, those who decided or may decide a stage of it, managers and auditors; of break-glass owners too. An agent
        sees its person's own, of the datasets of its token."""
        if subject.agent is not None:
            return subject.user == request.requester and reaches(subject.agent, request.dataset)
        if subject.user == request.requester or any(v.by == subject.user for v in request.votes):
            return True
        if self._identity.permissions(subject) & {"manage", "audit:read"}:
            return True
        if Power.APPROVE in self._identity.powers(subject, request.dataset):
            return True
        facts = self.facts_or_none(request.dataset)
        if request.break_glass and facts is not None and self._among(subject, facts.owners):
            return True
        if any(self.is_approver(subject, request, stage, facts) for stage in request.stages):
            return True
        return self.can_decide(subject, request, facts)

    def sees(self, user: str, request: AccessRequest) -> bool:
        """Whether a user, as they are now, may see a request."""
        return self.may_see(self._identity.current(user), request)

    def is_approver(self, subject: Subject, request: AccessRequest, stage: Stage, facts: DatasetFacts | None) -> bool:
        """Whether the subject is an approver of a stage in their own right.

        Admins of the dataset's domain decide as its owners do. Where a stage asks for owners and there is none
        but the requester, managers decide instead. So they do where everybody whom a stage or the owners name is disabled
        or deleted.
        """
        view = self._state.view()
        who = resolve(subject, view.roles)
        if who.among(stage.approvers.people):
            return True
        if not stage.approvers.owners:
            return self._deserted(stage.approvers.people, request.requester) and self._manages(subject)
        if Power.APPROVE in self._identity.powers(subject, stage.approvers.of or request.dataset):
            return True
        if stage.approvers.of is not None:
            facts = self.facts_or_none(stage.approvers.of)
        owners = facts.owners if facts is not None else None
        if owners is not None and who.among(owners):
            return True
        ownerless = owners is None or (not owners.groups and owners.users <= {request.requester})
        alone = ownerless or (owners is not None and self._deserted(owners, request.requester))
        return alone and self._manages(subject)

    def _deserted(self, people: SubjectMatch, requester: str) -> bool:
        """Whether only users are named, and all of them but the requester are gone."""
        others = people.users - {requester}
        return bool(others) and not people.groups and not people.roles and all(self._gone(each) for each in others)

    def _manages(self, subject: Subject) -> bool:
        return "manage" in self._identity.permissions(subject)

    def responsible(self, dataset: str) -> Responsible:
        """Who answers for a dataset, and by what; nobody where it is gone."""
        facts = self.facts_or_none(dataset)
        return self._responsibility(facts.reference, facts.owners) if facts is not None else Responsible()

    def facts_or_none(self, reference: str) -> DatasetFacts | None:
        """None for a dataset that is gone; its requests are still to be seen and ended."""
        try:
            return self._facts.facts(reference)
        except NotFound:
            return None

    def _among(self, subject: Subject, people: SubjectMatch) -> bool:
        return resolve(subject, self._state.view().roles).among(people)

    def _gone(self, user: str) -> bool:
        return gone_because(self._state.view(), user) is not None


def names(approvers: Approvers) -> str:
    """An approvers' list in words."""
    people = approvers.people
    texts = [f"the owners of {approvers.of or 'the dataset'}"] if approvers.owners else []
    for kind, people_of_kind in (("user", people.users), ("group", people.groups), ("role", people.roles)):
        texts += [f"{kind} {name}" for name in sorted(people_of_kind)]
    return ", ".join(texts)
