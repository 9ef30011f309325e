"""Asks a schema registry and a Kafka Connect without credentials, by requests that change nothing there.

Reading is a GET. For writing there is a request that needs the right and has no effect: the check of a schema against a subject
that nobody has (Apicurio asks for the right to write for it), and the validation of a connector of a class that no worker has.
"""

from __future__ import annotations

import ssl

import httpx

from catalog.adapters.checked_http import AddressRefused, CheckedTransport
from catalog.call_deadline import CallDeadline
from catalog.declared.server_addresses import ServerAddresses
from catalog.server_doors import Door, ServerDoor, ServerKind

_CALL_S = 4.0
_SUBJECT = "weir-door-probe"
_CLASS = "weir.door.probe.NoSuchConnector"
_READ = {"registry": "/subjects", "connect": "/connectors"}
_WRITE: dict[str, tuple[str, str, dict[str, str]]] = {
    "registry": ("POST", f"/compatibility/subjects/{_SUBJECT}/versions/latest", {"schema": '{"type":"string"}'}),
    "connect": ("PUT", f"/connector-plugins/{_CLASS}/config/validate", {"connector.class": _CLASS}),
}
_CLOSED = frozenset({401, 403, 405, 407, 511})
_REACHED = frozenset({200, 201, 204, 400, 404, 409, 422, 500})
"""The answers of a server that let the request in: it looked for a subject or a class that is not there."""


class HttpDoorProbe:
    """See `catalog.server_doors.DoorProbe`. `inner` replaces the network in tests."""

    def __init__(self, servers: ServerAddresses, inner: httpx.BaseTransport | None = None) -> None:
        self._servers, self._inner = servers, inner

    def ask(self, kind: ServerKind, url: str, ca: str | None = None) -> ServerDoor:
        base = url.rstrip("/")
        evidence: list[str] = []
        try:
            verify = ssl.create_default_context(cafile=ca) if ca else True
            transport = CheckedTransport(self._servers, verify=verify, inner=self._inner)
            with httpx.Client(transport=transport, follow_redirects=False, trust_env=False) as client:
                reads = _read(client, base + _READ[kind], evidence, _READ[kind])
                writes = _written(client, base, kind, evidence) if reads is not Door.NOT_KNOWN else Door.NOT_KNOWN
        except AddressRefused as refused:
            return ServerDoor(kind, url, problem=refused.message)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError):
            return ServerDoor(kind, url, evidence=tuple(evidence), problem=f"{url} does not answer")
        problem = None if reads is not Door.NOT_KNOWN else f"{url} answers {evidence[-1].rpartition(' ')[2]}"
        roles_unknown = kind == "registry" and "/apis/" not in base
        return ServerDoor(kind, url, reads, writes, tuple(evidence), problem, roles_unknown)


def _status(client: httpx.Client, method: str, url: str, body: dict[str, str] | None) -> int:
    """The status alone: the rest of an answer may be as large as the server likes, and is not read."""
    with (
        CallDeadline(_CALL_S) as deadline,
        client.stream(
            method,
            url,
            json=body,
            headers={"Accept": "application/json"},
            timeout=_CALL_S,
            extensions={"trace": deadline.watch},
        ) as answer,
    ):
        return answer.status_code


def _read(client: httpx.Client, url: str, evidence: list[str], path: str) -> Door:
    status = _status(client, "GET", url, None)
    evidence.append(f"GET {path} {status}")
    if status in _CLOSED:
        return Door.CLOSED
    return Door.OPEN if status == 200 else Door.NOT_KNOWN


def _written(client: httpx.Client, base: str, kind: ServerKind, evidence: list[str]) -> Door:
    method, path, body = _WRITE[kind]
    status = _status(client, method, base + path, body)
    evidence.append(f"{method} {path} {status}")
    if status in _CLOSED:
        return Door.CLOSED
    return Door.OPEN if status in _REACHED else Door.NOT_KNOWN
