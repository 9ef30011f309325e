"""An end for a whole HTTP call: its time-outs are for one read each, and a byte now and then would keep it for ever."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Any

REGISTRY_SECONDS = 8.0
"""So long a request of a person waits for all answers of a schema registry."""

_END: ContextVar[float | None] = ContextVar("weir_calls_end", default=None)


@contextlib.contextmanager
def all_calls_within(seconds: float) -> Iterator[None]:
    """Everything asked inside has this long together: for somebody who waits, unlike a worker that asks on and on."""
    token = _END.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _END.reset(token)


def patience(seconds: float) -> float:
    """How long the next call may take: `seconds`, or what is left of `all_calls_within`; 0 or less when that is over."""
    end = _END.get()
    return seconds if end is None else min(seconds, end - time.monotonic())


class CallDeadline:
    """Closes the connection of a call that takes longer than `seconds`; then `passed` is True.

    The call hands `watch` to httpx as its `trace` extension, which reports every connection made for it.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._end = time.monotonic() + seconds
        self._stream: Any = None
        self._timer = threading.Timer(seconds, self._close)
        self._timer.daemon = True

    @property
    def left(self) -> float:
        """Seconds until the end, never nothing: a time-out of 0 would mean none to some."""
        return max(0.01, self._end - time.monotonic())

    def watch(self, event: str, info: Mapping[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._stream = info["return_value"]
            if self.passed:
                self._close()

    def _close(self) -> None:
        self.passed = True
        connection = self._stream.get_extra_info("socket") if self._stream is not None else None
        if connection is not None:
            with contextlib.suppress(OSError):
                # Of a TLS socket too, only the socket below it: another thread is reading from it.
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def __enter__(self) -> CallDeadline:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
