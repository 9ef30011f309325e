"""`/query`: governed SQL over topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from api.auth import Caller, ServicesOf
from catalog.errors import WeirError

router = APIRouter(prefix="/query", tags=["queries"])


class Asked(BaseModel):
    """A question in SQL."""

    model_config = ConfigDict(extra="forbid")

    sql: str = Field(min_length=1, max_length=100_000, examples=["SELECT order_id, customer.email FROM prod.orders"])
    purpose: str | None = Field(None, description="Counts only with an active grant for that purpose.")
    limit: int = Field(100, ge=1, le=100_000, description="At most this many rows.")


@router.post("")
def run(built: ServicesOf, subject: Caller, body: Asked) -> Any:
    """Run one SELECT. What the caller may not see is masked or refused, with the reasons."""
    return built.query.run(subject, body.sql, body.purpose, body.limit).to_json()


@router.post("/explain")
def explain(built: ServicesOf, subject: Caller, body: Asked) -> Any:
    """The decision for each column and what would be read; no data is touched."""
    return built.query.explain(subject, body.sql, body.purpose, body.limit)


@router.get("/stream")
def stream(
    built: ServicesOf,
    subject: Caller,
    sql: Annotated[str, Query(min_length=1, max_length=20_000)],
    purpose: str | None = None,
) -> StreamingResponse:
    """A query that ends with EMIT CHANGES, as server-sent events: `columns`, `rows`..., `idle`, `end` or `error`."""
    batches = built.query.stream(subject, sql, purpose)
    first = next(batches, None)  # refusals are answered with their status, before the stream begins

    def events() -> Iterator[bytes]:
        try:
            if first is not None:
                yield _event(first)
            for each in batches:
                yield _event(each)
        except WeirError as error:
            yield _event({"type": "error", "code": error.code, "message": error.message, "details": error.details})
        finally:
            close = getattr(batches, "close", None)
            if close is not None:
                close()

    return StreamingResponse(events(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _event(data: Mapping[str, Any]) -> bytes:
    return b"event: " + str(data["type"]).encode() + b"\ndata: " + orjson.dumps(data, default=str) + b"\n\n"
