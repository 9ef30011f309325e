"""Questions to a running JVM by its own attach mechanism, as jcmd asks them; for processes of this user alone."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from pathlib import Path

_CPU = rb"[^\n]*? cpu=([\d.]+)ms"
_TASK = re.compile(
    rb'^"Executor task launch worker for task [\d.]+ in stage [\d.]+ \(TID (\d+)\)"' + _CPU, re.MULTILINE
)
_STATEMENT = re.compile(rb'^"SparkConnectExecuteThread_opId=([0-9a-f-]+)"' + _CPU, re.MULTILINE)
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class SparkThreads:
    """The processor seconds that each thread of a Spark Connect server used since the thread began.

    tasks       by the number of the task it works on just now; a number is never used twice
    statements  by the id of the operation that it plans or waits for
    """

    tasks: dict[int, float]
    statements: dict[str, float]


def spark_threads(pid: int, seconds: float = 3.0) -> SparkThreads | None:
    """What the process works on just now, by its thread dump.

    None where the JVM cannot be asked or does not answer in time. It must run with `-XX:+StartAttachListener`.
    """
    answer = _ask(pid, b"threaddump", seconds)
    return None if answer is None else read_threads(answer)


def read_threads(dump: bytes) -> SparkThreads:
    """The threads of tasks and statements in a thread dump of Java 17 or 21."""
    return SparkThreads(
        {int(number): float(used) / 1000 for number, used in _TASK.findall(dump)},
        {operation.decode(): float(used) / 1000 for operation, used in _STATEMENT.findall(dump)},
    )


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
