"""For every route of the rights table a request that it answers, in a world of `tests.rights_world`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from api.guard.access import Entry
from api.guard.router import PREFIX
from tests.scim_world import GROUP, USER

if TYPE_CHECKING:
    from tests.rights_world import RightsWorld

API = PREFIX
SOON = (datetime.now(UTC) + timedelta(days=5)).isoformat()
LATER = (datetime.now(UTC) + timedelta(days=9)).isoformat()


@dataclass(frozen=True)
class Sample:
    """A request of a route. `past`: statuses besides 2xx that show the caller came past the check, such as 404 for a thing that
    is not there."""

    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    text: str | None = None
    fill: Mapping[str, str | Callable[[RightsWorld], str]] = field(default_factory=dict)
    past: frozenset[int] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)


FILL: Mapping[str, str | Callable[[RightsWorld], str]] = {
    "namespace": "prod",
    "name": "orders",
    "cluster": "prod",
    "topic": "orders",
    "dataset": "orders",
    "kind": "Policy",
    "source": "kafka%3A%2F%2Flocalhost%3A9092",
    "job": "none",
    "run_id": "none",
    "provider": "none",
    "code": "none",
    "id": "none",
}
_GONE = frozenset({404})
_NONE = Sample(past=_GONE)
_RULE_OF_DOMAIN = (
    "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: orders.x, domain: orders}\n"
    "spec: {type: mask, match: {datasets: ['prod/*']}, mask: {type: MASK_NULL}}\n"
)
_OWN_DATASET = (
    "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\n"
    "spec: {description: Orders of the shop, owners: [{user: owner}]}\n"
)
_EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-11-01T10:00:00Z",
    "producer": "t",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "00000000-0000-4000-8000-000000000001"},
    "job": {"namespace": "etl", "name": "j"},
    "inputs": [],
    "outputs": [],
}
_ASKED = {"dataset": "prod/orders", "purpose": "fraud", "until": SOON}
_NODE = "dataset:kafka://localhost:9092:orders"
_SQL = {"sql": "SELECT 1 AS one FROM prod.clicks"}
_REFUSED = frozenset({400, 403, 503})
"""Of doors at data: the decision on the data refuses, not the check of the route; and no engine runs here."""
_SCIM = {"Content-Type": "application/scim+json"}
_REQUEST: Mapping[str, Callable[[RightsWorld], str]] = {"id": lambda weir: weir.request()}
_GRANT: Mapping[str, Callable[[RightsWorld], str]] = {"name": lambda weir: weir.grant()}
_SAVED: Mapping[str, Callable[[RightsWorld], str]] = {"id": lambda weir: weir.saved()}
_REVIEW: Mapping[str, Callable[[RightsWorld], str]] = {"id": lambda weir: weir.review}
_REVIEWED = {
    "domain": "orders",
    "scope": {"datasets": ["prod/*"]},
    "items": ["grants"],
    "reviewers": {"owners": True},
    "onNoAnswer": "keep",
}
_CLASS = {"path": "value.customer.email", "entity": "EMAIL_ADDRESS", "state": "confirmed"}

SAMPLES: Mapping[str, Sample] = {
    "GET /readyz": Sample(past=frozenset({503})),
    "GET /auth/login/{provider}": _NONE,
    "GET /auth/callback/{provider}": Sample(past=frozenset({400, 404})),
    "POST /auth/backchannel/{provider}": Sample(text="logout_token=x", past=frozenset({400, 404})),
    "POST /auth/device": Sample(body={"label": "x"}, past=_GONE),
    "POST /auth/device/poll": Sample(body={"deviceCode": "x"}, past=_GONE),
    "GET /auth/device/{code}": Sample(past=frozenset({400})),
    "POST /auth/device/{code}/continue": Sample(body={"provider": "x"}, past=frozenset({403, 404})),
    "POST /auth/device/{code}/let-in": Sample(text="ticket=x", past=frozenset({400, 403, 404})),
    "POST /auth/device/{code}/refuse": Sample(past=frozenset({403, 404})),
    "GET /questions/{id}": _NONE,
    "PATCH /questions/{id}": Sample(body={"state": "closed"}, past=_GONE),
    "DELETE /questions/{id}": _NONE,
    "POST /questions/{id}/answers": Sample(body={"text": "x"}, past=_GONE),
    "PATCH /questions/{id}/answers/{answer}": Sample(body={"text": "x"}, past=_GONE),
    "DELETE /questions/{id}/answers/{answer}": _NONE,
    "POST /datasets/{namespace}/{name}/questions": Sample(body={"text": "x"}),
    "GET /incidents/{id}": _NONE,
    "POST /incidents/{id}/acknowledge": _NONE,
    "PUT /incidents/{id}/assignee": Sample(body={"user": None}, past=_GONE),
    "POST /incidents/{id}/comments": Sample(body={"text": "x"}, past=_GONE),
    "POST /incidents/{id}/resolve": Sample(body={}, past=_GONE),
    "POST /search/opened": Sample(body={"q": "x", "dataset": "prod/orders"}),
    "GET /search": Sample(query={"q": "orders"}),
    "GET /contracts/draft": Sample(query={"dataset": "prod/orders"}),
    "POST /datasets/{namespace}/{name}/quality/marks": Sample(body={"kind": "deploy"}),
    "DELETE /datasets/{namespace}/{name}/quality/marks/{mark}": _NONE,
    "GET /datasets/find": Sample(query={"name": "orders"}),
    "POST /mcp": Sample(text="{}", past=frozenset({400, 406})),
    "GET /search/suggest": Sample(query={"q": "or"}),
    "GET /datasets/{namespace}/{name}/schema/diff": Sample(query={"from": "1", "to": "1"}, past=_GONE),
    "GET /datasets/{namespace}/{name}/subjects": Sample(past=frozenset({503})),
    "GET /datasets/{namespace}/{name}/subjects/diff": Sample(
        query={"subject": "orders-value", "version": "1"}, past=frozenset({404, 503})
    ),
    "GET /clusters/{name}": Sample(fill={"name": "prod"}),
    "GET /clusters/{name}/consumer-groups": Sample(fill={"name": "prod"}, past=frozenset({503})),
    "GET /clusters/{name}/connectors": Sample(fill={"name": "prod"}, past=_GONE),
    "GET /clusters/{name}/connector-plugins": Sample(fill={"name": "prod"}, past=frozenset({400, 404, 503})),
    "GET /namespaces/{namespace}/jobs/{job}": _NONE,
    "GET /namespaces/{namespace}/jobs/{job}/versions": _NONE,
    "GET /namespaces/{namespace}/jobs/{job}/versions/{version}": _NONE,
    "GET /namespaces/{namespace}/jobs/{job}/runs": _NONE,
    "GET /namespaces/{namespace}/datasets/{dataset}/versions/{version}": _NONE,
    "GET /namespaces/{namespace}": Sample(past=_GONE),
    "GET /sources/{source}": _NONE,
    "GET /jobs/runs/{run_id}": _NONE,
    "GET /jobs/runs/{run_id}/facets": _NONE,
    "GET /jobs/{namespace}/{name}": _NONE,
    "GET /jobs/{namespace}/{name}/runs": _NONE,
    "GET /rights/consumer": Sample(query={"dataset": "prod/orders", "consumer": "none"}, past=frozenset({400, 404})),
    "GET /rights/plan": Sample(past=frozenset({409})),
    "POST /rights/apply": Sample(body={"plan": "none"}, past=frozenset({409})),
    "POST /rights/undo": Sample(body={}, past=frozenset({409})),
    "POST /rights/adopt": Sample(body={"principal": "User:none"}, past=frozenset({404, 409})),
    "GET /column-lineage": Sample(
        query={"nodeId": f"{_NODE}".replace("dataset:", "datasetField:") + ":order_id"}, past=_GONE
    ),
    "GET /lineage": Sample(query={"nodeId": _NODE}, past=_GONE),
    "GET /lineage/reach": Sample(query={"from": _NODE}, past=_GONE),
    "GET /lineage/paths": Sample(query={"from": _NODE, "to": _NODE}, past=frozenset({400, 404})),
    "GET /impact": Sample(query={"nodeId": _NODE}, past=_GONE),
    "POST /impact/announcements": Sample(body={"nodeId": _NODE}, past=_GONE),
    "POST /lineage/sql": Sample(body={"sql": "INSERT INTO clicks SELECT * FROM orders", "cluster": "prod"}),
    "GET /policies/{name}": Sample(fill={"name": "mails"}),
    "GET /query/complete": Sample(query={"sql": "SELECT "}),
    "POST /query/complete": Sample(body={"sql": "SELECT "}),
    "GET /views/{name}": _NONE,
    "GET /views/{name}/clients": _NONE,
    "GET /views/{name}/rows": _NONE,
    "GET /views/{name}/changes": _NONE,
    "GET /datasets/{namespace}/{name}/records": Sample(past=_REFUSED),
    "POST /query": Sample(body=_SQL, past=_REFUSED),
    "POST /query/explain": Sample(body=_SQL, past=_REFUSED),
    "POST /query/check": Sample(body=_SQL, past=_REFUSED),
    "GET /query/stream": Sample(query={"sql": "SELECT 1"}, past=_REFUSED),
    "GET /queries/{id}": _NONE,
    "DELETE /queries/{id}": _NONE,
    "POST /saved-queries": Sample(body={"name": "x", "sql": "SELECT 1"}, past=frozenset({409})),
    "PUT /me/delegation": Sample(body={"delegates": ["owner2"], "until": SOON}),
    "DELETE /me/delegation": _NONE,
    "PUT /me/notifications": Sample(body={}),
    "POST /notifications/test": Sample(body={"channel": "mail"}, past=frozenset({400, 409})),
    "POST /access-requests": Sample(body=_ASKED, past=frozenset({409})),
    "POST /access-requests/break-glass": Sample(
        body={"dataset": "prod/orders", "purpose": "incident", "reason": "x"}, past=frozenset({403})
    ),
    "POST /access-requests/bundle": Sample(
        body={"datasets": ["prod/orders"], "purpose": "other", "until": SOON}, past=frozenset({409})
    ),
    "POST /request-templates/{name}/requests": Sample(body={}, past=_GONE),
    "POST /auth/logout": Sample(past=frozenset({204, 400, 404})),
    "DELETE /auth/sessions/{id}": _NONE,
    "POST /policies/masks/preview": Sample(
        body={"mask": {"type": "MASK_SHOW_LAST_4"}, "values": ["411111"]}, past=frozenset({503})
    ),
    "POST /decisions": Sample(body={"dataset": "prod/orders"}),
    "POST /views/{name}/pause": _NONE,
    "POST /views/{name}/resume": _NONE,
    "POST /views/{name}/restart": _NONE,
    "POST /views/{name}/rebuild": _NONE,
    "POST /views/{name}/diff": Sample(body={}, past=_GONE),
    "GET /views/{name}/removal": _NONE,
    "POST /clusters/test": Sample(
        body={"name": "x", "spec": {"bootstrapServers": ["localhost:9092"]}}, past=frozenset({400, 503})
    ),
    "POST /clusters/{name}/test": Sample(fill={"name": "none"}, past=_GONE),
    "DELETE /clusters/{name}": Sample(fill={"name": "none"}, past=_GONE),
    "GET /connectors/{name}": _NONE,
    "GET /connector-masks": Sample(query={"dataset": "prod/orders"}, past=_GONE),
    "POST /connectors/{name}/restart": _NONE,
    "POST /connectors/{name}/pause": _NONE,
    "POST /connectors/{name}/resume": _NONE,
    "POST /connectors/{name}/stop": _NONE,
    "POST /access-reviews": Sample(body={"name": "now", "spec": _REVIEWED}),
    "POST /apply": Sample(text=_OWN_DATASET),
    "DELETE /declared/{kind}/{name}": Sample(fill={"kind": "Policy", "name": "orders.none"}, past=_GONE),
    "POST /rebuild/{what}": Sample(fill={"what": "search"}),
    "POST /agents": Sample(body={"name": "helper", "purpose": "fraud", "datasets": ["prod/*"], "expiresIn": "1d"}),
    "GET /agents/{id}": _NONE,
    "DELETE /agents/{id}": _NONE,
    "POST /tokens": Sample(body={"user": "someone"}),
    "POST /tokens/{id}/rotate": Sample(body={}, past=_GONE),
    "DELETE /tokens/{id}": _NONE,
    "DELETE /auth/accounts/{user}": Sample(fill={"user": "none"}, past=_GONE),
    "POST /directory/release": Sample(body={"name": "none"}, past=_GONE),
    "PUT /me/delegation (user: another)": Sample(body={"delegates": ["owner2"], "until": SOON, "user": "absent"}),
    "POST /notifications/test (user: another)": Sample(body={"user": "absent"}, past=frozenset({400, 409})),
    "POST /recognizers/test": Sample(
        body={
            "recognizer": {"supported_entity": "X", "patterns": [{"name": "e", "regex": "E-[0-9]{6}", "score": 0.6}]},
            "values": ["E-123456"],
        }
    ),
    "POST /scans": Sample(body={"cluster": "prod", "topics": ["orders"]}),
    "POST /scans/{id}/cancel": _NONE,
    "GET /scans/{id}": _NONE,
    "POST /datasets/{namespace}/{name}/classifications": Sample(body=_CLASS),
    "PATCH /datasets/{namespace}/{name}/curation": Sample(body={"certification": {}}),
    "POST /catalog/table": Sample(text="dataset,field,description\r\nprod/orders,,Orders\r\n"),
    "GET /glossary/{name}": _NONE,
    "GET /products/{name}": _NONE,
    "PATCH /datasets/{namespace}/{name}": Sample(body={"description": "Orders"}),
    "POST /classifications/review": Sample(body={"items": [{"namespace": "prod", "name": "orders", **_CLASS}]}),
    "POST /lineage": Sample(body=_EVENT),
    "POST /lineage/batch": Sample(body=[_EVENT]),
    "GET /reports/where-is": Sample(query={"entity": "PII"}),
    "POST /decisions (subject: another)": Sample(body={"dataset": "prod/orders", "subject": "absent"}),
    "POST /policies/test": Sample(body={"tests": "cases: []\n"}, past=frozenset({400})),
    "POST /policies/simulate": Sample(text=_RULE_OF_DOMAIN),
    "GET /access/people/{name}": Sample(fill={"name": "holder"}),
    "GET /explain/compare": Sample(query={"dataset": "prod/orders", "left": "holder", "right": "person"}),
    "GET /access-reviews/{id}": Sample(fill=_REVIEW),
    "GET /access-reviews/{id}/items": Sample(fill=_REVIEW),
    "GET /access-reviews/{id}/report": Sample(fill=_REVIEW),
    "POST /access-reviews/{id}/decisions": Sample(
        body=lambda weir: {"items": [weir.item], "verdict": "keep", "reason": "used"},
        fill=_REVIEW,
        past=frozenset({409}),
    ),
    "POST /access-reviews/{id}/close": Sample(body={}, fill=_REVIEW, past=frozenset({409})),
    "GET /access-requests/{id}": Sample(fill=_REQUEST),
    "POST /access-requests/{id}/comments": Sample(body={"text": "x"}, fill=_REQUEST),
    "POST /access-requests/{id}/approve": Sample(body={}, fill=_REQUEST),
    "POST /access-requests/{id}/deny": Sample(body={}, fill=_REQUEST),
    "POST /access-requests/{id}/ask-back": Sample(body={"text": "why"}, fill=_REQUEST),
    "POST /access-requests/{id}/cancel": Sample(fill=_REQUEST),
    "DELETE /grants/{name}": Sample(fill=_GRANT),
    "POST /grants/{name}/extend": Sample(body={"until": LATER}, fill=_GRANT),
    "GET /saved-queries/{id}": Sample(fill=_SAVED),
    "DELETE /saved-queries/{id}": Sample(fill=_SAVED),
    "PUT /saved-queries/{id}": Sample(
        body={"name": f"changed{LATER}", "sql": "SELECT 2"}, fill=_SAVED, past=frozenset({409})
    ),
    **{
        f"POST /scim/v2/{of}.search": Sample(
            body={"schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]}, headers=_SCIM
        )
        for of in ("", "Users/", "Groups/")
    },
    "GET /scim/v2/Schemas/{name}": Sample(fill={"name": USER}),
    "GET /scim/v2/ResourceTypes/{name}": Sample(fill={"name": "User"}),
    "POST /scim/v2/Users": Sample(body={"schemas": [USER], "userName": "cara"}, headers=_SCIM, past=frozenset({409})),
    "POST /scim/v2/Groups": Sample(
        body={"schemas": [GROUP], "displayName": "Some"}, headers=_SCIM, past=frozenset({409})
    ),
    **{
        f"{m} /scim/v2/{of}/{{id}}": Sample(
            body={} if m in ("PUT", "PATCH") else None, headers=_SCIM, past=frozenset({400, 404})
        )
        for of in ("Users", "Groups")
        for m in ("GET", "PUT", "PATCH", "DELETE")
    },
}
"""By route as the table has it; a route that is not here is asked without a query or a body, and answers 2xx."""


def sample_of(route: Entry) -> Sample:
    """How a route is asked."""
    return SAMPLES.get(str(route).replace(API, "", 1), Sample())
