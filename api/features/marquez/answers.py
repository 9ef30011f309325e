"""Answers in Marquez's shapes. What Marquez has and Weir has not is null; times that are not known are 1970."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, OpenAnswer, Time, about

Facets = dict[str, FreeForm]
RunState = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]


class MarquezName(OpenAnswer):
    """A name in a namespace."""

    namespace: str
    name: str


class MarquezVersionedName(Answer):
    """A name in a namespace, in a version."""

    namespace: str
    name: str
    version: str | None


class MarquezField(Answer):
    """A field of a dataset."""

    name: str
    type: str | None
    tags: list[str]
    description: str | None


class ColumnInput(Answer):
    """A field that another is made of."""

    namespace: str
    dataset: str
    field: str
    transformationDescription: str | None
    transformationType: Literal["IDENTITY", "MASKED"]


class ColumnMadeOf(Answer):
    """A field with those it is made of."""

    name: str
    inputFields: list[ColumnInput]
    transformationDescription: str | None
    transformationType: Literal["IDENTITY", "MASKED"] | None


class MarquezDataset(Answer):
    """A dataset."""

    id: MarquezName
    type: Literal["STREAM", "DB_TABLE"]
    name: str
    physicalName: str
    namespace: str
    sourceName: str
    createdAt: Time
    updatedAt: Time
    lastModifiedAt: Time | None
    fields: list[MarquezField]
    tags: list[str]
    description: str | None
    facets: Facets
    currentVersion: str | None
    lastLifecycleState: str | None
    deleted: bool
    columnLineage: list[ColumnMadeOf] | None


class MarquezDatasets(Answer):
    """A page of datasets."""

    datasets: list[MarquezDataset]
    totalCount: int


class MarquezDatasetVersion(Answer):
    """A version of a dataset's schema."""

    id: MarquezVersionedName
    type: Literal["STREAM", "DB_TABLE"]
    name: str
    physicalName: str
    namespace: str
    sourceName: str
    tags: list[str]
    facets: Facets
    version: str
    createdAt: Time
    fields: list[MarquezField]
    description: str | None
    lifecycleState: str | None
    createdByRun: MarquezRun | None
    createdByRunUuid: str | None
    currentSchemaVersion: str


class MarquezDatasetVersions(Answer):
    """A page of versions, newest first."""

    versions: list[MarquezDatasetVersion]
    totalCount: int


class MarquezRun(Answer):
    """A run of a job."""

    id: str
    createdAt: Time
    updatedAt: Time
    nominalStartTime: Time | None
    nominalEndTime: Time | None
    state: RunState
    startedAt: Time | None
    endedAt: Time | None
    durationMs: int | None = about("Milliseconds.")
    args: FreeForm
    jobVersion: MarquezVersionedName
    inputVersions: list[FreeForm]
    outputVersions: list[FreeForm]
    facets: Facets


class MarquezRuns(Answer):
    """A page of runs, newest first."""

    runs: list[MarquezRun]
    totalCount: int


class MarquezKeptFacets(Answer):
    """Facets of a run, or of its job."""

    runId: str
    facets: Facets


class MarquezJob(Answer):
    """A job."""

    id: MarquezName
    type: Literal["BATCH", "STREAM", "SERVICE"]
    name: str
    simpleName: str
    namespace: str
    createdAt: Time
    updatedAt: Time
    inputs: list[MarquezName]
    outputs: list[MarquezName]
    location: str | None
    description: str | None
    tags: list[str]
    latestRun: MarquezRun | None
    latestRuns: list[MarquezRun]
    facets: Facets
    currentVersion: str | None
    parentJobName: str | None
    parentJobUuid: str | None


class MarquezJobs(Answer):
    """A page of jobs."""

    jobs: list[MarquezJob]
    totalCount: int


class MarquezJobVersion(Answer):
    """The version a job is in."""

    id: MarquezVersionedName
    type: Literal["BATCH", "STREAM", "SERVICE"]
    name: str
    namespace: str
    createdAt: Time
    version: str
    inputs: list[MarquezName]
    outputs: list[MarquezName]
    location: str | None
    latestRun: MarquezRun | None
    facets: Facets
    context: FreeForm


class MarquezJobVersions(Answer):
    """The versions of a job that are kept: one."""

    versions: list[MarquezJobVersion]
    totalCount: int


class MarquezNamespace(Answer):
    """A namespace."""

    name: str
    createdAt: Time
    updatedAt: Time
    ownerName: str
    description: str | None
    isHidden: bool


class MarquezNamespaces(Answer):
    """A page of namespaces."""

    namespaces: list[MarquezNamespace]
    totalCount: int


class MarquezSource(Answer):
    """A namespace of datasets."""

    type: str
    name: str
    createdAt: Time
    updatedAt: Time
    connectionUrl: str
    description: str | None


class MarquezSources(Answer):
    """A page of sources."""

    sources: list[MarquezSource]
    totalCount: int


class MarquezTag(Answer):
    """A tag."""

    name: str
    description: str | None


class MarquezTags(Answer):
    """A page of tags."""

    tags: list[MarquezTag]


class MarquezFound(Answer):
    """A dataset or job that was found."""

    type: Literal["DATASET", "JOB"]
    name: str
    namespace: str
    nodeId: str
    updatedAt: Time


class MarquezFoundPage(Answer):
    """What Marquez's search found."""

    totalCount: int
    results: list[MarquezFound]
