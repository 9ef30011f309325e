"""A schema registry and a Kafka Connect asked without credentials: what follows from their answers, and that nothing is changed."""

from __future__ import annotations

import json
from collections.abc import Mapping

import httpx
import pytest

from catalog.adapters.door_probe import HttpDoorProbe
from catalog.declared.server_addresses import ServerAddresses
from catalog.server_doors import Door, ServerDoor, ServerKind

URL = {"registry": "http://10.1.2.3:8081/apis/ccompat/v7", "connect": "http://10.1.2.3:8083"}
HARMLESS = {
    ("GET", "/apis/ccompat/v7/subjects"),
    ("POST", "/apis/ccompat/v7/compatibility/subjects/weir-door-probe/versions/latest"),
    ("GET", "/connectors"),
    ("PUT", "/connector-plugins/weir.door.probe.NoSuchConnector/config/validate"),
}


def asked(
    kind: ServerKind, statuses: Mapping[str, int], url: str | None = None
) -> tuple[ServerDoor, list[httpx.Request]]:
    """The answer where the server gives a status for each method."""
    requests: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(statuses[request.method], json=["a"], headers={"Location": "http://169.254.169.254/"})

    probe = HttpDoorProbe(ServerAddresses(), inner=httpx.MockTransport(answer))
    return probe.ask(kind, url or URL[kind]), requests


@pytest.mark.parametrize(
    ("kind", "statuses", "reads", "writes"),
    [
        ("registry", {"GET": 200, "POST": 200}, Door.OPEN, Door.OPEN),
        ("registry", {"GET": 200, "POST": 404}, Door.OPEN, Door.OPEN),
        ("registry", {"GET": 200, "POST": 403}, Door.OPEN, Door.CLOSED),
        ("registry", {"GET": 401, "POST": 401}, Door.CLOSED, Door.CLOSED),
        ("registry", {"GET": 404, "POST": 200}, Door.NOT_KNOWN, Door.NOT_KNOWN),
        ("registry", {"GET": 302, "POST": 302}, Door.NOT_KNOWN, Door.NOT_KNOWN),
        ("registry", {"GET": 200, "POST": 503}, Door.OPEN, Door.NOT_KNOWN),
        ("connect", {"GET": 200, "PUT": 400}, Door.OPEN, Door.OPEN),
        ("connect", {"GET": 200, "PUT": 500}, Door.OPEN, Door.OPEN),
        ("connect", {"GET": 200, "PUT": 405}, Door.OPEN, Door.CLOSED),
        ("connect", {"GET": 401, "PUT": 401}, Door.CLOSED, Door.CLOSED),
    ],
)
def test_an_answer_opens_or_closes_a_door(
    kind: ServerKind, statuses: Mapping[str, int], reads: Door, writes: Door
) -> None:
    door, requests = asked(kind, statuses)
    assert (door.reads, door.writes) == (reads, writes)
    assert (door.problem is not None) is (reads is Door.NOT_KNOWN)
    assert all(str(status) in " ".join(door.evidence) for status in [statuses["GET"]])
    for request in requests:
        assert (request.method, request.url.path) in HARMLESS
        assert "authorization" not in request.headers
        assert request.url.host == "10.1.2.3"  # a redirect is not followed


def test_the_only_bodies_are_a_schema_to_check_and_a_class_that_no_worker_has() -> None:
    _, registry = asked("registry", {"GET": 200, "POST": 200})
    _, connect = asked("connect", {"GET": 200, "PUT": 400})
    bodies = [json.loads(each.content) for each in [*registry, *connect] if each.content]
    assert bodies == [{"schema": '{"type":"string"}'}, {"connector.class": "weir.door.probe.NoSuchConnector"}]


def test_an_address_that_may_not_be_called_is_not() -> None:
    door, requests = asked("registry", {"GET": 200, "POST": 200}, url="http://169.254.169.254/latest")
    assert requests == [] and door.reads is Door.NOT_KNOWN and "169.254.169.254" in str(door.problem)


def test_a_server_that_is_away_is_told() -> None:
    def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    door = HttpDoorProbe(ServerAddresses(), inner=httpx.MockTransport(away)).ask("connect", URL["connect"])
    assert door.problem == "http://10.1.2.3:8083 does not answer" and door.reads is door.writes is Door.NOT_KNOWN


def test_roles_that_a_registry_does_not_show_are_not_claimed() -> None:
    assert not asked("registry", {"GET": 200, "POST": 200})[0].roles_unknown
    assert asked("registry", {"GET": 200, "POST": 200}, url="http://10.1.2.3:8081")[0].roles_unknown
