"""What can go wrong, with the server's own sentence: one exception a kind, all of them WeirError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class WeirError(Exception):
    """An answer of Weir that is an error. `message` is its sentence, `code` and `details` as the HTTP API gives them."""

    def __init__(
        self,
        message: str,
        code: str = "error",
        details: Mapping[str, Any] | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.status = message, code, status
        self.details = dict(details or {})

    @property
    def reasons(self) -> list[str]:
        """The reasons, in words, where the server gives them."""
        reasons = self.details.get("reasons") or []
        return [r if isinstance(r, str) else str(r.get("text", r)) for r in reasons]


class InvalidInput(WeirError):
    """What was given cannot be used."""


class SqlRefused(InvalidInput):
    """SQL that is not understood or not allowed; `line` and `column` count from 1."""

    @property
    def line(self) -> int | None:
        return self.details.get("line")

    @property
    def column(self) -> int | None:
        return self.details.get("column")


class QueryFailed(InvalidInput):
    """The engine cannot run the query: an unknown column, types that do not fit."""


class ValuesUnreadable(WeirError):
    """Values do not fit their columns, and the query was asked to fail then; `details["unreadable"]` counts them."""


class NotSignedIn(WeirError):
    """No token, or one that is wrong, expired or revoked."""


class NotAllowed(WeirError):
    """The caller may not. `reasons` has why, `ask` the command that requests access."""

    @property
    def ask(self) -> list[str]:
        return list(self.details.get("ask") or [])


class NotFound(WeirError):
    """A named thing does not exist."""


class Conflict(WeirError):
    """The present state forbids it."""


class QueryCancelled(Conflict):
    """The query was stopped."""


class LimitExceeded(WeirError):
    """A limit of rows, bytes, time or concurrency was reached; `details["limit"]` names it."""


class Unavailable(WeirError):
    """Weir, or a server it needs, does not answer."""


class AnswerBroken(Unavailable):
    """The answer broke off: what came is not all of it."""


_BY_CODE = {
    "sql_refused": SqlRefused,
    "query_failed": QueryFailed,
    "query_cancelled": QueryCancelled,
    "values_unreadable": ValuesUnreadable,
    "limit_exceeded": LimitExceeded,
    "unavailable": Unavailable,
}
_BY_STATUS = {
    400: InvalidInput,
    401: NotSignedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: InvalidInput,
    429: LimitExceeded,
    503: Unavailable,
}


def from_answer(status: int, body: Any, address: str) -> WeirError:
    """The exception of a failed answer; of one that is not Weir's too."""
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict) or "message" not in error:
        return WeirError(f"The server at {address} answered {status} and is not Weir's API.", status=status)
    code = str(error.get("code", "error"))
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, WeirError)
    return kind(str(error["message"]), code, error.get("details"), status)
