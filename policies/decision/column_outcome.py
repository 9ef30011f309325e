"""What a column comes to: from a draft (who opens it, which masks) and the row filters to what is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from policies.decision import mask_order, row_conditions
from policies.decision.mask_order import NULL
from policies.decision.row_conditions import ALWAYS, Condition
from policies.model import Effect, Mask, MaskType, Reason


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


def finish(draft: Draft, known: Condition) -> Outcome:
    """The column, given what the row filters make certain.

    It is unmasked in rows where it is opened and every mask is lifted. Elsewhere it shows the strictest of its masks, or
    nothing at all where some rows that pass the filters do not open it.
    """
    if draft.opens is None:
        return Outcome(Effect.DENY, None, None, tuple(draft.reasons))
    hidden = row_conditions.beyond(known, draft.opens)
    lifts = [lift for _, _, lift in draft.masks]
    always_masked = any(lift is None for lift in lifts)
    clear = row_conditions.beyond(known, row_conditions.both(hidden, *(lift for lift in lifts if lift is not None)))
    if not always_masked and clear == ALWAYS:
        return Outcome(Effect.ALLOW, None, None, tuple(draft.reasons))
    mask, notes = strictest([(m, n) for m, n, _ in draft.masks] + ([(NULL, "rows")] if hidden != ALWAYS else []))
    clear_when = None if always_masked else row_conditions.text(clear)
    if clear_when is not None:
        mask = NULL if mask.type is MaskType.DROP else mask  # a field cannot be left out of some rows only
        notes.append(Reason("grant", "rows", f"Unmasked only in rows where {clear_when}."))
    return Outcome(Effect.ALLOW, mask, clear_when, (*draft.reasons, *notes))


def strictest(masks: list[tuple[Mask, str]]) -> tuple[Mask, list[Reason]]:
    """The mask that holds of (mask, policy name), by `masks.order`, and why."""
    mask = mask_order.strictest([mask for mask, _ in masks])
    if len(masks) == 1:
        return mask, []
    of = sorted({name for given, name in masks if given == mask})
    names = ", ".join(of or sorted({name for _, name in masks}))
    if of:
        text = f"the strictest mask, of {names}, holds."
    elif mask == NULL:
        text = f"an expression cannot be compared with another mask ({names}), so nothing is shown."
    else:
        text = f"the masks of {names} hide different parts, so the whole is masked."
    return mask, [Reason("policy", names, f"{len(masks)} masks: {text}")]
