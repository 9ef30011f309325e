"""Roles that are always there. They define what their holders may do in Weir; none of them opens any data."""

from __future__ import annotations

from collections.abc import Mapping

from policies.declared.spec_parts import PERMISSIONS
from policies.model import Role

BUILT_IN_ROLES: Mapping[str, Role] = {
    "admin": Role("admin", permissions=PERMISSIONS),
    "steward": Role("steward", permissions=frozenset({"scan", "review", "report:read", "decide"})),
    "auditor": Role("auditor", permissions=frozenset({"audit:read", "report:read"})),
    "enforcer": Role("enforcer", permissions=frozenset({"decide"})),
    "producer": Role("producer", permissions=frozenset({"lineage:write"})),
}
ADMIN_USER = "admin"
"""Holds the role admin without being declared; the first token is theirs."""
