"""What readers are shown of a view's state. A state is the runner's last word: when the runner is silent, it is not known."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from cachetools import TTLCache

from catalog.records import rfc3339
from views.model import State
from views.ports import ViewStates
from views.runner.state import ViewState

_MOVING = (State.STARTING, State.CATCHING_UP, State.RUNNING, State.RESTARTING)
"""States that only a runner keeps true."""
_KEPT_S = 1.0


class SeenStates:
    """The states of views, `unknown` where the runner was silent for `silent`. Safe for threads."""

    def __init__(
        self, states: ViewStates, silent: timedelta, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._states, self._silent, self._clock = states, silent, clock
        self._beats: TTLCache[str, datetime | None] = TTLCache(1, _KEPT_S)
        self._lock = threading.Lock()

    def get(self, view: str) -> ViewState:
        """Raises Unavailable."""
        return self._seen(ViewState.read(self._states.get(view)))

    def all(self) -> dict[str, ViewState]:
        """Raises Unavailable."""
        return {name: self._seen(ViewState.read(data)) for name, data in self._states.all().items()}

    def _seen(self, state: ViewState) -> ViewState:
        if not state.since or state.state not in _MOVING:
            return state
        beat = self._beat()
        if beat is not None and self._clock() - beat < self._silent:
            return state
        at = rfc3339(beat) if beat is not None else None
        since = f" since {at}" if at else ""
        state.error = {
            "code": "unavailable",
            "message": f"The runner of views does not answer{since}, so it is not known how far the view is; its rows are those of"
            " then. The worker starts the runner again: weir status shows whether there is a worker.",
            "details": {"server": "views"},
        }
        state.state, state.since = State.UNKNOWN, at or state.since
        state.lag, state.rates = {"records": None, "seconds": None, "at": state.lag.get("at")}, {}
        return state

    def _beat(self) -> datetime | None:
        with self._lock:
            if "" not in self._beats:
                self._beats[""] = self._states.beaten()
            return self._beats[""]
