"""Which purposes a message may name: declared ones. A requester's own words stay in the request. Pure."""

from __future__ import annotations

from policies.declared.view import View


def is_declared(view: View, purpose: str) -> bool:
    """Whether it is declared, or a policy or a request template names it: then who manages wrote it, not the requester."""
    if purpose in view.purposes.by_name:
        return True
    policies = view.policies
    groups = (
        *(each.purposes for each in policies.access),
        *(match.purposes for each in policies.masks for match in (each.subjects, each.exempt)),
        *(match.purposes for each in policies.rows for match in (each.subjects, each.exempt)),
    )
    return any(purpose in each for each in groups) or any(purpose == t.purpose for t in view.templates.values())
