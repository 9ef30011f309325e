"""A declared connector against what its worker has and accepts; one sentence for each thing that is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from connectors.config import Wanted
from connectors.declared import ConnectorSpec
from connectors.model import CheckedField, Kind, Plugin
from connectors.secret_texts import has_reference, is_reference

_MOST_SHOWN = 5


def plugin_named(text: str, there: Sequence[Plugin], worker: str) -> Plugin:
    """The plugin of this class, named whole or by its last part (`PostgresConnector`, `FileStreamSource`). Raises
    InvalidInput with those that are there."""
    exact = [plugin for plugin in there if plugin.name == text]
    last = [
        plugin for plugin in there if plugin.name.rpartition(".")[2] in (text, f"{text}Connector") and "." not in text
    ]
    matches = exact or last
    if len({plugin.name for plugin in matches}) == 1:
        return matches[0]
    names = sorted({plugin.name for plugin in there})
    if matches:
        several = ", ".join(sorted({each.name for each in matches}))
        raise InvalidInput(
            f"{worker} has several plugins {text[:200]}: {several}; write the whole name.",
            details={"field": "spec.plugin", "plugins": names},
        )
    short = {name.rpartition(".")[2]: name for name in names}
    near = difflib.get_close_matches(text.rpartition(".")[2], short, 1)
    guess = did_you_mean([short[each] for each in near], lead=" ")
    have = f"it has {', '.join(names)}." if names else "it has none; install one in its plugin.path."
    raise InvalidInput(
        f"{worker} has no plugin {text[:200]}; {have}{guess}", details={"field": "spec.plugin", "plugins": names}
    )


def check_dead_letters(spec: ConnectorSpec, kind: Kind) -> None:
    """Raises InvalidInput for a source: Connect has dead letters for sinks alone."""
    if spec.deadLetters is not None and kind == "source":
        raise InvalidInput(
            "deadLetters is for sinks: Kafka Connect writes no dead letters for a source; leave it out.",
            details={"field": "spec.deadLetters"},
        )


def check_secrets(asked: Wanted, fields: Sequence[CheckedField]) -> None:
    """Raises InvalidInput for a password that is written in plain text; the plugin knows which keys are passwords."""
    for field in fields:
        value = asked.config.get(field.name)
        if field.type == "PASSWORD" and value and field.name not in asked.secret and not is_reference(value):
            raise InvalidInput(
                f"config.{field.name} is a password by the plugin's own definition; write {{env: WEIR_SECRET_NAME}},"
                " {file: NAME}, or a reference that the worker resolves, such as ${file:/path:key}.",
                details={"field": f"spec.config.{field.name}"},
            )


def passwords(fields: Sequence[CheckedField]) -> frozenset[str]:
    """The keys that are passwords by the plugin's own definition."""
    return frozenset(field.name for field in fields if field.type == "PASSWORD")


def check_errors(asked: Wanted, fields: Sequence[CheckedField]) -> None:
    """Raises InvalidInput with a sentence for each key that the plugin refuses; `details.fields` has all of them.

    A plugin checks what the worker has put in the place of its references (`${file:...}`), and may repeat that. So of a
    configuration that has one, no text of the plugin is shown.
    """
    secrets = {asked.config[key] for key in asked.secret if asked.config[key]}
    problems = [
        {"field": f"spec.config.{field.name}", "message": _sentence(field, asked, secrets)}
        for field in fields
        if field.errors
    ]
    if not problems:
        return
    text = " ".join(each["message"] for each in problems[:_MOST_SHOWN])
    more = len(problems) - _MOST_SHOWN
    rest = f" And {more} more." if more > 0 else ""
    raise InvalidInput(text + rest, details={"field": problems[0]["field"], "fields": problems})


def _sentence(field: CheckedField, asked: Wanted, secrets: set[str]) -> str:
    # Of several errors about one value the first explains; the others follow from it.
    text = " ".join(field.errors[0].split())
    if field.name not in asked.config and text.startswith("Missing required configuration"):
        return f"config.{field.name} is missing; the plugin requires it."
    if any(has_reference(value) for value in asked.config.values()):
        return (
            f"config.{field.name}: the plugin refuses the value; its message may hold what the worker reads for a reference,"
            " and is not shown."
        )
    if any(secret in text for secret in secrets) or field.name in asked.secret:
        return f"config.{field.name}: the plugin refuses the value; its message may hold a secret and is not shown."
    return f"config.{field.name}: {text[:500].rstrip('.')}."
