"""Who may see and decide what of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from catalog.errors import NotAllowed, NotFound, NotSignedIn
from policies.access.identity import Identity
from policies.campaigns.model import Campaign, Item, ReviewerSet
from policies.campaigns.people import Owners, is_reviewer
from policies.campaigns.ports import CampaignStore
from policies.campaigns.reviewers import holds
from policies.campaigns.within import of_domain
from policies.decision.domains import Domain, Power
from policies.declared.state import GovernanceState, View
from policies.model import Subject
from policies.ports import FactsSource
from policies.requests.delegation import Delegations

COUNTS = frozenset({"manage", "report:read", "audit:read"})
"""Permissions that show how far every campaign is, without its items."""
EVIDENCE = frozenset({"manage", "audit:read"})
"""Permissions that open the evidence report: what it holds is in the audit, too."""


class Mine:
    """The sets that a subject is in, by key, by what is so at this moment; each is looked at when it is asked about.

    `places`: the subject itself, as None, and those in whose place they may decide.
    """

    def __init__(
        self, sets: Mapping[str, ReviewerSet], places: Mapping[str | None, Subject], view: View, owners: Owners
    ) -> None:
        self._sets, self._places, self._view, self._owners = sets, places, view, owners
        self._known: dict[str, list[tuple[str | None, Subject]]] = {}

    def __getitem__(self, key: str) -> list[tuple[str | None, Subject]]:
        """In whose places the subject is in a set: None and itself, then those who are away."""
        if key not in self._known:
            reviewers = self._sets.get(key)
            self._known[key] = [
                (away, who)
                for away, who in self._places.items()
                if reviewers is not None and is_reviewer(who, reviewers, self._view, self._owners)
            ]
        return self._known[key]

    def __contains__(self, key: str) -> bool:
        return bool(self[key])

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._sets if self[key])

    def __bool__(self) -> bool:
        return any(True for _ in self)


@dataclass(frozen=True, slots=True)
class Sight:
    """What one subject may do in one campaign, at this moment.

    sets      who may decide, by key; mine: those of them that the subject is in
    manages   sees and decides every item but those about the subject's own rights
    domain    whose review it is, where the subject runs it as an admin: as `manages`, for rights on its datasets
    """

    subject: Subject
    view: View
    sets: dict[str, ReviewerSet]
    mine: Mine
    manages: bool
    counts: bool
    domain: Domain | None = None

    @property
    def runs_all(self) -> bool:
        """Whether all items of the campaign are the subject's to see and, but for their own, to decide."""
        return self.manages or self.domain is not None

    def runs(self, item: Item) -> bool:
        """Whether the item is the subject's to see and decide, also where others are its reviewers."""
        return self.manages or (self.domain is not None and of_domain(item.right, self.domain))

    def own(self, item: Item) -> bool:
        """Whether the item is about a right of the subject's own, or of all those in whose place they would decide."""
        if holds(self.subject, item.right, self.view):
            return True
        return not self.runs(item) and item.reviewers in self.mine and not self._places(item)

    def instead(self, item: Item) -> str | None:
        """In whose place the subject decides; None: as themselves."""
        places = () if self.runs(item) else self._places(item)
        return places[0] if places else None

    def sees(self, item: Item) -> bool:
        """Reviewers see their items, who manages sees all."""
        return self.runs(item) or (item.reviewers in self.mine and not self.own(item))

    def decides(self, item: Item) -> bool:
        """Nobody decides on a right of their own."""
        return self.sees(item) and not self.own(item)

    def _places(self, item: Item) -> tuple[str | None, ...]:
        """Those in whose place the subject may decide: none who has the right themselves, by a group or role too."""
        return tuple(away for away, who in self.mine[item.reviewers] if not holds(who, item.right, self.view))


class Sights:
    """Makes `Sight` of subjects. `source`: of the owners of datasets, as they are now."""

    def __init__(
        self,
        store: CampaignStore,
        state: GovernanceState,
        identity: Identity,
        delegations: Delegations,
        source: FactsSource,
    ) -> None:
        self._store, self._state, self._identity, self._delegations = store, state, identity, delegations
        self._source = source

    def owners(self) -> Owners:
        """The owners of this moment, for `of` of many campaigns at once."""
        return Owners(self._source)

    def of(self, subject: Subject, campaign: Campaign, owners: Owners | None = None) -> Sight:
        """Raises nothing: a subject without any right gets a sight that shows nothing."""
        view = self._state.view()
        sets = self._store.reviewers(campaign.id)
        permissions = self._identity.permissions(subject)
        places: dict[str | None, Subject] = {None: subject}
        for away in self._delegations.for_delegate(subject.user):
            if (who := self._away(away)) is not None:
                places[away] = who
        mine = Mine(sets, places, view, owners or self.owners())
        domain = self._run(subject, campaign, view)
        counts = bool(permissions & COUNTS) or domain is not None
        return Sight(
            subject=subject,
            view=view,
            sets=sets,
            mine=mine,
            manages="manage" in permissions,
            counts=counts,
            domain=domain,
        )

    def _run(self, subject: Subject, campaign: Campaign, view: View) -> Domain | None:
        """The domain whose review it is, where the subject runs it. A domain that was narrowed since has none of before."""
        domain = view.domains.get(str(campaign.terms.get("domain")))
        if domain is None or not self._identity.reach(subject, Power.CERTIFY, domain.name):
            return None
        patterns = (campaign.terms.get("scope") or {}).get("datasets") or ()
        return domain if patterns and all(map(domain.has_all, patterns)) else None

    def require_runs(self, subject: Subject, campaign_id: str) -> None:
        """Raises NotAllowed, for those who may see something of a campaign and do not run it; NotFound."""
        if not self._identity.reach(subject, Power.CERTIFY):
            self._identity.require(subject, "manage")
        _, sight = self.require(subject, campaign_id)
        if not sight.runs_all:
            self._identity.require(subject, "manage")

    def require(self, subject: Subject, campaign_id: str) -> tuple[Campaign, Sight]:
        """The campaign, for those who may see something of it. Raises NotFound."""
        campaign = self._store.get(campaign_id)
        sight = self.of(subject, campaign) if campaign is not None else None
        if campaign is None or sight is None or not (sight.counts or sight.mine):
            raise NotFound(
                f"There is no access review {campaign_id[:200]!r} that you may see; list them to see their ids.",
                details={"id": campaign_id[:200]},
            )
        return campaign, sight

    def require_evidence(self, subject: Subject, campaign_id: str) -> Campaign:
        """The campaign, for its report. Raises NotFound, NotAllowed."""
        evident = bool(self._identity.permissions(subject) & EVIDENCE)
        campaign = self._store.get(campaign_id)
        if not evident and (campaign is None or self._run(subject, campaign, self._state.view()) is None):
            raise NotAllowed(
                f"{subject.user} may not read the evidence of access reviews; it takes the permission manage or audit:read.",
                details={"permission": "audit:read", "reasons": ["neither of the permissions"]},
            )
        return self.require(subject, campaign_id)[0]

    def _away(self, name: str) -> Subject | None:
        try:
            return self._identity.current(name)
        except NotSignedIn:
            return None
