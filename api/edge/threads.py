"""Threads set apart for one kind of work, so that it neither waits for the other routes nor makes them wait."""

from __future__ import annotations

from anyio import CapacityLimiter
from starlette.datastructures import State


def threads(state: State, name: str, most: int) -> CapacityLimiter:
    """The limiter called `name` of an application's state, made with `most` threads when it is first needed."""
    attribute = f"{name}_threads"
    if not hasattr(state, attribute):
        setattr(state, attribute, CapacityLimiter(most))
    limiter: CapacityLimiter = getattr(state, attribute)
    return limiter
