"""Who may see and decide what of a campaign."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import NotAllowed, NotFound, NotSignedIn
from policies.access.identity import Identity
from policies.campaigns.model import Campaign, Item, ReviewerSet
from policies.campaigns.ports import REVIEWERS, CampaignStore
from policies.campaigns.reviewers import holds
from policies.declared.person_names import name_key
from policies.declared.state import GovernanceState, View
from policies.matching import resolve
from policies.model import Subject
from policies.requests.delegation import Delegations

COUNTS = frozenset({"manage", "report:read", "audit:read"})
"""Permissions that show how far every campaign is, without its items."""
EVIDENCE = frozenset({"manage", "audit:read"})
"""Permissions that open the evidence report: what it holds is in the audit, too."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one subject may do in one campaign.

    sets      who may decide, by key; mine: keys of the sets the subject is in -> in whose place, None = their own
    manages   sees and decides every item but those about the subject's own rights
    """

    subject: Subject
    view: View
    sets: dict[str, ReviewerSet]
    mine: dict[str, str | None]
    manages: bool
    counts: bool

    def own(self, item: Item) -> bool:
        """Whether the item is about a right of the subject's own, or of the one in whose place they decide."""
        if holds(self.subject, item.right, self.view):
            return True
        away = self.mine.get(item.reviewers)
        return away is not None and not self.manages and (
            item.right.person is not None and name_key(item.right.person) == name_key(away)
        )  # fmt: skip

    def sees(self, item: Item) -> bool:
        """Reviewers see their items, who manages sees all."""
        return self.manages or (item.reviewers in self.mine and not self.own(item))

    def decides(self, item: Item) -> bool:
        """Nobody decides on a right of their own."""
        return self.sees(item) and not self.own(item)


class Sights:
    """Makes `Sight` of subjects."""

    def __init__(
        self, store: CampaignStore, state: GovernanceState, identity: Identity, delegations: Delegations
    ) -> None:
        self._store, self._state, self._identity, self._delegations = store, state, identity, delegations

    def of(self, subject: Subject, campaign: Campaign) -> Sight:
        """Raises nothing: a subject without any right gets a sight that shows nothing."""
        view = self._state.view()
        kept = self._store.sets(campaign.id, REVIEWERS)
        sets = {key: ReviewerSet.from_json(value) for key, value in kept.items()}
        permissions = self._identity.permissions(subject)
        mine: dict[str, str | None] = {}
        for away in (None, *self._delegations.for_delegate(subject.user)):
            who = subject if away is None else self._away(away)
            if who is not None:
                for key, each in sets.items():
                    if key not in mine and _among(who, each, view):
                        mine[key] = away
        return Sight(subject, view, sets, mine, "manage" in permissions, bool(permissions & COUNTS))

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

    def require_evidence(self, subject: Subject) -> None:
        """Raises NotAllowed."""
        if not self._identity.permissions(subject) & EVIDENCE:
            raise NotAllowed(
                f"{subject.user} may not read the evidence of access reviews; it takes the permission manage or audit:read.",
                details={"permission": "audit:read", "reasons": ["neither of the permissions"]},
            )

    def _away(self, name: str) -> Subject | None:
        try:
            return self._identity.current(name)
        except NotSignedIn:
            return None


def _among(who: Subject, reviewers: ReviewerSet, view: View) -> bool:
    return resolve(who, view.roles).among(reviewers.match.people)
