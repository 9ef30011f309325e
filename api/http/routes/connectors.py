"""`/connectors`: declared connectors of Kafka Connect, and operating them. They are declared: `/declared/Connector`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.edge.openapi import answers_with
from api.edge.parameters import Name
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.connectors import ConnectorAction, ConnectorPlugins, DeclaredConnectors, DescribedConnector
from api.joins.connectors.service import Connectors
from api.visibility.readers import Readers

router = APIRouter(tags=["connectors"])


@router.get(
    "/connectors",
    dependencies=[signed_in("values of a configuration for owners and `manage`")],
    responses=answers_with(DeclaredConnectors),
)
def connectors(built: InstanceOf, subject: Caller) -> Any:
    """Every declared connector: its state, and what somebody changed at the worker. Configurations are in
    `/declared/Connector`, without secrets."""
    reader = built[Readers].of(subject)
    listed = built[Connectors].all(subject, lambda each: not reader.names_unlinked([each.key, each.spec]))
    return {"connectors": [each for each in listed if not reader.names_unlinked(each)]}


@router.get(
    "/connectors/{name}",
    dependencies=[signed_in("values of a configuration for owners and `manage`")],
    responses=answers_with(DescribedConnector),
)
def one(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """One connector: tasks, topics, what it joins, and where it differs from what is declared."""
    reader = built[Readers].of(subject)
    if reader.horizon is not None:
        built[Connectors].require(name, lambda each: not reader.names_unlinked([each.key, each.spec]))
    described = built[Connectors].describe(subject, name)
    if reader.names_unlinked(described):  # topics that the worker alone knows of
        built[Connectors].require(
            name, lambda each: each.key != name and not reader.names_unlinked([each.key, each.spec])
        )
    return described


@router.post("/connectors/{name}/restart", dependencies=[needs("manage")], responses=answers_with(ConnectorAction))
def restart(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Start the connector and all its tasks again."""
    return built[Connectors].operate(subject, name, "restart")


@router.post("/connectors/{name}/pause", dependencies=[needs("manage")], responses=answers_with(ConnectorAction))
def pause(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Let its tasks wait; they keep what they hold."""
    return built[Connectors].operate(subject, name, "pause")


@router.post("/connectors/{name}/resume", dependencies=[needs("manage")], responses=answers_with(ConnectorAction))
def resume(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Continue after a pause or a stop."""
    return built[Connectors].operate(subject, name, "resume")


@router.post("/connectors/{name}/stop", dependencies=[needs("manage")], responses=answers_with(ConnectorAction))
def stop(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """End its tasks; the connector and its offsets stay."""
    return built[Connectors].operate(subject, name, "stop")


@router.get(
    "/clusters/{name}/connector-plugins",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(ConnectorPlugins),
)
def plugins(built: InstanceOf, _: Caller, name: Name) -> Any:
    """Connector classes that the Kafka Connect of a cluster has."""
    return {"plugins": built[Connectors].plugins(name)}
