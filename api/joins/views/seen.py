"""What readers are shown of a view's state. A state is the runner's last word: when the runner is silent, it is not known."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from cachetools import TTLCache

from catalog.errors import Conflict
from catalog.records import rfc3339
from views.model import State
from views.ports import ViewStates
from views.runner.state import Generation, ViewState

_MOVING = (State.STARTING, State.CATCHING_UP, State.RUNNING, State.RESTARTING)
"""States that only a runner keeps true."""
_KEPT_S = 1.0


class SeenStates:
    """The states of views, `unknown` where the runner was silent for `silent`. Safe for threads."""

    def __init__(
        self,
        states: ViewStates,
        silent: timedelta,
        declared: Callable[[], Mapping[str, datetime | None]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`declared`: the views there are, and when each was applied last."""
        self._states, self._silent, self._declared, self._clock = states, silent, declared, clock
        self._beats: TTLCache[str, datetime | None] = TTLCache(1, _KEPT_S)
        self._lock = threading.Lock()

    def get(self, view: str) -> ViewState:
        """Raises Unavailable."""
        return self._seen(view, ViewState.read(self._states.get(view)))

    def all(self) -> dict[str, ViewState]:
        """Raises Unavailable."""
        kept = self._states.all()
        return {name: self._seen(name, ViewState.read(kept.get(name, {}))) for name in {**self._declared(), **kept}}

    def _seen(self, view: str, state: ViewState) -> ViewState:
        if state.state not in _MOVING:
            return state
        if not state.since:
            applied = self._declared().get(view)
            if applied is None or self._clock() - applied < self._silent:
                return state  # a runner may be on its way to it
        beat = self._beat()
        if beat is not None and self._clock() - beat < self._silent:
            return state
        at = rfc3339(beat) if beat is not None else None
        since = f" since {at}" if at else ""
        state.error = {
            "code": "unavailable",
            "message": f"The runner of views does not answer{since}, so "
            + (
                "it is not known how far the view is; its rows are those of then."
                if state.since
                else "the view is not built."
            )
            + " The worker starts the runner again: weir status shows whether there is a worker.",
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


def active_of(name: str, state: ViewState) -> Generation:
    """The generation that readers get. Raises Conflict where there is none."""
    if state.active is not None:
        return state.active
    because = f" {state.error['message']}" if state.error else ""
    raise Conflict(
        f"The view {name} has no rows: it is {state.state}.{because}", details={"view": name, "state": state.state}
    )
