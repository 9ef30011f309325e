"""`/connectors`: declared connectors of Kafka Connect, and operating them. They are declared: `/declared/Connector`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Query

from api.edge.parameters import Name, Text
from api.features.connectors import answers
from api.features.connectors.service import Connectors
from api.features.connectors.source_masking import SourceMasking
from api.guard.guards import KNOWN, OWNERS, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.records import DeclaredDocument

router = FeatureRouter(tags=["connectors"])


@router.get("/connectors", dependencies=[signed_in("values of a configuration for owners and `manage`")])
def list_connectors(connectors: From[Connectors], readers: From[Readers], caller: Caller) -> answers.DeclaredConnectors:
    """Every declared connector: its state, and what somebody changed at the worker. Configurations are in
    `/declared/Connector`, without secrets."""
    reader = readers.of(caller)
    rows = connectors.all(caller, _known_to(reader))
    if reader.horizon is not None:
        rows = [each for each in rows if not reader.names_unlinked(each.model_dump())]
    return answers.DeclaredConnectors(connectors=rows)


@router.get("/connectors/{name}", dependencies=[signed_in("values of a configuration for owners and `manage`")])
def one(connectors: From[Connectors], readers: From[Readers], caller: Caller, name: Name) -> answers.DescribedConnector:
    """One connector: tasks, topics, what it joins, and where it differs from what is declared."""
    reader = readers.of(caller)
    if reader.horizon is None:
        return connectors.describe(caller, name)
    known = _known_to(reader)
    connectors.require(name, known)
    described = connectors.describe(caller, name)
    if reader.names_unlinked(described.model_dump()):  # topics that the worker alone knows of
        connectors.require(name, lambda each: each.key != name and known(each))
    return described


@router.post("/connectors/{name}/restart", dependencies=[needs("manage")])
def restart(connectors: From[Connectors], caller: Caller, name: Name) -> answers.ConnectorAction:
    """Start the connector and all its tasks again."""
    return connectors.operate(caller, name, "restart")


@router.post("/connectors/{name}/pause", dependencies=[needs("manage")])
def pause(connectors: From[Connectors], caller: Caller, name: Name) -> answers.ConnectorAction:
    """Let its tasks wait; they keep what they hold."""
    return connectors.operate(caller, name, "pause")


@router.post("/connectors/{name}/resume", dependencies=[needs("manage")])
def resume(connectors: From[Connectors], caller: Caller, name: Name) -> answers.ConnectorAction:
    """Continue after a pause or a stop."""
    return connectors.operate(caller, name, "resume")


@router.post("/connectors/{name}/stop", dependencies=[needs("manage")])
def stop(connectors: From[Connectors], caller: Caller, name: Name) -> answers.ConnectorAction:
    """End its tasks; the connector and its offsets stay."""
    return connectors.operate(caller, name, "stop")


@router.get("/clusters/{name}/connector-plugins", dependencies=[signed_in(KNOWN)])
def plugins(connectors: From[Connectors], _: Caller, name: Name) -> answers.ConnectorPlugins:
    """Connector classes that the Kafka Connect of a cluster has."""
    return connectors.plugins(name)


@router.get(
    "/connector-masks",
    dependencies=[needs("audit:read", "manage", "report:read", others=OWNERS, scope="report:read")],
)
def connector_masks(
    masking: From[SourceMasking],
    caller: Caller,
    dataset: Annotated[Text | None, Query(description="Connectors that write it: CLUSTER/TOPIC.")] = None,
    connector: Annotated[Text | None, Query(description="A connector of any cluster, declared or not.")] = None,
) -> answers.SourceMasks:
    """Settings of Kafka Connect and Debezium that mask at the source what an ordinary reader sees masked.

    One of dataset and connector is given. Workers are asked each time. No value of a configuration is shown but names of tables and
    of transforms, and that only to those who own the connector or may manage.
    """
    return masking.of(caller, dataset, connector)


def _known_to(reader: Reader) -> Callable[[DeclaredDocument], bool]:
    """Whether what a document names may be known of."""
    return lambda each: not reader.names_unlinked([each.key, each.spec])
