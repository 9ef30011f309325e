"""Short calls of many requests, made one after the other by one thread.

A thread for each call costs more than a read of one row: the loop, that thread and the next one take turns at the interpreter.
Here the calls that came while others were made are taken by the thread that is at work, and the loop is woken once for all
that are done. A second thread begins where a call takes long, as one on a slow disk does, so that it keeps no other one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from anyio.lowlevel import RunVar

T = TypeVar("T")

_LONG_SECONDS = 0.003
"""A call that takes longer is left to its thread, and the others to another one."""
_WAIT_SECONDS = 0.01
"""Another thread begins where a call waits longer, as where each one waits for a server."""
_AT_ONCE = 16
"""Answers that wait for others to be done, so that one loop's turn sends them all."""


class RequestBatcher:
    """Makes calls in at most `threads` threads. For any number of event loops."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, "weir-batch")
        self._lanes: RunVar[_Lane] = RunVar("weir_lane")

    async def run(self, call: Callable[[], T]) -> T:
        """What `call` returns; raises what it raises."""
        try:
            lane = self._lanes.get()
        except LookupError:
            lane = _Lane(asyncio.get_running_loop(), self._pool, self._threads)
            self._lanes.set(lane)
        answer: T = await lane.add(call)
        return answer

    def close(self) -> None:
        self._pool.shutdown(wait=False)


class _Lane:
    """The calls of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pool: ThreadPoolExecutor, threads: int) -> None:
        self._loop, self._pool, self._threads = loop, pool, threads
        self._waiting: deque[tuple[Callable[[], Any], asyncio.Future[Any], float]] = deque()
        self._done: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._lock = Lock()
        self._active = 0
        self._begun = 0.0
        self._looking = False

    def add(self, call: Callable[[], Any]) -> asyncio.Future[Any]:
        future = self._loop.create_future()
        self._waiting.append((partial(copy_context().run, call), future, time.monotonic()))
        with self._lock:
            if self._active == 0:
                self._start()
        if not self._looking:
            self._looking = True
            self._loop.call_later(_LONG_SECONDS, self._look)
        return future

    def _start(self) -> None:
        """Only with the lock."""
        self._active += 1
        self._begun = time.monotonic()
        self._pool.submit(self._work)

    def _look(self) -> None:
        """Give what is done, and let another thread take what waits behind a long call."""
        self._deliver()
        with self._lock:
            if self._waiting and self._active < self._threads and self._is_late(time.monotonic()):
                self._start()
            self._looking = self._active > 0
        if self._looking:
            self._loop.call_later(_LONG_SECONDS, self._look)

    def _is_late(self, now: float) -> bool:
        try:
            return now - self._begun > _LONG_SECONDS or now - self._waiting[0][2] > _WAIT_SECONDS
        except IndexError:  # taken in between
            return False

    def _work(self) -> None:
        ready = 0
        while True:
            try:
                call, future, _ = self._waiting.popleft()
            except IndexError:
                if ready and self._wake():  # what waited was another thread's, or of somebody who left
                    ready = 0
                with self._lock:
                    if self._waiting:  # one came in between
                        continue
                    self._active -= 1
                return
            self._begun = time.monotonic()
            if future.cancelled():
                continue
            try:
                self._done.append((future, call(), None))
            except BaseException as error:
                self._done.append((future, None, error))
            ready += 1
            if ready >= _AT_ONCE or not self._waiting:
                ready = 0
                if not self._wake():
                    with self._lock:
                        self._active -= 1
                    return

    def _wake(self) -> bool:
        """Whether the loop is there."""
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            return False
        return True

    def _deliver(self) -> None:
        while self._done:
            future, answer, error = self._done.popleft()
            if future.done():
                continue  # nobody waits any longer
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)
