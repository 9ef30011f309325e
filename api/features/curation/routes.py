"""`PATCH /datasets/{namespace}/{name}/curation`, and the table of what people state, out and in."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import Field, StringConstraints

from api.edge.answer import FreeForm, RequestBody
from api.edge.openapi import gives, takes
from api.edge.parameters import Name, Text
from api.features.curation import answers
from api.features.curation.export import TableExport
from api.features.curation.intake import TableIntake
from api.features.curation.service import CurationEdits
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import Declarer, Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import InvalidInput
from catalog.model import DatasetId

router = FeatureRouter(tags=["catalog"])

_OTHERS = "owners of the dataset; admins and stewards of a domain, of its datasets"
Long = Annotated[str, StringConstraints(max_length=2000)]


class CertificationBody(RequestBody):
    """That people vouch for it."""

    by: Text | None = None
    note: Long | None = None


class DeprecationBody(RequestBody):
    """That it is to be used no more."""

    reason: Long | None = None
    successor: Text | None = Field(None, description="CLUSTER/TOPIC.")
    date: Text | None = Field(None, description="When it ends, as 2026-12-31.")


class AnnouncementBody(RequestBody):
    """A sentence for its readers."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    from_: Text | None = Field(None, alias="from")
    until: Text | None = None


class OwnerBody(RequestBody):
    """A user or a group."""

    user: Text | None = None
    group: Text | None = None
    roles: list[Literal["business", "technical"]] = Field(default_factory=list, max_length=2)


class CurationBody(RequestBody):
    """What to change; what is left out stays, null takes it away."""

    certification: CertificationBody | None = None
    deprecation: DeprecationBody | None = None
    announcements: list[AnnouncementBody] | None = Field(None, max_length=20)
    owners: list[OwnerBody] | None = Field(
        None,
        max_length=100,
        description="Not for owners themselves: owners read it, so `manage` and admins of its domain name them.",
    )
    properties: FreeForm | None = Field(
        None,
        description="Values by name; null takes one away. Declared by kind: Property.",
    )


@router.patch("/datasets/{namespace}/{name}/curation", dependencies=[needs("manage", others=_OTHERS, scope="describe")])
def curate(
    edits: From[CurationEdits], caller: Caller, later: Session, namespace: Name, name: Name, body: CurationBody
) -> answers.CurationChanged:
    """Certify or deprecate a dataset, announce something to its readers, set its properties and owners. The rest stays.

    The same as applying the changed document: the same checks and audit.
    """
    if not body.model_fields_set:
        raise InvalidInput(
            "Nothing is to be changed; send certification, deprecation, announcements, properties or owners."
        )
    parts = {
        key: _without_nulls(value) if key in ("certification", "deprecation") else value
        for key, value in body.model_dump(mode="json", by_alias=True, exclude_unset=True).items()
    }
    return edits.edit(caller, later, DatasetId(namespace, name), parts)


def _without_nulls(part: dict[str, object] | None) -> dict[str, object] | None:
    return None if part is None else {key: value for key, value in part.items() if value is not None}


@router.get(
    "/catalog/table",
    dependencies=[signed_in(KNOWN)],
    response_class=Response,
    responses=gives("text/csv", "One line a dataset and one a field."),
)
def table(
    export: From[TableExport],
    caller: Caller,
    cluster: Text | None = None,
    owner: Text | None = None,
    tag: Text | None = None,
    q: Annotated[Text | None, Query(description="Found anywhere in the name.")] = None,
) -> Response:
    """What is declared of datasets and fields, as CSV that `POST` takes back: description, owners, tags, terms, certification,
    deprecation, properties. Datasets that are in no cluster are left out, as nothing can be declared of them; the header
    `Weir-Left-Out` counts them. A text that a spreadsheet may take for a formula begins with an apostrophe."""
    written = export.csv(caller, cluster=cluster, owner=owner, tag=tag, text=q)
    return Response(written.text, media_type="text/csv", headers={"Weir-Left-Out": str(written.left_out)})


@router.post("/catalog/table", dependencies=[needs("manage", others=_OTHERS)], openapi_extra=takes("text/csv"))
async def take_table(
    request: Request,
    intake: From[TableIntake],
    caller: Declarer,
    later: Session,
    dryRun: Annotated[bool, Query(description="Show the plan, change nothing.")] = False,
    skipRefused: Annotated[bool, Query(description="Take the other datasets where lines are refused.")] = False,
) -> answers.TableRead:
    """Make what is declared what a table holds. A column that is left out stays as it is, an empty cell takes away.

    Where a line is refused, nothing is changed without `skipRefused`. A dataset with a refused line stays as it is.
    """
    body = await request.body()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("The table is not UTF-8 text; save it as CSV UTF-8.") from None
    return await run_in_threadpool(intake.take, caller, later, text, dry_run=dryRun, skip_refused=skipRefused)
