"""Access reviews of a domain: their rights, datasets and reviewers are the domain's alone. Pure."""

from __future__ import annotations

from catalog.errors import InvalidInput
from policies.campaigns.model import Kind, Right
from policies.decision.domains import Domain
from policies.declared.campaign_specs import AccessReviewSpec
from policies.declared.spec_parts import PeopleSpec


def outside(spec: AccessReviewSpec, domain: Domain) -> str | None:
    """Why a review is about more than a domain, in a sentence; None: it is not."""
    if "roles" in spec.items:
        return "members of roles and groups read datasets of other domains, too; leave items to grants and owners."
    if not spec.scope.datasets:
        return f"scope.datasets names nothing; name datasets of domain {domain.name}, as {domain.datasets[0]}."
    for pattern in spec.scope.datasets:
        if not domain.has_all(pattern):
            return f"{pattern} may match datasets outside of domain {domain.name}."
    return None


def strangers(spec: AccessReviewSpec, domain: Domain) -> str | None:
    """Why an admin of a domain may not name these reviewers, in a sentence: who is in a group or role of others is not
    theirs to learn."""
    own = domain.admins.groups | domain.stewards.groups
    people: list[PeopleSpec] = [spec.reviewers, *([spec.reviewers.fallback] if spec.reviewers.fallback else [])]
    for each in people:
        if each.roles:
            return "reviewers.roles are the installation's; name users, or groups of the domain."
        if foreign := sorted(set(each.groups) - own):
            return (
                f"group {foreign[0]} is not of domain {domain.name}; name users, or groups of its admins and stewards."
            )
    return None


def require_within(name: str, spec: AccessReviewSpec, domain: Domain | None) -> None:
    """Raises InvalidInput for a review of a domain that is about more. `domain`: the one it names; None: there is none."""
    if spec.domain is None:
        return
    problem = outside(spec, domain) if domain is not None else f"there is no domain {spec.domain}."
    if problem is not None:
        raise InvalidInput(f"AccessReview {name}: {problem}", details={"kind": "AccessReview", "name": name})


def of_domain(right: Right, domain: Domain) -> bool:
    """Whether a right opens datasets of the domain alone."""
    return right.kind in (Kind.GRANT, Kind.OWNER) and domain.has_all(right.dataset or right.name)
