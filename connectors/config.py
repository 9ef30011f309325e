"""From a declared connector to the configuration that the worker gets, and back: where the two differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.declared import ConnectorSpec
from connectors.model import Configuration, Live
from connectors.secret_texts import has_reference, holds_password, is_secret_name, salt_reference, shown_key

HIDDEN = "(not shown)"
Read = Callable[[Mapping[str, Any], str], str | None]
"""A reference to a secret, the field that names it -> the secret. Raises SettingsError."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The configuration that a document asks for. `secret`: its keys whose values were read from a place of secrets."""

    config: Configuration = field(repr=False)
    secret: frozenset[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of the document that is otherwise at the worker. None: it is not there."""

    field: str
    declared: str | None
    actual: str | None


def wanted(spec: ConnectorSpec, plugin: str, read: Read) -> Wanted:
    """`plugin`: the whole name of the class. Raises SettingsError for a secret that cannot be read."""
    config: dict[str, str] = {"connector.class": plugin}
    secret = set()
    for named, value in spec.config.items():
        key = _salted(named, read)
        if key != named:
            secret.add(key)
        if isinstance(value, bool):
            config[key] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            config[key] = str(value)
        else:
            config[key] = read(value.model_dump(exclude_none=True), f"config.{key}") or ""
            secret.add(key)
    if spec.deadLetters is not None:
        config["errors.tolerance"] = "all"
        config["errors.deadletterqueue.topic.name"] = spec.deadLetters.topic
        config["errors.deadletterqueue.context.headers.enable"] = "true"
        if spec.deadLetters.replication is not None:
            config["errors.deadletterqueue.topic.replication.factor"] = str(spec.deadLetters.replication)
    return Wanted(config, frozenset(secret))


def _salted(key: str, read: Read) -> str:
    """The name of a setting with its salt in the place of the reference to it."""
    name = salt_reference(key)
    return key if name is None else key.replace(f"${{{name}}}", read({"env": name}, f"config.{key}") or "")


def differences(
    asked: Wanted, state: str | None, live: Live, passwords: Collection[str] = frozenset()
) -> list[Difference]:
    """What somebody changed at the worker, by field. A value is shown where the document has that key in plain text, and
    neither value is a secret. `passwords`: keys that the plugin defines so."""
    changes = []
    there = {key: value for key, value in live.config.items() if key != "name"}
    for key in sorted(asked.config.keys() | there.keys()):
        declared, now = asked.config.get(key), there.get(key)
        if declared == now:
            continue
        closed = (
            not declared
            or key in asked.secret
            or key in passwords
            or has_reference(declared)
            or is_secret_name(key)
            or (now is not None and holds_password(now))
        )
        changes.append(
            Difference(
                "plugin" if key == "connector.class" else f"config.{shown_key(key)}",
                None if declared is None else HIDDEN if key in asked.secret else declared,
                None if now is None else HIDDEN if closed else now,
            )
        )
    if state is not None and live.state.lower() in ("running", "paused", "stopped") and live.state.lower() != state:
        changes.append(Difference("state", state, live.state.lower()))
    return changes


def as_found(spec: Mapping[str, Any], changes: list[Difference]) -> dict[str, object]:
    """The document's spec with what is at the worker in place of what was declared; for a diff."""
    config = dict(spec.get("config") or {})
    shown = {**spec, "config": config}
    for each in changes:
        key = each.field.removeprefix("config.")
        place = config if key != each.field else shown
        if each.actual is None:
            place.pop(key, None)
        else:
            place[key] = each.actual
    return shown
