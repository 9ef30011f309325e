"""All settings of an instance: the environment, then `weir.yaml`, then defaults. Read here and nowhere else.

A variable is `WEIR_<ROOM>__<NAME>`: `WEIR_API__PORT=9000`. The same names, nested, make `weir.yaml` (in WEIR_HOME,
or the file WEIR_CONFIG names). A name nobody knows is an error, so a misspelt setting never passes in silence.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin

from pydantic import BaseModel, SecretStr, ValidationError

from api.config.home import Home
from api.config.http_settings import ApiSettings
from api.config.mcp_settings import McpSettings
from api.config.section import Section
from api.config.server_settings import (
    DatabaseSettings,
    ElasticsearchSettings,
    KafkaSettings,
    LogSettings,
    Neo4jSettings,
    SchemaRegistrySettings,
    SparkSettings,
)
from api.config.settings_file import from_file
from api.config.suggestions import hint, name_hint, nearest_variable
from api.config.trace_settings import TraceSettings
from catalog.errors import SettingsError
from catalog.settings import CatalogSettings, EventSettings, SecretSettings
from lineage.settings import LineageSettings
from policies.plan.settings import QuerySettings
from policies.settings import NotifySettings, OidcSettings, PolicySettings, SignInSettings
from scanners.settings import ScannerSettings
from views.settings import ViewSettings

BARE = {
    "WEIR_HOME",
    "WEIR_CONFIG",
    "WEIR_CACHE",
    "WEIR_URL",
    "WEIR_TOKEN",
    "WEIR_SHARED_DATA",
    "WEIR_CA",
    "WEIR_CLIENT_CERTIFICATE",
    "WEIR_CLIENT_KEY",
    "WEIR_BACKUP_PASSPHRASE",
}
"""Variables that are not settings of a room. `WEIR_STACK__*` belongs to the local servers, `WEIR_TEST_*` to the tests."""
_FOREIGN = ("WEIR_STACK__", "WEIR_TEST_")


class Settings(Section):
    """Every setting; rooms receive their slice, never the whole."""

    api: ApiSettings = ApiSettings()
    mcp: McpSettings = McpSettings()
    log: LogSettings = LogSettings()
    traces: TraceSettings = TraceSettings()
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
    """Read the settings of an instance. Raises SettingsError naming the variable or the line, and the fix."""
    environment = os.environ if environment is None else environment
    values: dict[str, dict[str, Any]] = from_file(
        Path(environment.get("WEIR_CONFIG") or home.root / "weir.yaml"), "WEIR_CONFIG" in environment
    )
    for variable, room, name, text in _from_environment(environment, _secret_prefix(environment, values)):
        _check_known(variable, room, name)
        values.setdefault(room, {})[name] = _list(text) if _is_list(room, name) else text
    try:
        return _apart(_finite(Settings.model_validate(values)), home)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = first["loc"]
        name = ".".join(map(str, place))
        variable = "WEIR_" + "__".join(str(part).upper() for part in place)
        if first["type"] == "extra_forbidden":
            raise SettingsError(f"There is no setting {name!r}.{name_hint(name, _known_names())}") from None
        problem = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"Setting {name} ({variable}) cannot be used: {problem}.") from None


def _secret_prefix(environment: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """First letters of variables that are secrets of declared documents, not settings."""
    default = SecretSettings().env_prefix
    return str(
        environment.get("WEIR_SECRETS__ENV_PREFIX") or (values.get("secrets") or {}).get("env_prefix") or default
    )


def _finite(settings: Settings) -> Settings:
    """The settings, when none is infinite: no clock waits for so long. Raises SettingsError."""
    for room, section in settings:
        for name, value in section:
            if isinstance(value, float) and not math.isfinite(value):
                variable = f"WEIR_{room}__{name}".upper()
                raise SettingsError(
                    f"Setting {room}.{name} ({variable}) cannot be used: Input should be a finite number."
                )
    return settings


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
    """Every setting as (variable, default, description), for docs and `weir server settings`."""
    for room, section in Settings.model_fields.items():
        kind = section.annotation
        assert isinstance(kind, type) and issubclass(kind, BaseModel)
        for name, field in kind.model_fields.items():
            default = field.get_default(call_default_factory=True)
            shown = default.get_secret_value() if isinstance(default, SecretStr) else default  # a default is no secret
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
        close = nearest_variable(variable.upper(), known | BARE)
        raise SettingsError(f"The environment variable {variable} is not a setting of Weir.{hint(close)}")
