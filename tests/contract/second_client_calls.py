"""Run by test_generated_client with the client's own Python: imports every module of a client that OpenAPI Generator made, and
calls ten routes.

Arguments: the folder of the client, the address of a Weir, a token. Prints the number of modules, then a line a call.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

folder, url, token = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
sys.path.insert(0, str(folder))
weir = importlib.import_module("weir_client")
modules = [importlib.import_module(each.name) for each in pkgutil.walk_packages(weir.__path__, "weir_client.")]
print(len(modules))

documents = weir.DeclaredStateApplyRequest.from_dict(
    {
        "documents": [
            {
                "apiVersion": "weir/v1",
                "kind": "Role",
                "metadata": {"name": "reader"},
                "spec": {"read": [{"dataset": "*"}]},
            },
            {"apiVersion": "weir/v1", "kind": "User", "metadata": {"name": "jo"}, "spec": {"roles": ["reader"]}},
        ]
    }
)
event = {
    "eventType": "COMPLETE",
    "eventTime": "2026-01-01T00:00:00Z",
    "producer": "https://example.com/jobs",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0194a1a0-0000-7000-8000-000000000002"},
    "job": {"namespace": "shop", "name": "nightly"},
    "inputs": [],
    "outputs": [],
}
client = weir.ApiClient(weir.Configuration(host=url, access_token=token))
calls = [
    (weir.HealthApi, "health_healthz", {}),
    (weir.DeclaredStateApi, "declared_state_apply", {"declared_state_apply_request": documents}),
    (weir.DecisionsApi, "decisions_simulate", {"declared_state_apply_request": documents}),
    (weir.DeclaredStateApi, "declared_state_documents", {"kind": "Role"}),
    (weir.CatalogApi, "catalog_list_datasets", {}),
    (weir.CatalogApi, "catalog_search", {"q": "orders"}),
    (weir.IdentityApi, "identity_me", {}),
    (weir.AccessApi, "access_list_grants", {}),
    (weir.LineageApi, "lineage_post_event", {"request_body": event}),
    (weir.QueriesApi, "queries_list_queries", {}),
]
for api, name, arguments in calls:
    answer = getattr(api(client), f"{name}_with_http_info")(**arguments)
    print(name, answer.status_code, type(answer.data).__name__)
