"""What is kept of producers' facets, given back as OpenLineage's facets on Marquez's datasets and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from api.features.marquez.answers import Facets, MarquezDataset, MarquezField, MarquezRun
from api.features.marquez.facets import facet
from api.visibility.readers import Reader
from catalog.columns import column_of, path_of
from catalog.datasets.reported import newest
from catalog.model import DatasetId, SchemaVersion
from catalog.paths import FieldPath, StepKind
from catalog.report_store import Fact
from lineage.model import Node
from lineage.producers.facts import WAYS

Json = dict[str, object]

_DATASET = {
    "schema": "SchemaDatasetFacet",
    "documentation": "DocumentationDatasetFacet",
    "ownership": "OwnershipDatasetFacet",
    "tags": "TagsDatasetFacet",
    "datasetType": "DatasetTypeDatasetFacet",
    "lifecycleStateChange": "LifecycleStateChangeDatasetFacet",
    "version": "DatasetVersionDatasetFacet",
    "dataSource": "DatasourceDatasetFacet",
    "storage": "StorageDatasetFacet",
    "catalog": "CatalogDatasetFacet",
    "hierarchy": "HierarchyDatasetFacet",
    "dataQualityMetrics": "DataQualityMetricsDatasetFacet",
    "dataQualityAssertions": "DataQualityAssertionsDatasetFacet",
    "inputStatistics": "InputStatisticsInputDatasetFacet",
    "outputStatistics": "OutputStatisticsOutputDatasetFacet",
}
_RUN = {
    "nominalTime": "NominalTimeRunFacet",
    "errorMessage": "ErrorMessageRunFacet",
    "externalQuery": "ExternalQueryRunFacet",
    "extractionError": "ExtractionErrorRunFacet",
    "tags": "TagsRunFacet",
    "test": "TestRunFacet",
}


def with_reported(
    reader: Reader,
    nodes: Sequence[Node],
    shown: Sequence[MarquezDataset],
    scanned: Mapping[str, SchemaVersion | None],
) -> list[MarquezDataset]:
    """Datasets in Marquez's shape with their facets, the types and descriptions of their fields, and their life.

    scanned: node id -> the schema that a scan found. It alone decides which fields there are.
    """
    ids = [DatasetId(node.namespace, node.name) for node in nodes]
    facts = reader.producers.facts_by_home(ids)
    return [
        _with(each, dataset, facts.get(dataset, []), scanned.get(node.id) is not None)
        for each, dataset, node in zip(shown, ids, nodes, strict=True)
    ]


def _with(shown: MarquezDataset, dataset: DatasetId, facts: list[Fact], is_scanned: bool) -> MarquezDataset:
    if not facts:
        return shown
    kept = {key: fact.value for key, fact in newest(facts).items()}
    facets = {key: facet(name, _given_back(key, kept[key])) for key, name in _DATASET.items() if key in kept}
    merged = _column_lineage([value for key, value in kept.items() if key.startswith(WAYS)])
    if merged:
        facets["columnLineage"] = facet("ColumnLineageDatasetFacet", merged)
    fields = _fields(shown.fields, dataset, kept.get("schema", {}), is_scanned)
    if is_scanned:
        columns = [
            {key: value for key in ("name", "type", "description") if (value := getattr(field, key))}
            for field in fields
        ]
        facets["schema"] = facet(_DATASET["schema"], {"fields": columns})
    state = kept.get("lifecycleStateChange", {}).get("state")
    return shown.model_copy(
        update={
            "fields": fields,
            "description": shown.description or kept.get("documentation", {}).get("description"),
            "lastLifecycleState": state,
            "deleted": state == "DROP",
            "facets": {**shown.facets, **facets},
        }
    )


def _fields(
    known: Sequence[MarquezField], dataset: DatasetId, schema: Mapping[str, Any], complete: bool
) -> list[MarquezField]:
    """Known fields with what the reported schema states of them; unless they are complete, its other fields too."""
    by_name = {field.name: field for field in known}
    for top, below, kind, description in schema.get("fields", ()):
        path = path_of(dataset, top)
        if path is None:
            continue
        name = column_of(dataset, path + below)
        if complete and name not in by_name:
            continue
        entry = by_name.get(name) or MarquezField(name=name, type=None, tags=[], description=None)
        by_name[name] = entry.model_copy(
            update={"type": entry.type or kind or None, "description": description or entry.description}
        )
    return list(by_name.values())


def with_run_facets(reader: Reader, namespace: str, job: str, runs: Sequence[MarquezRun]) -> list[MarquezRun]:
    """Runs in Marquez's shape with what is kept of their facets."""
    kept = reader.producers.of_runs(namespace, job)
    return [_with_run(run, kept.get(run.id, {})) for run in runs]


