"""Which generation of a graph is read and written, the schema that all of them share, and their removal.

A small `LineageGraph` node names the active generation. A rebuild fills a new one while the active one answers.
"""

from __future__ import annotations

import time

import structlog
from neo4j.exceptions import TransientError
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random

from lineage.adapters.neo4j import cypher, upgrade
from lineage.adapters.neo4j.server import Neo4jServer

log = structlog.get_logger(__name__)

APART = 0
"""A generation that is never active: they begin at 1."""

_ACTIVE_SECONDS = 1.0
"""How long a reader may continue to read the generation it knows."""

_GRACE_SECONDS = 2 * _ACTIVE_SECONDS

_SCHEMA_SECONDS = 30.0
"""How long making a constraint waits for others who make it too."""


class Generations:
    """The generations of one graph on one server."""

    def __init__(self, server: Neo4jServer, name: str) -> None:
        self._server, self._name = server, name
        self._active: tuple[int, float] | None = None

    def prepare(self) -> None:
        """Make the schema and the first generation where they are missing, and upgrade what an older Weir stored."""
        names = {row["name"] for row in self._server.run_patiently(cypher.SCHEMA_NAMES)}
        for statement in cypher.SCHEMA:
            if statement.split()[2] not in names:
                self._make(statement)
        self._server.run_patiently(cypher.MAKE_TURNS, name=self._name)
        active = self._server.run_patiently(cypher.START, name=self._name)[0]["active"]
        label = f"{self._name}.{active}"
        if self._server.run(upgrade.ANY, prefix=f"{label}|"):
            with self._server.session() as session:
                log.info("lineage_upgraded", column_edges=upgrade.upgrade(session, self._name, label))

    def active(self) -> int:
        """The number of the active generation, known for about a second."""
        now = time.monotonic()
        if self._active is None or now - self._active[1] > _ACTIVE_SECONDS:
            rows = self._server.run(cypher.ACTIVE, name=self._name)
            if not rows:
                self.prepare()
            self._active = (rows[0]["active"] if rows else 1, now)
        return self._active[0]

    def forget_active(self) -> None:
        """Read the active generation from the server again at the next use."""
        self._active = None

    def new(self) -> int:
        """The number of a new, empty generation."""
        self.prepare()
        newest: int = self._server.run_patiently(cypher.NEXT, name=self._name)[0]["newest"]
        return newest

    def activate(self, number: int | None) -> None:
        """Make a generation the active one and remove the one before."""
        turns = [f"{self._name}/{at}" for at in range(cypher.TURNS)]
        was = self._server.run_patiently(cypher.ACTIVATE, name=self._name, turns=turns, active=number)[0]["was"]
        self._active = None
        time.sleep(_GRACE_SECONDS)  # readers elsewhere may still be on the old one
        if was != number:
            self.clear(f"{self._name}.{was}")

    def clear(self, label: str) -> None:
        """Remove every node of a generation."""
        with self._server.session() as session:
            for statement in cypher.CLEAR:  # commits as it runs: a large graph does not fit one transaction
                session.run(statement, graph=label, prefix=f"{label}|").consume()

    def _make(self, statement: str) -> None:
        """A constraint or an index. Two processes that make them at once lock each other out, and one has to wait."""
        patiently = Retrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_after_delay(_SCHEMA_SECONDS),
            wait=wait_random(0.05, 0.5),
            reraise=True,
        )
        with self._server.errors():
            patiently(self._server.driver.execute_query, statement, database_=self._server.settings.database)
