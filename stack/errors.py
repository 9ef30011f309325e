"""The one error of this package."""

from __future__ import annotations


class StackError(Exception):
    """A local server could not be fetched, started or stopped.

    `message` is one sentence for a person, naming what was tried and the fix; `tail` holds the last lines of the
    server's log where there is one, so that a caller can show them below the sentence.
    """

    def __init__(self, message: str, tail: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.tail = tail

    def __str__(self) -> str:
        if not self.tail:
            return self.message
        return "\n".join((self.message, *(f"  | {line}" for line in self.tail)))


class GivenUp(StackError):
    """A start that was abandoned because another one failed. Never the reason for anything."""
