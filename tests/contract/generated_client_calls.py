"""Run by test_generated_client with the generator's own Python: imports every module of a client, and calls ten routes.

Arguments: the folder of the client, the address of a Weir, a token. Prints the number of modules, then a line a call.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

folder, url, token = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
sys.path.insert(0, str(folder.parent))
package = importlib.import_module(folder.name)
modules = [importlib.import_module(each.name) for each in pkgutil.walk_packages(package.__path__, f"{folder.name}.")]
print(len(modules))

client = package.AuthenticatedClient(base_url=url, token=token)
models = importlib.import_module(f"{folder.name}.models")
documents = models.DeclaredStateApplyJsonBody.from_dict(
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
simulated = models.DecisionsSimulateJsonBody.from_dict(documents.to_dict())
event = models.LineagePostEventBody.from_dict(
    {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://example.com/jobs",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "0194a1a0-0000-7000-8000-000000000001"},
        "job": {"namespace": "shop", "name": "nightly"},
        "inputs": [],
        "outputs": [],
    }
)
calls = {
    "health.health_readyz": {},
    "declared_state.declared_state_apply": {"body": documents},
    "decisions.decisions_simulate": {"body": simulated},
    "declared_state.declared_state_documents": {"kind": "Role"},
    "catalog.catalog_list_datasets": {},
    "catalog.catalog_search": {"q": "orders"},
    "identity.identity_me": {},
    "access.access_list_grants": {},
    "lineage.lineage_post_event": {"body": event},
    "queries.queries_list_queries": {},
}
for name, arguments in calls.items():
    module = importlib.import_module(f"{folder.name}.api.{name}")
    answer = module.sync_detailed(client=client, **arguments)
    print(name, int(answer.status_code), type(answer.parsed).__name__)
