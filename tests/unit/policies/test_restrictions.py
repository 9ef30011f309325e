"""What two decisions have in common is equal only where both show the same values of the same rows."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from catalog.model import DatasetId
from policies.decision.restrictions import hides, restrictions
from policies.model import ColumnDecision, Decision, Effect, Mask, RowFilter

MASKS = st.one_of(
    st.none(),
    st.builds(
        Mask,
        type=st.sampled_from(["MASK_HASH", "MASK_NULL"]),
        params=st.dictionaries(st.sampled_from(["keep", "seed"]), st.integers(0, 3)),
        kind=st.sampled_from(["", "PERSON"]),
    ),
)
COLUMNS = st.lists(
    st.builds(
        ColumnDecision,
        path=st.sampled_from(["value.a", "value.b", "value.c"]),
        effect=st.sampled_from(list(Effect)),
        mask=MASKS,
        clear_when=st.sampled_from([None, "a = 1"]),
    ),
    unique_by=lambda each: each.path,
)
DECISIONS = st.builds(
    Decision,
    dataset=st.just(DatasetId("kafka://k", "orders")),
    reference=st.just("prod/orders"),
    effect=st.just(Effect.ALLOW),
    columns=COLUMNS,
    filters=st.lists(st.builds(RowFilter, dataset=st.just("prod/orders"), where=st.sampled_from(["x", "y"]))).map(
        tuple
    ),
)


def meaning(decision: Decision) -> object:
    shown = {
        (c.path, c.effect, c.mask and (c.mask.type, tuple(sorted(c.mask.params.items())), c.mask.kind), c.clear_when)
        for c in decision.columns
        if c.mask is not None or c.effect is not Effect.ALLOW
    }
    return shown, sorted(f.where for f in decision.filters)


@given(DECISIONS, DECISIONS)
def test_equal_exactly_where_the_same_is_hidden(one: Decision, other: Decision) -> None:
    assert (restrictions(one) == restrictions(other)) is (meaning(one) == meaning(other))


@given(DECISIONS)
def test_order_and_reasons_do_not_count_and_a_new_open_field_changes_nothing(decision: Decision) -> None:
    more = ColumnDecision("value.new", Effect.ALLOW)
    other = replace(decision, columns=[more, *reversed(decision.columns)], grants=("g-1",))
    assert restrictions(other) == restrictions(decision) and hides(other) is hides(decision)
