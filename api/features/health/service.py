"""Which servers answer, asked side by side with a short patience."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from catalog.errors import WeirError

_PATIENCE_S = 3.0
_KEPT_S = 1.0


@dataclass(frozen=True, slots=True)
class Report:
    """`problems`: server -> None while it answers, else a sentence. `lineage_lag`: events not yet in the graph."""

    problems: Mapping[str, str | None]
    lineage_lag: int | None


class Health:
    """Asks every server; an answer is kept for a second, so that many probes cost no more than one."""

    def __init__(self, probes: Mapping[str, Callable[[], object]], lag: Callable[[], int]) -> None:
        """A probe returns when its server answers and raises when it does not."""
        self._probes = dict(probes)
        self._lag = lag
        self._pool = ThreadPoolExecutor(len(self._probes) + 1, thread_name_prefix="health")
        self._lock = threading.Lock()
        self._kept: tuple[float, Report] | None = None

    def check(self) -> Report:
        """Takes at most a few seconds, whatever the servers do."""
        with self._lock:
            if self._kept is not None and time.monotonic() - self._kept[0] < _KEPT_S:
                return self._kept[1]
            report = self._ask()
            self._kept = (time.monotonic(), report)
            return report

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _ask(self) -> Report:
        deadline = time.monotonic() + _PATIENCE_S
        futures = {name: self._pool.submit(probe) for name, probe in self._probes.items()}
        lag = self._pool.submit(self._lag)
        problems: dict[str, str | None] = {}
        for name, future in futures.items():
            try:
                future.result(max(0.05, deadline - time.monotonic()))
                problems[name] = None
            except WeirError as error:
                problems[name] = error.message
            except TimeoutError:
                problems[name] = f"{name} did not answer within {_PATIENCE_S:g} seconds."
            except Exception as error:  # a probe's driver may raise anything; only the kind is told
                problems[name] = f"{name} does not answer ({type(error).__name__})."
        try:
            behind: int | None = lag.result(max(0.05, deadline - time.monotonic()))
        except Exception:
            behind = None
        return Report(problems, behind)