def _with_run(run: MarquezRun, kept: Mapping[str, Any]) -> MarquezRun:
    nominal = kept.get("nominalTime", {})
    return run.model_copy(
        update={
            "nominalStartTime": nominal.get("nominalStartTime"),
            "nominalEndTime": nominal.get("nominalEndTime"),
            "facets": {**run.facets, **run_facets_of(kept)},
        }
    )


def run_facets_of(kept: Mapping[str, Any]) -> Facets:
    """What is kept of the facets of a run, as OpenLineage has them."""
    return {key: facet(name, _given_back(key, kept[key])) for key, name in _RUN.items() if key in kept}


_OWN = ("cut", "valuesLeftOut", "stackTraceLeftOut")
"""Weir's words in what is kept; no part of the spec's facets."""


def _without_own(value: Mapping[str, Any]) -> Json:
    return {key: inner for key, inner in value.items() if key not in _OWN}


def _given_back(key: str, value: Mapping[str, Any]) -> Json:
    match key:
        case "schema":
            return {"fields": _tree(value.get("fields", ()))}
        case "lifecycleStateChange":
            previous = {"previousIdentifier": value["previous"]} if value.get("previous") else {}
            return {"lifecycleStateChange": value.get("state"), **previous}
        case "dataQualityMetrics":
            return _renamed(_without_own(value), "columns", "columnMetrics")
        case "extractionError":
            errors = [_renamed(each, "message", "errorMessage") for each in value.get("errors", ())]
            return {**_without_own(value), **({"errors": errors} if errors else {})}
        case _:
            return _without_own(value)


def _renamed(value: Mapping[str, Any], kept: str, given: str) -> Json:
    """The same under the name that the spec has for one key."""
    return {given if key == kept else key: inner for key, inner in value.items()}


class _Field(TypedDict):
    name: str
    type: NotRequired[str]
    description: NotRequired[str]
    fields: NotRequired[list[_Field]]


def _tree(rows: Iterable[Any]) -> list[_Field]:
    """A schema's fields, nested as the spec has them; parents come before what is in them."""
    top: list[_Field] = []
    open_at: list[tuple[str, FieldPath, _Field]] = []
    for name, below, kind, description in rows:
        path = FieldPath.parse(f"value{below}")
        node: _Field = {"name": name if not below else _step_name(path)}
        if kind:
            node["type"] = kind
        if description:
            node["description"] = description
        while open_at and not (open_at[-1][0] == name and below and open_at[-1][1].contains(path)):
            open_at.pop()
        (open_at[-1][2].setdefault("fields", []) if open_at else top).append(node)
        open_at.append((name, path, node))
    return top


def _step_name(path: FieldPath) -> str:
    step = path.steps[-1]
    names = {StepKind.ELEMENTS: "_element", StepKind.KEYS: "key", StepKind.VALUES: "value"}
    return names.get(step.kind) or step.name or ""


def _column_lineage(facets: Iterable[Mapping[str, Any]]) -> Json:
    fields: dict[str, dict[str, list[Json]]] = {}
    whole: list[Json] = []
    for each in facets:
        sources = each["sources"]
        for column, rows in each["fields"].items():
            inputs = fields.setdefault(column, {"inputFields": []})["inputFields"]
            inputs += [_input(sources, row) for row in rows]
        whole += [_input(sources, row) for row in each["dataset"]]
    return {"fields": fields, **({"dataset": whole} if whole else {})} if fields or whole else {}


def _input(sources: list[list[str]], row: list[Any]) -> Json:
    at, field, ways = row
    names = ("type", "subtype", "masking", "description")
    shown = [{key: inner for key, inner in zip(names, way, strict=True) if inner is not None} for way in ways]
    return {"namespace": sources[at][0], "name": sources[at][1], "field": field, "transformations": shown}
