"""The smallest query, asked again and again, each time on a thread of its own: an engine that hangs keeps nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from catalog.errors import WeirError

_EVERY_SECONDS = 2.0
_QUICK_SECONDS = 0.3
_GIVEN_UP_SECONDS = 15.0
_MOST_OPEN = 4


class Probe:
    """Safe for threads. All times are monotonic."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Answers of the engine that was count no more."""
        with self._lock:
            self._round = object()
            self._answered: float | None = None
            self._asked = 0.0
            self._open = 0
            self._unanswered_since: float | None = None

    def excuse(self) -> None:
        """Do not count the silence until now as the engine's."""
        with self._lock:
            if self._unanswered_since is not None:
                self._unanswered_since = time.monotonic()

    def step(self, quick: bool = False) -> None:
        """Ask, when it is time; does not wait."""
        now = time.monotonic()
        with self._lock:
            due = _GIVEN_UP_SECONDS if self._open else _QUICK_SECONDS if quick else _EVERY_SECONDS
            if now - self._asked < due or self._open >= _MOST_OPEN:
                return
            self._asked, self._open = now, self._open + 1
            if self._unanswered_since is None:
                self._unanswered_since = now
            mark = self._round
        threading.Thread(target=self._once, args=(mark,), name="weir-engine-probe", daemon=True).start()

    def unanswered(self) -> float:
        """Seconds since the first question after the last answer."""
        with self._lock:
            return 0.0 if self._unanswered_since is None else time.monotonic() - self._unanswered_since

    def since(self) -> float | None:
        """When the first question was asked that is without an answer; None when there is none."""
        with self._lock:
            return self._unanswered_since

    def answered_since(self, moment: float) -> bool:
        with self._lock:
            return self._answered is not None and self._answered >= moment

    def _once(self, mark: object) -> None:
        answered = False
        try:
            self._ask()
            answered = True
        except WeirError:
            pass
        finally:
            with self._lock:
                if mark is self._round:
                    self._open -= 1
                    if answered:
                        self._answered, self._unanswered_since = time.monotonic(), None
