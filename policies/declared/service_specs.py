"""The spec of `kind: ServiceAccount`, and what a token may be limited to."""

from __future__ import annotations

from pydantic import Field

from policies.declared.spec_parts import PERMISSIONS, Name, Spec

SCIM = "scim"
SCOPES = PERMISSIONS | {"read", "query", "request", SCIM}
"""What a token may be limited to: read = reading the catalog, lineage and lists; query = data of topics and views;
request = asking for access and deciding on it; scim = keeping the directory, and nothing else; the rest are permissions.
"""


class ServiceAccountSpec(Spec):
    """A program. It signs in with scoped tokens that expire, and has its roles and groups as a user has.

    owner   who answers for it: a user or a group, in words
    """

    description: str = ""
    owner: str = ""
    groups: list[Name] = Field([])
    roles: list[Name] = Field([])
    disabled: bool = False
