"""Answers of `/datasets/{namespace}/{name}/readers`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from api.edge.answer import Answer, Time, about, absent
from api.features.lineage.answers.graph import Origin
from api.formats.readable_places import Access
from lineage.questions import answers


class Reader(Answer):
    """A job or consumer group that reads a dataset."""

    job: str = about("nodeId.")
    namespace: str
    name: str
    seen: Time
    owners: list[str]
    kind: Literal["job", "consumer_group"]
    origin: Origin


class ReaderTotals(Answer):
    """How many of each there are."""

    observed: int
    declared: int
    permitted: int = absent("Where the caller may see them.")


class Readers(Answer):
    """Who reads a dataset."""

    observed: list[Reader] = about("By runs and brokers.")
    declared: list[Reader] = about("By producers.")
    permitted: list[Access] | None = about("May read by Weir; null where the caller may not see it.")
    totals: ReaderTotals


def reader_of(reader: answers.Reader) -> Reader:
    """The answer for one reader."""
    return Reader(
        job=reader.job,
        namespace=reader.namespace,
        name=reader.name,
        seen=reader.seen,
        owners=list(reader.owners),
        kind=reader.kind,
        origin=reader.origin,
    )


def readers_of(jobs: Sequence[answers.Reader], permitted: Sequence[Access] | None, limit: int, offset: int) -> Readers:
    """A page of each kind of readers. `permitted` None: the caller may not see them."""
    apart = {origin: [job for job in jobs if job.origin == origin] for origin in ("observed", "declared")}
    totals = {origin: len(rows) for origin, rows in apart.items()}
    if permitted is not None:
        totals["permitted"] = len(permitted)
    page = slice(offset, offset + limit)
    return Readers(
        observed=[reader_of(job) for job in apart["observed"][page]],
        declared=[reader_of(job) for job in apart["declared"][page]],
        permitted=list(permitted[page]) if permitted is not None else None,
        totals=ReaderTotals.model_validate(totals),
    )
