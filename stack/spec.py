"""What callers hand in and get back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

SERVERS = ("kafka", "registry", "neo4j", "elasticsearch", "spark", "query")
"""The names of the servers, in the order in which they are started and listed."""

OPTIONAL = ("connect",)
"""Servers that are started only for who names them (`--only connect`)."""

ENGINES = ("spark", "query")
"""Those of them that a job or a query may end, and that are started again by who watches them."""


@dataclass(frozen=True)
class ProcessSpec:
    """A process of the caller's that belongs to the instance: started last, stopped first, listed with the servers.

    It gets the caller's environment, on top the instance's addresses (`Instance.environment()`), on top `env`.
    `ready` is asked ten times a second after the start and must be quick; `port` is the one it listens on (choose it
    by `Instance.port`), 0 for none; `needs` names earlier specs or servers that must be ready first (all servers
    always are).
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] = lambda: True
    port: int = 0
    url: str = ""
    version: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Addresses:
    """Where the servers of an instance answer. An externally given server has an empty address here."""

    kafka: str
    """`host:port` of the broker."""
    registry: str
    """Base URL of the Confluent-compatible interface."""
    neo4j: str
    """`bolt://host:port`."""
    neo4j_auth: tuple[str, str]
    """User and password."""
    elasticsearch: str
    """URL."""
    spark: str
    """`sc://localhost:port/;token=...`: anyone who has it can run any code as the server's user."""
    query: str = ""
    """The same for the engine of queries."""

    kafka_login: tuple[str, str] | None = None
    """User and password (SASL PLAIN) of a secured instance; None where anybody is taken. The next two likewise."""
    kafka_consumer_login: tuple[str, str] | None = None
    """The same of an ordinary user, whom only ACLs let read."""
    registry_login: tuple[str, str] | None = None
    elasticsearch_login: tuple[str, str] | None = None

    connect: str = ""
    """URL of the Kafka Connect worker; empty where it was not started."""
    connect_login: tuple[str, str] | None = None

    def as_dict(self) -> dict[str, str | list[str]]:
        """Plain values for JSON."""
        logins = {
            f"{name}_login": list(login)
            for name in ("kafka", "registry", "elasticsearch", "connect")
            if (login := getattr(self, f"{name}_login"))
        }
        return {
            "kafka": self.kafka,
            "registry": self.registry,
            "neo4j": self.neo4j,
            "neo4j_auth": list(self.neo4j_auth),
            "elasticsearch": self.elasticsearch,
            "spark": self.spark,
            "query": self.query,
            "connect": self.connect,
            **logins,
        }
