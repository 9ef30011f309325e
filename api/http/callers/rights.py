"""Who may call each route: written by hand beside the checks in the routes, printed by `api.processes.reference`.

A test calls every route as every role and holds the answers to this table; a route that it lacks fails the test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from api.http.callers.right import Right, Route, needs

PREFIX = "/api/v1"


_OWNERS = "owners of the dataset"
_SEES_ALL = ("report:read", "audit:read", "manage")

_TABLE: tuple[tuple[Right, str], ...] = (
    (
        Right(signed_in=False),
        """
GET /healthz
GET /readyz
GET /metrics | names of routes, servers and views, never of people
GET /auth/session
GET /auth/login/{provider}
GET /auth/callback/{provider} | completes a sign-in that this browser began
POST /auth/backchannel/{provider} | needs a logout token that the provider signed
POST /auth/device
POST /auth/device/poll | needs the command line's own secret
GET /auth/device/{code}
POST /auth/device/{code}/continue | only a page of Weir may send it
POST /auth/device/{code}/let-in | needs the ticket of a sign-in
POST /auth/device/{code}/refuse | only a page of Weir may send it
""",
    ),
    (
        Right(limits="what the caller may know of"),
        """
GET /views
GET /views/{name}
GET /search
GET /search/suggest
POST /search/opened
GET /datasets
GET /datasets/{namespace}/{name}
GET /datasets/{namespace}/{name}/schema
GET /datasets/{namespace}/{name}/schema/versions
GET /datasets/{namespace}/{name}/schema/diff
GET /datasets/{namespace}/{name}/classifications
GET /datasets/{namespace}/{name}/related
GET /datasets/{namespace}/{name}/partitions
GET /datasets/{namespace}/{name}/config
GET /datasets/{namespace}/{name}/consumer-groups
GET /datasets/{namespace}/{name}/rate
GET /datasets/{namespace}/{name}/lag
GET /datasets/{namespace}/{name}/subjects
GET /datasets/{namespace}/{name}/subjects/diff
GET /datasets/{namespace}/{name}/readers
GET /classifications
GET /clusters
GET /clusters/{name}
GET /clusters/{name}/consumer-groups
GET /clusters/{name}/connectors
GET /clusters/{name}/connector-plugins
GET /connectors | values of a configuration for owners and `manage`
GET /connectors/{name} | values of a configuration for owners and `manage`
GET /scans
GET /scans/{id}
GET /namespaces
GET /namespaces/{namespace}
GET /namespaces/{namespace}/jobs
GET /namespaces/{namespace}/jobs/{job}
GET /namespaces/{namespace}/jobs/{job}/versions
GET /namespaces/{namespace}/jobs/{job}/versions/{version}
GET /namespaces/{namespace}/jobs/{job}/runs
GET /namespaces/{namespace}/datasets
GET /namespaces/{namespace}/datasets/{dataset}
GET /namespaces/{namespace}/datasets/{dataset}/versions
GET /namespaces/{namespace}/datasets/{dataset}/versions/{version}
GET /jobs
GET /jobs/runs/{run_id}
GET /jobs/runs/{run_id}/facets
GET /jobs/{namespace}/{name}
GET /jobs/{namespace}/{name}/runs
GET /column-lineage
GET /sources
GET /sources/{source}
GET /tags
GET /lineage
GET /lineage/reach
GET /lineage/paths
POST /lineage/sql
GET /impact
GET /declared/{kind} | of people, roles and grants the caller's own; all for `manage`, `report:read`, `audit:read`
GET /policies
GET /policies/{name}
GET /domains
GET /domains/{name}
GET /domains/{name}/datasets
GET /purposes
GET /events | of access, grants and queries only with `audit:read`
GET /events/stream | of access, grants and queries the caller's own, all with `audit:read`
GET /query/complete
POST /query/complete
""",
    ),
    (
        Right(limits="rows, columns and masks by the caller's decision; 403 without a right to read"),
        """
