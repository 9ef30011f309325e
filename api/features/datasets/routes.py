"""`/datasets`: what is known of each, its schema and its personal data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Count, Limit, Name, Offset, Text
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import Session, require_on
from api.guard.services import InstanceOf
from api.features.detections.answers import Classification
from api.features.datasets.schema_answers import AvroSchema, Schema, SchemaDiff, SchemaVersionEntry
from api.features.datasets.answers import DatasetAccess, DatasetDetails, DatasetVisibility
from api.features.datasets.answers import Datasets as DatasetsAnswer
from api.features.datasets.related_answers import RelatedDatasets
from api.joins.domains import ReviewLimits
from api.features.detections.recognizers import own_recognizers
from api.features.topics.registry_verdicts import Verdicts
from api.joins.reported import of_dataset
from api.visibility import sight
from api.visibility.knowledge import Knowledge
from api.visibility.readers import Readers
from api.visibility.sight import SightRules, owns
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.datasets.reported import is_reported
from catalog.datasets.reviews import Decision
from catalog.errors import InvalidInput, NotAllowed
from catalog.model import DatasetId, ReviewState
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter, DatasetRecord
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.audit import AuditLog
from policies.decision.domains import Power
from policies.decision.visibility import Aspect
from policies.model import Subject

router = APIRouter(prefix="/datasets", tags=["catalog"])


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(DatasetsAnswer))
def list_datasets(
    built: InstanceOf,
    subject: Caller,
    cluster: Text | None = None,
    namespace: Text | None = None,
    owner: Text | None = None,
    tag: Text | None = None,
    entity: Text | None = None,
    q: Annotated[Text | None, Query(description="Found anywhere in the name.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Datasets by cluster and name. What counts records is left out where the caller may not read all of them."""
    where = DatasetFilter(cluster=cluster, namespace=namespace, owner=owner, tag=tag, entity=entity, text=q)
    page = built[Readers].of(subject).datasets.page(where, limit, offset)
    sights = built[SightRules].of(subject)
    shown = [sight.dataset(record.to_json(), sights.of(record)) for record in page.items]
    return {"datasets": shown, "total": page.total}


