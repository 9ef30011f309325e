"""What commands read of an answer of `/impact`."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AffectedNode(TypedDict):
    """A dataset, field or job downstream."""

    id: str
    type: str
    namespace: str
    name: str
    field: NotRequired[str]
    hops: int
    raw: bool
    effect: NotRequired[str]
    owners: list[str]
    commit: NotRequired[str]
    jobType: NotRequired[str]


class Summary(TypedDict):
    owners: list[str]


class Impact(TypedDict):
    """What is downstream of a change."""

    root: str
    affected: list[AffectedNode]
    truncated: bool
    summary: Summary
