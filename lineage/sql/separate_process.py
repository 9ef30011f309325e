"""Long SQL read in a process of its own: the parser keeps the interpreter's lock, and every other request would wait.

Run as a module this is that process. It answers one text at a time over its standard input and output, asks back for
the columns of tables, and ends when its parent does.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from catalog.errors import InvalidInput, Unavailable
from lineage.sql.columns import columns_from_sql
from lineage.sql.model import SqlLineage

ColumnsOf = Callable[[str], Mapping[str, Any] | None]

_AT_ONCE = 4_000
"""Characters of a text that is read where it is asked for: some ten milliseconds, less than the way to the process."""
_MEMORY = 2 * 1024**3
_ROOT = Path(__file__).resolve().parents[2]


class SqlApart:
    """Reads SQL's column lineage. Safe for many threads; long texts are read one after the other."""

    def __init__(self, seconds: float, at_once: int = _AT_ONCE) -> None:
        """`seconds`: longest that reading one long text may take; `at_once`: characters read in this process."""
        self._seconds, self._at_once = seconds, at_once
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, sql: str, dialect: str | None, columns: ColumnsOf) -> SqlLineage:
        """As `columns_from_sql`. Raises InvalidInput for a text that takes too long, Unavailable while others do."""
        if len(sql) <= self._at_once:
            return columns_from_sql(sql, dialect, columns)
        end = time.monotonic() + self._seconds
        if not self._turn.acquire(timeout=self._seconds):
            raise Unavailable(f"Other long SQL texts are being read for {self._seconds:g} seconds; try again.")
        try:
            return self._asked(sql, dialect, columns, end)
        except TimeoutError:
            self.close()
            raise InvalidInput(
                f"Reading this SQL took longer than {self._seconds:g} seconds; send its statements one by one.",
                details={"limit": self._seconds},
            ) from None
        except (EOFError, OSError):
            self.close()
            raise InvalidInput("This SQL takes more memory than there is to read it; send less at once.") from None
        finally:
            self._turn.release()

    def close(self) -> None:
        """End the process; the next long text starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for end in (process.stdin, process.stdout):
                if end is not None:
                    with contextlib.suppress(OSError):
                        end.close()
            process.wait()

    def _asked(self, sql: str, dialect: str | None, columns: ColumnsOf, end: float) -> SqlLineage:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        with _kept_open(process.stdin.fileno(), process.stdout.fileno()) as (to, back):
            to.send((sql, dialect))
            while back.poll(max(0.0, end - time.monotonic())):
                kind, value = back.recv()
                if kind == "columns":
                    to.send(columns(value))
                elif kind == "found":
                    sql_lineage: SqlLineage = value
                    return sql_lineage
                else:
                    raise InvalidInput("This SQL cannot be read.", details={"kind": value})
        raise TimeoutError

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        return self._process


@contextlib.contextmanager
def _kept_open(writes: int, reads: int) -> Any:
    """Both ends as connections, which would close the descriptors when they are collected."""
    to, back = Connection(writes, readable=False), Connection(reads, writable=False)
    try:
        yield to, back
    finally:
        to._handle = back._handle = None  # type: ignore[attr-defined]


def _serve() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    requests, back = Connection(0, writable=False), Connection(1, readable=False)

    def columns(table: str) -> Mapping[str, Any] | None:
        back.send(("columns", table))
        table_columns: Mapping[str, Any] | None = requests.recv()
        return table_columns

    with contextlib.suppress(EOFError, OSError):
        while True:
            sql, dialect = requests.recv()
            try:
                answer: tuple[str, Any] = ("found", columns_from_sql(sql, dialect, columns))
            except (EOFError, OSError, MemoryError):
                raise
            except Exception as error:
                answer = ("failed", type(error).__name__)
            back.send(answer)


if __name__ == "__main__":
    _serve()
