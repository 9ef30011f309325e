"""What a moment states that it does not know."""

from __future__ import annotations

from datetime import timedelta

import pytest

from policies.declared.state import GovernanceState
from policies.effective.moment import Moments
from policies.ports import Change
from tests.twins.policies.stores import MemoryFacts, MemoryPolicyStore
from tests.unit.policies.world import START

NOW = START + timedelta(days=2)


@pytest.mark.parametrize("past", [False, True])
def test_people_of_another_issuers_tokens_are_stated_as_not_known(past: bool) -> None:
    state = GovernanceState(MemoryPolicyStore(), lambda: NOW)
    as_of = START if past else None
    with_, without = (
        Moments(state, MemoryFacts(), lambda: NOW, bearers=each).of(as_of).notes for each in (True, False)
    )
    assert without == () and len(with_) == 1 and "WEIR_OIDC" in with_[0]


def test_documents_that_cannot_be_read_are_counted_for_everybody_and_named_for_some() -> None:
    state = GovernanceState(MemoryPolicyStore(), lambda: NOW)
    state.store.apply([Change("Policy", f"plan{n}", {"type": "none"}) for n in range(2)], START)
    moment = Moments(state, MemoryFacts(), lambda: NOW).of(None)
    assert [note.count("plan") > 0 for note in moment.notes_for(True)] == [True, True]
    (note,) = moment.notes_for(False)
    assert note.startswith("2 declared documents cannot be read") and "plan" not in note
