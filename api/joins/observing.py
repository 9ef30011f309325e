"""What is seen without instrumentation: consumer groups, connectors and other engines, asked on a schedule.

What they report becomes OpenLineage events in the log, as if they had sent these themselves; so it is durable, folded and
rebuilt like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from api.joins.connections import Connections
from catalog.datasets.clusters import Clusters
from catalog.declared.secrets import Secrets, credentials
from catalog.errors import NotFound, WeirError
from catalog.model import NodeId
from catalog.records import ClusterRecord
from lineage.ingest.service import Ingest
from lineage.observed.connect import ConnectReader, worker_name
from lineage.observed.connect import event_of as connector_event
from lineage.observed.connect_engines import EngineReader
from lineage.observed.connector_datasets import Connector
from lineage.observed.duplicate_events import RecentEvents
from lineage.observed.groups import AT_ONCE, ConsumerGroup, GroupReader, GroupWatch, page
from lineage.observed.run_events import ObservedEvent
from lineage.settings import LineageSettings

log = structlog.get_logger("weir.observing")

GroupsOf = Callable[[Mapping[str, Any]], GroupReader]
"""librdkafka's settings of a cluster -> its groups."""
ConnectOf = Callable[[str, tuple[str, str] | None, str | None], ConnectReader]
"""url, (user, password), CA file -> a Kafka Connect."""
EnginesOf = Callable[[str, str, tuple[str, str] | None, str | None], EngineReader]
"""ksqldb | flink, url, (user, password), CA file -> an engine."""


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Consumer groups of a cluster. `total`: how many there are; `truncated`: more than were looked at."""

    groups: tuple[ConsumerGroup, ...]
    total: int
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ObservedConnector:
    """A connector as its worker shows it. `outside`: NAMESPACE/NAME of what it joins topics with; `job`: its node id."""

    name: str
    type: str
    state: str
    tasks: tuple[str, ...]
    topics: tuple[str, ...]
    outside: tuple[str, ...]
    java_class: str
    job: str


class Observing:
    """Asks every declared cluster. One that does not answer does not keep the others from being asked."""

    def __init__(
        self,
        clusters: Clusters,
        connections: Connections,
        ingest: Ingest,
        settings: LineageSettings,
        groups_of: GroupsOf,
        connect_of: ConnectOf,
        engines_of: EnginesOf,
        secrets: Secrets,
        workers: Callable[[], Sequence[tuple[str, Mapping[str, Any]]]] = tuple,
    ) -> None:
        """`workers`: further workers of Kafka Connect, each with the name of its cluster."""
        self._clusters, self._connections, self._ingest = clusters, connections, ingest
        self._groups_of, self._connect_of, self._engines_of = groups_of, connect_of, engines_of
        self._settings, self._secrets, self._workers = settings, secrets, workers
        self._watch = GroupWatch({settings.group}, settings.observe_groups_limit, settings.observe_again_seconds)
        self._told = RecentEvents(settings.observe_again_seconds)
        self._quiet: set[str] = set()

    def step(self) -> int:
        """Ask all clusters once; gives the number of events stored."""
        stored = 0
        for cluster in self._clusters.all():
            connectors: list[Connector] = []
            own = cluster.settings.get("connect") or {}
            stored += self._try(cluster, "connect", partial(self._connectors, cluster, own, connectors))
            for name, spec in self._workers():
                if name == cluster.name and spec["url"] != own.get("url"):
                    what = f"connect {spec['url']}"
                    stored += self._try(cluster, what, partial(self._connectors, cluster, spec, connectors))
            sinks = {f"connect-{connector.name}" for connector in connectors if connector.kind == "sink"}
            stored += self._try(cluster, "groups", partial(self._groups, cluster, sinks))
            for engine in ("ksqldb", "flink"):
                stored += self._try(cluster, engine, partial(self._engine, cluster, engine))
        return stored

    def _try(self, cluster: ClusterRecord, what: str, ask: Callable[[], int]) -> int:
        """Ask; a failure is logged once, until it works again."""
        key = f"{cluster.name}/{what}"
        try:
            stored = ask()
            self._quiet.discard(key)
            return stored
        except WeirError as error:
            if key not in self._quiet:
                log.warning("not_observed", cluster=cluster.name, what=what, message=error.message)
                self._quiet.add(key)
        except Exception as error:  # what one server says, whatever it is, keeps no other from being asked
            if key not in self._quiet:
                log.error("not_observed", cluster=cluster.name, what=what, error=type(error).__name__)
                self._quiet.add(key)
        return 0

    def _groups(self, cluster: ClusterRecord, left_out: set[str]) -> int:
        stored = 0
        for events in self._watch.events(cluster.namespace, self.reader(cluster.name), left_out):
            try:
                stored += self._store(events)
            except BaseException:
                self._watch.forget(cluster.namespace)
                raise
        return stored

    def _connectors(self, cluster: ClusterRecord, spec: Mapping[str, Any], connectors: list[Connector]) -> int:
        server = self._reached(spec, "connect")
        if server is None:
            return 0
        url, auth, ca = server
        here = self._connect_of(url, auth, ca).connectors()
        connectors += here
        worker = worker_name(url)
        return self._store_new(connector_event(connector, worker, cluster.namespace) for connector in here)

    def count_connectors(self, spec: Mapping[str, Any]) -> int:
        """How many connectors the worker has that a `connect` names. Raises Unavailable, SettingsError."""
        server = self._reached(spec, "connect")
        return len(self._connect_of(*server).connectors()) if server is not None else 0

    def _engine(self, cluster: ClusterRecord, engine: str) -> int:
        server = self._server(cluster, engine)
        if server is None:
            return 0
        return self._store_new(self._engines_of(engine, *server).events(cluster.namespace))

    def _store_new(self, events: Iterable[ObservedEvent]) -> int:
        fresh: list[ObservedEvent] = []
        try:
            fresh += (event for event in events if self._told.is_new(event))
            return self._store(fresh)
        except BaseException:
            self._told.forget(fresh)
            raise

    def _store(self, events: list[ObservedEvent]) -> int:
        if events:
            result = self._ingest.post_batch(events)
            for _, reason in result.failed[:3]:
                log.warning("observed_event_refused", reason=reason)
        return len(events)

    def _server(self, cluster: ClusterRecord, what: str) -> tuple[str, tuple[str, str] | None, str | None] | None:
        """Address, credentials and CA of a server declared beside the cluster."""
        return self._reached(cluster.settings.get(what), what)

    def _reached(
        self, spec: Mapping[str, Any] | None, what: str
    ) -> tuple[str, tuple[str, str] | None, str | None] | None:
        """Raises SettingsError for a secret that is not there, may not be read, or may not be sent to that address."""
        if not spec:
            return None
        auth = credentials(self._secrets, spec, what)
        ca = self._secrets.file(spec["ca"], f"{what}.ca", authorities=True) if spec.get("ca") else None
        return spec["url"], auth, ca

    def reader(self, cluster: str) -> GroupReader:
        """The consumer groups of a declared cluster. Raises NotFound."""
        connection = self._connections.connection(cluster)
        return self._groups_of({**connection.kafka, "bootstrap.servers": connection.bootstrap})

    def is_hidden(self, group: str) -> bool:
        """Whether a group is one of Weir's own."""
        return self._watch.is_hidden(group)

    # -- asked by people ----------------------------------------------------------------------------------------------

    def groups(
        self, cluster: str, topic: str | None = None, limit: int = 100, offset: int = 0, search: str | None = None
    ) -> GroupPage:
        """A page of a cluster's groups as they are now, with lag. Raises NotFound, Unavailable.

        topic: only groups that read it (at most `observe_groups_limit` are looked at); search: only names that hold it.
        """
        reader = self.reader(cluster)
        names = [
            group
            for group in reader.names()
            if not self._watch.is_hidden(group.name) and (search is None or search.lower() in group.name.lower())
        ]
        truncated = False
        reading: set[str] | None = None
        if topic is not None:
            truncated = len(names) > self._settings.observe_groups_limit
            names = names[: self._settings.observe_groups_limit]
            reading = set()
            for start in range(0, len(names), AT_ONCE):
                groups = reader.describe(names[start : start + AT_ONCE])
                reading |= {group.name for group in groups if any(t.topic == topic for t in group.topics)}
        some, total = page(names, reading, limit, offset)
        return GroupPage(tuple(reader.describe(some, lag=True)), total, truncated)

    def connectors(self, cluster: str) -> list[ObservedConnector]:
        """A cluster's connectors as they are now; configurations stay hidden. Raises NotFound, Unavailable."""
        from lineage.observed.connector_datasets import mapped

        server = self._server(self._clusters.get(cluster), "connect")
        if server is None:
            raise NotFound(
                f"Cluster {cluster!r} names no Kafka Connect; declare connect: {{url: ...}} in its spec.",
                details={"cluster": cluster},
            )
        rows = []
        for connector in self._connect_of(*server).connectors():
            ends = mapped(connector)
            rows.append(
                ObservedConnector(
                    name=connector.name,
                    type=connector.kind,
                    state=connector.state,
                    tasks=tuple(connector.tasks),
                    topics=tuple(ends.topics),
                    outside=tuple(f"{namespace}/{name}" for namespace, name in ends.outside),
                    java_class=connector.config.get("connector.class", ""),
                    job=str(NodeId("job", worker_name(server[0]), connector.name)),
                )
            )
        return rows
