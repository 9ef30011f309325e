"""Questions to a running JVM by its own attach mechanism, as jcmd asks them; for processes of this user alone."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_THREAD = re.compile(rb'^(?=")', re.MULTILINE)
_TIMES = rb"[^\n]*? cpu=([\d.]+)ms[^\n]*? nid=(0x[0-9a-f]+|\d+)"
_TASK = re.compile(rb'"Executor task launch worker for task [\d.]+ in stage [\d.]+ \(TID (\d+)\)"' + _TIMES)
_STATEMENT = re.compile(rb'"SparkConnectExecuteThread_opId=([0-9a-f-]+)"' + _TIMES)
_IDLE = b"java.util.concurrent.ThreadPoolExecutor.getTask("
"""Spark's threads of tasks wait for their next one in here, for a minute, under the name of the last."""
_MOST_BYTES = 16 * 1024 * 1024


class ThreadTime(NamedTuple):
    """Seconds since a thread began.

    used    of a processor
    waited  that it was ready to run and had no processor; 0 where it is not known
    """

    used: float
    waited: float


@dataclass(frozen=True)
class SparkThreads:
    """The time of each thread of a Spark Connect server that works on something just now.

    tasks       by the number of the task; a number is never used twice
    statements  by the id of the operation that it plans or waits for
    """

    tasks: dict[int, ThreadTime]
    statements: dict[str, ThreadTime]


def spark_threads(pid: int, seconds: float = 3.0) -> SparkThreads | None:
    """What the process works on just now, by its thread dump.

    None where the JVM cannot be asked or does not answer in time. It must run with `-XX:+StartAttachListener`.
    """
    answer = _ask(pid, b"threaddump", seconds)
    return None if answer is None else read_threads(answer, lambda thread: _waited(pid, thread))


def read_threads(dump: bytes, waited: Callable[[int], float] = lambda thread: 0.0) -> SparkThreads:
    """The threads of tasks and statements in a thread dump of Java 17 or 21.

    `waited` gives the seconds that a thread of the system waited for a processor.
    """
    tasks: dict[int, ThreadTime] = {}
    statements: dict[str, ThreadTime] = {}
    for thread in _THREAD.split(dump):
        if (task := _TASK.match(thread)) and _IDLE not in thread:
            tasks[int(task[1])] = _time(task, waited)
        elif statement := _STATEMENT.match(thread):
            statements[statement[1].decode()] = _time(statement, waited)
    return SparkThreads(tasks, statements)


def _time(thread: re.Match[bytes], waited: Callable[[int], float]) -> ThreadTime:
    return ThreadTime(float(thread[2]) / 1000, waited(int(thread[3], 0)))


def _waited(pid: int, thread: int) -> float:
    """Known on Linux alone."""
    try:
        return int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _ask(pid: int, command: bytes, seconds: float) -> bytes | None:
    path = Path("/tmp") / f".java_pid{pid}"  # noqa: S108 - Java's own place
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(str(path))
            # The version of the protocol, a command, and its three arguments.
            connection.sendall(b"1\0" + command + b"\0\0\0\0")
            parts, size = [], 0
            while (part := connection.recv(65536)) and size < _MOST_BYTES:
                parts.append(part)
                size += len(part)
    except OSError:
        return None
    status, _, answer = b"".join(parts).partition(b"\n")
    return answer if status == b"0" else None