GET /views/{name}/rows
GET /views/{name}/changes
GET /datasets/{namespace}/{name}/records
POST /query
POST /query/explain
POST /query/check
GET /query/stream
""",
    ),
    (
        Right(limits="the caller's own"),
        """
GET /me
GET /queries | everybody's with `manage`
GET /queries/{id} | anybody's with `manage`
DELETE /queries/{id} | anybody's with `manage`
GET /saved-queries | and those shared with the caller
POST /saved-queries
GET /me/delegation
PUT /me/delegation
DELETE /me/delegation
GET /me/notifications
PUT /me/notifications
GET /me/notices
POST /notifications/test
POST /access-requests | for a dataset that the caller may know of
POST /access-requests/break-glass | where a workflow lets the caller; 403 otherwise
POST /access-requests/bundle | for datasets that the caller may know of
GET /access-requests | and those that the caller may decide
GET /request-templates | those that the caller may use
POST /request-templates/{name}/requests | of a template that the caller may use
GET /grants | all for `manage` and `report:read`; those of a dataset for its owners
GET /access/unused | all for `report:read`, `audit:read` and `manage`; those of a dataset for its owners
GET /access-reviews | with items for the caller, those of their domain; all for `manage`, `report:read` and `audit:read`
GET /auth/sessions
POST /auth/logout
DELETE /auth/sessions/{id} | anybody's with `manage`
POST /policies/masks/preview | on values that the caller sends
POST /decisions | about the caller; about others with `decide` or `manage`
""",
    ),
    (
        needs("manage"),
        """
POST /views/{name}/pause
POST /views/{name}/resume
POST /views/{name}/restart
POST /views/{name}/rebuild
POST /views/{name}/diff
GET /views/{name}/removal
POST /clusters/test
DELETE /clusters/{name}
POST /connectors/{name}/restart
POST /connectors/{name}/pause
POST /connectors/{name}/resume
POST /connectors/{name}/stop
GET /notifications
POST /rebuild/{what}
POST /tokens
GET /tokens
POST /tokens/{id}/rotate
DELETE /tokens/{id}
DELETE /auth/accounts/{user}
GET /directory
GET /directory/people
GET /directory/groups
POST /directory/release
GET /events/deliveries
GET /auth/sessions?all=true
PUT /me/delegation (user: another)
POST /notifications/test (user: another)
""",
    ),
    (
        needs("manage", others="admins and stewards of a domain, what is about its datasets alone"),
        "POST /apply",
    ),
    (needs("manage", others="admins of a domain, its policies and visibility"), "DELETE /declared/{kind}/{name}"),
    (needs("audit:read", others="admins of the domain", unseen=True), "GET /domains/{name}/audit"),
    (needs("scan"), "POST /recognizers/test"),
    (
        needs("scan", others="admins and stewards of a domain, topics of its datasets"),
        "POST /scans\nPOST /scans/{id}/cancel",
    ),
    (
        needs("review", others=_OWNERS),
        "POST /datasets/{namespace}/{name}/classifications\nPOST /classifications/review",
    ),
    (needs("lineage:write"), "POST /lineage\nPOST /lineage/batch"),
    (
        needs("audit:read"),
        "GET /audit\nGET /audit/export\nGET /audit/key\nGET /audit/segments\nGET /audit/verify",
    ),
    (needs("report:read", others="admins and stewards of a domain, about its datasets"), "GET /reports/where-is"),
    (needs("decide", "manage", others="admins of a domain, on its datasets"), "POST /decisions (subject: another)"),
    (
        needs("manage", "report:read", "decide", others="admins of a domain, what they may declare, on its datasets"),
        "POST /policies/simulate",
    ),
    (needs("manage", "report:read", "decide"), "POST /policies/test"),
    (needs("report:read", "manage", others=_OWNERS), "GET /datasets/{namespace}/{name}/acls"),
    (
        needs("report:read", others=_OWNERS),
        "GET /datasets/{namespace}/{name}/access\nGET /datasets/{namespace}/{name}/visibility",
    ),
    (
        needs(*_SEES_ALL, others=_OWNERS),
        "GET /access/datasets/{cluster}/{topic}",
    ),
    (
        needs(*_SEES_ALL, others="the person; owners, of their datasets"),
        "GET /access/people/{name}",
    ),
    (
        needs(*_SEES_ALL, others="people about themselves; owners of the dataset"),
        "GET /explain/compare",
    ),
    (needs("manage", others="admins of a domain, reviews of it"), "POST /access-reviews"),
    (
        needs(*_SEES_ALL, others="its reviewers, of their items; admins of the domain that it is of", unseen=True),
        "GET /access-reviews/{id}\nGET /access-reviews/{id}/items",
    ),
    (
        needs(
            "manage",
            others="its reviewers, and admins of the domain that it is of, never on their own rights",
            unseen=True,
        ),
        "POST /access-reviews/{id}/decisions",
    ),
    (needs("manage", others="admins of the domain that it is of", unseen=True), "POST /access-reviews/{id}/close"),
    (
        needs("manage", "audit:read", others="its requester and approvers", unseen=True),
        "GET /access-requests/{id}\nPOST /access-requests/{id}/comments",
    ),
    (
        needs(others="approvers of its present stage, never the requester", unseen=True),
        """
