"""HTTP to one cluster's schema registry: answers in a few attempts, within the time that the caller has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import httpx

from catalog.adapters.checked_http import CheckedTransport
from catalog.call_deadline import CallDeadline, patience
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import Unavailable
from scanners.model import ClusterConnection
from scanners.settings import ScannerSettings

_SCHEMA_NOT_FOUND = 40403
"""Confluent's error code; a page that is not there has 404."""


class Failed(Exception):
    """The registry gave no answer in all attempts."""


def unavailable(cluster: ClusterConnection) -> Unavailable:
    """The error for a caller that cannot do without the registry."""
    url = httpx.URL(str(cluster.registry))
    return Unavailable(
        f"The schema registry of cluster {cluster.name} at {url.host}:{url.port or ''} does not answer as one; check"
        " schemaRegistry.url.",
        details={"server": "registry"},
    )


class RegistryHttp:
    """Connections to one registry, closed at the end of `with`. `registry`: its address, as the cluster names it."""

    def __init__(
        self,
        cluster: ClusterConnection,
        settings: ScannerSettings,
        transport: httpx.BaseTransport | None,
        sleep: Callable[[float], None],
        servers: ServerAddresses,
    ) -> None:
        self.registry = str(cluster.registry)
        self._settings, self._sleep = settings, sleep
        self._client = httpx.Client(
            base_url=self.registry.rstrip("/"),
            auth=cluster.registry_auth,
            transport=transport or CheckedTransport(servers),
            timeout=settings.registry_seconds,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        self._client.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str) -> Any:
        """The JSON of an answer, None for 404. Raises Failed after the last attempt."""
        for attempt in range(self._settings.registry_attempts):
            if attempt:
                self._sleep(min(0.2 * 2**attempt, max(0.0, patience(10))))
            if (seconds := patience(self._settings.registry_seconds)) <= 0:
                break
            try:
                with CallDeadline(seconds) as deadline:
                    answer = self._client.get(path, extensions={"trace": deadline.watch}, timeout=seconds)
                if answer.status_code == httpx.codes.NOT_FOUND:
                    return None
                answer.raise_for_status()
                return answer.json()
            except (httpx.HTTPError, ValueError):
                continue
        raise Failed

    def asks_for_schema(self, path: str) -> bool:
        """Whether 404 at this path means that the schema is not there; else the registry has no such page."""
        try:
            return bool(self._client.get(path).json().get("error_code") == _SCHEMA_NOT_FOUND)
        except (httpx.HTTPError, ValueError, AttributeError):
            return False

    def post(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """One attempt. Raises httpx.HTTPError."""
        return self._client.post(path, json=body)

    def post_in_time(self, path: str, body: Mapping[str, Any], parameters: Mapping[str, str]) -> httpx.Response:
        """One attempt, ended when the caller's time is over. Raises httpx.HTTPError."""
        seconds = max(0.1, patience(self._settings.registry_seconds))
        with CallDeadline(seconds) as deadline:
            extensions = {"trace": deadline.watch}
            return self._client.post(path, params=parameters, json=body, extensions=extensions, timeout=seconds)
