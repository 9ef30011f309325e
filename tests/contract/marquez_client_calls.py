"""Run by test_marquez_client with the client's own Python: calls what marquez-python reads, and prints the answers as JSON.

Arguments: the address of a Weir, a token, a namespace of datasets, a run.
"""

from __future__ import annotations

import importlib
import json
import sys

url, token, kafka, run = sys.argv[1:]
client = importlib.import_module("marquez_client").MarquezClient(url, api_key=token)
versions = client.list_dataset_versions(kafka, "clean2")
answers = {
    "namespaces": client.list_namespaces(),
    "namespace": client.get_namespace("jobs"),
    "sources": client.list_sources(),
    "source": client.get_source(kafka),
    "datasets": client.list_datasets(kafka),
    "dataset": client.get_dataset(kafka, "clean2"),
    "versions": versions,
    "version": client.get_dataset_version(kafka, "clean2", versions["versions"][0]["version"]),
    "jobs": client.list_jobs("jobs"),
    "job": client.get_job("jobs", "cleaner"),
    "runs": client.list_job_runs("jobs", "cleaner"),
    "run": client.get_job_run(run),
    "columns of a dataset": client.get_column_lineage_by_dataset(kafka, "clean2", depth=5),
    "columns of a field": client.get_column_lineage_by_dataset_field(kafka, "clean2", "value.email", depth=5),
    "columns of a job": client.get_column_lineage_by_job("jobs", "cleaner", depth=5),
    "tags": client.list_tags(),
}
print(json.dumps(answers))
