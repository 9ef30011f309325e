"""The twin of what is known of views."""

from __future__ import annotations

from views.adapters.memory import MemoryViewStates


def test_states_and_wishes_are_copies_and_are_forgotten_together() -> None:
    states = MemoryViewStates()
    kept = {"state": "running", "goal": {"orders": {"0": 3}}}
    states.put("totals", kept)
    states.put_wish("totals", {"paused": True})
    states.put_wish("other", {"restart": 1})
    kept["goal"] = {}
    states.get("totals")["goal"]["orders"]["0"] = 9
    assert states.get("totals") == {"state": "running", "goal": {"orders": {"0": 3}}}
    assert states.wish("totals") == {"paused": True} and set(states.all()) == {"totals", "other"}
    states.forget("totals")
    assert states.get("totals") == {} and states.wish("totals") == {} and set(states.all()) == {"other"}
