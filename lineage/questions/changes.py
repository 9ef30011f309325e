"""What a change does to what is downstream. A change is named; what it does is read off how each thing is reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum

from catalog.errors import InvalidInput
from lineage.questions.answers import Affected


class Change(StrEnum):
    DROP = "drop"  # the field is gone
    RENAME = "rename"  # the field goes by another name: whoever asks for the old one finds nothing
    RETYPE = "retype"  # the field has another type
    MASK = "mask"  # the field holds masked values
    LOSE = "lose"  # the dataset, job or cluster is gone, with all it holds


BREAKS, MAY_BREAK, CHANGES, LOSES_INPUT = "breaks", "may_break", "changes", "loses_input"


def change_of(text: str | None) -> Change | None:
    """Raises InvalidInput naming the changes there are."""
    if text is None:
        return None
    try:
        return Change(text)
    except ValueError:
        raise InvalidInput(
            f"change {text!r} is not one: write drop, rename, retype or mask (of a field) or lose (a dataset, job or"
            " cluster).",
            details={"change": text},
        ) from None


def with_effects(rows: Iterable[Affected], change: Change) -> Iterator[Affected]:
    """The rows that a change touches, with what it does to each.

    Through a mask only masked values went before, so masking the source changes nothing there; a dropped or retyped
    source still breaks it.
    """
    for row in rows:
        effect = _effect(row, change)
        if effect is not None:
            yield replace(row, effect=effect)


def _effect(row: Affected, change: Change) -> str | None:
    # A job that reads the dataset, or carries it on, need not use the field.
    unsure = row.columns is not None or row.via in ("reads", "feeds")
    if change is Change.LOSE:
        return LOSES_INPUT
    if change is Change.MASK:
        # A condition on the field compares masked values from then on.
        return CHANGES if row.raw or row.via == "influences" else None
    if change is Change.RETYPE or unsure:
        return MAY_BREAK
    return BREAKS
