"""Where the contract tests of the policies room get their databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from catalog.adapters.sql.database import Database

STORES = ["memory", "sqlite", "postgresql"]


@contextmanager
def database(kind: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A migrated database of its own. The test module imports `postgres_server` from `catalog_stores`."""
    if kind == "sqlite":
        folder: Path = request.getfixturevalue("tmp_path")
        url, server, name = f"sqlite:///{folder / 'weir.db'}", None, ""
    else:
        server, name = str(request.getfixturevalue("postgres_server")), f"weir_{uuid4().hex}"
        _execute(server, f"CREATE DATABASE {name}")
        url = f"{server.rsplit('/', 1)[0]}/{name}"
    made = Database(url)
    try:
        made.migrate()
        yield made
    finally:
        made.close()
        if server is not None:
            _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


def _execute(server: str, statement: str) -> None:
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
