"""The twin of what is known of views."""

from __future__ import annotations

import pytest

from views.adapters.memory import MemoryViewStates


def test_states_are_copies_and_a_failed_transaction_leaves_nothing() -> None:
    states = MemoryViewStates()
    assert states.get("v") == {} and states.all() == {}
    given = {"generation": "g", "list": [1]}
    states.put("v", given)
    given["list"].append(2)  # type: ignore[attr-defined]
    states.get("v")["list"].append(3)
    assert states.all() == {"v": {"generation": "g", "list": [1]}}
    with pytest.raises(RuntimeError), states.transaction():
        states.put("v", {})
        states.put("w", {"a": 1})
        raise RuntimeError
    assert states.all() == {"v": {"generation": "g", "list": [1]}}
    with states.transaction(), states.transaction():
        states.forget("v")
    assert states.all() == {}
    states.forget("v")
