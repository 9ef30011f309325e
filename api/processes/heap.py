"""Memory and threads of the libraries in C, in a process of many threads."""

from __future__ import annotations

import contextlib
import ctypes
import os

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS = 2
"""As for the servers in Java. glibc gives threads up to eight arenas a processor, and what one has freed another does not
use: eight threads that read a lineage of 600 datasets at once left the process with 25 MB more than with two arenas."""


def few_arenas() -> None:
    """Let all threads share two arenas, unless MALLOC_ARENA_MAX is set. To be called before threads start; does
    nothing where the C library is another one."""
    if "MALLOC_ARENA_MAX" in os.environ:
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def one_thread_for_vectors() -> None:
    """Let numpy compute in the thread that asks, unless OPENBLAS_NUM_THREADS is set. To be called before numpy is imported.

    Its threads wait for each other in a loop: on two processors a search took 70 ms of processor time with them and 30 ms
    without, of which the search server then had the rest.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
