"""How SQLite's files of the serving database are made and opened: for their owner alone, and so that deleted bytes go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

BUSY_MS = 10_000
"""How long a writer waits for another one."""


def make_file(file: Path) -> None:
    file = file.absolute()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # SQLite gives the files beside it (-wal, -shm) the mode of the database itself.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    file.chmod(0o600)


def prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own BEGIN comes too late (before the first write) and never for DDL; `begin_sqlite` sends it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")  # in WAL: safe against a crash of the process, and fast
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.execute("PRAGMA temp_store = MEMORY")
    cursor.execute("PRAGMA cache_size = -8192")
    cursor.close()


def begin_sqlite(connection: Connection) -> None:
    """Nothing where `weir_begin` is empty: a single statement is a transaction by itself, and each call of SQLite lets another
    thread have the interpreter."""
    if begin := connection.get_execution_options().get("weir_begin", "BEGIN"):
        connection.exec_driver_sql(begin)
