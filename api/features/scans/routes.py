"""`/scans`: ask for a scan, follow it, cancel it. The worker does it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from pydantic import Field, model_validator

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.parameters import Bytes, Count, Limit, Name, Offset, Seconds, Seed
from api.features.scans import answers
from api.features.scans.domain_topics import require_topics
from api.features.scans.seen_scans import SeenScans
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import reach_of
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.connections import Connections
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.datasets.clusters import names_of_cluster
from catalog.datasets.discovery import Discovery
from catalog.errors import NotAllowed, NotFound
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.scans.scans import Scans
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power, Reach
from policies.model import Subject
from scanners.model import SampleRequest

router = FeatureRouter("/scans", tags=["scans"])


class SampleBody(RequestBody):
    """How much of each topic is read."""

    strategy: str = Field("stratified", description="stratified, latest, earliest, random, full or since-last.")
    records: Count | None = Field(None, description="At most this many records of each topic; 1,000 when absent.")
    max_bytes: Bytes | None = Field(None, description="At most this many bytes of each topic.")
    max_seconds: Seconds | None = Field(None, description="At most this long for a group of topics.")
    seed: Seed | None = Field(None, description="Makes random windows repeatable.")
    dead_letter: bool | str | None = Field(
        None,
        description="Send records that cannot be decoded, raw, to a topic of the same cluster: true for the one of the"
        " settings, or its name, which begins with an underscore and has dead, dlq, reject, error or unread in it.",
    )

    def request(self, dead_letters: str) -> dict[str, object]:
        """As `scanners.model.SampleRequest.parse` reads it; `dead_letters`: the topic that `true` means."""
        fields = self.model_dump(by_alias=True, exclude_none=True)
        if fields.get("deadLetter") in (True, False):
            fields["deadLetter"] = dead_letters if fields["deadLetter"] else None
        fields = {name: value for name, value in fields.items() if value is not None}
        if "records" in fields:
            fields["maxRecords"] = fields.pop("records")
        return fields


class ScanBody(RequestBody):
    """Which topics of which cluster: a declared one, or the address of one that is not declared yet."""

    cluster: str | None = Field(None, examples=["prod"])
    bootstrap_servers: str | None = Field(None, examples=["localhost:9092"])
    schema_registry: str | None = None
    topics: list[str] = Field(
        ["*"], min_length=1, description="Names, or patterns with *; internal topics (_...) only by name."
    )
    sample: SampleBody = SampleBody()
    reread: bool = Field(
        False,
        description="Read also topics of which nothing changed since their last scan: the same offsets, settings, schemas and"
        " recognizers.",
    )

    @model_validator(mode="after")
    def _one_cluster(self) -> ScanBody:
        if self.cluster is None and self.bootstrap_servers is None:
            raise ValueError("name a cluster, or give bootstrapServers")
        return self


def _within(identity: From[Identity], caller: Caller) -> Reach | None:
    """Before the body is read, so that who may not scan at all learns nothing else. Raises NotAllowed (403)."""
    return reach_of(identity, caller, Power.SCAN)


Within = Annotated[Reach | None, Depends(_within)]


@router.post(
    "", dependencies=[needs("scan", others="admins and stewards of a domain, topics of its datasets")], status_code=202
)
def start(
    scans: From[Scans],
    discovery: From[Discovery],
    connections: From[Connections],
    store: From[CatalogStore],
    settings: From[Settings],
    audit: From[AuditLog],
    caller: Caller,
    reach: Within,
    body: ScanBody,
) -> answers.Scan:
    """Queue a scan. Topics that do not exist, and brokers that do not answer, are reported at once.

    Admins and stewards of a domain scan topics of its datasets, in declared clusters.
    """
    if reach is not None:
        _require_within(reach, caller, body)
    sample = body.sample.request(settings.scanners.dead_letter_topic)
    SampleRequest.parse(sample)
    cluster = body.cluster
    if body.bootstrap_servers is not None:
        cluster = connections.from_address(cluster, body.bootstrap_servers, body.schema_registry)
    assert cluster is not None
    _select(discovery, cluster, body.topics, reach)
    if reach is not None:  # whose other names are known now that its brokers answered
        require_topics(reach, caller.user, cluster, body.topics, names_of_cluster(store, cluster))
    scan = scans.request(cluster, body.topics, sample, caller.user, reread=body.reread)
    letters = [f"dead letters to {sample['deadLetter']}"] if "deadLetter" in sample else []
    audit.record_by(caller, "scan.start", cluster, "allow", [*body.topics, *letters])
    return answers.Scan.of(scan)


def _require_within(reach: Reach, subject: Subject, body: ScanBody) -> None:
    """Raises NotAllowed."""
    require_topics(reach, subject.user, body.cluster, body.topics, [body.cluster] if body.cluster else [])
    if body.bootstrap_servers is not None or body.sample.dead_letter not in (None, False):
        raise NotAllowed(
            f"{subject.user} may not name brokers or a topic for records that cannot be decoded; it takes the permission"
            " 'scan'.",
            details={"permission": "scan", "reasons": [f"no role of {subject.user} carries scan"]},
        )


def _select(discovery: Discovery, cluster: str, topics: list[str], reach: Reach | None) -> None:
    """Raises NotFound for a topic that does not exist; within a domain it names no topic of another."""
    try:
        discovery.select(cluster, topics)
    except NotFound as error:
        if reach is None:
            raise
        name = error.details.get("topic")
        raise NotFound(
            f"Cluster {cluster!r} has no topic {name!r}." if name else f"There is no cluster {cluster!r}.",
            details={"cluster": cluster, **({"topic": name, "nearest": []} if name else {})},
        ) from None


def _seen(readers: From[Readers], sights: From[SightRules], identity: From[Identity], caller: Caller) -> SeenScans:
    """Scans as the caller may see them."""
    return SeenScans(
        readers.of(caller),
        sights.of(caller),
        operates="scan" in identity.permissions(caller),
        within=identity.reach(caller, Power.SCAN),
    )


Seen = Annotated[SeenScans, Depends(_seen)]


@router.get("", dependencies=[signed_in(KNOWN)])
def list_scans(scans: From[Scans], seen: Seen, limit: Limit = 20, offset: Offset = 0) -> answers.Scans:
    """Scans, newest first."""
    return answers.Scans(scans=[answers.Scan.of(each) for each in seen.of(scans.list(limit, offset))])


@router.get("/{id}", dependencies=[signed_in(KNOWN)])
def get_scan(scans: From[Scans], seen: Seen, id: Name) -> answers.Scan:
    """One scan: state, progress (0 to 1), datasets done so far, problems."""
    shown = seen.of([scans.get(id)])
    if not shown:  # of datasets alone that the caller may not know of
        raise NotFound(f"There is no scan {id!r}.", details={"scan": id})
    return answers.Scan.of(shown[0])


@router.post(
    "/{id}/cancel",
    dependencies=[needs("scan", others="admins and stewards of a domain, topics of its datasets")],
)
def cancel(
    scans: From[Scans],
    store: From[CatalogStore],
    events: From[Events],
    audit: From[AuditLog],
    caller: Caller,
    reach: Within,
    id: Name,
) -> answers.Scan:
    """Stop a scan; datasets already done stay. Admins and stewards of a domain stop scans of its topics alone."""
    if reach is not None:
        _require_own(scans, store, reach, caller, id)
    with store.transaction():
        scan = scans.cancel(id)
        if scan.state.over:  # it waited, so no worker will tell
            counts = {"cluster": scan.request["cluster"], "datasets": 0, "records": 0, "problems": 0}
            events.emit("scan.cancelled", id, {**counts, "requestedBy": scan.requested_by})
    audit.record_by(caller, "scan.cancel", id, "allow", [])
    return answers.Scan.of(scan)


def _require_own(scans: Scans, store: CatalogStore, reach: Reach, subject: Subject, id: str) -> None:
    """Raises NotFound for a scan that is about more than a domain of the subject's, as for one that is not there."""
    try:
        request = scans.get(id).request
        cluster = str(request.get("cluster"))
        names = names_of_cluster(store, cluster)
        require_topics(reach, subject.user, cluster, request.get("topics") or ["*"], names)
    except (NotAllowed, NotFound):
        raise NotFound(f"There is no scan {id!r} that you may stop.", details={"scan": id}) from None
