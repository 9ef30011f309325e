"""Runs every declared view, each on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable

import structlog

from views.runner.tools import Tools
from views.runner.view import View

_log = structlog.get_logger(__name__)
_LOOK_S = 0.5
_IDLE_S = 0.2
_POLLED_S = 0.01
"""The pause behind a step that has waited for records itself."""
_END_S = 15.0
_NEVER = -1e9
_REST_S = 10.0
"""Between two lists of the views where nothing was written."""
BEAT_S = 6.0
"""How often the runner notes that it is at work."""


class Runner:
    """Keeps the views that are declared, or of which something is left, in step."""

    def __init__(self, tools: Tools, names: Callable[[], Collection[str]]) -> None:
        """`names`: the views that are declared now."""
        self._tools, self._names = tools, names
        self._threads: dict[str, threading.Thread] = {}

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set. Raises Unavailable when the record store does not answer at the start."""
        beaten = listed = _NEVER
        written: Hashable = None
        self._tools.engine.tidy(self._tools.checkpoints)
        while not stop.is_set():
            if self._tools.monotonic() - beaten >= BEAT_S:
                self._tools.states.beat(self._tools.clock())
                beaten = self._tools.monotonic()
            version, now = self._tools.written(), self._tools.monotonic()
            if version != written or now - listed >= _REST_S:
                written, listed = version, now
                self._start(stop)
            stop.wait(_LOOK_S)
        for thread in self._threads.values():
            thread.join(_END_S)

    def _start(self, stop: threading.Event) -> None:
        names = {*self._names(), *self._tools.states.names()}
        self._threads = {name: each for name, each in self._threads.items() if each.is_alive()}
        for name in sorted(names - set(self._threads)):
            thread = threading.Thread(target=self._keep, args=(name, stop), name=f"weir-view-{name}", daemon=True)
            self._threads[name] = thread
            thread.start()

    def _keep(self, name: str, stop: threading.Event) -> None:
        view = View(name, self._tools)
        try:
            while not stop.is_set():
                busy = view.step()
                if view.over:
                    return
                if not busy:
                    stop.wait(_POLLED_S if view.waits else _IDLE_S)
        except Exception as error:
            # A fault of ours: the thread ends, and the next look starts it again from what is kept.
            _log.error("view_thread_failed", view=name, kind=type(error).__name__)
            stop.wait(_END_S)
        finally:
            view.close()
