"""All settings of an instance: the environment, then `weir.yaml`, then defaults. Read here and nowhere else.

A variable is `WEIR_<ROOM>__<NAME>`: `WEIR_API__PORT=9000`. The same names, nested, make `weir.yaml` (in WEIR_HOME,
or the file WEIR_CONFIG names). A name nobody knows is an error, so a misspelt setting never passes in silence.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

from api.config import tls_settings
from api.config.home import Home
from catalog.errors import SettingsError
from catalog.settings import CatalogSettings, EventSettings, SecretSettings
from lineage.settings import LineageSettings
from policies.plan.settings import QuerySettings
from policies.settings import NotifySettings, OidcSettings, PolicySettings, SignInSettings
from scanners.settings import ScannerSettings
from views.settings import ViewSettings

BARE = {
    "WEIR_HOME", "WEIR_CONFIG", "WEIR_CACHE", "WEIR_URL", "WEIR_TOKEN", "WEIR_SHARED_DATA",
    "WEIR_CA", "WEIR_CLIENT_CERTIFICATE", "WEIR_CLIENT_KEY",
}  # fmt: skip
"""Variables that are not settings of a room. `WEIR_STACK__*` belongs to the local servers, `WEIR_TEST_*` to the tests."""
_FOREIGN = ("WEIR_STACK__", "WEIR_TEST_")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


HOST_PREFIX = "__Host-"
AUTHENTICATED = "authenticated"
"""Key of a request's state that is set once it is known who calls."""
SESSION_COOKIES = (f"{HOST_PREFIX}weir_session", "weir_session")
"""With TLS, and without: the first is taken by browsers only with Secure, from this very host."""


class ApiSettings(_Section):
    """The HTTP server."""

    host: str = Field("127.0.0.1", description="Address to listen on; loopback unless you say otherwise.")
    port: int = Field(8484, ge=0, le=65535, description="Port to listen on.")
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^/?#@\s]+/?$",
        description="Address that browsers use, as behind a TLS proxy: `https://weir.example.com`. Sign-in by a provider"
        " needs it where browsers come by another address than this machine's own; with https, cookies are `Secure`.",
    )
    max_body_mb: int = Field(64, ge=1, description="Largest body of lineage events, in MiB; others: 4 MiB at most.")
    header_seconds: float = Field(20.0, gt=0, description="How long a client may take to send a request's headers.")
    body_bytes_per_second: int = Field(
        500, ge=0, description="Least rate at which a client must send a body, measured over 20 seconds; 0 = any."
    )
    rate_requests: float = Field(
        200.0, ge=0, description="Requests a second from one token and one person; 0 = any number."
    )
    rate_queries: float = Field(
        200.0, ge=0, description="Requests a second to `/query` from one token and one person; 0 = any number."
    )
    rate_events: float = Field(
        5000.0, ge=0, description="Requests a second with lineage events from one token and one person; 0 = any number."
    )
    rate_sign_in: float = Field(
        5.0,
        ge=0,
        description="Requests a second that sign in, from one address but this machine's own; 0 = any number.",
    )
    rate_searches: float = Field(
        200.0, ge=0, description="Requests a second to `/search` from one token and one person; 0 = as `rate_requests`."
    )
    rate_tokens: float = Field(
        10.0, ge=0, description="Requests a second to `/tokens` from one token and one person; 0 = as `rate_requests`."
    )
    rate_rows: float = Field(
        2000.0,
        ge=0,
        description="Requests a second for rows of views from one token and one person; 0 = as `rate_requests`.",
    )
    rate_failed: float = Field(
        2.0,
        ge=0,
        description="Requests a second with tokens that are not good, from one address but this machine's own; 0 = any"
        " number. Good tokens, cookies and sign-in are not slowed down by them.",
    )
    trusted_proxies: list[str] = Field(
        [],
        description="Addresses and networks of proxies whose `X-Forwarded-For` names the client, as in"
        " `10.0.3.7,10.0.3.8`. From anybody else the header counts for nothing; every machine in a network that is named"
        " here can take any address, so name the proxies alone.",
    )
    rate_address: float = Field(
        2000.0, ge=0, description="Requests a second from one address but this machine's own; 0 = any number."
    )

    tls_certificate: Path | None = Field(
        None, description="File of the server's certificate and those between it and its authority, PEM: serves TLS."
    )
    tls_key: Path | None = Field(None, description="File of its key, PEM; absent = in the file of the certificate.")
    tls_key_password: SecretStr | None = Field(None, description="Password of that key.")
    tls_min_version: Literal["1.2", "1.3"] = Field("1.2", description="Oldest version of TLS that is accepted.")
    tls_client_certificates: tls_settings.ClientCertificates = Field(
        "none",
        description="Certificates of clients: `none` = not asked for, `optional`, `required` for everything but `/healthz` and"
        " `/readyz`.",
    )
    tls_client_ca: Path | None = Field(
        None, description="File of the authorities that sign certificates of clients, PEM; no other ones count."
    )

    @model_validator(mode="after")
    def _fits(self) -> ApiSettings:
        tls_settings.check(self)
        return self

    @field_validator("trusted_proxies")
    @classmethod
    def _are_addresses(cls, given: list[str]) -> list[str]:
        for each in given:
            try:
                ipaddress.ip_network(each, strict=False)
            except ValueError:
                raise ValueError(f"{each!r} is neither an address nor a network, as in 10.0.3.7") from None
        return given

    @property
    def wide_proxies(self) -> list[str]:
        """Networks among the trusted proxies that have more than 256 addresses."""
        given = {each: ipaddress.ip_network(each, strict=False) for each in self.trusted_proxies}
        return [each for each, network in given.items() if network.num_addresses > 256]

    @property
    def secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.tls_certificate is not None or (self.public_url or "").startswith("https://")

    @property
    def host_prefix(self) -> str:
        """First letters of cookies' names with TLS, where browsers take them from this very host only."""
        return HOST_PREFIX if self.secure else ""

    @property
    def session_cookie(self) -> str:
        """Name of the cookie of a browser's session."""
        return SESSION_COOKIES[0] if self.secure else SESSION_COOKIES[1]