@router.get(
    "/{namespace}/{name}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(DatasetDetails),
)
def get_dataset(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> dict[str, Any]:
    """One dataset. The namespace may be a cluster's name or any of its addresses.

    `may`: what the caller may do with it (edit what is declared, review its personal data, see who has access).
    """
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    schema = reader.datasets.schema(record.id)
    tags = [c for c in reader.datasets.classifications(record.id) if c.holds]
    known = reader.known(record)
    seen = built[SightRules].of(subject).of(record)
    details = sight.dataset(record.to_json(), seen)
    permissions = built[Identity].permissions(subject)
    powers = built[Identity].powers(subject, record.reference)
    own = owns(subject, record)
    return {
        **details,
        "may": {
            "edit": "manage" in permissions or Power.EDIT in powers,
            "review": own or Power.REVIEW in powers,
            "access": own or Power.REPORT in powers,
            "scan": Power.SCAN in powers,
        },
        "knows": {aspect.value: known.of(aspect) for aspect in Aspect},
        "reported": of_dataset(reader.producers, record),
        "scan": {**details["scan"], "problems": sight.problems(record.scan.get("problems") or [], seen)},
        "fields": len(schema.fields),
        "shapes": len(schema.shapes),
        "schemaVersion": schema.version,
        "entities": sorted({c.entity for c in tags}),
        "notes": [
            {"path": n.path, "description": n.description, "terms": list(n.terms)}
            for n in reader.datasets.notes(record.id)
        ],
    }


def _unlooked(shown: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that producers report: how often fields occur is not known."""
    unknown = {"presence": None, "nullShare": None, "count": None}
    return {"source": "lineage", "fields": [{**field, **unknown} for field in shown["fields"]]}


@router.get(
    "/{namespace}/{name}/schema",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Schema | AvroSchema, "application/schema+json", "text/plain", "text/x-python"),
)
def get_schema(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    version: Count | None = None,
    format: Annotated[Literal["json", "ddl", "spark", "jsonschema", "avro", "pydantic"], Query()] = "json",
) -> Any:
    """The schema as the last scan saw it: fields with types and presence, shapes, and what was looked at.

    Figures of fields that the caller may not read unmasked are left out, and counts where rows are hidden: `withheld`.
    """
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    schema = reader.datasets.schema(record.id, version)
    seen = built[SightRules].of(subject).of(record)
    if format == "json":
        shown = {
            **sight.schema_json(schema, seen),
            "problems": sight.problems(schema.problems, seen),
            "departures": sight.departures(schema, seen),
        }
        return {**shown, "source": "scan", **(_unlooked(shown) if is_reported(schema) else {})}
    if is_reported(schema):
        raise InvalidInput(
            f"The columns of {record.reference} are known from lineage only, nobody has looked into its data; ask for"
            " format=json.",
            details={"format": format},
        )
    from scanners.export.formats import export

    text, media = export(record.id.name, sight.types(schema, seen), format)
    return Response(text, media_type=media)


@router.get(
    "/{namespace}/{name}/schema/versions",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(list[SchemaVersionEntry]),
)
def schema_versions(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> list[dict[str, Any]]:
    """Every version, newest first, with what changed since the one before."""
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    seen = built[SightRules].of(subject).of(record)
    return [
        {
            "version": stored.baseline.version,
            "createdAt": stored.baseline.created_at,
            "fields": len(stored.current.fields),
            "shapes": len(stored.current.shapes),
            "changes": sight.changes(stored.changes, seen),
        }
        for stored in reader.datasets.schemas(record.id)
    ]


@router.get(
    "/{namespace}/{name}/schema/diff",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(SchemaDiff),
)
def schema_diff(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    from_: Annotated[Count | None, Query(alias="from")] = None,
    to: Count | None = None,
    registry: Annotated[
        bool, Query(description="Also ask the schema registry whether it would take the newer one.")
    ] = False,
) -> dict[str, Any]:
    """Two versions compared; the newest and the one before it by default. Each change names where it was
    first seen; `compatibility` of registered schemas is judged by their format's rules, of learned ones by Weir's."""
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    answer = built[Datasets].diff(record.id, from_, to).to_json()
    old, new = (built[Datasets].schema(record.id, answer[end]) for end in ("from", "to"))
    if (judged := built[Verdicts].registered(record, old, new)) is not None:
        answer["compatibility"] = judged
    if registry:
        answer["registry"] = built[Verdicts].of(record, built[Datasets].schema(record.id, answer["to"]))
    seen = built[SightRules].of(subject).of(record)
    answer["changes"] = sight.changes(answer["changes"], seen)
    answer["lookedAt"] = sight.without_counts(answer["lookedAt"], seen)
    return answer


@router.get(
    "/{namespace}/{name}/classifications",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(list[Classification]),
)
def classifications(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> list[dict[str, Any]]:
    """The kinds of personal data found in each field, with evidence and review state."""
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.EVIDENCE)
    seen, own = built[SightRules].of(subject).of(record), own_recognizers(built[CatalogStore], subject.user)
    return [sight.classification(each, seen, own) for each in built[Datasets].classifications(record.id)]


class Review(RequestBody):
    """A steward's word on one classification."""

    path: str = Field(examples=["value.customer.email"])
    entity: str = Field(examples=["EMAIL_ADDRESS"])
    state: ReviewState
    reason: str = ""


@router.post(
    "/{namespace}/{name}/classifications",
    dependencies=[needs("review", others=OWNERS)],
    responses=answers_with(Classification),
)
def review(
    built: InstanceOf, subject: Caller, later: Session, namespace: Name, name: Name, body: Review
) -> dict[str, Any]:
    """Confirm or reject a suggested classification; a rejection sticks through rescans. Owners may review their own."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    decision = Decision(record.id, body.path, body.entity, body.state, body.reason or None)
    _require_review(built, subject, record, decision)
    with built[CatalogStore].transaction():  # by who they are when it is written
        _require_review(built, later(), built[Datasets].get(record.id), decision)
        after = built[Datasets].review(record.id, body.path, body.entity, body.state, body.reason or None, subject.user)
    built[AuditLog].record_by(
        subject, "classification.review", f"{record.reference}#{body.path}", str(body.state), [body.entity]
    )
    return after.to_json()


def _require_review(built: Instance, subject: Subject, record: DatasetRecord, decision: Decision) -> None:
    """Raises NotAllowed."""
    if not owns(subject, record):
        require_on(built, subject, Power.REVIEW, record.reference)
    if problem := built[ReviewLimits].refused(subject, record, decision):
        raise NotAllowed(f"{subject.user} may not decide so on {record.reference}: {problem}")


@router.get(
    "/{namespace}/{name}/related",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(RelatedDatasets),
)
def related(
    built: InstanceOf,
    subject: Caller,
    namespace: Name,
    name: Name,
    limit: Annotated[Count, Query(le=50, description="At most this many.")] = 10,
) -> dict[str, Any]:
    """Datasets that belong with this one, each with its reasons, the most related first.

    `shared_key`: a field that looks like a key, of the same name, type and kind of personal data. `read_together`: in how
    many queries both were read, without who asked. `lineage`: one or two datasets up- or downstream. `missing` names
    reasons that could not be looked for, as a server does not answer.
    """
    reader = built[Readers].of(subject)
    record = reader.datasets.get(DatasetId(namespace, name))
    return {"dataset": record.reference, **reader.related.of(record, limit).to_json()}


@router.get(
    "/{namespace}/{name}/visibility",
    dependencies=[needs("report:read", others=OWNERS, scope="read")],
    responses=answers_with(DatasetVisibility),
)
def visibility(built: InstanceOf, subject: Caller, namespace: Name, name: Name) -> dict[str, Any]:
    """Who may know that the dataset exists, its schema, its personal data, its lineage: the documents of kind Visibility that
    match it. For its owners, and for who has the permission `report:read`."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    if not owns(subject, record):
        require_on(built, subject, Power.REPORT, record.reference)
    return {"dataset": record.reference, **built[Knowledge].audiences(record.outline)}


@router.get(
    "/{namespace}/{name}/access",
    dependencies=[needs("report:read", others=OWNERS, scope="read")],
    responses=answers_with(DatasetAccess),
)
def access(
    built: InstanceOf, subject: Caller, namespace: Name, name: Name, path: Text | None = None, asOf: AsOf = None
) -> dict[str, Any]:
    """Who may read the dataset, or one field of it, by which role or grant, masked or unmasked, until when."""
    record = built[Readers].of(subject).datasets.get(DatasetId(namespace, name))
    if not owns(subject, record):
        require_on(built, subject, Power.REPORT, record.reference)
    return {
        "dataset": record.reference,
        "access": [a.to_json() for a in built[Grants].who_has_access(record.reference, path, asOf)],
    }
