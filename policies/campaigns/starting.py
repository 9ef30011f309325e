"""Who may start an access review: those who manage, and admins of a domain one that is wholly of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.errors import InvalidInput, NotAllowed
from policies.access.identity import Identity
from policies.campaigns.within import strangers
from policies.decision.domains import Power
from policies.declared import kinds
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.state import GovernanceState
from policies.model import Subject

KIND = "AccessReview"


class Starting:
    """Refuses by what is written: a review that is not there is refused as one of another domain."""

    def __init__(self, identity: Identity, state: GovernanceState) -> None:
        self._identity, self._state = identity, state

    def require(self, subject: Subject, review: str | None, name: str, spec: Mapping[str, Any] | None) -> None:
        """Raises NotAllowed; InvalidInput unless a declared review or a spec is given."""
        manages = "manage" in self._identity.permissions(subject)
        reach = self._identity.reach(subject, Power.CERTIFY)
        if not manages and not reach:
            self._identity.require(subject, "manage")
        if (review is None) == (spec is None):
            raise InvalidInput(
                "Name a declared review, or give a name and a spec; not both.", details={"field": "review"}
            )
        if manages:
            return
        terms = spec if spec is not None else self._declared(review or "")
        domain = self._state.view().domains.get(str(terms.get("domain")))
        if domain is None or domain.name not in reach.names:
            raise NotAllowed(
                f"{subject.user} may start access reviews of {' and '.join(reach.names)} alone: give a spec with its"
                " domain, or name a declared review that has it.",
                details={"permission": "manage", "reasons": ["not a review of a domain of theirs"]},
            )
        if spec is not None:
            written = kinds.parse(KIND, name, spec)
            assert isinstance(written, AccessReviewSpec)
            if problem := strangers(written, domain):
                raise NotAllowed(
                    f"{subject.user} may not name these reviewers: {problem}", details={"reasons": [problem]}
                )

    def _declared(self, review: str) -> Mapping[str, Any]:
        """Empty where there is none."""
        document = self._state.store.get(KIND, review)
        return (document.spec or {}) if document is not None else {}
