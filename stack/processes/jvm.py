"""Questions to a running JVM by its own attach mechanism, as jcmd asks them; for processes of this user alone."""

from __future__ import annotations

import re
import socket
from pathlib import Path

_TASK = re.compile(rb'^"Executor task launch worker for task [\d.]+ in stage [\d.]+ \(TID (\d+)\)"', re.MULTILINE)
_MOST_BYTES = 16 * 1024 * 1024


def spark_tasks(pid: int, seconds: float = 3.0) -> frozenset[int] | None:
    """The numbers of the Spark tasks that the process works on just now; a number is never used twice.

    None where the JVM cannot be asked or does not answer in time. It must run with `-XX:+StartAttachListener`.
    """
    answer = _ask(pid, b"threaddump", seconds)
    return None if answer is None else frozenset(int(number) for number in _TASK.findall(answer))


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
