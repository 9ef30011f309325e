"""A field of a topic that an ordinary reader sees masked, and what a source does to it."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.paths import FieldPath, StepKind

WHOLE = 100
"""Hides the whole value, as every mask that Weir has asks for."""
HASHED = 52
"""As much as MASK_HASH hides."""


@dataclass(frozen=True, slots=True)
class MaskedField:
    """A field with the mask that an ordinary reader of the topic sees.

    mask      name of the mask
    rank      place of the mask in the order: higher hides more; None: nobody knows how much it hides
    shows     characters at the start that the mask leaves; None: it is not of this kind
    text      whether the values are texts; None: not known
    personal  whether it holds personal data; None: no scan looked at it
    """

    path: FieldPath
    mask: str
    rank: int | None
    shows: int | None = None
    text: bool | None = None
    personal: bool | None = True

    @property
    def names(self) -> tuple[str, ...]:
        """Names down to the first list or map: what is inside these cannot be named in a configuration."""
        names: list[str] = []
        for step in self.path.steps:
            if step.kind is not StepKind.FIELD or step.name is None:
                break
            names.append(step.name)
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a configuration does to a field. `by`: the setting or transform, without a value of it."""

    by: str
    rank: int = WHOLE
    shows: int | None = None

    def satisfies(self, field: MaskedField) -> bool:
        """Whether it hides at least as much as the mask."""
        if self.rank == WHOLE:
            return True
        if self.shows is not None:
            return field.shows is not None and self.shows <= field.shows
        return field.rank is not None and field.shows is None and self.rank >= field.rank
