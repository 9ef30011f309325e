"""The words every room shares: datasets, schemas with presence, classifications with evidence.

Standard library only: this module is imported by Spark's Python workers. `to_json`/`from_json` give and take plain
dictionaries, which is how these travel through SQL, Elasticsearch and HTTP. None of them holds a value of a record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from catalog.errors import InvalidInput
from catalog.node_ids import read_id, readings, write_id
from catalog.paths import FieldPath

PERSONAL_DATA_TAG = "PII"
"""Means every personal-data tag wherever tags are matched."""

_DATAHUB_URN = re.compile(r"urn:li:dataset:\(urn:li:dataPlatform:(?P<platform>[^,]+),(?P<name>.+),[A-Z_]+\)\Z")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, order=True)
class DatasetId:
    """A dataset as OpenLineage names it: `kafka://localhost:9092` / `orders`. Both parts are not empty."""

    namespace: str
    name: str

    def __post_init__(self) -> None:
        if not self.namespace or not self.name:
            raise InvalidInput("A dataset needs a namespace and a name, as in kafka://localhost:9092 and orders.")

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def node_id(self) -> str:
        return write_id("dataset", self.namespace, self.name)

    def field_node_id(self, path: str) -> str:
        return write_id("field", self.namespace, self.name, path)


@dataclass(frozen=True, slots=True)
class NodeId:
    """A lineage node by its parts. As text: `dataset:NS:NAME`, `datasetField:NS:NAME:FIELD`, `job:NS:NAME`, or with
    lengths where that could be read in two ways (`catalog.node_ids`): `parse(str(node)) == node`, whatever its names.
    """

    kind: str
    namespace: str
    name: str
    field: str | None = None

    def __str__(self) -> str:
        return write_id(self.kind, self.namespace, self.name, self.field)

    @property
    def dataset(self) -> DatasetId:
        return DatasetId(self.namespace, self.name)

    def to_json(self) -> dict[str, str]:
        """Its parts, for answers: namespace, name, and field where there is one."""
        parts = {"namespace": self.namespace, "name": self.name}
        return parts if self.field is None else {**parts, "field": self.field}

    @staticmethod
    def parse(text: str) -> NodeId:
        """Read a node id; `kind` is dataset, field or job.

        A DataHub URN of a Kafka topic gives namespace `kafka`. Raises InvalidInput.
        """
        urn = _DATAHUB_URN.match(text)
        if urn:
            return NodeId("dataset", urn["platform"], urn["name"])
        parts = read_id(text)
        if parts is not None:
            return NodeId(*parts)
        raise InvalidInput(
            f"nodeId {text!r} is not one: write dataset:NAMESPACE:NAME, datasetField:NAMESPACE:NAME:FIELD or"
            " job:NAMESPACE:NAME, as in dataset:kafka://localhost:9092:orders.",
            details={"nodeId": text},
        )

    @staticmethod
    def readings(text: str) -> tuple[NodeId, ...]:
        """Every node that a typed text may mean, for those who know which nodes there are."""
        return tuple(NodeId(*parts) for parts in readings(text))


class ReviewState(StrEnum):
    SUGGESTED = "suggested"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Owner:
    """A user or a group that answers for a dataset. `roles`: business, technical; two with the same name are one owner."""

    kind: str  # user | group
    name: str
    roles: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        return self.name if self.kind == "user" else f"group:{self.name}"


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """One field as the sampled records hold it.

    path          field path, as text
    types         type name -> share of the occurrences (0..1); names: null boolean int32 int64 integer double decimal
                  string date timestamp uuid binary object array map
    count         how often the field occurred in the sample
    presence      share of the records (of the parent's occurrences, for a nested field) that hold it, 0..1
    null_share    share of the occurrences that are null, 0..1
    distinct      estimate of distinct values, or None where it was not counted
    lengths       (shortest, longest) in characters, elements or entries, or None
    details       more of the same kind: numeric magnitudes, formats, decimal precision; never a value of a record.
                  `registered`: what the registered schema states of it: {kinds, sql, type, doc, default, symbols, ...};
                  `note`: a sentence on the type by which queries read it
    """

    path: str
    types: Mapping[str, float]
    count: int
    presence: float
    null_share: float = 0.0
    distinct: int | None = None
    lengths: tuple[int, int] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def field_path(self) -> FieldPath:
        return FieldPath.parse(self.path)


def schema_description(profile: FieldProfile | None) -> str:
    """The description of a field in its registered schema (Avro's doc, a comment, a title), else in the schema that a
    producer reports; empty where there is none."""
    if profile is None:
        return ""
    return str(profile.details.get("registered", {}).get("doc") or profile.details.get("description") or "")


@dataclass(frozen=True, slots=True)
class Shape:
    """A set of paths that occur together in `share` of the records; `when` names its discriminator."""

    share: float
    paths: tuple[str, ...]
    when: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ScanWindow:
    """What a scan looked at, and what it did not.

    partitions    [{partition, ranges: [[start, end)...], begin, end, read}] offsets, end exclusive
    records       how many records were read; time_from/time_to: RFC 3339 of their Kafka timestamps
    strategy      latest | earliest | random | stratified | full | since-last
    complete      True when every retained record was read
    """

    partitions: tuple[Mapping[str, Any], ...] = ()
    records: int = 0
    time_from: str | None = None
    time_to: str | None = None
    strategy: str = "stratified"
    complete: bool = False


_KEYS = {"null_share": "nullShare", "time_from": "timeFrom", "time_to": "timeTo", "created_at": "createdAt"}
"""Attributes whose keys in JSON differ."""
_ATTRIBUTES = {key: attribute for attribute, key in _KEYS.items()}


def _named(data: Mapping[str, _T], names: Mapping[str, str]) -> dict[str, _T]:
    return {names.get(name, name): value for name, value in data.items()}


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """What is known of a dataset's records after a scan. `version` counts from 1; 0 = not yet stored.

    `envelopes`: part (key, value) -> what its data is wrapped in, see `catalog.envelopes`.
    """

    format: Mapping[str, str]
    fields: tuple[FieldProfile, ...]
    shapes: tuple[Shape, ...] = ()
    window: ScanWindow = field(default_factory=ScanWindow)
    version: int = 0
    created_at: str | None = None
    problems: tuple[Mapping[str, Any], ...] = ()
    envelopes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        data = asdict(self)
        fields = [_named(each, _KEYS) for each in data["fields"]]
        return {**_named(data, _KEYS), "fields": fields, "window": _named(data["window"], _KEYS)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SchemaVersion:
        content = _named(data, _ATTRIBUTES)
        content["fields"] = tuple(
            FieldProfile(**{**_named(f, _ATTRIBUTES), "lengths": tuple(f["lengths"]) if f.get("lengths") else None})
            for f in data["fields"]
        )
        content["shapes"] = tuple(Shape(**{**s, "paths": tuple(s["paths"])}) for s in data.get("shapes", ()))
        window = _named(data.get("window") or {}, _ATTRIBUTES)
        window["partitions"] = tuple(window.get("partitions", ()))
        content["window"] = ScanWindow(**window)
        content["problems"] = tuple(data.get("problems", ()))
        return SchemaVersion(**content)


@dataclass(frozen=True, slots=True)
class Classification:
    """That a field holds an entity, and why it is believed.

    entity     presidio's entity name (EMAIL_ADDRESS, PERSON...), or a user's own
    score      0..1
    evidence   {matched, sampled, validated, recognizers: [{name, version}], window, locale, freeText, note...};
               counts and names only, never a value
    """

    path: str
    entity: str
    score: float
    state: ReviewState = ReviewState.SUGGESTED
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        return {**asdict(self), "state": str(self.state)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Classification:
        return Classification(**{**data, "state": ReviewState(data.get("state", "suggested"))})


@dataclass(frozen=True, slots=True)
class DatasetScan:
    """What one scan learned of one dataset: the profile, the tags, the fields no detector could finish.

    recognizers   name -> version of everything that looked for personal data; empty when nothing did
    basis         what the result depends on, as a digest; empty where the next scan must read the records again
    unchanged     the last scan had the same basis, so no record was read: nothing but dataset and basis is given
    """

    dataset: DatasetId
    schema: SchemaVersion
    classifications: tuple[Classification, ...] = ()
    unscanned: tuple[str, ...] = ()
    problems: tuple[Mapping[str, Any], ...] = ()
    recognizers: Mapping[str, str] = field(default_factory=dict)
    basis: str = ""
    unchanged: bool = False
