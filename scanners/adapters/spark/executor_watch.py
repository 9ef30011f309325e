"""Whether Spark runs tasks, for those who ask often: a small task now and then, on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from catalog.adapters.port_check import require_spark
from catalog.adapters.spark_connect import connect, release
from catalog.errors import Unavailable, WeirError
from scanners.adapters.spark.executor_archive import send
from scanners.adapters.spark.executors import ExecutorReport, examine, require_packages

_KEPT_SECONDS = 60.0
"""For so long an answer counts. Nothing is asked of Spark while nobody asks this."""
_KEPT_FAILED_SECONDS = 10.0
_FIRST_SECONDS = 2.0
_SLOW_SECONDS = 20.0
Ask = Callable[[], Sequence[ExecutorReport]]


class ExecutorWatch:
    """Safe for threads. At most one task is under way."""

    def __init__(
        self,
        remote: str,
        seconds: float,
        ask: Ask | None = None,
        listens: Callable[[], None] | None = None,
        first_seconds: float = _FIRST_SECONDS,
        slow_seconds: float = _SLOW_SECONDS,
        packages: bool = True,
    ) -> None:
        """`remote`: a Spark Connect URL; `seconds`: the most that a task may take; `packages`: whether executors must have the
        packages of a scan without an archive. The others are for tests."""
        self._packages = packages
        self._ask: Ask = ask or (lambda: asked(remote, seconds))
        self._listens = listens or (lambda: require_spark(remote))
        self._first_seconds, self._slow_seconds = first_seconds, slow_seconds
        self._lock = threading.Lock()
        self._ended: tuple[float, Unavailable | None] | None = None
        self._begun: float | None = None
        self._answered = threading.Event()

    def check(self) -> None:
        """Return when the last small task ran, and none has waited for long since. Raises Unavailable, SettingsError."""
        self._listens()
        with self._lock:
            if self._begun is None and self._is_old():
                self._begun = time.monotonic()
                self._answered.clear()
                threading.Thread(target=self._run, name="weir-spark-task", daemon=True).start()
            first = self._ended is None
        if first:
            self._answered.wait(self._first_seconds)
        with self._lock:
            waited = time.monotonic() - self._begun if self._begun is not None else 0.0
            ended = self._ended
        if ended is not None and ended[1] is not None:
            raise Unavailable(ended[1].message, details=ended[1].details)
        if waited > self._slow_seconds:
            raise Unavailable(
                f"Spark has not run a small task for {waited:.0f} seconds: its master has no workers, or all of them are busy.",
                details={"server": "spark"},
            )

    def _is_old(self) -> bool:
        if self._ended is None:
            return True
        kept = _KEPT_SECONDS if self._ended[1] is None else _KEPT_FAILED_SECONDS
        return time.monotonic() - self._ended[0] > kept

    def _run(self) -> None:
        problem: Unavailable | None = None
        try:
            reports = self._ask()
            if self._packages:
                require_packages(reports)
        except Unavailable as error:
            problem = error
        except WeirError as error:
            problem = Unavailable(error.message, details=error.details)
        except Exception as error:  # only the kind of a driver's error is told
            problem = Unavailable(
                f"Spark does not run a small task ({type(error).__name__}).", details={"server": "spark"}
            )
        with self._lock:
            self._ended, self._begun = (time.monotonic(), problem), None
        self._answered.set()


def asked(remote: str, seconds: float, imports: bool = False, archive: Path | None = None) -> list[ExecutorReport]:
    """What the executors of a Spark Connect server report, in a session of its own, to which the archive is sent.

    Raises Unavailable, SettingsError.
    """
    session = connect(remote, seconds + 10)
    try:
        if archive is not None:
            send(session, archive)
        return examine(session, seconds, imports)
    finally:
        # A server that runs nothing is slow to close a session with a job in it; the answer is known.
        threading.Thread(target=release, args=(session,), name="weir-spark-close", daemon=True).start()
