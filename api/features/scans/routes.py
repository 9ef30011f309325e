"""`/scans`: ask for a scan, follow it, cancel it. The worker does it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field, model_validator

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Bytes, Count, Limit, Name, Offset, Seconds, Seed
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import reach_of
from api.guard.services import InstanceOf
from api.features.scans.answers import Scan
from api.features.scans.answers import Scans as ScansAnswer
from api.joins.connections import Connections
from api.features.where_is.within import require_topics
from api.visibility import sight
from api.visibility.readers import Reader, Readers
from api.visibility.sight import SightRules
from api.wiring.instance import Instance
from catalog.datasets.clusters import names_of_cluster
from catalog.datasets.discovery import Discovery
from catalog.errors import NotAllowed, NotFound
from catalog.events.events import Events
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.scan_store import ScanRecord
from catalog.scans.scans import Scans
from policies.access.identity import Identity
from policies.audit import AuditLog
from policies.decision.domains import Power, Reach
from policies.decision.visibility import Known
from policies.model import Subject
from scanners.model import SampleRequest

router = APIRouter(prefix="/scans", tags=["scans"])


class Sample(RequestBody):
    """How much of each topic is read."""

    strategy: str = Field("stratified", description="stratified, latest, earliest, random, full or since-last.")
    records: Count | None = Field(None, description="At most this many records of each topic; 1,000 when absent.")
    max_bytes: Bytes | None = Field(None, description="At most this many bytes of each topic.")
    max_seconds: Seconds | None = Field(None, description="At most this long for a group of topics.")
    seed: Seed | None = Field(None, description="Makes random windows repeatable.")
    dead_letter: bool | str | None = Field(
        None,
        description="Send records that cannot be decoded, raw, to a topic of the same cluster: true for the one of the"
        " settings, or its name, which begins with an underscore.",
    )

    def request(self, dead_letters: str) -> dict[str, Any]:
        """As `scanners.model.SampleRequest.parse` reads it; `dead_letters`: the topic that `true` means."""
        fields = self.model_dump(by_alias=True, exclude_none=True)
        if fields.get("deadLetter") in (True, False):
            fields["deadLetter"] = dead_letters if fields["deadLetter"] else None
        fields = {name: value for name, value in fields.items() if value is not None}
        if "records" in fields:
            fields["maxRecords"] = fields.pop("records")
        return fields


class ScanAsked(RequestBody):
    """Which topics of which cluster: a declared one, or the address of one that is not declared yet."""

    cluster: str | None = Field(None, examples=["prod"])
    bootstrap_servers: str | None = Field(None, examples=["localhost:9092"])
    schema_registry: str | None = None
    topics: list[str] = Field(
        ["*"], min_length=1, description="Names, or patterns with *; internal topics (_...) only by name."
    )
    sample: Sample = Sample()

    @model_validator(mode="after")
    def _one_cluster(self) -> ScanAsked:
        if self.cluster is None and self.bootstrap_servers is None:
            raise ValueError("name a cluster, or give bootstrapServers")
        return self


def _within(built: InstanceOf, subject: Caller) -> Reach | None:
    """Before the body is read, so that who may not scan at all learns nothing else. Raises NotAllowed (403)."""
    return reach_of(built, subject, Power.SCAN)


Within = Annotated[Reach | None, Depends(_within)]


@router.post(
    "",
    dependencies=[needs("scan", others="admins and stewards of a domain, topics of its datasets")],
    status_code=202,
    responses=answers_with(Scan, status=202),
)
def start(built: InstanceOf, subject: Caller, reach: Within, body: ScanAsked) -> dict[str, Any]:
    """Queue a scan. Topics that do not exist, and brokers that do not answer, are reported at once.

    Admins and stewards of a domain scan topics of its datasets, in declared clusters.
    """
    if reach is not None:
        _require_within(reach, subject, body)
    sample = body.sample.request(built[Settings].scanners.dead_letter_topic)
    SampleRequest.parse(sample)
    cluster = body.cluster
    if body.bootstrap_servers is not None:
        cluster = built[Connections].from_address(cluster, body.bootstrap_servers, body.schema_registry)
    assert cluster is not None
    _select(built, cluster, body.topics, reach)
    if reach is not None:  # whose other names are known now that its brokers answered
        require_topics(reach, subject.user, cluster, body.topics, names_of_cluster(built[CatalogStore], cluster))
    scan = built[Scans].request(cluster, body.topics, sample, subject.user)
    letters = [f"dead letters to {sample['deadLetter']}"] if "deadLetter" in sample else []
    built[AuditLog].record_by(subject, "scan.start", cluster, "allow", [*body.topics, *letters])
    return scan.to_json()


def _require_within(reach: Reach, subject: Subject, body: ScanAsked) -> None:
    """Raises NotAllowed."""
    require_topics(reach, subject.user, body.cluster, body.topics, [body.cluster] if body.cluster else [])
    if body.bootstrap_servers is not None or body.sample.dead_letter not in (None, False):
        raise NotAllowed(
            f"{subject.user} may not name brokers or a topic for records that cannot be decoded; it takes the permission"
            " 'scan'.",
            details={"permission": "scan", "reasons": [f"no role of {subject.user} carries scan"]},
        )


def _select(built: Instance, cluster: str, topics: list[str], reach: Reach | None) -> None:
    """Raises NotFound for a topic that does not exist; within a domain it names no topic of another."""
    try:
        built[Discovery].select(cluster, topics)
    except NotFound as error:
        if reach is None:
            raise
        name = error.details.get("topic")
        raise NotFound(
            f"Cluster {cluster!r} has no topic {name!r}." if name else f"There is no cluster {cluster!r}.",
            details={"cluster": cluster, **({"topic": name, "nearest": []} if name else {})},
        ) from None


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(ScansAnswer))
def list_scans(built: InstanceOf, subject: Caller, limit: Limit = 20, offset: Offset = 0) -> dict[str, Any]:
    """Scans, newest first."""
    return {"scans": _shown(built, subject, built[Scans].list(limit, offset))}


@router.get("/{id}", dependencies=[signed_in(KNOWN)], responses=answers_with(Scan))
def get_scan(built: InstanceOf, subject: Caller, id: Name) -> dict[str, Any]:
    """One scan: state, progress (0 to 1), datasets done so far, problems."""
    shown = _shown(built, subject, [built[Scans].get(id)])
    if not shown:  # of datasets alone that the caller may not know of
        raise NotFound(f"There is no scan {id!r}.", details={"scan": id})
    return shown[0]


def _shown(built: Instance, subject: Subject, scans: Iterable[ScanRecord]) -> list[dict[str, Any]]:
    """Scans as JSON; who may not start one does not see how many records of others they read."""
    reader = built[Readers].of(subject)
    operates = "scan" in built[Identity].permissions(subject)
    within = built[Identity].reach(subject, Power.SCAN)
    if operates and reader.horizon is None:
        return [scan.to_json() for scan in scans]
    sights = built[SightRules].of(subject)
    shown = []
    for scan in scans:
        rows = []
        for row in scan.to_json()["datasets"]:
            dataset = DatasetId(str(row.get("namespace")), str(row.get("name")))
            if not reader.knows(dataset):
                continue
            row = _cut(row, reader.known_of(dataset))
            record = reader.store.dataset(dataset)
            if not operates and not (record is not None and within.has(record.reference)):
                row = sight.without_counts(row, sights.of(record) if record is not None else sight.Sight())
            rows.append(row)
        listed = {**scan.to_json(), "datasets": rows}
        listed = _without_names(reader, listed)
        if listed["request"]["topics"] or not scan.to_json()["request"].get("topics"):
            shown.append(listed)
    return shown


def _cut(row: dict[str, Any], known: Known) -> dict[str, Any]:
    """The row of a dataset without what the reader may not know of it."""
    schema: dict[str, Any] = {} if known.schema else {"version": 0, "format": {}, "fields": 0, "shapes": 0}
    evidence: dict[str, Any] = (
        {} if known.evidence else {"entities": [], "problems": []}
    )  # problems name fields and kinds of data
    return {**row, **schema, **evidence}


def _without_names(reader: Reader, shown: dict[str, Any]) -> dict[str, Any]:
    """A scan without what names, or counts, a dataset that the reader may not know of."""
    request = dict(shown["request"])
    about = {"cluster": request.get("cluster")}
    request["topics"] = [
        each for each in request.get("topics") or () if not reader.mentions_hidden({**about, "topic": each})
    ]
    problems = [each for each in shown.get("problems") or () if not reader.names_uncertain({**about, "problem": each})]
    return {**shown, "request": request, "problems": problems}


@router.post(
    "/{id}/cancel",
    dependencies=[needs("scan", others="admins and stewards of a domain, topics of its datasets")],
    responses=answers_with(Scan),
)
def cancel(built: InstanceOf, subject: Caller, reach: Within, id: Name) -> dict[str, Any]:
    """Stop a scan; datasets already done stay. Admins and stewards of a domain stop scans of its topics alone."""
    if reach is not None:
        _require_own(built, reach, subject, id)
    with built[CatalogStore].transaction():
        scan = built[Scans].cancel(id)
        if scan.state.over:  # it waited, so no worker will tell
            counts = {"cluster": scan.request["cluster"], "datasets": 0, "records": 0, "problems": 0}
            built[Events].emit("scan.cancelled", id, {**counts, "requestedBy": scan.requested_by})
    built[AuditLog].record_by(subject, "scan.cancel", id, "allow", [])
    return scan.to_json()


def _require_own(built: Instance, reach: Reach, subject: Subject, id: str) -> None:
    """Raises NotFound for a scan that is about more than a domain of the subject's, as for one that is not there."""
    try:
        request = built[Scans].get(id).request
        cluster = str(request.get("cluster"))
        require_topics(
            reach, subject.user, cluster, request.get("topics") or ["*"], names_of_cluster(built[CatalogStore], cluster)
        )
    except (NotAllowed, NotFound):
        raise NotFound(f"There is no scan {id!r} that you may stop.", details={"scan": id}) from None
