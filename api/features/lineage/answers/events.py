"""Answers of `POST /lineage/batch`."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from api.edge.answer import Answer, about
from lineage import model


class BatchSummary(Answer):
    """Counts of events."""

    model_config = ConfigDict(alias_generator=None)

    received: int
    successful: int
    failed: int
    retriable: int
    non_retriable: int


class FailedEvent(Answer):
    """An event that was refused."""

    index: int = about("Place in the batch, from 0.")
    reason: str
    retriable: bool


class BatchResult(Answer):
    """What became of a batch of events, in the shape of OpenLineage's batch API, whose names it keeps."""

    model_config = ConfigDict(alias_generator=None)

    status: Literal["success", "partial_success", "failure"]
    summary: BatchSummary
    failed_events: list[FailedEvent]


def batch_result_of(result: model.BatchResult) -> BatchResult:
    """The answer for a batch that was taken."""
    failed = len(result.failed)
    return BatchResult(
        status=result.status,
        summary=BatchSummary(
            received=result.received,
            successful=result.received - failed,
            failed=failed,
            retriable=0,
            non_retriable=failed,
        ),
        failed_events=[FailedEvent(index=index, reason=reason, retriable=False) for index, reason in result.failed],
    )
