"""Answers of `/connectors`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, FreeForm, Time, about


class ConnectorTask(Answer):
    """A task of a connector."""

    id: int
    state: str
    worker: str
    error: str | None = about("Why it failed, in one sentence; for owners and who may manage.")


class ConnectorPending(Answer):
    """What the worker does not have yet."""

    since: Time | None
    reason: str | None = about("Why; for owners and who may manage.")


class ConnectorMayDo(Answer):
    """What the caller may do with a connector."""

    operate: bool = about("Pause, resume, stop, restart and delete it.")


class ConnectorRow(Answer):
    """A declared connector and how it is at its worker."""

    name: str
    state: str = about(
        "running, paused, stopped, failed (also when one task is), unassigned, restarting; missing: the worker does not have"
        " it; unknown: the worker could not be asked; deleting: the worker still has it."
    )
    type: Literal["source", "sink"] | None
    plugin: str
    cluster: str
    worker: str | None = about("Address of the Kafka Connect worker.")
    tasks: list[ConnectorTask]
    error: str | None
    differs: list[str] = about("Fields that somebody changed at the worker.")
    pending: ConnectorPending | None
    dead_letters: str | None = about("Topic for records that a sink cannot convert.")
    description: str
    owners: list[FreeForm]
    may: ConnectorMayDo


class ConnectorDrift(Answer):
    """A field that somebody changed at the worker."""

    field: str
    declared: str | None
    actual: str | None = about("(not shown) where it may be a secret; null where it is not there.")


class DescribedConnector(ConnectorRow):
    """One connector, with what it joins."""

    topics: list[str]
    outside: list[str] = about("What it reads or writes outside of Kafka, as in lineage.")
    job: str | None = about("Its node in lineage.")
    drift: list[ConnectorDrift] | None = about("Null for those who neither own it nor may manage.")


class DeclaredConnectors(Answer):
    """Every declared connector."""

    connectors: list[ConnectorRow]


class ConnectorAction(Answer):
    """What the worker was asked to do."""

    name: str
    action: Literal["restart", "pause", "resume", "stop"]


class ConnectorPlugin(Answer):
    """A connector class that a worker has."""

    plugin: str = about("The class.", alias="class")
    type: Literal["source", "sink"]
    version: str


class ConnectorPlugins(Answer):
    """Connector classes of a worker."""

    plugins: list[ConnectorPlugin]