class LogSettings(_Section):
    """What Weir writes about itself. Never a value of a record."""

    level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    json_lines: bool = Field(False, description="One JSON object a line instead of readable text.")


class DatabaseSettings(_Section):
    """The record store."""

    url: str | None = Field(None, description="SQLAlchemy URL; a SQLite file in WEIR_HOME when absent.")


class KafkaSettings(_Section):
    """The Kafka that holds Weir's own topics (`_weir.*`). Clusters to catalog are declared, see kind: Cluster."""

    bootstrap_servers: str = Field("localhost:9092", description="host:port, comma between several.")
    tls: bool = Field(False, description="Speak TLS; with the machine's own authorities unless `tls_ca` names some.")
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
        made: dict[str, Any] = {
            "security.protocol": None if protocol == "PLAINTEXT" else protocol,
            "ssl.ca.location": self.tls_ca,
            "ssl.certificate.location": self.tls_certificate,
            "ssl.key.location": self.tls_key,
            "ssl.key.password": self.tls_key_password and self.tls_key_password.get_secret_value(),
            "ssl.endpoint.identification.algorithm": None if self.tls_verify_hostname else "none",
        }
        if self.sasl_username:
            made |= {
                "sasl.mechanism": self.sasl_mechanism or "PLAIN",
                "sasl.username": self.sasl_username,
                "sasl.password": self.sasl_password.get_secret_value() if self.sasl_password else "",
            }
        return {name: str(value) for name, value in made.items() if value is not None}


class SchemaRegistrySettings(_Section):
    """The registry of the local stack; declared clusters name their own."""

    url: str | None = Field(None, description="Confluent-compatible address.")
    username: str | None = Field(None, description="User, where it asks for one.")
    password: SecretStr | None = Field(None, description="The user's password.")


class Neo4jSettings(_Section):
    """The lineage graph."""

    uri: str = Field("bolt://localhost:7687", description="bolt:// or neo4j:// address.")
    user: str = Field("neo4j", description="User name.")
    password: SecretStr | None = Field(None, description="Password; no authentication when absent.")


class ElasticsearchSettings(_Section):
    """The search index."""

    url: str = Field("http://localhost:9200", description="Address.")
    api_key: SecretStr | None = Field(None, description="API key; none when absent.")
    username: str | None = Field(None, description="User, in place of an API key.")
    password: SecretStr | None = Field(None, description="The user's password.")
    ca: Path | None = Field(None, description="File of the authorities that signed the server's certificate, PEM.")


