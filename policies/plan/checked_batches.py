"""A result that is given on as it comes, by who decides when each batch may go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policies.plan.model import Batches, ResultColumn, Unreadable


class PassedOn:
    """All of `policies.plan.model.Batches` but the iteration, as the batches within answer."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    @property
    def schema(self) -> Any:
        return self._batches.schema

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return self._batches.columns

    def rows(self, batches: Sequence[Any]) -> list[list[object]]:
        return self._batches.rows(batches)

    @property
    def limit(self) -> str | None:
        return self._batches.limit

    @property
    def unreadable(self) -> Unreadable | None:
        return self._batches.unreadable
