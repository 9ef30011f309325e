"""What a worker of Kafka Connect answers, in plain types. No value of a configuration is in a `repr`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["source", "sink"]
Configuration = Mapping[str, str]
"""Every key and value, with `connector.class` and without `name`."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A class that a worker has."""

    name: str
    kind: Kind
    version: str = ""


@dataclass(frozen=True, slots=True)
class CheckedField:
    """A key as the plugin defines it. `type`: Connect's word for it, such as STRING, INT, PASSWORD. `errors`: what the
    plugin has against its value; they may repeat the value."""

    name: str
    type: str
    errors: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Task:
    """A task. `trace`: Java's stack trace where it failed."""

    id: int
    state: str
    worker: str = ""
    trace: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Live:
    """A connector as it is at the worker. `state`: RUNNING, PAUSED, STOPPED, FAILED, UNASSIGNED, RESTARTING."""

    name: str
    kind: Kind
    state: str
    config: Configuration = field(default_factory=dict, repr=False)
    tasks: tuple[Task, ...] = ()
    worker: str = ""
    trace: str = field(default="", repr=False)
