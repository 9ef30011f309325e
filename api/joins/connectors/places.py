"""Which worker a declared connector belongs to, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.declared.documents import Document
from catalog.declared.secrets import Secrets, credentials, require_private
from catalog.errors import InvalidInput
from catalog.ports import CatalogStore
from connectors.check import plugin_named
from connectors.config import Wanted, wanted
from connectors.declared import ConnectorSpec
from connectors.model import Plugin
from connectors.ports import ConnectWorker

WorkersOf = Callable[[str, tuple[str, str] | None, str | None], ConnectWorker]
"""url, (user, password), CA file -> a worker."""
Server = Mapping[str, Any]
"""`connect` as it is declared: url, and references to a user and password."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a document asks of its worker."""

    worker: ConnectWorker
    plugin: Plugin
    wanted: Wanted


class Places:
    """Finds workers. Raises InvalidInput for what is not declared, SettingsError for secrets, Unavailable."""

    def __init__(self, store: CatalogStore, secrets: Secrets, workers_of: WorkersOf) -> None:
        self._store, self._secrets, self._workers_of = store, secrets, workers_of

    def server(self, spec: Mapping[str, Any], documents: Sequence[Document] = ()) -> Server:
        """The worker's address as declared: the connector's own, else that of its cluster. `documents` are applied
        together with it."""
        name = str(spec["cluster"])
        together = [each.spec for each in documents if each.kind == "Cluster" and each.name == name]
        record = self._store.cluster(name)
        if not together and record is None:
            known = ", ".join(sorted(each.name for each in self._store.clusters())) or "none yet"
            raise InvalidInput(
                f"There is no cluster {name!r} (known: {known}); declare it by kind: Cluster.",
                details={"field": "spec.cluster"},
            )
        declared = together[0] if together else record.settings if record is not None else {}
        server: Server | None = spec.get("connect") or declared.get("connect")
        if not server:
            raise InvalidInput(
                f"The cluster {name} names no Kafka Connect; declare connect: {{url: ...}} there, or in the connector.",
                details={"field": "spec.connect"},
            )
        return server

    def worker(self, server: Server) -> ConnectWorker:
        auth = credentials(self._secrets, server, "connect")
        ca = self._secrets.file(server["ca"], "connect.ca", authorities=True) if server.get("ca") else None
        return self._workers_of(str(server["url"]), auth, ca)

    def asked(self, spec: ConnectorSpec, server: Server) -> Asked:
        """The worker has the plugin, and what it would get; secrets are read."""
        worker = self.worker(server)
        plugin = plugin_named(spec.plugin, worker.plugins(), f"Kafka Connect at {server['url']}")
        return Asked(worker, plugin, self.wanted(spec, server, plugin.name))

    def wanted(self, spec: ConnectorSpec, server: Server, plugin: str) -> Wanted:
        asked = wanted(spec, plugin, self._secrets.read)
        if asked.secret:
            require_private(str(server["url"]), "connect.url", what="the secrets of the configuration")
        return asked

    def check_secrets(self, spec: ConnectorSpec) -> None:
        """Raises SettingsError for a place that may not be read; reads nothing."""
        for key, value in spec.config.items():
            if not isinstance(value, str | int | float | bool):
                self._secrets.check(value.model_dump(exclude_none=True), f"config.{key}")
