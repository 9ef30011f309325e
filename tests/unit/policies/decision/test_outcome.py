"""What a column comes to: masks, where they are lifted, what certain rows leave, and the reasons in words."""

from __future__ import annotations

from policies.decision import row_conditions
from policies.decision.column_outcome import Draft, Outcome, finish, strictest
from policies.decision.mask_order import NULL
from policies.decision.row_conditions import ALWAYS
from policies.model import Effect, Mask, MaskType, Reason

LAST, HASH, DROP = Mask("MASK_SHOW_LAST_4"), Mask("MASK_HASH"), Mask(MaskType.DROP)
FIRST = Reason("role", "r", "Role r reads *.")
R1, R2 = row_conditions.rows(["r1"]), row_conditions.rows(["r2"])


def draft(
    *masks: tuple[Mask, str, row_conditions.Condition | None], opens: row_conditions.Condition | None = ALWAYS
) -> Draft:
    return Draft(opens, list(masks), [FIRST])


def test_what_nobody_opens_is_denied_with_its_reasons() -> None:
    assert finish(draft((LAST, "p", None), opens=None), ALWAYS) == Outcome(Effect.DENY, None, None, (FIRST,))


def test_a_draft_begins_closed() -> None:
    assert Draft() == Draft(None, [], [], set(), False) and Draft().masks is not Draft().masks
    assert finish(Draft(), ALWAYS).effect is Effect.DENY


def test_clear_and_masked() -> None:
    assert finish(draft(), ALWAYS) == Outcome(Effect.ALLOW, None, None, (FIRST,))
    assert finish(draft((LAST, "p", None)), ALWAYS) == Outcome(Effect.ALLOW, LAST, None, (FIRST,))


def test_several_masks_name_the_policies() -> None:
    one = finish(draft((LAST, "p", None), (HASH, "q", None), (HASH, "o", None)), ALWAYS)
    text = "3 masks: the strictest mask, of o, q, holds."
    assert one == Outcome(Effect.ALLOW, HASH, None, (FIRST, Reason("policy", "o, q", text)))
    tie = strictest([(LAST, "p"), (Mask("MASK_SHOW_LAST_4", params={"show": 1}), "q")])
    words = "2 masks: the masks of p, q hide different parts, so the whole is masked."
    assert tie == (Mask(MaskType.MASK), [Reason("policy", "p, q", words)])
    beside = strictest([(Mask(MaskType.CUSTOM, "a"), "q"), (LAST, "p")])
    words = "2 masks: an expression cannot be compared with another mask (p, q), so nothing is shown."
    assert beside == (NULL, [Reason("policy", "p, q", words)])
    assert strictest([(LAST, "p")]) == (LAST, [])


def test_a_mask_that_a_grant_lifts_in_rows_is_clear_there() -> None:
    note = Reason("grant", "rows", "Unmasked only in rows where r1.")
    assert finish(draft((LAST, "p", R1)), ALWAYS) == Outcome(Effect.ALLOW, LAST, "r1", (FIRST, note))
    both = finish(draft((LAST, "p", R1), (HASH, "q", R2)), ALWAYS)
    assert (both.mask, both.clear_when) == (HASH, "(r1) AND (r2)")
    never = finish(draft((LAST, "p", R1), (HASH, "q", None)), ALWAYS)
    assert (never.mask, never.clear_when) == (HASH, None)
    certain = finish(draft((LAST, "p", R1)), R1)
    assert certain == Outcome(Effect.ALLOW, None, None, (FIRST,))
    assert finish(draft((LAST, "p", R1), (HASH, "q", R2)), R1).clear_when == "r2"


def test_rows_that_do_not_open_it_show_nothing() -> None:
    partly = finish(draft(opens=R1), ALWAYS)
    note = Reason("grant", "rows", "Unmasked only in rows where r1.")
    assert partly == Outcome(Effect.ALLOW, NULL, "r1", (FIRST, note))
    masked = finish(draft((LAST, "p", None), opens=R1), ALWAYS)
    assert (masked.mask, masked.clear_when) == (NULL, None)
    assert masked.reasons[1] == Reason("policy", "rows", "2 masks: the strictest mask, of rows, holds.")
    lifted = finish(draft((LAST, "p", R2), opens=R1), ALWAYS)
    assert (lifted.mask, lifted.clear_when) == (NULL, "(r1) AND (r2)")
    assert finish(draft(opens=R1), R1) == Outcome(Effect.ALLOW, None, None, (FIRST,))


def test_a_field_is_not_left_out_of_some_rows_only() -> None:
    assert finish(draft((DROP, "p", R1)), ALWAYS).mask == NULL
    assert finish(draft((DROP, "p", None)), ALWAYS).mask == DROP
    assert finish(draft((DROP, "p", None), (LAST, "q", R1)), ALWAYS).mask == DROP


def test_conditions() -> None:
    assert row_conditions.text(row_conditions.rows(["b", "a"])) == "(a) OR (b)"
    assert row_conditions.rows(["a", None]) == ALWAYS and row_conditions.text(row_conditions.rows([])) == "FALSE"
    assert row_conditions.text(row_conditions.both(R1, row_conditions.rows(["r2", "r3"]))) == "(r1) AND ((r2) OR (r3))"
    assert row_conditions.both(R1, row_conditions.rows(["r1", "r2"])) == R1
    assert row_conditions.either(R1, R2) == row_conditions.rows(["r1", "r2"])
    assert (
        row_conditions.any_of([]) == ALWAYS == row_conditions.any_of([R1, ALWAYS]) and row_conditions.any_of([R1]) == R1
    )
    assert row_conditions.any_of([R1, R2]) == row_conditions.rows(["r1", "r2"])
    assert row_conditions.beyond(R1, row_conditions.rows(["r1", "r2"])) == ALWAYS
    assert row_conditions.beyond(row_conditions.rows(["r1", "r2"]), R1) == R1
