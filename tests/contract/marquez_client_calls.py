"""Run by test_marquez_client with the client's own Python: calls what marquez-python reads, and prints the answers as JSON.

Arguments: the address of a Weir, a token, a namespace of datasets. What the client raises is printed in the answer's place.
"""

from __future__ import annotations

import json
import sys

from marquez_client import MarquezClient

url, token, kafka = sys.argv[1:]
client = MarquezClient(url, api_key=token)
calls = {
    "namespaces": lambda: client.list_namespaces(),
    "namespace": lambda: client.get_namespace("jobs"),
    "sources": lambda: client.list_sources(),
    "source": lambda: client.get_source(kafka),
    "datasets": lambda: client.list_datasets(kafka),
    "dataset": lambda: client.get_dataset(kafka, "clean2"),
    "versions": lambda: client.list_dataset_versions(kafka, "clean2"),
    "jobs": lambda: client.list_jobs("jobs"),
    "job": lambda: client.get_job("jobs", "cleaner"),
    "runs": lambda: client.list_job_runs("jobs", "cleaner"),
    "run": lambda: client.get_job_run("r3"),
    "columns of a dataset": lambda: client.get_column_lineage_by_dataset(kafka, "clean2", depth=5),
    "columns of a field": lambda: client.get_column_lineage_by_dataset_field(kafka, "clean2", "value.email", depth=5),
    "columns of a job": lambda: client.get_column_lineage_by_job("jobs", "cleaner", depth=5),
    "tags": lambda: client.list_tags(),
    "events": lambda: client.list_events(),
    "a version": lambda: client.get_dataset_version(
        kafka, "clean2", client.list_dataset_versions(kafka, "clean2")["versions"][0]["version"]
    ),
}
answers = {}
for name, call in calls.items():
    try:
        answers[name] = call()
    except Exception as error:
        answers[name] = {"raised": f"{type(error).__name__}: {error}", "body": getattr(getattr(error, "response", None), "text", None)}
print(json.dumps(answers))
