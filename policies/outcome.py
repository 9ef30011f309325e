"""What a column comes to: from a draft (who opens it, which masks) and the row filters to what is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from policies import conditions
from policies.conditions import ALWAYS, Condition
from policies.masks.order import strictness
from policies.model import Effect, Mask, MaskType, Reason

NULL = Mask(MaskType.MASK_NULL)


@dataclass(slots=True)
class Draft:
    """A column before the row filters are known. `opens` None = denied; a mask's condition: where it is lifted."""

    opens: Condition | None = None
    masks: list[tuple[Mask, str, Condition | None]] = field(default_factory=list)
    reasons: list[Reason] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unscanned: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    effect: Effect
    mask: Mask | None
    clear_when: str | None
    reasons: tuple[Reason, ...]

    def key(self) -> object:
        """Equal for equal outcomes, and hashable, which a mask with parameters is not."""
        mask = self.mask and (self.mask.type, self.mask.expression, tuple(sorted(self.mask.params.items())))
        return self.effect, mask, self.clear_when, self.reasons


def order(mask: Mask) -> int:
    """How much a mask hides. What an expression hides is not known; it counts as much as MASK."""
    return strictness(Mask(MaskType.MASK) if mask.type is MaskType.CUSTOM else mask)


def finish(draft: Draft, known: Condition) -> Outcome:
    """The column, given what the row filters make certain.

    It is clear in rows where it is opened and every mask is lifted. Elsewhere it shows the strictest of its masks, or
    nothing at all where some rows that pass the filters do not open it.
    """
    if draft.opens is None:
        return Outcome(Effect.DENY, None, None, tuple(draft.reasons))
    hidden = conditions.beyond(known, draft.opens)
    lifts = [lift for _, _, lift in draft.masks]
    always_masked = any(lift is None for lift in lifts)
    clear = conditions.beyond(known, conditions.both(hidden, *(lift for lift in lifts if lift is not None)))
    if not always_masked and clear == ALWAYS:
        return Outcome(Effect.ALLOW, None, None, tuple(draft.reasons))
    mask, notes = strictest([(m, n) for m, n, _ in draft.masks] + ([(NULL, "rows")] if hidden != ALWAYS else []))
    clear_when = None if always_masked else conditions.text(clear)
    if clear_when is not None:
        notes.append(Reason("grant", "rows", f"Clear only in rows where {clear_when}."))
    return Outcome(Effect.ALLOW, mask, clear_when, (*draft.reasons, *notes))


def strictest(masks: list[tuple[Mask, str]]) -> tuple[Mask, list[Reason]]:
    """The mask that hides most, of (mask, policy name).

    Where two that hide alike differ, neither policy alone has its way: the value is masked whole. Two different
    expressions cannot be compared at all, so nothing is shown.
    """
    top = max(order(mask) for mask, _ in masks)
    strict = [(mask, name) for mask, name in masks if order(mask) == top]
    different: list[Mask] = []
    for mask, _ in strict:
        if mask not in different:
            different.append(mask)
    known = [mask for mask in different if mask.type is not MaskType.CUSTOM]
    names = ", ".join(sorted({name for _, name in strict}))
    if len(different) == 1 or len(known) == 1:
        mask, text = (known or different)[0], f"the strictest mask, of {names}, holds."
    elif known:
        mask, text = Mask(MaskType.MASK), f"the masks of {names} hide different parts, so the whole is masked."
    else:
        mask, text = NULL, f"the expressions of {names} cannot be compared, so nothing is shown."
    if len(masks) == 1:
        return mask, []
    return mask, [Reason("policy", names, f"{len(masks)} masks: {text}")]
