"""Path parameters and paging that many routes share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import unquote

from fastapi import Path, Query
from pydantic import AfterValidator

from catalog.errors import InvalidInput

Name = Annotated[str, Path(description="A name, percent-encoded whole."), AfterValidator(unquote)]
Limit = Annotated[int, Query(ge=1, le=1000, description="At most this many.")]
Offset = Annotated[int, Query(ge=0, description="How many to leave out first.")]
AsOf = Annotated[str | None, Query(alias="asOf", description="As it was then: RFC 3339, e.g. 2026-03-01T12:00:00Z.")]


def moment(text: str | None, name: str = "asOf") -> datetime | None:
    """An RFC 3339 time, UTC where no offset is given. Raises InvalidInput naming the parameter."""
    if text is None:
        return None
    try:
        # A '+' that was not percent-encoded arrives as a space.
        at = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        raise InvalidInput(
            f"{name}={text!r} is not a time; write RFC 3339, as 2026-03-01T12:00:00Z.", details={"field": name}
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
