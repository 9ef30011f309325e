"""Secrets that declared documents name: which places may be read, and where what was read may be sent.

A user who may declare a cluster or a webhook names a secret and an address. Without rules they would read every file and
variable of the server by having it sent to an address of their own. So a file is read under one folder only, a variable
only by names with one prefix, and a secret is sent only over TLS or to this machine itself.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from catalog.declared.loopback import is_loopback
from catalog.errors import SettingsError
from catalog.settings import SecretSettings

_MOST_BYTES = 64 * 1024
_SYSTEM_AUTHORITIES = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates")
_SERVERS = ("schemaRegistry", "connect", "ksqldb", "flink")

Reference = Mapping[str, Any] | str | None
"""`{env: NAME}`, `{file: PATH}`, a text as it is, or nothing."""


class Secrets:
    """The rules, and reading by them. `environment` replaces the process's own in tests."""

    def __init__(self, settings: SecretSettings | None = None, environment: Mapping[str, str] | None = None) -> None:
        self.settings = settings or SecretSettings()
        self._environment = os.environ if environment is None else environment

    @property
    def folder(self) -> Path:
        return self.settings.folder.expanduser()

    def check(self, reference: Reference, field: str) -> None:
        """Raises SettingsError naming the field and the fix when the place may not be read; reads nothing."""
        if reference is None or isinstance(reference, str):
            return
        if name := reference.get("env"):
            self._check_name(str(name), field)
        else:
            self._inside(str(reference.get("file")), field)

    def read(self, reference: Reference, field: str) -> str | None:
        """The secret, without the line end of a file. Raises SettingsError: as `check`, or it is not there."""
        if reference is None or isinstance(reference, str):
            return reference
        self.check(reference, field)
        if name := reference.get("env"):
            value = self._environment.get(str(name))
            if value is None:
                raise SettingsError(f"{field} is read from the environment variable {name}, which is not set.")
            return value
        return _text(self._inside(str(reference.get("file")), field), field)

    def file(self, path: str, field: str, *, authorities: bool = False) -> str:
        """The path of a file that a client reads by itself. With `authorities` also one of the system's certificates.

        Raises SettingsError: it is elsewhere, or not there.
        """
        file = self.check_file(path, field, authorities=authorities)
        if not file.is_file():
            raise SettingsError(f"{field} names the file {path}, which is not there.")
        return str(file)

    def check_file(self, path: str, field: str, *, authorities: bool = False) -> Path:
        """The same without a look whether the file is there."""
        if authorities:
            file = Path(path).resolve()
            of_system = any(file.is_relative_to(Path(folder).resolve()) for folder in _SYSTEM_AUTHORITIES)
            if of_system and "private" not in file.parts:
                return file
        return self._inside(path, field)

    def _check_name(self, name: str, field: str) -> None:
        prefix = self.settings.env_prefix
        if not name.startswith(prefix) or name == prefix:
            raise SettingsError(
                f"{field} names the environment variable {name[:80]}; only names that begin with {prefix} are read:"
                f" set {prefix}{name[:80]} and name that (or set WEIR_SECRETS__ENV_PREFIX).",
                details={"field": field},
            )

    def _inside(self, path: str, field: str) -> Path:
        """Where a path leads, links followed. One that is not absolute begins in the folder."""
        folder = self.folder.resolve()
        try:
            file = (folder / path).resolve()
        except (OSError, ValueError, RuntimeError):
            file = None
        if file is None or file == folder or not file.is_relative_to(folder):
            raise SettingsError(
                f"{field} names the file {path[:200]!r}; only files in the folder of secrets {self.folder} are read:"
                " move the file there and name it without a folder (or set WEIR_SECRETS__FOLDER).",
                details={"field": field},
            )
        return file


