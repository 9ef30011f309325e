"""One Neo4j server: its driver, statements with a deadline, and its errors as those of Weir."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import neo4j
from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError, TransientError

from catalog.bounded_calls import BoundedCalls, GaveUp
from catalog.errors import Unavailable
from catalog.spans import span
from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.sent import sent
from lineage.ports import TooMuch, WriteRefused
from lineage.settings import Neo4jSettings

_OUT_OF_TIME = "Neo.ClientError.Transaction.TransactionTimedOut"


def connect(settings: Neo4jSettings) -> neo4j.Driver:
    """A driver; it connects when it is first used. Close it when done."""
    return neo4j.GraphDatabase.driver(
        settings.uri,
        auth=(settings.user, settings.password) if settings.password else None,
        connection_timeout=3.0,
        max_transaction_retry_time=2.0,
        connection_acquisition_timeout=5.0,
        notifications_min_severity="OFF",
        telemetry_disabled=True,
    )


class Neo4jServer:
    """Runs statements on one server. Safe for many threads; the caller closes the driver."""

    def __init__(self, driver: neo4j.Driver, settings: Neo4jSettings) -> None:
        self.driver, self.settings = driver, settings
        self._calls = BoundedCalls("neo4j", settings.read_seconds)

    def run(self, statement: str, **parameters: Any) -> list[neo4j.Record]:
        """For what somebody waits for: ends in `read_seconds`, whatever the server does."""
        with span("neo4j read"), self.errors():
            return self._calls.call(lambda: self._records(statement, parameters, self.settings.read_seconds))

    def run_patiently(self, statement: str, **parameters: Any) -> list[neo4j.Record]:
        """For what waits until others have written, or until a server that just started is warm."""
        with span("neo4j read"), self.errors():
            return self._records(statement, parameters, self.settings.timeout_seconds)

    @contextmanager
    def session(self, writes: bool = False) -> Iterator[neo4j.Session]:
        """A session, with the errors of `errors`."""
        with (
            span("neo4j write" if writes else "neo4j session"),
            self.errors(writes),
            self.driver.session(database=self.settings.database) as session,
        ):
            yield session

    def _records(self, statement: str, parameters: dict[str, object], seconds: float) -> list[neo4j.Record]:
        if statement.lstrip().startswith("UNWIND $keys"):  # begins at a key, however large the graph has become
            statement = cypher.PLANNED_ONCE + statement
        text, values = sent(statement, parameters)
        query = neo4j.Query(text, timeout=seconds)
        return self.driver.execute_query(query, values, database_=self.settings.database).records

    @contextmanager
    def errors(self, writes: bool = False) -> Iterator[None]:
        """Raises Unavailable, WriteRefused, and TooMuch for what may succeed in smaller parts, in place of the driver's errors."""
        where = {"server": "neo4j", "uri": self.settings.uri}
        try:
            yield
        except AuthError as error:
            raise Unavailable(
                f"Neo4j at {self.settings.uri} refused the user name or password; check the Neo4j settings.",
                details=where,
            ) from error
        except TransientError as error:
            if "OutOfMemory" in (error.code or ""):
                raise TooMuch(error.code) from error
            raise Unavailable(
                f"Neo4j at {self.settings.uri} cannot take this just now ({error.code}).", details=where
            ) from error
        except GaveUp as error:
            raise Unavailable(
                f"Neo4j at {self.settings.uri} did not answer within {self.settings.read_seconds:g} seconds; look"
                " whether it is overloaded or frozen.",
                details=where,
            ) from error
        except (DriverError, OSError) as error:
            raise Unavailable(
                f"Neo4j at {self.settings.uri} does not answer; start it or check its address.", details=where
            ) from error
        except ClientError as error:
            if writes and (error.code or "").startswith(_OUT_OF_TIME):
                # As large a one would take as long the next time.
                raise TooMuch(error.code) from error
            if (error.code or "").startswith(("Neo.ClientError.Statement.", "Neo.ClientError.Schema.")):
                raise WriteRefused(error.code) from error
            raise Unavailable(f"Neo4j at {self.settings.uri} refused: {error.code}.", details=where) from error
        except Neo4jError as error:
            raise Unavailable(f"Neo4j at {self.settings.uri} failed: {error.code}.", details=where) from error
