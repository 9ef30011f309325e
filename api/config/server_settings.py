"""Settings of the logs and of the servers that Weir works with."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from api.config.section import Section

_NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


def _require_address(address: str, schemes: tuple[str, ...], example: str) -> str:
    """The address, when it has one of the schemes and a host. Raises ValueError, which quotes no password in it."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of a port or an IPv6 address
        fits = False
    if not fits:
        raise ValueError(f"it should be an address such as {example}")
    return address


class LogSettings(Section):
    """What Weir writes about itself. Never a value of a record."""

    level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    json_lines: bool = Field(False, description="One JSON object a line instead of readable text.")

    @field_validator("level")
    @classmethod
    def _is_level(cls, level: str) -> str:
        if level.upper() not in logging.getLevelNamesMapping():
            raise ValueError("it should be DEBUG, INFO, WARNING or ERROR")
        return level


class DatabaseSettings(Section):
    """The record store."""

    url: str | None = Field(None, description="SQLAlchemy URL; a SQLite file in WEIR_HOME when absent.")


class KafkaSettings(Section):
    """The Kafka that holds Weir's own topics (`_weir.*`). Clusters to catalog are declared, see kind: Cluster."""

    bootstrap_servers: str = Field("localhost:9092", description="host:port, comma between several.")
    tls: bool = Field(False, description="Use TLS; with the machine's own authorities unless `tls_ca` names some.")
    tls_ca: Path | None = Field(None, description="File of the authorities that signed the brokers' certificates, PEM.")
    tls_certificate: Path | None = Field(None, description="File of our certificate, PEM, where brokers ask for one.")
    tls_key: Path | None = Field(None, description="File of its key, PEM.")
    tls_key_password: SecretStr | None = Field(None, description="Password of that key.")
    tls_verify_hostname: bool = Field(True, description="Whether the certificate must name the broker's host.")
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = Field(
        None, description="How to sign in; PLAIN where only a user is given."
    )
    sasl_username: str | None = Field(None, description="User to sign in as; no sign-in when absent.")
    sasl_password: SecretStr | None = Field(None, description="The user's password.")

    def client_options(self) -> dict[str, str]:
        """The same for librdkafka, without the addresses. Holds secrets."""
        tls = self.tls or self.tls_ca is not None or self.tls_certificate is not None
        protocol = ("SASL_" if self.sasl_username else "") + ("SSL" if tls else "PLAINTEXT")
        options: dict[str, object] = {
            "security.protocol": None if protocol == "PLAINTEXT" else protocol,
            "ssl.ca.location": self.tls_ca,
            "ssl.certificate.location": self.tls_certificate,
            "ssl.key.location": self.tls_key,
            "ssl.key.password": self.tls_key_password and self.tls_key_password.get_secret_value(),
            "ssl.endpoint.identification.algorithm": None if self.tls_verify_hostname else "none",
        }
        if self.sasl_username:
            options |= {
                "sasl.mechanism": self.sasl_mechanism or "PLAIN",
                "sasl.username": self.sasl_username,
                "sasl.password": self.sasl_password.get_secret_value() if self.sasl_password else "",
            }
        return {name: str(value) for name, value in options.items() if value is not None}


class SchemaRegistrySettings(Section):
    """The registry of the local stack; declared clusters name their own."""

    url: str | None = Field(None, description="Confluent-compatible address.")
    username: str | None = Field(None, description="User, where it asks for one.")
    password: SecretStr | None = Field(None, description="The user's password.")


class Neo4jSettings(Section):
    """The lineage graph."""

    uri: str = Field("bolt://localhost:7687", description="bolt:// or neo4j:// address.")
    user: str = Field("neo4j", description="User name.")
    password: SecretStr | None = Field(None, description="Password; no authentication when absent.")

    @field_validator("uri")
    @classmethod
    def _is_address(cls, uri: str) -> str:
        return _require_address(uri, _NEO4J_SCHEMES, "bolt://graph.example.com:7687")


class ElasticsearchSettings(Section):
    """The search index."""

    url: str = Field("http://localhost:9200", description="Address.")
    api_key: SecretStr | None = Field(None, description="API key; none when absent.")
    username: str | None = Field(None, description="User, in place of an API key.")
    password: SecretStr | None = Field(None, description="The user's password.")
    ca: Path | None = Field(None, description="File of the authorities that signed the server's certificate, PEM.")

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        return _require_address(url, ("http", "https"), "https://search.example.com:9200")


class SparkSettings(Section):
    """The engine."""

    remote: SecretStr = Field(SecretStr("sc://localhost:15002"), description="Spark Connect URL, token included.")
    executor_archive: Path | None = Field(
        None,
        description="Archive of `weir cluster pack` that Weir sends to Spark with its session of scans. Absent where executors have"
        " the packages, or take them from `spark.archives` of the server, as queries and views must.",
    )
