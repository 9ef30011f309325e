"""What is known of one view, and keeping it."""

from __future__ import annotations

import structlog

from catalog.errors import Unavailable, WeirError
from catalog.records import rfc3339
from views.model import State
from views.runner.state import ViewState
from views.runner.tools import Tools

_log = structlog.get_logger(__name__)
_SAVE_S = 1.0
_REST_S = 30.0
"""Between two notes of when a view at rest was looked at: each is a write, and wakes the duties of the worker."""
_FIGURES = ("lag", "rates", "counts", "letters", "history")
_FRESH = (State.RUNNING, State.PAUSED, State.STARTING)
"""States that end an error that was shown."""


class Record:
    """Not safe for threads. `state` is changed in place, and kept by `save`."""

    def __init__(self, view: str, tools: Tools) -> None:
        self._view, self._tools = view, tools
        self.state = ViewState.read(tools.states.get(view))
        self._saved: tuple[float, dict[str, object]] | None = None

    @property
    def blank(self) -> bool:
        """Whether nothing is known of the view."""
        return not self.state.since

    def turn(self, state: State, error: WeirError | None = None) -> None:
        """Note the state, since when, and what ended the stream."""
        if error is not None or state in _FRESH:
            self.state.error = error.parts() if error is not None else None
        if self.state.state != state or self.blank:
            self.state.state, self.state.since = state, rfc3339(self._tools.clock()) or ""

    def save(self, now: bool = False) -> None:
        """Keep the state where it differs: figures alone once a second, the time of a look alone every thirty seconds.

        `now`: raises Unavailable where it cannot be kept, because what comes next rests on it.
        """
        written, moment = self.state.to_json(), self._tools.monotonic()
        if self.blank or (not now and self._is_kept(written, moment)):
            return
        try:
            self._tools.states.put(self._view, written)
        except Unavailable as error:
            if now:
                raise
            _log.warning("view_state_not_kept", view=self._view, message=error.message)
            return
        self._saved = moment, written

    def _is_kept(self, written: dict[str, object], moment: float) -> bool:
        if self._saved is None:
            return False
        at, before = self._saved
        figures = dict.fromkeys(_FIGURES)
        if moment - at < _SAVE_S:
            return before | figures == written | figures
        return moment - at < _REST_S and _undated(before) == _undated(written)

    def forget(self) -> None:
        self._tools.states.forget(self._view)
        self.state, self._saved = ViewState(), None


def _undated(state: dict[str, object]) -> dict[str, object]:
    """Without the time of the look, and without how long an empty batch took."""
    lag, rates = state["lag"], state["rates"]
    assert isinstance(lag, dict) and isinstance(rates, dict)
    if not rates.get("recordsPerSecond") and not rates.get("recordsInPerSecond"):
        rates = rates | {"batchSeconds": None}
    return state | {"lag": lag | {"at": None}, "rates": rates}
