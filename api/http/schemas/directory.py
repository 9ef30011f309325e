"""Answers of `/directory`."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.base import Answer, about


class ReleasedName(Answer):
    """A name that the directory neither keeps nor keeps out any more."""

    name: str
    released: Literal[True]
    mentions: list[str] = about("What passes to who gets the name: `User eva`, `Grant g-7`, `Dataset prod/orders`.")
