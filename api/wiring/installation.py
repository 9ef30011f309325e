"""What is looked at: the installation that a command of this machine would use."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from api.config.home import Home
from api.config.settings import Settings, load
from api.wiring.adapters import Adapters
from api.wiring.engines import instance_paths, local_environment
from api.wiring.given import GivenAdapters
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.schema_state import SchemaState, schema_state
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.declared.server_addresses import ServerAddresses
from catalog.records import ClusterRecord, DeclaredDocument

if TYPE_CHECKING:
    import neo4j

    from scanners.adapters.spark.executors import ExecutorReport


@dataclass
class Subject:
    """`parts` has the drivers of the product itself; nothing of them writes or migrates here."""

    home: Home
    settings: Settings
    parts: Adapters

    @staticmethod
    def of_environment(
        environment: MutableMapping[str, str] = os.environ, given: GivenAdapters | None = None
    ) -> Subject:
        """As the processes of `weir up` would see it: servers that it started count where no others are set. They are added to
        the environment. Raises SettingsError."""
        home = Home.of_environment()
        for name, value in local_environment(home).items():
            environment.setdefault(name, value)
        settings = load(home, environment)
        return Subject(home, settings, Adapters(settings, home, given or GivenAdapters()))

    @cached_property
    def database(self) -> Database:
        """The record store, which may be empty or of another version. Raises SettingsError."""
        return Database(self.settings.database.url or self.home.database_url)

    def paths(self) -> Iterator[Path]:
        """WEIR_HOME and what Weir writes below it."""
        return instance_paths(self.home)

    def schema(self) -> SchemaState:
        """The schema of the record store. Raises Unavailable."""
        return schema_state(self.database)

    def leases(self) -> dict[str, str]:
        """Duty -> the process that does it, empty for none. Raises Unavailable."""
        from catalog.adapters.sql.leases import SqlLeases

        return {name: lease.holder for name, lease in SqlLeases(self.database).all().items()}

    def graph(self) -> neo4j.Driver:
        """A driver of the caller's own; it connects when it is first used."""
        from lineage.adapters.neo4j.server import connect
        from lineage.settings import Neo4jSettings

        ours = self.settings.neo4j
        password = ours.password.get_secret_value() if ours.password else ""
        return connect(Neo4jSettings(uri=ours.uri, user=ours.user, password=password))

    @staticmethod
    @contextmanager
    def engine(remote: str, seconds: float) -> Iterator[Any]:
        """A session with Spark Connect whose calls end after so many seconds. Raises Unavailable, SettingsError."""
        from catalog.adapters.spark_connect import connect, release

        session = connect(remote, seconds)
        try:
            session.client.set_retry_policies([])
            yield session
        finally:
            release(session)

    def executors(self, session: Any, engine: str = "") -> list[ExecutorReport]:
        """What the executors of an engine report. Raises Unavailable in the words of a scan."""
        from scanners.adapters.spark.executor_archive import send
        from scanners.adapters.spark.executors import examine, require_packages

        archive = self.settings.spark.executor_archive
        if archive is not None and engine == "spark":
            send(session, archive)
        reports = examine(session)
        require_packages(reports)
        return reports

    def is_new(self) -> bool:
        """Whether Weir was never started here: the record store is not there, or has no schema. Raises Unavailable."""
        database = self.database
        file = database.url.database
        if database.is_sqlite and not (file and Path(file).exists()):
            return True  # to ask it would make it
        return self.schema().current is None

    def clusters(self) -> list[ClusterRecord]:
        """Raises Unavailable."""
        return [] if self.is_new() else list(SqlCatalogStore(self.database).clusters())

    def documents(self, kind: str) -> list[DeclaredDocument]:
        """Raises Unavailable."""
        return [] if self.is_new() else list(SqlCatalogStore(self.database).documents(kind))


def shown(url: str) -> str:
    """An address without what may be secret in it: user, password, parameters."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{re.split('[;?#]', parts.path)[0]}".rstrip("/")


def transport(servers: ServerAddresses | None, verify: ssl.SSLContext | bool) -> httpx.BaseTransport:
    """Of HTTP; `servers` checks addresses that were declared."""
    from catalog.adapters.checked_http import CheckedTransport

    return CheckedTransport(servers, verify=verify) if servers else httpx.HTTPTransport(verify=verify, trust_env=False)


def local_folder(place: str) -> Path | None:
    """The folder of this machine that a checkpoint is; None where it is on another store."""
    from views.adapters.checkpoints import local_path

    return local_path(place)


def newest_schema() -> str:
    """The revision of the record store that this program writes."""
    from catalog.adapters.sql.schema import newest

    return newest()
