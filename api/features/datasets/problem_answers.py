"""What a scan could not do or found wrong, in answers about datasets, schemas and scans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from api.edge.answer import Answer, OpenAnswer, Time, absent


class FirstPlace(Answer):
    """A place in a topic."""

    partition: int
    offset: int
    time: Time | None = absent("Kafka's timestamp of the record.")


class Problem(OpenAnswer):
    """Something a scan could not do or found wrong. Never holds a value of a record."""

    message: str = absent("One sentence.")
    reason: str = absent("A word for programs: undecodable, byte_limit, ...")
    part: str = absent("key, value, headers, record, registry or a path.")
    path: str = absent()
    dataset: str = absent("CLUSTER/TOPIC.")
    count: int | None = absent("How often.")
    first: FirstPlace | None = absent("Where first.")
    partition: int = absent()
    withheld: Literal[True] = absent("Counts are left out, as the reader may not see them.")

    @classmethod
    def of(cls, problem: Mapping[str, Any]) -> Problem:
        """As a scan kept it."""
        first = problem.get("first")
        place = {"first": FirstPlace.model_construct(**first)} if isinstance(first, Mapping) else {}
        return cls.model_construct(**{**problem, **place})
