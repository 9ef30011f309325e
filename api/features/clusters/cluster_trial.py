"""Testing how a cluster is reached, declared or not yet: what answers, which known cluster that is, and what is wrong where
nothing does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from api.features.clusters.answers import ClusterCheck, TestedCluster
from api.joins.connections import Connections
from api.joins.declared import KINDS
from api.joins.second_person import SecondPerson
from catalog.call_deadline import REGISTRY_SECONDS, all_calls_within
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.documents import Document, load
from catalog.declared.secrets import Secrets, check_cluster
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import InvalidInput, NotAllowed, SettingsError, Unavailable, WeirError
from catalog.namespaces import addresses
from catalog.ports import Brokers, CatalogStore
from catalog.records import ClusterRecord
from scanners.ports import SchemaRegistry

_NO_SUBJECT = "weir-connection-test"
"""A subject that no registry has: it answers that, or it is another server."""
Port = Callable[[str], str]
"""HOST:PORT -> kafka (answers without TLS), tls, open, refused, unknown host or no answer."""
ConnectCount = Callable[[Mapping[str, Any]], int]
"""`connect` of a cluster -> how many connectors its worker has. Raises Unavailable, SettingsError."""


class ClusterTrial:
    """Asks each server of a document once. Nothing is stored."""

    def __init__(
        self,
        brokers: Brokers,
        connections: Connections,
        registry: SchemaRegistry,
        secrets: Secrets,
        second: SecondPerson,
        port: Port,
        connect: ConnectCount,
        servers: ServerAddresses,
        store: CatalogStore,
    ) -> None:
        self._brokers, self._connections, self._registry = brokers, connections, registry
        self._secrets, self._second, self._port, self._connect = secrets, second, port, connect
        self._servers, self._store = servers, store

    def declared_spec(self, cluster: ClusterRecord) -> Mapping[str, Any]:
        """How a known cluster is reached: by its document, or, where only a scan met it, by its addresses."""
        document = self._store.document("Cluster", cluster.name)
        return document.spec if document is not None else {"bootstrapServers": ",".join(cluster.bootstrap)}

    def test(self, name: str, spec: Mapping[str, Any]) -> TestedCluster:
        """What answers of a cluster's spec.

        Raises InvalidInput for a spec that no document may have; NotAllowed where it would send a secret to an address
        that was not declared with it before, and that needs a second person.
        """
        given = {"apiVersion": "weir/v1", "kind": "Cluster", "metadata": {"name": name}, "spec": dict(spec)}
        (document,) = load(json.dumps(given), KINDS, "the cluster")
        assert isinstance(document.model, ClusterSpec)
        bootstrap = addresses(document.model.bootstrapServers)
        try:
            check_cluster(self._secrets, document.spec, bootstrap)
            self._servers.require_cluster(document.spec, bootstrap)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None
        self._allowed(document)
        tested = TestedCluster(checks=[], cluster_id=None, brokers=[], topics=None, known_as=None)
        tested.checks.append(self._kafka(name, document.spec, bootstrap, tested))
        cluster = ClusterRecord(
            name,
            f"kafka://{bootstrap[0]}",
            bootstrap=tuple(bootstrap),
            settings=document.spec,
            registry_url=(document.spec.get("schemaRegistry") or {}).get("url"),
        )
        if cluster.registry_url:
            tested.checks.append(self._check("schema registry", lambda: self._subjects(cluster)))
        if connect := document.spec.get("connect"):
            tested.checks.append(self._check("Kafka Connect", lambda: _connectors(self._connect(connect))))
        return tested

    def _allowed(self, document: Document) -> None:
        waiting = self._second.unseconded(document)
        if waiting:
            raise NotAllowed(
                f"Testing {document.name} would send {', '.join(waiting)} to an address that was not declared with it"
                " before, which needs a second person. Apply the document; another person who may manage applies the same.",
                details={"fields": list(waiting), "reasons": ["second person"]},
            )

    def _known(self, cluster_id: str | None, brokers: Sequence[str], bootstrap: Sequence[str]) -> ClusterRecord | None:
        """The cluster of the catalog that these brokers are: by their cluster ID, or where none is known by an address."""
        clusters = list(self._store.clusters())
        by_id = [each for each in clusters if cluster_id is not None and each.cluster_id == cluster_id]
        spoken = {*brokers, *bootstrap}
        by_address = [each for each in clusters if each.cluster_id is None and spoken & {*each.bootstrap}]
        return next(iter(by_id or by_address), None)

    def _known_text(self, name: str, known: ClusterRecord | None) -> str:
        if known is None:
            return ""
        if self._store.document("Cluster", known.name) is None:
            return f"This is {known.name}, which a scan met and nobody declared. "
        if known.name == name:
            return f"This is {name}, already declared. "
        return f"This is {known.name}, already declared: a second name would list its topics twice. "

    def _kafka(
        self, name: str, spec: Mapping[str, Any], bootstrap: Sequence[str], tested: TestedCluster
    ) -> ClusterCheck:
        try:
            described = self._brokers.describe(spec, bootstrap)
        except SettingsError as error:
            return _failed("Kafka", error.message)
        except Unavailable as error:
            return _failed("Kafka", self._why(error.message, bootstrap, spec))
        tested.cluster_id, tested.brokers = described.cluster_id, list(described.brokers)
        try:
            topics = self._brokers.topics(spec, bootstrap, offsets=False)
        except WeirError as error:
            return _failed("Kafka", f"The brokers answer, but do not list their topics: {error.message}")
        tested.topics = sum(not topic.internal for topic in topics)
        brokers = len(described.brokers)
        known = self._known(described.cluster_id, described.brokers, bootstrap)
        tested.known_as = known.name if known is not None else None
        text = f"{brokers} broker{'' if brokers == 1 else 's'}, {tested.topics} topics that this user may see."
        return ClusterCheck(what="Kafka", ok=True, message=self._known_text(name, known) + text)

    def _why(self, message: str, bootstrap: Sequence[str], spec: Mapping[str, Any]) -> str:
        """What the ports show where no Kafka answers. A client has one error for a closed port and for wrong security."""
        if "does not answer" not in message:
            return message
        states = {address: self._port(address) for address in bootstrap[:5]}
        unknown = [address for address, state in states.items() if state == "unknown host"]
        for address, state in states.items():
            if state in ("kafka", "tls", "open"):
                return _listener(address, state, spec.get("security") or {})
        if len(unknown) == len(states):
            return f"The host name of {unknown[0]} is not known; check its spelling, and the name server of Weir's machine."
        if all(state == "refused" for state in states.values()):
            return f"Nobody listens at {', '.join(states)}; check the port, and that the broker runs."
        return (
            f"No answer from {', '.join(states)} in time; a firewall between Weir and the brokers would look like that."
        )

    def _check(self, what: str, ask: Callable[[], str]) -> ClusterCheck:
        try:
            return ClusterCheck(what=what, ok=True, message=ask())
        except WeirError as error:
            return _failed(what, error.message)

    def _subjects(self, cluster: ClusterRecord) -> str:
        with all_calls_within(REGISTRY_SECONDS):
            self._registry.newest(self._connections.reach(cluster), _NO_SUBJECT)
        same = sorted(
            each.name
            for each in self._store.clusters()
            if each.name != cluster.name
            and each.registry_url
            and _plain(each.registry_url) == _plain(cluster.registry_url)
        )
        return "It answers as a schema registry." + (f" It is that of {', '.join(same)}, too." if same else "")


def _plain(url: str | None) -> str:
    return (url or "").rstrip("/").lower()


def _listener(address: str, state: str, security: Mapping[str, Any]) -> str:
    """What to change for a port that is open, where the client given `security` gets no answer of Kafka."""
    tls, sasl = "tls" in security, "sasl" in security
    match state:
        case "kafka" if tls:
            return f"Kafka answers at {address} without TLS, and TLS is chosen: switch TLS off, or give the port that has TLS."
        case "kafka" if sasl:
            return f"Kafka answers at {address}, but not to this sign-in: check the mechanism, the user name and the password."
        case "kafka":
            return f"Kafka answers at {address}, but lists no brokers to a client without sign-in: add SASL."
        case "tls" if not tls:
            return f"The port {address} wants TLS, and TLS is not chosen: switch TLS on."
        case "tls":
            return (
                f"The port {address} does TLS, but no Kafka answers there with the TLS and sign-in given: check the"
                " authority (CA), the client's certificate and the sign-in, and that this port is Kafka's."
            )
        case _:
            declared = "with the TLS and sign-in given" if security else "without TLS and sign-in"
            return (
                f"The port {address} is open, but no Kafka answers there {declared}, and it does no TLS: check that this"
                " port is Kafka's."
            )


def _connectors(count: int) -> str:
    return f"It answers, with {count} connector{'' if count == 1 else 's'}."


def _failed(what: str, message: str) -> ClusterCheck:
    return ClusterCheck(what=what, ok=False, message=message)