def _text(path: Path, field: str) -> str:
    """The text of a plain file of bounded size; the path has no link in it any more."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SettingsError(f"{field} names {path.name!r}, which is not a plain file.")
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise SettingsError(f"{field} names {path.name!r}, which is too large for a secret.")
        return content.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise SettingsError(f"{field} is read from the file {path}, which cannot be read ({reason}).") from None


# --- where a secret goes ---------------------------------------------------------------------------------------------


def require_private(url: str, field: str, *, what: str = "a user and password") -> None:
    """Raises SettingsError when a secret sent to this address could be read on its way: http to another machine."""
    try:
        parts = urlsplit(url)
        scheme, host = parts.scheme, parts.hostname or ""
    except ValueError:
        scheme, host = "", ""
    if scheme == "https" or (scheme == "http" and is_loopback(host)):
        return
    raise SettingsError(
        f"{field} is an http address of another machine, and {what} would be sent to it without encryption; write https, or"
        " leave the secret out.",
        details={"field": field},
    )


def require_private_kafka(security: Mapping[str, Any], bootstrap: Iterable[str]) -> None:
    """Raises SettingsError when SASL PLAIN would send the password over the network without TLS."""
    sasl = security.get("sasl")
    if not sasl or security.get("tls") is not None or sasl.get("mechanism", "PLAIN") != "PLAIN":
        return
    if not all(is_loopback(address.rpartition("://")[2].rpartition(":")[0]) for address in bootstrap):
        raise SettingsError(
            "security.sasl with PLAIN would send the password without encryption; add security.tls: {}, or use SCRAM-SHA-512"
            " where the brokers offer it.",
            details={"field": "security.sasl.mechanism"},
        )


# --- declared clusters -----------------------------------------------------------------------------------------------


def check_cluster(secrets: Secrets, spec: Mapping[str, Any], bootstrap: Sequence[str]) -> None:
    """Raises SettingsError naming the first field of a declared cluster that breaks a rule."""
    for what in _SERVERS:
        server = spec.get(what) or {}
        server_credentials_allowed(secrets, server, what)
        if server.get("ca"):
            secrets.check_file(server["ca"], f"{what}.ca", authorities=True)
    security = spec.get("security") or {}
    tls, sasl = security.get("tls") or {}, security.get("sasl") or {}
    for name in ("ca", "certificate", "key"):
        if tls.get(name):
            secrets.check_file(tls[name], f"security.tls.{name}", authorities=name == "ca")
    secrets.check(tls.get("keyPassword"), "security.tls.keyPassword")
    secrets.check(sasl.get("username"), "security.sasl.username")
    secrets.check(sasl.get("password"), "security.sasl.password")
    require_private_kafka(security, bootstrap)


def server_credentials_allowed(secrets: Secrets, server: Mapping[str, Any], what: str) -> None:
    """Raises SettingsError when the credentials of a REST server may not be read, or not be sent to its address."""
    secrets.check(server.get("username"), f"{what}.username")
    secrets.check(server.get("password"), f"{what}.password")
    if server.get("password") or isinstance(server.get("username"), Mapping):
        require_private(str(server.get("url")), f"{what}.url")


def credentials(secrets: Secrets, server: Mapping[str, Any], what: str) -> tuple[str, str] | None:
    """(user, password) for a declared REST server, None where it names no user. Raises SettingsError."""
    server_credentials_allowed(secrets, server, what)
    user = secrets.read(server.get("username"), f"{what}.username")
    password = secrets.read(server.get("password"), f"{what}.password")
    return (user, password or "") if user else None


def destinations(kind: str, spec: Mapping[str, Any], worker: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Each secret a document names, and all that decides where it goes: what a second person must have seen.

    A change of the address, of the secret or of how the other side is recognised (TLS) is another destination.
    `worker`: that of a connector, also where its cluster names it.
    """
    places: dict[str, str] = {}
    if kind == "Cluster":
        for what in _SERVERS:
            server = spec.get(what) or {}
            for name in ("username", "password"):
                if isinstance(server.get(name), Mapping):
                    places[f"{what}.{name}"] = repr((_place(server[name]), server.get("url"), server.get("ca")))
        security = spec.get("security") or {}
        tls, sasl = security.get("tls"), security.get("sasl") or {}
        where = (spec.get("bootstrapServers"), sorted((tls or {}).items(), key=str) if tls is not None else None)
        for name in ("username", "password"):
            if isinstance(sasl.get(name), Mapping):
                places[f"security.sasl.{name}"] = repr((_place(sasl[name]), where, sasl.get("mechanism")))
    if kind == "Webhook":
        for name in ("url", "secret"):
            if isinstance(spec.get(name), Mapping):
                places[name] = repr((_place(spec[name]), str(spec.get("url"))))
    if kind == "Connector":
        server = spec.get("connect") or {}
        for name in ("username", "password"):
            if isinstance(server.get(name), Mapping):
                places[f"connect.{name}"] = repr((_place(server[name]), server.get("url"), server.get("ca")))
        config = spec.get("config") or {}
        # Any key of a configuration may be the address to which the plugin sends the secret.
        rest = sorted((key, value) for key, value in config.items() if not isinstance(value, Mapping))
        at = worker if worker is not None else server
        goes = (spec.get("cluster"), at.get("url"), at.get("ca"), spec.get("plugin"), rest)
        for key, value in config.items():
            if isinstance(value, Mapping):
                places[f"config.{key}"] = repr((_place(value), goes))
    if kind == "IdentityProvider" and isinstance(spec.get("clientSecret"), Mapping):
        places["clientSecret"] = repr((_place(spec["clientSecret"]), spec.get("issuer"), spec.get("ca")))
    return places


def _place(reference: Mapping[str, Any]) -> str:
    return f"env:{reference['env']}" if reference.get("env") else f"file:{reference.get('file')}"
