"""Warnings about what an answer leaves out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from types import FrameType


class IncompleteWarning(UserWarning):
    """An answer leaves something out: records outside its window, rows beyond a limit, rows that a filter hides."""


class UnreadableWarning(IncompleteWarning):
    """Values of an answer do not fit their column and are NULL, or rounded; the text names columns, counts and the fix."""


def warn(left_out: Sequence[Mapping[str, str]], unreadable_text: str | None, *, limited: bool) -> None:
    """Give one warning, at the caller's line, with all that an answer lacks; none where it lacks nothing.

    `limited`: the caller gave a limit of rows.
    """
    texts = [_with_argument(part, limited) for part in left_out] + ([unreadable_text] if unreadable_text else [])
    if not texts:
        return
    category = UnreadableWarning if unreadable_text else IncompleteWarning
    caller = _caller()
    # With a registry of its own, a warning is shown for each answer, and not only for the first one of a line.
    warnings.warn_explicit(
        " ".join(texts), category, caller.f_code.co_filename, caller.f_lineno, caller.f_globals.get("__name__"), {}
    )


def _with_argument(part: Mapping[str, str], limited: bool) -> str:
    """The sentence with the argument of `Weir.query` that helps, where there is one."""
    text = part["text"]
    return (
        f"{text} limit=None gives as many as the server lets through." if limited and part["kind"] == "limit" else text
    )


def _caller() -> FrameType:
    """The nearest frame that is not of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "weir_client":
        frame = frame.f_back
    return frame
