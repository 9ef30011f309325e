"""`/audit`: the chain of decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Depends, Query
from fastapi.responses import StreamingResponse

from api.config.settings import Settings
from api.edge.parameters import Cursor, Instant, Limit, Text
from api.features.audit import answers
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.errors import DatasetNotFound, InvalidInput, Unavailable
from catalog.near_names import did_you_mean, near_names
from catalog.records import rfc3339
from policies.audit.actions import ACTIONS
from policies.audit.export import MEDIA, About, Signer, export
from policies.audit.log import AuditLog, unnamed_note
from policies.audit.names import wanted_names
from policies.audit.ports import AuditFilter
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping

router = FeatureRouter("/audit", tags=["audit"])
_DECISIONS = ("allow", "deny", "refused")
"""Of queries and requests; a review of a tag has its state, for instance."""


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
    agent: Annotated[Text | None, Query(description="Name of an agent, or id of its token: what it did.")] = None,
    tool: Annotated[Text | None, Query(description="The tool that was called, as run_query of an agent.")] = None,
    decision: Annotated[Text | None, Query(description="allow, deny, refused...")] = None,
    without: Annotated[
        list[Text] | None,
        Query(description="No entries of these actions, or of those that begin so: query.check.", max_length=20),
    ] = None,
    since: Annotated[Instant | None, Query(description="From then on.")] = None,
    until: Annotated[Instant | None, Query(description="Before then.")] = None,
) -> AuditFilter:
    """Which entries. Raises InvalidInput for a time that ends before it begins."""
    if since is not None and until is not None and since > until:
        raise InvalidInput("until is before since, so no entry can fit; swap them.", details={"field": "until"})
    return AuditFilter(
        actor=actor,
        action=action,
        without=tuple(without or ()),
        person=person,
        dataset=dataset,
        field=field,
        grant=grant,
        agent=agent,
        tool=tool,
        target=target,
        decision=decision,
        since=since,
        until=until,
    )


_FILE: dict[int | str, dict[str, object]] = {
    200: {
        "description": "A line an entry; the last line is the signature.",
        "content": {media: {"schema": {"type": "string"}} for media in MEDIA.values()},
    }
}
Where = Annotated[AuditFilter, Depends(_where)]


@router.get("", dependencies=[needs("audit:read")])
def entries(
    audit: From[AuditLog],
    readers: From[Readers],
    caller: Caller,
    where: Where,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> answers.AuditEntries:
    """Entries, newest first."""
    page = audit.list(where, cursor, limit)
    if not page.entries and cursor is None and (unknown := _unknown(where, readers.of(caller))):
        page = replace(page, note=" ".join(filter(None, (page.note, unknown))))
    return answers.AuditEntries.of(page)


def _unknown(where: AuditFilter, reader: Reader) -> str | None:
    """What of a filter there is not, in a sentence: a misspelt name must not read as "nobody did"."""
    if where.dataset is not None:
        try:
            reference = reader.named(where.dataset)
        except (DatasetNotFound, InvalidInput) as error:
            return error.message
        if reference != where.dataset:
            return f"Entries name this dataset {reference}."
    if where.action is not None and not any(each.startswith(where.action) for each in ACTIONS):
        return (
            f"There is no action {where.action!r}{did_you_mean(near_names(where.action, sorted(ACTIONS)), '.', '; ')}"
        )
    near = near_names(where.decision, _DECISIONS) if where.decision not in (None, *_DECISIONS) else []
    if near:
        return f"No entry has the decision {where.decision!r}; {did_you_mean(near)}"
    return None


def _filter_text(value: str | datetime | tuple[str, ...]) -> str:
    """A part of a filter as the signed line of an export names it."""
    match value:
        case datetime():
            return rfc3339(value) or ""
        case tuple():
            return ", ".join(value)
        case _:
            return value


@router.get("/export", dependencies=[needs("audit:read")], responses=_FILE, response_class=StreamingResponse)
def export_entries(
    audit: From[AuditLog],
    signer: From[Signer],
    caller: Caller,
    where: Where,
    format: Literal["jsonl", "csv"] = "jsonl",
) -> StreamingResponse:
    """Entries, oldest first, as a file with a signature in its last line; `weir audit verify --file F` checks it without Weir.

    The export itself is in the audit. 503 while older entries are not indexed by the name that is asked for.
    """
    if wanted_names(where) and (left := audit.unnamed()):
        raise Unavailable(unnamed_note(left) or "", details={"entries": left})
    filters = {
        name: _filter_text(value)
        for name in AuditFilter.__slots__
        if (value := getattr(where, name)) is not None and value != ()
    }
    head = audit.head()
    noted = audit.record(caller.user, "audit.export", format, "allow", [f"{k}={v}" for k, v in filters.items()])
    about = About(
        chain=head.chain,
        head_seq=head.seq,
        head_hash=head.hash,
        where=filters,
        at=rfc3339(noted.at) or "",
        by=caller.user,
    )
    return StreamingResponse(
        export(audit.matching(where, head.seq), format, about, signer),
        media_type=MEDIA[format],
        headers={"Content-Disposition": f'attachment; filename="audit.{format}"'},
    )


@router.get("/key", dependencies=[needs("audit:read")])
def key(signer: From[Signer]) -> answers.AuditKey:
    """The public key of signatures under exports; keep it where the exports are checked."""
    return answers.AuditKey(algorithm="Ed25519", key=signer.public_key())


@router.get("/segments", dependencies=[needs("audit:read")])
def segments(
    kept: From[AuditSegments], shipping: From[AuditShipping], settings: From[Settings]
) -> answers.AuditSegments:
    """Sealed segments of the chain, those whose entries were removed too; and how far the audit was shipped to its topic."""
    return answers.AuditSegments(
        segments=[answers.AuditSegment.of(each) for each in kept.listed()],
        problem=kept.problem(),
        keep_days=settings.policies.audit_keep_days,
        shipping=answers.AuditShipped.of(shipping.report()),
    )


@router.get("/verify", dependencies=[needs("audit:read")])
def verify(audit: From[AuditLog]) -> answers.AuditVerification:
    """Check every link, and the length against the published head."""
    return answers.AuditVerification.of(audit.verify())