class SparkSettings(_Section):
    """The engine."""

    remote: SecretStr = Field(SecretStr("sc://localhost:15002"), description="Spark Connect URL, token included.")


class Settings(_Section):
    """Every setting; rooms receive their slice, never the whole."""

    api: ApiSettings = ApiSettings()
    log: LogSettings = LogSettings()
    database: DatabaseSettings = DatabaseSettings()
    kafka: KafkaSettings = KafkaSettings()
    schema_registry: SchemaRegistrySettings = SchemaRegistrySettings()
    neo4j: Neo4jSettings = Neo4jSettings()
    elasticsearch: ElasticsearchSettings = ElasticsearchSettings()
    spark: SparkSettings = SparkSettings()
    catalog: CatalogSettings = CatalogSettings()
    events: EventSettings = EventSettings()
    notify: NotifySettings = NotifySettings()
    secrets: SecretSettings = SecretSettings()
    scanners: ScannerSettings = ScannerSettings()
    lineage: LineageSettings = LineageSettings()
    policies: PolicySettings = PolicySettings()
    oidc: OidcSettings = OidcSettings()
    sign_in: SignInSettings = SignInSettings()
    query: QuerySettings = QuerySettings()
    views: ViewSettings = ViewSettings()


def load(home: Home, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of an instance. Raises SettingsError naming the variable or the line and the mend."""
    environment = os.environ if environment is None else environment
    values = _from_file(Path(environment.get("WEIR_CONFIG") or home.root / "weir.yaml"), "WEIR_CONFIG" in environment)
    for variable, room, name, text in _from_environment(environment, _secret_prefix(environment, values)):
        _check_known(variable, room, name)
        values.setdefault(room, {})[name] = _list(text) if _is_list(room, name) else text
    try:
        return _apart(Settings.model_validate(values), home)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = first["loc"]
        name = ".".join(map(str, place))
        variable = "WEIR_" + "__".join(str(part).upper() for part in place)
        if first["type"] == "extra_forbidden":
            raise SettingsError(f"There is no setting {name!r}.{_nearest(name, _known_names())}") from None
        raise SettingsError(f"Setting {name} ({variable}) cannot be used: {first['msg']}.") from None


def _secret_prefix(environment: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """First letters of variables that are secrets of declared documents, not settings."""
    default = SecretSettings().env_prefix
    return str(
        environment.get("WEIR_SECRETS__ENV_PREFIX") or (values.get("secrets") or {}).get("env_prefix") or default
    )


def _apart(settings: Settings, home: Home) -> Settings:
    """The settings, when nothing of Weir's own is where declared documents may read. Raises SettingsError."""
    folder, root = settings.secrets.folder.expanduser().resolve(), home.root.resolve()
    if folder.is_relative_to(root) or root.is_relative_to(folder):
        raise SettingsError(
            f"Setting secrets.folder (WEIR_SECRETS__FOLDER) is {folder}, and WEIR_HOME is {root}; neither may be inside the"
            " other, or declared clusters could name Weir's own keys."
        )
    prefix = settings.secrets.env_prefix
    if any(name.startswith(prefix) for name in {*BARE, *(name for name, _, _ in documented())}) or any(
        foreign.startswith(prefix) or prefix.startswith(foreign) for foreign in _FOREIGN
    ):
        raise SettingsError(
            f"Setting secrets.env_prefix (WEIR_SECRETS__ENV_PREFIX) is {prefix}, with which settings of Weir begin; take"
            " one of its own, such as WEIR_SECRET_."
        )
    return settings


def documented() -> Iterator[tuple[str, Any, str]]:
    """Every setting as (variable, default, description), for docs and `weir init`."""
    for room, section in Settings.model_fields.items():
        kind = section.annotation
        assert isinstance(kind, type) and issubclass(kind, BaseModel)
        for name, field in kind.model_fields.items():
            default = field.get_default(call_default_factory=True)
            shown = "" if isinstance(default, SecretStr) else default
            yield f"WEIR_{room.upper()}__{name.upper()}", shown, field.description or ""


def _is_list(room: str, name: str) -> bool:
    section = Settings.model_fields[room].annotation
    assert isinstance(section, type) and issubclass(section, BaseModel)
    return get_origin(section.model_fields[name].annotation) is list


def _list(text: str) -> list[str]:
    """A list in one variable: words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def _known_names() -> list[str]:
    return [variable.removeprefix("WEIR_").replace("__", ".", 1).lower() for variable, _, _ in documented()]


def _nearest(name: str, among: list[str]) -> str:
    close = difflib.get_close_matches(name, among, 1)
    return f" Did you mean {close[0]!r}?" if close else " docs/settings.md lists them all."


def _from_environment(environment: Mapping[str, str], secret: str) -> Iterator[tuple[str, str, str, str]]:
    known = {name for name, _, _ in documented()}
    for variable, text in environment.items():
        if not variable.startswith("WEIR_") or variable in BARE or variable.startswith(_FOREIGN):
            continue
        if variable.startswith(secret) and variable not in known:
            continue
        room, separator, name = variable.removeprefix("WEIR_").partition("__")
        yield variable, room.lower(), name.lower() if separator else "", text


def _check_known(variable: str, room: str, name: str) -> None:
    known = {v for v, _, _ in documented()}
    if variable.upper() not in known:
        close = _nearest_variable(variable.upper(), known | BARE)
        hint = f" Did you mean {close}?" if close else " docs/settings.md lists them all."
        raise SettingsError(f"The environment variable {variable} is no setting of Weir.{hint}")


_GUESSED = {
    "KAFKA": "KAFKA__BOOTSTRAP_SERVERS", "BROKER": "KAFKA__BOOTSTRAP_SERVERS", "BROKERS": "KAFKA__BOOTSTRAP_SERVERS",
    "KAFKA_BROKERS": "KAFKA__BOOTSTRAP_SERVERS", "BOOTSTRAP": "KAFKA__BOOTSTRAP_SERVERS", "KAFKA_URL": "KAFKA__BOOTSTRAP_SERVERS",
    "DB": "DATABASE__URL", "DB_URL": "DATABASE__URL", "DATABASE": "DATABASE__URL", "DSN": "DATABASE__URL",
    "POSTGRES_URL": "DATABASE__URL", "ES": "ELASTICSEARCH__URL", "ES_URL": "ELASTICSEARCH__URL",
    "ELASTICSEARCH": "ELASTICSEARCH__URL", "ELASTICSEARCH_HOST": "ELASTICSEARCH__URL", "NEO4J": "NEO4J__URI",
    "NEO4J_URL": "NEO4J__URI", "SPARK": "SPARK__REMOTE", "SPARK_URL": "SPARK__REMOTE", "SPARK_MASTER": "SPARK__REMOTE",
    "REGISTRY": "SCHEMA_REGISTRY__URL", "REGISTRY_URL": "SCHEMA_REGISTRY__URL", "DATA": "HOME", "DATA_DIR": "HOME", "DIR": "HOME",
    "HTTP_PORT": "API__PORT", "LISTEN": "API__HOST", "BIND": "API__HOST", "ADDRESS": "API__HOST", "LOGLEVEL": "LOG__LEVEL",
    "DEBUG": "LOG__LEVEL", "TIMEOUT": "QUERY__SECONDS", "QUERY_TIMEOUT": "QUERY__SECONDS", "MAX_ROWS": "QUERY__MAX_ROWS",
}  # fmt: skip
"""What newcomers type after WEIR_, where the nearest spelling is another setting."""


def _nearest_variable(variable: str, known: Collection[str]) -> str | None:
    """The setting that a variable was most likely meant to be: a usual guess, else the same words, else the spelling."""
    words = variable.removeprefix("WEIR_").replace("__", "_")
    if words in _GUESSED:
        return f"WEIR_{_GUESSED[words]}"
    same = [name for name in sorted(known) if set(words.split("_")) <= set(name.removeprefix("WEIR_").split("_"))]
    close = min(same, key=len, default=None)
    return close or next(iter(difflib.get_close_matches(variable, sorted(known), 1)), None)


def _from_file(path: Path, must_exist: bool) -> dict[str, Any]:
    if not path.exists():
        if must_exist:
            raise SettingsError(f"WEIR_CONFIG names {path}, which does not exist.")
        return {}
    try:
        values = yaml.safe_load(path.read_text()) or {}
    except (OSError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise SettingsError(f"{path} cannot be read{where}; it must be YAML such as 'api: {{port: 9000}}'.") from None
    if not isinstance(values, dict) or not all(isinstance(section, dict) for section in values.values()):
        raise SettingsError(f"{path} must hold sections of settings, such as 'api: {{port: 9000}}'.")
    return values
