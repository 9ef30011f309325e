"""HTTP calls as honest clients make them: each is classified, timed, and repeated until it is acknowledged."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import httpx

HANG_S = 10.0
"""No answer may take longer, whatever is broken."""
QUERY_S = 62.0
"""`WEIR_QUERY__SECONDS`, and a little."""
PATIENCE_S = 75.0
"""How long a call is waited for here, so that a hang is measured and not only noticed."""


@dataclass
class Journal:
    """What calls came to. Safe for many threads.

    unavailable: clean refusals for a time (503, 429); absent: no connection; unclean: any other failure, with an example;
    hangs: calls that took too long.
    """

    answered: int = 0
    unavailable: int = 0
    absent: int = 0
    unclean: Counter[str] = field(default_factory=Counter)
    hangs: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def note(self, what: str, answer: httpx.Response | None, seconds: float, good: bool) -> None:
        with self._lock:
            self.longest = max(self.longest, seconds)
            # A query that is answered, or stopped at its own limit, may take as long as that.
            own = what == "query" and answer is not None and answer.status_code in (200, 429)
            if seconds > (QUERY_S if own else HANG_S):
                self.hangs[
                    f"{what} took {seconds:.0f} s, then {answer.status_code if answer is not None else 'nothing'}"
                ] += 1
            if answer is None:
                # One that was given up here is a hang, which is counted already.
                self.absent += seconds < PATIENCE_S
            elif good:
                self.answered += 1
            elif answer.status_code in (429, 503) and clean(answer):
                self.unavailable += 1
            else:
                self.unclean[f"{what}: {answer.status_code} {answer.text[:300]}"] += 1

    def wrong(self, what: str) -> None:
        """An answer that came and is not true."""
        with self._lock:
            self.unclean[what] += 1


def clean(answer: httpx.Response) -> bool:
    """One error body: a code and a sentence, without a stack trace."""
    try:
        message = answer.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(message, str) and "Traceback" not in message and "\tat " not in message


@dataclass
class Caller:
    """A client with one identity. `base` is asked at each call, for the address may change with a restart."""

    base: Callable[[], str]
    token: str
    journal: Journal
    stopping: threading.Event
    """When it is set, calls are repeated for `grace` more seconds and then given up."""
    grace: float = 120.0
    _client: httpx.Client = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._client = httpx.Client(headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE_S)

    def call(
        self, what: str, method: str, path: str, good: Collection[int] = (200, 201, 202), **more: Any
    ) -> httpx.Response | None:
        """One call; None without an answer."""
        started = time.monotonic()
        answer = None
        with contextlib.suppress(httpx.HTTPError):
            answer = self._client.request(method, self.base() + path, **more)
        self.journal.note(what, answer, time.monotonic() - started, answer is not None and answer.status_code in good)
        return answer if answer is not None and answer.status_code in good else None

    def until(
        self, what: str, method: str, path: str, good: Collection[int] = (200, 201, 202), **more: Any
    ) -> httpx.Response | None:
        """Again, with growing pauses, until it is acknowledged; None when that was given up."""
        pause, deadline = 0.3, None
        while True:
            answer = self.call(what, method, path, good, **more)
            if answer is not None:
                return answer
            if self.stopping.is_set():
                deadline = deadline or time.monotonic() + self.grace
                if time.monotonic() > deadline:
                    return None
            time.sleep(pause)
            pause = min(pause * 2, 2.0)

    def close(self) -> None:
        self._client.close()
