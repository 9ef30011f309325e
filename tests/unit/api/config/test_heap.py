"""Threads of a process share few heaps of the C library."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

COUNT = """
import ctypes, sys, threading
{call}
begun, done = threading.Barrier(25), threading.Event()
def work():
    lib = ctypes.CDLL(None)
    lib.malloc.restype = ctypes.c_void_p
    lib.malloc(5000)
    begun.wait()
    done.wait()
for _ in range(24):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
lib = ctypes.CDLL(None)
lib.fdopen.restype = ctypes.c_void_p
lib.malloc_info(0, ctypes.c_void_p(lib.fdopen(1, b"w")))
lib.fflush(None)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
@pytest.mark.parametrize(("call", "most"), [("", None), ("from api.processes.heap import few_arenas; few_arenas()", 2)])
def test_threads_share_two_heaps(call: str, most: int | None) -> None:
    given = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    run = subprocess.run(
        [sys.executable, "-c", COUNT.format(call=call)],
        env=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    heaps = run.stdout.count("<heap nr=")
    assert heaps > 2 if most is None else 1 <= heaps <= most


VECTORS = """
import api.processes.serve
import os, numpy
rows = numpy.ones((3000, 1000), numpy.float32)
rows @ rows.T
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_vectors_are_computed_without_threads() -> None:
    """The server sets the number of threads before it imports numpy; afterwards it is too late."""
    given = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    run = subprocess.run(
        [sys.executable, "-c", VECTORS], env=given, capture_output=True, text=True, timeout=120, check=True
    )
    assert run.stdout.split() == ["1"]
