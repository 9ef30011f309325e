"""`/connectors`: declared connectors of Kafka Connect, and operating them. They are declared: `/declared/Connector`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Name
from api.http.schemas.connectors import ConnectorAction, ConnectorPlugins, DeclaredConnectors, DescribedConnector

router = APIRouter(tags=["connectors"])


@router.get("/connectors", responses=answers_with(DeclaredConnectors))
def connectors(built: ServicesOf, subject: Caller) -> Any:
    """Every declared connector: its state, and what somebody changed at the worker. Configurations are in
    `/declared/Connector`, without secrets."""
    reader = built.reader(subject)
    listed = built.connectors.all(subject, lambda each: not reader.names_unlinked([each.key, each.spec]))
    return {"connectors": [each for each in listed if not reader.names_unlinked(each)]}


@router.get("/connectors/{name}", responses=answers_with(DescribedConnector))
def one(built: ServicesOf, subject: Caller, name: Name) -> Any:
    """One connector: tasks, topics, what it joins, and where it differs from what is declared."""
    reader = built.reader(subject)
    if reader.horizon is not None:
        built.connectors.require(name, lambda each: not reader.names_unlinked([each.key, each.spec]))
    described = built.connectors.describe(subject, name)
    if reader.names_unlinked(described):  # topics that the worker alone knows of
        built.connectors.require(
            name, lambda each: each.key != name and not reader.names_unlinked([each.key, each.spec])
        )
    return described


@router.post("/connectors/{name}/restart", responses=answers_with(ConnectorAction))
def restart(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Start the connector and all its tasks again."""
    return built.connectors.operate(subject, name, "restart")


@router.post("/connectors/{name}/pause", responses=answers_with(ConnectorAction))
def pause(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Let its tasks wait; they keep what they hold."""
    return built.connectors.operate(subject, name, "pause")


@router.post("/connectors/{name}/resume", responses=answers_with(ConnectorAction))
def resume(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Continue after a pause or a stop."""
    return built.connectors.operate(subject, name, "resume")


@router.post("/connectors/{name}/stop", responses=answers_with(ConnectorAction))
def stop(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """End its tasks; the connector and its offsets stay."""
    return built.connectors.operate(subject, name, "stop")


@router.get("/clusters/{name}/connector-plugins", responses=answers_with(ConnectorPlugins))
def plugins(built: ServicesOf, _: Caller, name: Name) -> Any:
    """Connector classes that the Kafka Connect of a cluster has."""
    return {"plugins": built.connectors.plugins(name)}
