"""Which worker a declared connector belongs to, where Weir made it, and what that worker is asked.

A cluster's `connect` may change while its connectors stay where they are. So the worker at which Weir made a connector
is kept, and a connector goes to another one only when its own document is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from catalog.declared.documents import Document
from catalog.declared.secrets import Secrets, credentials, require_private
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import InvalidInput
from catalog.ports import CatalogStore
from catalog.records import DeclaredDocument
from connectors.check import plugin_named
from connectors.config import Wanted, wanted
from connectors.declared import ConnectorSpec
from connectors.model import Plugin
from connectors.ports import ConnectWorker
from connectors.secret_texts import salt_reference

KIND = "Connector"
PENDING, PLACE = "ConnectorPending", "ConnectorPlace"
"""What is to be done at workers, and where a connector was made: kept beside declared documents; no kinds that
`weir apply` takes."""
WorkersOf = Callable[[str, tuple[str, str] | None, str | None], ConnectWorker]
"""url, (user, password), CA file -> a worker."""
Server = Mapping[str, Any]
"""`connect` as it is declared: url, and references to a user and password."""


@dataclass(frozen=True, slots=True)
class WorkerRequest:
    """What a document asks of its worker."""

    worker: ConnectWorker
    plugin: Plugin
    wanted: Wanted


def address(server: Server) -> str:
    """Where a worker is, the same for every way to write its URL."""
    parts = urlsplit(str(server["url"]))
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"


def same_worker(one: Server | None, other: Server | None) -> bool:
    return one is not None and other is not None and address(one) == address(other)


def same_way(one: Server, other: Server) -> bool:
    """Whether it is the same worker, recognised by the same authority."""
    return same_worker(one, other) and one.get("ca") == other.get("ca")


def spec_of(document: DeclaredDocument) -> ConnectorSpec:
    """Raises InvalidInput for a document that an older Weir took and this one would not."""
    try:
        return ConnectorSpec.model_validate(document.spec)
    except ValidationError:  # its words may repeat the configuration
        raise InvalidInput(f"Connector {document.key} breaks a rule that is newer than it; apply it again.") from None


def way(server: Server) -> dict[str, object]:
    """How a worker is reached, without credentials."""
    return {name: server[name] for name in ("url", "ca") if server.get(name)}


class Places:
    """Finds workers. Raises InvalidInput for what is not declared, SettingsError for secrets, Unavailable."""

    def __init__(
        self,
        store: CatalogStore,
        secrets: Secrets,
        workers_of: WorkersOf,
        servers: ServerAddresses | None = None,
    ) -> None:
        self._store, self._secrets, self._workers_of = store, secrets, workers_of
        self._servers = servers or ServerAddresses()

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

    def found(self, spec: Mapping[str, Any], documents: Sequence[Document] = ()) -> Server | None:
        """As `server`; None where that is declared nowhere."""
        try:
            return self.server(spec, documents)
        except InvalidInput:
            return None

    def made_at(self, key: str, spec: Mapping[str, Any]) -> Server:
        """The worker at which Weir made the connector, with the credentials that are declared for it now. Raises
        InvalidInput where that is not known and none is declared."""
        kept = self._store.document(PLACE, key)
        if kept is None:
            return self.server(spec)
        server: Server = kept.spec["server"]
        now = self.found(spec)
        return now if now is not None and same_way(now, server) else server

    def place(self, key: str, spec: Mapping[str, Any]) -> Server | None:
        """As `made_at`; None where that is not known."""
        try:
            return self.made_at(key, spec)
        except InvalidInput:
            return None

    def keep(self, key: str, server: Server) -> None:
        """It is made there from now on."""
        self._store.put_document(DeclaredDocument(PLACE, key, {"name": key}, {"server": dict(server)}))

    def forget(self, key: str) -> None:
        self._store.delete_document(PLACE, key)

    def of_cluster(self, cluster: str) -> Sequence[DeclaredDocument]:
        """The declared connectors of a cluster."""
        return [each for each in self._store.documents(KIND) if each.spec.get("cluster") == cluster]

    def named_of(self, cluster: str) -> Sequence[str]:
        """Their names, sorted."""
        return sorted(each.key for each in self.of_cluster(cluster))

    def workers(self) -> list[tuple[str, Server]]:
        """(cluster, worker) of the connectors that are not at the worker of their cluster, each once; for lineage."""
        own: dict[str, tuple[str, Server]] = {}
        for each in self._store.documents(KIND):
            cluster = str(each.spec["cluster"])
            place = self.place(each.key, each.spec)
            if place is not None and not same_worker(place, self.found({"cluster": cluster})):
                own.setdefault(f"{cluster} {address(place)}", (cluster, place))
        return list(own.values())

    def worker(self, server: Server) -> ConnectWorker:
        self._servers.require_url(str(server["url"]), "connect.url")
        auth = credentials(self._secrets, server, "connect")
        ca = self._secrets.file(server["ca"], "connect.ca", authorities=True) if server.get("ca") else None
        return self._workers_of(str(server["url"]), auth, ca)

    def asked(self, spec: ConnectorSpec, server: Server) -> WorkerRequest:
        """The worker has the plugin, and what it would get; secrets are read."""
        worker = self.worker(server)
        plugin = plugin_named(spec.plugin, worker.plugins(), f"Kafka Connect at {server['url']}")
        return WorkerRequest(worker, plugin, self.wanted(spec, server, plugin.name))

    def wanted(self, spec: ConnectorSpec, server: Server, plugin: str) -> Wanted:
        self.check_secrets(spec, server)
        return wanted(spec, plugin, self._secrets.read)

    def check_secrets(self, spec: ConnectorSpec, server: Server) -> None:
        """Raises SettingsError for a place that may not be read, or an address that secrets may not go to,
        or that may not be called; reads nothing."""
        self._servers.require_url(str(server["url"]), "connect.url")
        references = {
            key: value for key, value in spec.config.items() if not isinstance(value, str | int | float | bool)
        }
        for key, value in references.items():
            self._secrets.check(value.model_dump(exclude_none=True), f"config.{key}")
        salts = {key: name for key in spec.config if (name := salt_reference(key)) is not None}
        for key, name in salts.items():
            self._secrets.check({"env": name}, f"config.{key}")
        if references or salts:
            require_private(str(server["url"]), "connect.url", what="the secrets of the configuration")
