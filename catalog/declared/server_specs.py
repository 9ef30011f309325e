"""How declared documents write a server and how Weir signs in to it: addresses, TLS, secrets."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from catalog.declared.spec_parts import Spec


class Secret(Spec):
    """Where a secret is read when it is needed: an environment variable or a file. Never the secret itself.

    Which variables and files may be read: `catalog.declared.secrets`.
    """

    env: str | None = Field(None, min_length=1)
    file: str | None = Field(None, min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _refuse_plain(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            # The message must not repeat what was written: it is a secret.
            raise ValueError("a secret is written as {env: NAME} or {file: PATH}, never as the value itself")
        return value

    @model_validator(mode="after")
    def _exactly_one(self) -> Secret:
        if (self.env is None) is (self.file is None):
            raise ValueError("a secret names one place: {env: NAME} or {file: PATH}")
        return self


class Tls(Spec):
    """TLS to the brokers. Files are in the folder of secrets (`catalog.declared.secrets`); `ca` may be one of the system's."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None
    keyPassword: Secret | None = None
    verifyHostname: bool = True


class Sasl(Spec):
    mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    username: str | Secret
    password: Secret


class Security(Spec):
    tls: Tls | None = None
    sasl: Sasl | None = None


class SchemaRegistry(Spec):
    url: str = Field(pattern=r"^https?://[^@\s?#\\]+$")
    username: str | Secret | None = None
    password: Secret | None = None
    ca: str | None = None


class RestServer(Spec):
    """A server beside the cluster, asked by its REST API: Kafka Connect, ksqlDB, Flink."""

    url: str = Field(pattern=r"^https?://[^@\s?#\\]+$")
    username: str | Secret | None = None
    password: Secret | None = None
    ca: str | None = None
