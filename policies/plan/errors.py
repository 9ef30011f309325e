"""What a query's own words can cause inside the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.errors import Conflict, InvalidInput, WeirError


class QueryFailed(InvalidInput):
    """The query passed the gate and the engine cannot run it, or a value it may see does not fit what it asks.

    `details`: `condition` (Spark's error class, or "failed"), `name` (the unknown column as written) where there is
    one. The message holds no value of a record.

    `fragment` is the part of the text that ran which the engine points at, `known` the names it would have known
    there, `about` what else it reports (types, counts, names); they are for finding the place, the nearest name and the
    right sentence, and never go out as they are: they may hold values.
    """

    code = "query_failed"

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        fragment: str | None = None,
        known: tuple[str, ...] = (),
        about: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, details=details)
        self.fragment, self.known, self.about = fragment, known, dict(about or {})


class ValuesUnreadable(WeirError):
    """Values of the records do not fit their columns, and the query asked for an error in that case.

    `details`: `unreadable` {column: n}, `datasets`. The message names columns, counts and the fix, and no value.
    """

    code = "values_unreadable"


class AccessChanged(Conflict):
    """While the query ran, a policy, a tag or a role changed so that its answer would be another one.

    `details`: `datasets`. An answer with this error holds none of the rows; an export was broken off.
    """

    code = "access_changed"


class QueryCancelled(Conflict):
    """The query was stopped by its owner, by an administrator, or because the one who asked went away.

    `details`: `id`. An answer with this error never holds a part of the rows.
    """

    code = "query_cancelled"
