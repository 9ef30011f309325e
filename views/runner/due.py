"""When the things that a view does from time to time were done last."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

_NEVER = -1e9


@dataclass(slots=True)
class Due:
    """Moments of the last look at each thing."""

    looked: float = _NEVER
    searched: float = _NEVER
    decided: float = _NEVER
    asked: float = _NEVER
    behind: float = _NEVER
    sampled: float = _NEVER
    forgot: float = _NEVER
    written: Hashable = None