POST /access-requests/{id}/approve
POST /access-requests/{id}/deny
POST /access-requests/{id}/ask-back
""",
    ),
    (needs("manage", others="its requester", unseen=True), "POST /access-requests/{id}/cancel"),
    (needs("manage", others="its holder, its approvers, owners of the dataset", unseen=True), "DELETE /grants/{name}"),
    (needs(others="its holder"), "POST /grants/{name}/extend"),
    (needs(others="its owner, and with whom it is shared", unseen=True), "GET /saved-queries/{id}"),
    (needs(others="its owner", unseen=True), "PUT /saved-queries/{id}"),
    (needs(others="its owner; `manage`, where it is shared", unseen=True), "DELETE /saved-queries/{id}"),
    (
        Right(frozenset(), directory=True),
        """
GET /scim/v2/ServiceProviderConfig
GET /scim/v2/Schemas
GET /scim/v2/Schemas/{name}
GET /scim/v2/ResourceTypes
GET /scim/v2/ResourceTypes/{name}
POST /scim/v2/.search
GET /scim/v2/Users
POST /scim/v2/Users
POST /scim/v2/Users/.search
GET /scim/v2/Users/{id}
PUT /scim/v2/Users/{id}
PATCH /scim/v2/Users/{id}
DELETE /scim/v2/Users/{id}
GET /scim/v2/Groups
POST /scim/v2/Groups
POST /scim/v2/Groups/.search
GET /scim/v2/Groups/{id}
PUT /scim/v2/Groups/{id}
PATCH /scim/v2/Groups/{id}
DELETE /scim/v2/Groups/{id}
""",
    ),
    (needs("manage", "audit:read", others="admins of the domain that it is of"), "GET /access-reviews/{id}/report"),
)


_LINE = re.compile(r"(?P<method>[A-Z]+) (?P<path>/[^ ?|]*)(?P<case>\?\S+| \([^)]*\))?(?: \| (?P<note>.*))?")
_ROOT = ("/healthz", "/readyz", "/metrics", "/scim/")


def _rows() -> Iterator[tuple[Route, Right]]:
    for right, text in _TABLE:
        for line in text.strip().splitlines():
            parsed = _LINE.fullmatch(line)
            assert parsed is not None, line
            path = parsed["path"] if parsed["path"].startswith(_ROOT) else PREFIX + parsed["path"]
            yield (
                Route(parsed["method"], path, parsed["case"] or ""),
                replace(right, limits=parsed["note"] or right.limits),
            )


def rights() -> Mapping[Route, Right]:
    """Who may call each route, and each case of a route that has a right of its own."""
    return dict(_rows())
