"""The twin of what is known of views."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from catalog.adapters.sql.database import Database
from tests.twins.views import MemoryViewStates
from views.adapters.states_sql import SqlViewStates


def test_the_beat_of_the_runner_is_no_view(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'weir.db'}")
    database.migrate()
    at = datetime(2026, 11, 23, 10, tzinfo=UTC)
    for states in (MemoryViewStates(), SqlViewStates(database)):
        assert states.beaten() is None
        states.beat(at)
        states.put("totals", {"state": "running"})
        states.put_wish("other", {"restart": 1})
        assert states.beaten() == at and set(states.all()) == states.names() == {"totals", "other"}
        assert states.wish("totals") == states.wish("nobody") == {} and states.wish("other") == {"restart": 1}
    database.close()


def test_states_and_wishes_are_copies_and_are_forgotten_together() -> None:
    states = MemoryViewStates()
    kept: dict[str, object] = {"state": "running", "goal": {"orders": {"0": 3}}}
    states.put("totals", kept)
    states.put_wish("totals", {"paused": True})
    states.put_wish("other", {"restart": 1})
    kept["goal"] = {}
    copied: Any = states.get("totals")
    copied["goal"]["orders"]["0"] = 9
    assert states.get("totals") == {"state": "running", "goal": {"orders": {"0": 3}}}
    assert states.wish("totals") == {"paused": True} and set(states.all()) == {"totals", "other"}
    states.forget("totals")
    assert states.get("totals") == {} and states.wish("totals") == {} and set(states.all()) == {"other"}
