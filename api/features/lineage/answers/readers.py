"""Answers of `/datasets/{namespace}/{name}/readers`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about, absent
from api.features.lineage.answers.graph import Origin
from api.formats.readable_places import Access


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
