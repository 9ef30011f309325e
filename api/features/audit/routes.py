"""`/audit`: the chain of decisions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse

from api.config.settings import Settings
from api.edge.openapi import answers_with
from api.edge.parameters import Cursor, Instant, Limit, Text
from api.features.audit import answers as schemas
from api.features.audit.answers import AuditEntries, AuditKey, AuditVerification
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import InstanceOf
from catalog.errors import Unavailable
from catalog.records import rfc3339
from policies.audit.export import MEDIA, About, Signer, export
from policies.audit.log import AuditLog, unnamed_note
from policies.audit.names import wanted_names
from policies.audit.ports import AuditFilter
from policies.audit.seals import segment_json
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping

router = FeatureRouter(prefix="/audit", tags=["audit"])


def _where(
    actor: Annotated[Text | None, Query(description="Who did it.")] = None,
    action: Annotated[Text | None, Query(description="The action, or its beginning: query, grant...")] = None,
    target: Annotated[Text | None, Query(description="What it was done to, as the entry has it.")] = None,
    person: Annotated[Text | None, Query(description="Who did it, or whom it is about.")] = None,
    dataset: Annotated[Text | None, Query(description="CLUSTER/TOPIC that it is about.")] = None,
    field: Annotated[
        Text | None,
        Query(
            description="A path: entries that used it, something in it, or what it is a part of; with dataset, of that one."
        ),
    ] = None,
    grant: Annotated[Text | None, Query(description="A grant that it is about, or rests on.")] = None,
    decision: Annotated[Text | None, Query(description="allow, deny...")] = None,
    since: Annotated[Instant | None, Query(description="From then on.")] = None,
    until: Annotated[Instant | None, Query(description="Before then.")] = None,
) -> AuditFilter:
    """Which entries."""
    return AuditFilter(
        actor=actor,
        action=action,
        person=person,
        dataset=dataset,
        field=field,
        grant=grant,
        target=target,
        decision=decision,
        since=since,
        until=until,
    )


_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A line an entry; the last line is the signature.",
        "content": {media: {"schema": {"type": "string"}} for media in MEDIA.values()},
    }
}
Where = Annotated[AuditFilter, Depends(_where)]


@router.get("", dependencies=[needs("audit:read")], responses=answers_with(AuditEntries))
def entries(built: InstanceOf, _: Caller, where: Where, cursor: Cursor = None, limit: Limit = 100) -> Any:
    """Entries, newest first."""
    return built[AuditLog].list(where, cursor, limit).to_json()


@router.get("/export", dependencies=[needs("audit:read")], responses=_FILE, response_class=StreamingResponse)
def export_entries(
    built: InstanceOf, subject: Caller, where: Where, format: Literal["jsonl", "csv"] = "jsonl"
) -> StreamingResponse:
    """Entries, oldest first, as a file with a signature in its last line; `weir audit verify --file F` checks it without Weir.

    The export itself is in the audit. 503 while older entries are not indexed by the name that is asked for.
    """
    if wanted_names(where) and (left := built[AuditLog].unnamed()):
        raise Unavailable(unnamed_note(left) or "", details={"entries": left})
    filters = {
        name: rfc3339(value) or "" if name in ("since", "until") else str(value)
        for name in AuditFilter.__slots__
        if (value := getattr(where, name)) is not None
    }
    head = built[AuditLog].head()
    noted = built[AuditLog].record(
        subject.user, "audit.export", format, "allow", [f"{k}={v}" for k, v in filters.items()]
    )
    about = About(
        chain=head.chain,
        head_seq=head.seq,
        head_hash=head.hash,
        where=filters,
        at=rfc3339(noted.at) or "",
        by=subject.user,
    )
    return StreamingResponse(
        export(built[AuditLog].matching(where, head.seq), format, about, built[Signer]),
        media_type=MEDIA[format],
        headers={"Content-Disposition": f'attachment; filename="audit.{format}"'},
    )


@router.get("/key", dependencies=[needs("audit:read")], responses=answers_with(AuditKey))
def key(built: InstanceOf, _: Caller) -> Any:
    """The public key of signatures under exports; keep it where the exports are checked."""
    return {"algorithm": "Ed25519", "key": built[Signer].public_key()}


@router.get("/segments", dependencies=[needs("audit:read")], responses=answers_with(schemas.AuditSegments))
def segments(built: InstanceOf, _: Caller) -> Any:
    """Sealed segments of the chain, those whose entries were removed too; and how far the audit was shipped to its topic."""
    return {
        "segments": [segment_json(each) for each in built[AuditSegments].listed()],
        "problem": built[AuditSegments].problem(),
        "keepDays": built[Settings].policies.audit_keep_days,
        "shipping": built[AuditShipping].report().to_json(),
    }


@router.get("/verify", dependencies=[needs("audit:read")], responses=answers_with(AuditVerification))
def verify(built: InstanceOf, _: Caller) -> Any:
    """Check every link, and the length against the published head."""
    return built[AuditLog].verify().to_json()
