"""What a failure is called, and the part of the query that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sentence:
    """`node`: the part of the query; None where the place is not known."""

    text: str
    node: Any = None
