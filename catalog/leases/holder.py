"""Names of processes that hold leases, and whether a process of this machine is over."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil

_START_TICKS = 19
"""`starttime` of proc(5), counted from what follows the name of the program."""


def this_process() -> str:
    """`HOST/MACHINE/PID/STARTED`: MACHINE differs between boots and between containers, STARTED between two processes that
    got one number."""
    return f"{_machine()}/{os.getpid()}/{_started(os.getpid())}"


def is_over(holder: str) -> bool:
    """Whether it is known that the process has ended; False for one of another machine, of which nothing is known here."""
    machine, _, rest = _split(holder)
    pid, _, started = rest.partition("/")
    if machine != _machine() or not pid.isdigit():
        return False
    try:
        return _started(int(pid)) != started
    except psutil.NoSuchProcess:
        return True


def _split(holder: str) -> tuple[str, str, str]:
    host, _, rest = holder.partition("/")
    machine, _, process = rest.partition("/")
    return f"{host}/{machine}", "/", process


def _machine() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id")
    spaces = Path("/proc/self/ns/pid")
    known = boot.read_text().strip()[:8] if boot.exists() else "0"
    return f"{socket.gethostname()}/{known}-{spaces.stat().st_ino if spaces.exists() else 0}"


def _started(pid: int) -> str:
    """Ticks from the start of the machine to that of the process, which no change of the clock moves.

    Raises psutil.NoSuchProcess.
    """
    process = psutil.Process(pid)
    if process.status() == psutil.STATUS_ZOMBIE:
        raise psutil.NoSuchProcess(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        raise psutil.NoSuchProcess(pid) from None
    return stat.rpartition(")")[2].split()[_START_TICKS]
