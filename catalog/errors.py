"""The errors of Weir: one root, one type per fact, each with a stable code.

`message` is one sentence for the person who asked: it names the input and the fix, and never holds a value read
from a topic. `details` is JSON-ready and goes out as `error.details`. `api/edge/errors.py` is the only table from these
types to HTTP status codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class ErrorParts(TypedDict):
    """An error in JSON."""

    code: str
    message: str
    details: Mapping[str, object]


class WeirError(Exception):
    """Root of everything Weir raises on purpose."""

    code = "error"

    def __init__(self, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] = dict(details or {})

    def parts(self) -> ErrorParts:
        return {"code": self.code, "message": self.message, "details": self.details}


class InvalidInput(WeirError):
    """What was given cannot be understood. `details` has the place (field, line, column)."""

    code = "invalid_input"


class NotFound(WeirError):
    """A named thing does not exist."""

    code = "not_found"


class DatasetNotFound(NotFound):
    code = "dataset_not_found"


class Conflict(WeirError):
    """The request can be understood, but the present state forbids it."""

    code = "conflict"


class NotSignedIn(WeirError):
    """No token, or one that is wrong, expired or revoked."""

    code = "not_signed_in"


class NotAllowed(WeirError):
    """The caller is known and may not do this. `details["reasons"]` has the reasons."""

    code = "not_allowed"


class SqlRefused(InvalidInput):
    """SQL that is not understood or not allowed. `details` holds `line`, `column` (1-based) and `reasons`."""

    code = "sql_refused"


class LimitExceeded(WeirError):
    """A limit of rows, bytes, time or concurrency was reached; `details` names it."""

    code = "limit_exceeded"


class Unavailable(WeirError):
    """A server Weir needs does not answer. `details["server"]` names it."""

    code = "unavailable"


class SettingsError(WeirError):
    """A setting is unknown or has a value that cannot be used."""

    code = "settings"
