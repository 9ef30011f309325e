"""The words that offer the names nearest to one that is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def did_you_mean(near: str | Sequence[str] | None, otherwise: str = "", lead: str = "") -> str:
    """`did you mean a or b?` behind `lead`; `otherwise`, as it is, where no name is near.

    A `lead` of " " begins a sentence: ` Did you mean a?`.
    """
    if not near:
        return otherwise
    names = near if isinstance(near, str) else " or ".join(near)
    return f"{lead}{'Did' if lead == ' ' else 'did'} you mean {names}?"


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """The nearest of the known names, or none."""
    from difflib import get_close_matches  # not every command needs it

    return get_close_matches(name, list(known), 1)
