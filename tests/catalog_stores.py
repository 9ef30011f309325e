"""Ways to make an empty record store: memory, SQLite, and PostgreSQL where its server is installed.

tests/contract/conftest.py has the fixtures. The schema is migrated once for each kind, and every test gets a copy.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.ports import CatalogStore
from tests.twins.catalog.store import MemoryCatalogStore

STORES = ("memory", "sqlite", "postgresql")


def _tools() -> Path | None:
    """The folder of initdb and pg_ctl: on PATH, or where Debian puts them."""
    initdb = shutil.which("initdb")
    if initdb:
        return Path(initdb).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    return debian[-1].parent if debian else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL of its own, stopped at the end; gives the SQLAlchemy URL of its maintenance database."""
    with postgres() as port:
        yield f"postgresql+psycopg://weir@127.0.0.1:{port}/postgres"


@contextmanager
def postgres(password: str | None = None, more: str = "") -> Iterator[int]:
    """The port of a PostgreSQL of its own with the superuser `weir`, who needs a password where one is given. `more`:
    options of the server. Skips the test where PostgreSQL is not installed."""
    with controlled_postgres(password, more) as server:
        yield server.port


@dataclass(frozen=True)
class PostgresServer:
    """`control`: runs pg_ctl with such words."""

    port: int
    control: Callable[..., None]

    def start(self) -> None:
        self.control("start")

    def crash(self) -> None:
        """End it without a word to its clients."""
        self.control("-m", "immediate", "stop")


@contextmanager
def controlled_postgres(password: str | None = None, more: str = "") -> Iterator[PostgresServer]:
    """As `postgres`, of a server that is ended and started again."""
    tools = _tools()
    if tools is None:
        pytest.skip("PostgreSQL's server is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="weir-postgres-"))
    user = None
    if os.geteuid() == 0:  # the server refuses to run as root
        user = "postgres"
        shutil.chown(folder, user)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def run(*command: str | Path) -> None:
        # Output goes to a file: the server inherits it, and a pipe would never be closed.
        with (folder / "output").open("w+") as output:
            done = subprocess.run([str(c) for c in command], user=user, stdout=output, stderr=output, cwd=folder)
            output.seek(0)
            assert done.returncode == 0, output.read()

    data = folder / "data"
    auth: list[str | Path] = ["-A", "trust"]
    if password is not None:
        (folder / "password").write_text(password)
        auth = ["-A", "scram-sha-256", "--pwfile", folder / "password"]
    run(tools / "initdb", "-D", data, *auth, "-U", "weir", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off {more}"
    begin: list[str | Path] = [tools / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options]
    run(*begin, "start")
    try:
        yield PostgresServer(port, lambda *words: run(*begin, *words))
    finally:
        run(tools / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def own_postgres(server: str, template: str = "template1") -> Iterator[str]:
    """The URL of a new database on a server, dropped at the end. `template`: the database it is a copy of."""
    name = f"weir_{uuid4().hex}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    try:
        yield f"{server.rsplit('/', 1)[0]}/{name}"
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        engine.dispose()


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """The name of a database of `postgres_server` that has the newest schema and no row."""
    with own_postgres(postgres_server) as url:
        _migrate(url)
        yield url.rsplit("/", 1)[1]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that has the newest schema and no row."""
    file = tmp_path_factory.mktemp("template") / "weir.db"
    _migrate(f"sqlite:///{file}")
    return file


def _migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


@contextmanager
def own_database(kind: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A migrated database without rows: `sqlite` in the test's folder, or `postgresql`."""
    if kind == "sqlite":
        file: Path = request.getfixturevalue("tmp_path") / "weir.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), file)
        source: AbstractContextManager[str] = nullcontext(f"sqlite:///{file}")
    else:
        source = own_postgres(request.getfixturevalue("postgres_server"), request.getfixturevalue("postgres_template"))
    with source as url, closing(Database(url)) as database:
        yield database


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, on each kind that Weir supports."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/weir.db"
        return
    with own_postgres(request.getfixturevalue("postgres_server")) as url:
        yield url


@contextmanager
def catalog_store(kind: str, request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    """An empty catalog store: `memory`, `sqlite` or `postgresql`."""
    if kind == "memory":
        yield MemoryCatalogStore()
        return
    with own_database(kind, request) as database:
        yield SqlCatalogStore(database)
