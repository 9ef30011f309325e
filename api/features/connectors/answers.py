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


class SourceMasked(Answer):
    """What is done at the source with one field that an ordinary reader sees masked."""

    dataset: str
    path: str
    mask: str = about("What an ordinary reader of the dataset sees.")
    setting: str | None = about("The setting that masks it; null: none can.")
    exact: bool = about("The setting does what the mask does.")
    note: str | None = about("Where it is not exact: which mask the source cannot express, and what is nearest.")


class SourceLeak(Answer):
    """A field that reaches the topic with more than an ordinary reader sees."""

    dataset: str
    path: str
    mask: str
    reasons: list[str] = about(
        "Settings that hide less, or that name it and do not reach it; empty: no setting names it."
    )
    unknown: list[str] = about("Transforms of which it is not known whether they mask it.")


class SourceMasksOfConnector(Answer):
    """Settings that mask at the source what an ordinary reader sees masked."""

    connector: str
    cluster: str
    plugin: str
    datasets: list[str] = about("Datasets that it writes and that the caller may see the masks of.")
    properties: dict[str, str] = about(
        "To paste into the configuration, in Kafka Connect's words. ${WEIR_SECRET_MASK_SALT} is in the place of the salt."
    )
    masks: list[SourceMasked]
    notes: list[str] = about("What is not masked or not known, in sentences.")
    leaks: list[SourceLeak] = about("Fields that the connector, as it is at its worker, writes unmasked.")


class SourceMasks(Answer):
    """The settings for each connector that writes the dataset, or for the one that was named."""

    connectors: list[SourceMasksOfConnector]
    notes: list[str] = about("Workers that could not be asked, in sentences.")
