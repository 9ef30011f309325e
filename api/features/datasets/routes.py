"""`/datasets`: what is known of each, its schema, who may know of it and read it."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import Depends, Query
from fastapi.responses import Response

from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Count, Limit, Name, Offset, Text
from api.features.datasets import answers, curated_answers, schema_answers
from api.features.datasets.registry_verdicts import Verdicts
from api.features.datasets.related_answers import RelatedDatasets
from api.features.datasets.reported import of_dataset
from api.formats.readable_places import access as readable
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.powers import require_on
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.responsible import ResponsiblePeople
from api.visibility import figures, sight
from api.visibility.knowledge import Knowledge
from api.visibility.readers import Reader, Readers
from api.visibility.sight import Sight, SightRules, owns
from api.wiring.clock import now
from catalog.curation.products import products_of
from catalog.datasets.datasets import Datasets
from catalog.datasets.reported import is_reported
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter, DatasetRecord
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.decision.domains import Power
from policies.decision.visibility import Aspect
from policies.responsible import Responsible

router = FeatureRouter("/datasets", tags=["catalog"])


def _withheld(seen: Sight) -> list[Literal["rows"]]:
    return [] if seen.counts else [sight.ROWS]


@router.get("", dependencies=[signed_in(KNOWN)])
def list_datasets(
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    cluster: Text | None = None,
    namespace: Text | None = None,
    owner: Text | None = None,
    tag: Text | None = None,
    entity: Text | None = None,
    q: Annotated[Text | None, Query(description="Found anywhere in the name.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.Datasets:
    """Datasets by cluster and name. What counts records is left out where the caller may not read all of them."""
    where = DatasetFilter(cluster=cluster, namespace=namespace, owner=owner, tag=tag, entity=entity, text=q)
    page = readers.of(caller).datasets.page(where, limit, offset)
    of_caller = sights.of(caller)
    shown = [(record, of_caller.of(record)) for record in page.items]
    return answers.Datasets(
        datasets=[answers.Dataset.of(figures.dataset(record, seen), _withheld(seen)) for record, seen in shown],
        total=page.total,
    )


@router.get("/find", dependencies=[signed_in(KNOWN)])
def find_dataset(
    readers: From[Readers],
    caller: Caller,
    name: Annotated[Text, Query(description="prod/orders, prod.orders, orders, or kafka://host:9092/orders.")],
) -> answers.DatasetName:
    """The one dataset that a name means, as names in queries do. 404 names the nearest; 400 where several fit."""
    return answers.DatasetName.of(readers.of(caller).datasets.clusters.find_in_any_case(name))


@router.get("/{namespace}/{name}", dependencies=[signed_in(KNOWN)])
def get_dataset(
    readers: From[Readers],
    sights: From[SightRules],
    identity: From[Identity],
    store: From[CatalogStore],
    responsible: From[ResponsiblePeople],
    caller: Caller,
    namespace: Name,
    name: Name,
) -> answers.DatasetDetails:
    """One dataset. The namespace may be a cluster's name or any of its addresses.

    `may`: what the caller may do with it (edit what is declared, review its personal data, see who has access).
    """
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    seen = sights.of(caller).of(record)
    powers = identity.powers(caller, record.reference)
    own = owns(caller, record)
    may = answers.MayDo(
        edit="manage" in identity.permissions(caller) or Power.EDIT in powers,
        curate="manage" in identity.permissions(caller) or Power.EDIT in powers or own,
        review=own or Power.REVIEW in powers,
        access=own or Power.REPORT in powers,
        scan=Power.SCAN in powers,
    )
    return answers.DatasetDetails.of(
        figures.scanned(record, seen),
        _withheld(seen),
        reader.datasets.schema(record.id),
        may=may,
        knows=answers.Knows.of(reader.known(record)),
        reported=of_dataset(reader.producers, record),
        entities=(c.entity for c in reader.datasets.classifications(record.id) if c.holds),
        notes=reader.datasets.notes(record.id),
        curated=curated_answers.Curated.of(
            record, partial(_knows, reader), products_of(store).get(record.id, ()), now()
        ),
        responsible=_responsible(responsible.of(record), record),
    )


def _responsible(who: Responsible, record: DatasetRecord) -> curated_answers.ResponsibleFor:
    return curated_answers.ResponsibleFor(
        names=who.names,
        source=who.source,
        source_name=who.name,
        owners=[curated_answers.DatasetOwner.model_validate({"name": str(o), "roles": o.roles}) for o in record.owners],
    )


def _knows(reader: Reader, reference: str) -> bool:
    cluster, _, name = reference.partition("/")
    return reader.knows(reader.datasets.clusters.resolve(cluster, name))


@router.get(
    "/{namespace}/{name}/schema",
    dependencies=[signed_in(KNOWN)],
    response_model=schema_answers.Schema | schema_answers.AvroSchema,
    responses=answers_with(
        schema_answers.Schema | schema_answers.AvroSchema, "application/schema+json", "text/plain", "text/x-python"
    ),
)
def get_schema(
    readers: From[Readers],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
    version: Count | None = None,
    format: Annotated[Literal["json", "ddl", "spark", "jsonschema", "avro", "pydantic"], Query()] = "json",
) -> schema_answers.Schema | Response:
    """The schema as the last scan saw it: fields with types and presence, shapes, and what was looked at.

    Figures of fields that the caller may not read unmasked are left out, and counts where rows are hidden: `withheld`.
    """
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    schema = reader.datasets.schema(record.id, version)
    seen = sights.of(caller).of(record)
    if format == "json":
        return schema_answers.Schema.of(figures.schema(schema, seen), is_reported(schema))
    if is_reported(schema):
        raise InvalidInput(
            f"The columns of {record.reference} are known from lineage only, nobody has looked into its data; ask for"
            " format=json.",
            details={"format": format},
        )
    from scanners.export.formats import export

    text, media = export(record.id.name, figures.types(schema, seen), format)
    return Response(text, media_type=media)


@router.get("/{namespace}/{name}/schema/versions", dependencies=[signed_in(KNOWN)])
def schema_versions(
    readers: From[Readers], sights: From[SightRules], caller: Caller, namespace: Name, name: Name
) -> list[schema_answers.SchemaVersionEntry]:
    """Every version, newest first, with what changed since the one before."""
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    seen = sights.of(caller).of(record)
    return [
        schema_answers.SchemaVersionEntry(
            version=stored.baseline.version,
            created_at=stored.baseline.created_at,
            fields=len(stored.current.fields),
            shapes=len(stored.current.shapes),
            changes=schema_answers.SchemaChange.all(figures.changes(stored.changes, seen)),
        )
        for stored in reader.datasets.schemas(record.id)
    ]


@router.get("/{namespace}/{name}/schema/diff", dependencies=[signed_in(KNOWN)])
def schema_diff(
    readers: From[Readers],
    datasets: From[Datasets],
    verdicts: From[Verdicts],
    sights: From[SightRules],
    caller: Caller,
    namespace: Name,
    name: Name,
    from_: Annotated[Count | None, Query(alias="from")] = None,
    to: Count | None = None,
    registry: Annotated[
        bool, Query(description="Also ask the schema registry whether it would take the newer one.")
    ] = False,
) -> schema_answers.SchemaDiff:
    """Two versions compared; the newest and the one before it by default. Each change names where it was
    first seen; `compatibility` of registered schemas is judged by their format's rules, of learned ones by Weir's."""
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    reader.require(record, Aspect.SCHEMA)
    diff = datasets.diff(record.id, from_, to)
    old, new = (datasets.schema(record.id, version) for version in (diff.before, diff.after))
    judged = verdicts.registered(record, old, new)
    answer = schema_answers.SchemaDiff.of(diff, judged, sights.of(caller).of(record))
    if registry:
        answer.registry = verdicts.of(record, new)
    return answer


@router.get("/{namespace}/{name}/related", dependencies=[signed_in(KNOWN)])
def related(
    readers: From[Readers],
    caller: Caller,
    namespace: Name,
    name: Name,
    limit: Annotated[Count, Query(le=50, description="At most this many.")] = 10,
) -> RelatedDatasets:
    """Datasets that belong with this one, each with its reasons, the most related first.

    `shared_key`: a field that looks like a key, of the same name, type and kind of personal data. `read_together`: in how
    many queries both were read, without who asked. `lineage`: one or two datasets up- or downstream. `missing` names
    reasons that could not be looked for, as a server does not answer.
    """
    reader = readers.of(caller)
    record = reader.datasets.get(DatasetId(namespace, name))
    return RelatedDatasets.of(record.reference, reader.related.of(record, limit))


def _reported_on(
    identity: From[Identity], readers: From[Readers], caller: Caller, namespace: Name, name: Name
) -> DatasetRecord:
    """A dataset on which the caller may have reports. Raises DatasetNotFound, NotAllowed."""
    record = readers.of(caller).datasets.get(DatasetId(namespace, name))
    if not owns(caller, record):
        require_on(identity, caller, Power.REPORT, record.reference)
    return record


ReportedOn = Annotated[DatasetRecord, Depends(_reported_on)]


@router.get("/{namespace}/{name}/visibility", dependencies=[needs("report:read", others=OWNERS, scope="read")])
def visibility(knowledge: From[Knowledge], record: ReportedOn) -> answers.DatasetVisibility:
    """Who may know that the dataset exists, its schema, its personal data, its lineage: the documents of kind Visibility that
    match it. For its owners, and for who has the permission `report:read`."""
    return answers.DatasetVisibility.of(record.reference, knowledge.audiences(record.outline))


@router.get("/{namespace}/{name}/access", dependencies=[needs("report:read", others=OWNERS, scope="read")])
def access(
    grants: From[Grants], record: ReportedOn, path: Text | None = None, asOf: AsOf = None
) -> answers.DatasetAccess:
    """Who may read the dataset, or one field of it, by which role or grant, masked or unmasked, until when."""
    if path is not None:
        grants.require_field(record.reference, path, asOf)
    return answers.DatasetAccess(
        dataset=record.reference,
        access=[readable(each) for each in grants.who_has_access(record.reference, path, asOf)],
    )
