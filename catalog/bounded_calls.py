"""Calls of a driver that knows no deadline, given up after a time: a server that is frozen never closes its connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class GaveUp(Exception):
    """A call had no answer in time; it may still be under way."""


class BoundedCalls:
    """Runs each call on a thread of its own pool and waits for it at most `seconds`.

    While a call that was given up is still under way, the server counts as frozen: later calls wait `seconds_frozen`
    only, and none is begun once all `threads` are stuck. The first answer ends that. Threads are daemons, so a stuck
    one keeps no process from ending.
    """

    def __init__(self, name: str, seconds: float, seconds_frozen: float = 1.0, threads: int = 64) -> None:
        self._name, self._seconds, self._seconds_frozen, self._most = name, seconds, seconds_frozen, threads
        self._waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = self._busy = self._stuck = 0

    def call(self, work: Callable[[], Answer]) -> Answer:
        """What `work` gives, or raises. Raises GaveUp."""
        future: Future[Answer] = Future()
        begun = time.monotonic()
        with self._lock:
            if self._stuck >= self._most:
                raise GaveUp
            patience = self._seconds_frozen if self._stuck else self._seconds
            self._busy += 1
            if self._busy > self._threads and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
        self._waiting.put((future, work))
        try:
            return future.result(patience)
        except TimeoutError:
            if future.done() or time.monotonic() - begun < patience:
                return future.result()  # it came just now, or the call itself raised a TimeoutError
            self._give_up(future)
            raise GaveUp from None

    def _give_up(self, future: Future[Any]) -> None:
        if future.cancel():  # no thread was free for it
            return
        with self._lock:
            self._stuck += 1

        def back(_: Future[Any]) -> None:
            with self._lock:
                self._stuck -= 1

        future.add_done_callback(back)

    def _work(self) -> None:
        while True:
            future, work = self._waiting.get()
            try:
                if future.set_running_or_notify_cancel():
                    try:
                        future.set_result(work())
                    except BaseException as error:
                        future.set_exception(error)
            finally:
                with self._lock:
                    self._busy -= 1
                del future, work
