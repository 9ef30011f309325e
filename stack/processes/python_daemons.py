"""Spark's Python daemons that no session uses any more.

A Spark server starts a `pyspark.daemon` for each session whose statements call Python, about 30 MB, and ends none of them
before itself: Spark 4.0 keeps them by their environment, in which each session's own id is. A daemon forks a worker for
each task and ends it after a minute without one. Should a session ask again whose daemon is gone, Spark starts another.
"""

from __future__ import annotations

import contextlib

import psutil

from stack.processes.process import Identity

_NAME = "pyspark.daemon"


def idle(server: Identity) -> frozenset[Identity]:
    """The daemons of a Spark server that have no worker."""
    daemons = set()
    with contextlib.suppress(psutil.Error):  # one of them ended meanwhile; the others are seen next time
        process = server.process()
        for child in process.children() if process is not None else ():
            if _NAME in child.cmdline() and not child.children():
                daemons.add(Identity.of(child.pid))
    return frozenset(daemons)
