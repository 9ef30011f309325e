"""The setting that a misspelt name was most likely meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

from catalog.near_names import did_you_mean

_GUESSED = {
    "KAFKA": "KAFKA__BOOTSTRAP_SERVERS",
    "BROKER": "KAFKA__BOOTSTRAP_SERVERS",
    "BROKERS": "KAFKA__BOOTSTRAP_SERVERS",
    "KAFKA_BROKERS": "KAFKA__BOOTSTRAP_SERVERS",
    "BOOTSTRAP": "KAFKA__BOOTSTRAP_SERVERS",
    "KAFKA_URL": "KAFKA__BOOTSTRAP_SERVERS",
    "DB": "DATABASE__URL",
    "DB_URL": "DATABASE__URL",
    "DATABASE": "DATABASE__URL",
    "DSN": "DATABASE__URL",
    "POSTGRES_URL": "DATABASE__URL",
    "ES": "ELASTICSEARCH__URL",
    "ES_URL": "ELASTICSEARCH__URL",
    "ELASTICSEARCH": "ELASTICSEARCH__URL",
    "ELASTICSEARCH_HOST": "ELASTICSEARCH__URL",
    "NEO4J": "NEO4J__URI",
    "NEO4J_URL": "NEO4J__URI",
    "SPARK": "SPARK__REMOTE",
    "SPARK_URL": "SPARK__REMOTE",
    "SPARK_MASTER": "SPARK__REMOTE",
    "REGISTRY": "SCHEMA_REGISTRY__URL",
    "REGISTRY_URL": "SCHEMA_REGISTRY__URL",
    "DATA": "HOME",
    "DATA_DIR": "HOME",
    "DIR": "HOME",
    "HTTP_PORT": "API__PORT",
    "LISTEN": "API__HOST",
    "BIND": "API__HOST",
    "ADDRESS": "API__HOST",
    "LOGLEVEL": "LOG__LEVEL",
    "DEBUG": "LOG__LEVEL",
    "TIMEOUT": "QUERY__SECONDS",
    "QUERY_TIMEOUT": "QUERY__SECONDS",
    "MAX_ROWS": "QUERY__MAX_ROWS",
}
"""What newcomers type after WEIR_, where the nearest spelling is another setting."""


def nearest_variable(variable: str, known: Collection[str]) -> str | None:
    """The setting that a variable was most likely meant to be: a usual guess, else the same words, else the spelling."""
    words = variable.removeprefix("WEIR_").replace("__", "_")
    if words in _GUESSED:
        return f"WEIR_{_GUESSED[words]}"
    same = [name for name in sorted(known) if set(words.split("_")) <= set(name.removeprefix("WEIR_").split("_"))]
    close = min(same, key=len, default=None)
    return close or next(iter(difflib.get_close_matches(variable, sorted(known), 1)), None)


def name_hint(name: str, known: list[str]) -> str:
    """The hint for a setting's dotted name."""
    return hint([repr(close) for close in difflib.get_close_matches(name, known, 1)])


def hint(close: str | Sequence[str] | None) -> str:
    """The sentence with the nearest setting, behind a blank; where none is near, the page that lists them."""
    return did_you_mean(close, " docs/reference/settings.md lists them all.", " ")
