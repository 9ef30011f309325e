"""Answers of `/lineage` and `/column-lineage` in Marquez's shapes."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer
from api.features.marquez.answers import MarquezDataset, MarquezJob


class MarquezEdge(Answer):
    """An edge by the ids of its ends."""

    origin: str
    destination: str


class MarquezNode(Answer):
    """A node of the graph, with its edges."""

    id: str
    type: Literal["DATASET", "JOB"]
    data: MarquezDataset | MarquezJob
    inEdges: list[MarquezEdge]
    outEdges: list[MarquezEdge]


class ColumnField(Answer):
    """A field."""

    namespace: str
    dataset: str
    datasetVersion: str | None
    field: str


class ColumnNodeInput(ColumnField):
    """A field that another is made of."""

    transformationDescription: str | None
    transformationType: Literal["IDENTITY", "MASKED"]


class ColumnNodeData(ColumnField):
    """A field with those it is made of."""

    fieldType: str | None
    transformationDescription: str | None
    transformationType: Literal["IDENTITY", "MASKED"] | None
    inputFields: list[ColumnNodeInput]


class ColumnNode(Answer):
    """A field as a node; the origin of its `inEdges` is the field itself, as in Marquez."""

    id: str
    type: Literal["DATASET_FIELD"]
    data: ColumnNodeData
    inEdges: list[MarquezEdge]
    outEdges: list[MarquezEdge]


class ColumnLineage(Answer):
    """Fields and what they are made of."""

    graph: list[ColumnNode]
