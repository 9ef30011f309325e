"""Findings about ways around the brokers of a cluster: its connectors, its schema registry, its workers of Kafka Connect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from api.joins.connectors.at_source import AtSource, unmasked
from catalog.errors import WeirError
from catalog.records import ClusterRecord
from catalog.server_doors import DoorProbe, ServerDoor, ServerKind
from policies.broker_rights.doors import of_server, of_source
from policies.broker_rights.findings import Finding
from policies.broker_rights.rows import Personal, personal_of
from policies.model import DatasetFacts


class WaysAround:
    """See `policies.broker_rights.service.Beside`."""

    def __init__(self, at_source: AtSource, probe: DoorProbe, authorities: Callable[[str, str], str]) -> None:
        """`authorities`: gives the file of a `ca` for a field that names it. Raises SettingsError."""
        self._at_source, self._probe, self._authorities = at_source, probe, authorities

    def __call__(
        self, record: ClusterRecord, topics: Sequence[DatasetFacts], whole: bool
    ) -> tuple[Sequence[Finding], Sequence[str]]:
        """`whole`: findings about servers of the cluster, too."""
        findings: list[Finding] = []
        sources, problems = self._at_source.sources(record.name)
        notes = list(problems)
        reader = self._at_source.reader()
        for facts in topics:
            writers = [each for each in sources if each.writes(facts.id.name)]
            fields = self._at_source.masked(reader, facts) if writers else []
            for source in writers:
                left = unmasked(source, facts.id.name, fields)
                findings += of_source(record.name, facts.reference, source.live.name, left)
        if whole:
            worst = _worst(topics)
            for door in self._doors(record):
                findings += of_server(record.name, door, worst)
                if door.problem is not None:
                    what = "schema registry" if door.kind == "registry" else "Kafka Connect"
                    notes.append(f"Whether the {what} of {record.name} lets anybody in is not known: {door.problem}")
        return findings, notes

    def _doors(self, record: ClusterRecord) -> Iterator[ServerDoor]:
        registry = record.settings.get("schemaRegistry") or {}
        if record.registry_url:
            yield self._asked("registry", record.registry_url, registry.get("ca"))
        for server in self._at_source.servers(record.name):
            yield self._asked("connect", str(server["url"]), server.get("ca"))

    def _asked(self, kind: ServerKind, url: str, ca: str | None) -> ServerDoor:
        try:
            return self._probe.ask(kind, url, self._authorities(ca, f"{kind}.ca") if ca else None)
        except WeirError as error:
            return ServerDoor(kind, url, problem=error.message)


def _worst(topics: Sequence[DatasetFacts]) -> Personal:
    known = {personal_of(each) for each in topics}
    return next((each for each in Personal if each in known), Personal.NO)
