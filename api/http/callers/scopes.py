"""What a limited token may be used for: the scope that each route needs."""

from __future__ import annotations

from catalog.errors import NotAllowed
from policies.model import Subject

_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN = frozenset({"session", "login", "callback", "logout", "device", "backchannel", "providers"})
"""Rooms of `/auth` that take no token: they are about the cookie that comes along, or sign in."""
_QUERY = frozenset({"query", "queries", "saved-queries"})
_DATA = ("rows", "changes", "records")
"""Last parts of addresses whose answers hold records."""
_BY_ROOM = {
    "audit": "audit:read",
    "reports": "report:read",
    "access": "report:read",
    "explain": "report:read",
    "decisions": "decide",
}
_CHANGES = {
    "scans": "scan",
    "recognizers": "scan",
    "classifications": "review",
    "access-requests": "request",
    "grants": "request",
    "request-templates": "request",
    "search": "read",
}


def scope_of(method: str, path: str) -> str | None:
    """The scope that a route needs; None for none. What nobody thought of needs `manage`.

    `path` is the route's template, so that no name within an address decides: a policy may be named `classifications`.
    """
    parts = path.removeprefix("/api/v1/").strip("/").split("/")
    room, last = parts[0], parts[-1]
    if parts[:2] == ["me", "delegation"] and method not in _READING:
        return "request"
    if parts == ["me"] or (room == "auth" and parts[1:2] and parts[1] in _OPEN):
        return None
    if room == "auth":  # sessions and linked accounts, of anybody
        return "manage"
    if room in _QUERY or (room in ("views", "datasets") and last in _DATA):
        return "query"
    if room in _BY_ROOM:
        return _BY_ROOM[room]
    if room == "domains" and last == "audit":
        return "audit:read"
    if room == "access-reviews" and method in _READING:
        return "report:read"
    if method in _READING or parts == ["lineage", "sql"]:
        return "read"
    if room == "lineage":
        return "lineage:write"
    if last == "classifications":
        return "review"
    return _CHANGES.get(room, "manage")


def require_scope(subject: Subject, method: str, path: str) -> None:
    """Raises NotAllowed for a limited token whose scopes do not cover the route, given by its template."""
    if subject.scopes is None:
        return
    needed = scope_of(method, path)
    if needed is None and subject.scopes != {"scim"}:
        return
    if needed is None or needed not in subject.scopes:
        has = ", ".join(sorted(subject.scopes))
        raise NotAllowed(
            f"This token is limited to {has}, and this request needs "
            + (f"the scope {needed}; make a token with it." if needed else "another token."),
            details={"scope": needed, "reasons": ["scope"]},
        )
