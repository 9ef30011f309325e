"""`/datasets/{namespace}/{name}/records`: the records of a topic, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import orjson
from fastapi import Depends, Query, Request
from fastapi.responses import Response

from api.edge.cancel_on_disconnect import attended
from api.edge.parameters import Count, Instant, Name, Place, SeqNo, Text
from api.features.records.answers import Records
from api.guard.guards import DECIDED, Caller, signed_in
from api.guard.powers import Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from policies.browse.conditions import PARTS, Filters, read_field
from policies.browse.service import MOST_RECORDS, Browser, RecordsQuery
from policies.plan.cancellation import Stop

router = FeatureRouter(prefix="/datasets", tags=["records"])

PageCursor = Annotated[Text, Query(max_length=60_000, description="`older` or `newer` of a page.")]


@dataclass(frozen=True, slots=True)
class RecordsParameters:
    """The query of a topic's records."""

    order: Annotated[Literal["newest", "oldest"], Query(description="Which records come first.")] = "newest"
    partition: Annotated[Place | None, Query(description="Only this one.")] = None
    offset: Annotated[SeqNo | None, Query(description="Begin at this offset of each partition.")] = None
    time: Annotated[Instant | None, Query(description="Begin at the first record stamped so or later.")] = None
    cursor: PageCursor | None = None
    text: Annotated[Text | None, Query(description="Only records that hold it; upper and lower case are one.")] = None
    in_: Annotated[
        list[Literal["key", "value", "headers"]] | None, Query(alias="in", description="Where it is looked for.")
    ] = None
    key: Annotated[Text | None, Query(description="Only records with this key.")] = None
    field: Annotated[
        list[Text] | None,
        Query(description="PATH=VALUE or PATH!=VALUE; PATH= is null.", examples=[["value.region=EU"]]),
    ] = None
    limit: Annotated[Count, Query(le=MOST_RECORDS, description="Records of a page at most.")] = 50
    whole: Annotated[bool, Query(description="Uncut, and with the value as it was sent where that may be seen.")] = (
        False
    )
    purpose: Annotated[Text | None, Query(description="What for; counts only with a grant for that purpose.")] = None

    def page(self) -> RecordsQuery:
        """Raises InvalidInput for a condition on a field that cannot be read."""
        conditions = tuple(read_field(each) for each in self.field or ())
        return RecordsQuery(
            order=self.order,
            partition=self.partition,
            offset=self.offset,
            time=self.time,
            cursor=self.cursor,
            filters=Filters(self.text, tuple(self.in_ or PARTS), self.key, conditions),
            limit=self.limit,
            whole=self.whole,
        )


@router.get(
    "/{namespace}/{name}/records",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_model=Records,
)
async def records(
    request: Request,
    browser: From[Browser],
    readers: From[Readers],
    caller: Caller,
    session: Session,
    namespace: Name,
    name: Name,
    parameters: Annotated[RecordsParameters, Depends()],
) -> Records | Response:
    """Records next to a place, as a governed query shows them: decided, masked, filtered by rows and audited.

    Without a place the page holds the newest records. Filters compare what the caller sees; a page with filters reads so
    many offsets at most, and may have fewer records than `limit`, or none, while `older` leads on. Where a row filter
    holds, records are found by time only.
    """
    query = parameters.page()
    stop = Stop()

    def work() -> bytes:
        record = readers.of(caller).datasets.get(DatasetId(namespace, name))
        if record.cluster is None:
            raise InvalidInput(
                f"{record.reference} is known from lineage only; declare its cluster (kind: Cluster) to read it.",
                details={"dataset": record.reference},
            )
        page = browser.page(caller, record.reference, query, parameters.purpose, stop, session)
        return orjson.dumps(page, default=str, option=orjson.OPT_NON_STR_KEYS)

    return Response(await attended(request, stop, work), media_type="application/json")
