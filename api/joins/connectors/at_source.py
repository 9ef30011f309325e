"""Sources of a cluster beside what an ordinary reader of their topics sees: which fields are to be masked, and which leak."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from api.joins.connectors.places import Places, Server, address
from catalog.entities import is_personal
from catalog.errors import NotFound, WeirError
from catalog.model import DatasetId, SchemaVersion
from catalog.paths import FieldPath
from connectors.model import Live
from connectors.source_masks.columns import is_debezium
from connectors.source_masks.fields import MaskedField
from connectors.source_masks.leaks import Leak, leaks
from policies.broker_rights.doors import UnmaskedField
from policies.broker_rights.rows import Personal
from policies.effective.moment import Moments
from policies.effective.ordinary_reader import OrdinaryReader
from policies.masks import registry
from policies.model import DatasetFacts, Effect, Mask, MaskType

_TEXT = "string"
_MOST_CONNECTORS = 500
"""Connectors of a worker of which the topics are asked for, one by one."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source connector at a worker. topics: those that it has written, where the worker tracks them."""

    cluster: str
    server: Server
    live: Live
    topics: frozenset[str]

    def writes(self, topic: str) -> bool:
        """Whether it writes a topic, as far as its worker and its configuration show."""
        config = self.live.config
        prefix = config.get("topic.prefix", "")
        named = is_debezium(config) and bool(prefix) and topic.startswith(f"{prefix}.")
        return topic in self.topics or topic == config.get("topic") or named


class AtSource:
    """Workers are asked each time; no configuration is kept."""

    def __init__(
        self,
        places: Places,
        clusters: Callable[[], Iterable[str]],
        moments: Moments,
        schema: Callable[[DatasetId], SchemaVersion],
    ) -> None:
        """`clusters`: names of those that are declared; `schema`: the newest of a dataset. Raises NotFound."""
        self._places, self._clusters, self._moments, self._schema = places, clusters, moments, schema

    def servers(self, cluster: str) -> Sequence[Server]:
        """The workers of a cluster, each once."""
        own = self._places.found({"cluster": cluster})
        others = (server for name, server in self._places.workers() if name == cluster)
        return list({address(each): each for each in [*([own] if own is not None else []), *others]}.values())

    def sources(self, cluster: str) -> tuple[Sequence[Source], Sequence[str]]:
        """The source connectors of a cluster, and sentences on workers that could not be asked."""
        every: list[Source] = []
        notes: list[str] = []
        for server in self.servers(cluster):
            try:
                worker = self._places.worker(server)
                lives = [each for each in worker.all().values() if each.kind == "source"]
                every += (
                    Source(
                        cluster,
                        server,
                        live,
                        frozenset(worker.topics(live.name)) if at < _MOST_CONNECTORS else frozenset(),
                    )
                    for at, live in enumerate(lives)
                )
            except WeirError as error:
                notes.append(f"Connectors of {cluster} are not known: {error.message}")
        return every, notes

    def every(self) -> tuple[Sequence[Source], Sequence[str]]:
        """The source connectors of all clusters; each worker is asked once."""
        every: list[Source] = []
        notes: list[str] = []
        for cluster in sorted(self._clusters()):
            sources, problems = self.sources(cluster)
            every += sources
            notes += problems
        return every, notes

    def kinds(self, name: str) -> Mapping[str, str]:
        """Cluster -> source or sink, of the connectors of a name."""
        kinds: dict[str, str] = {}
        for cluster in sorted(self._clusters()):
            for server in self.servers(cluster):
                try:
                    live = self._places.worker(server).get(name)
                except WeirError:
                    continue
                if live is not None:
                    kinds[cluster] = live.kind
        return kinds

    def reader(self) -> OrdinaryReader:
        """The ordinary reader of this moment."""
        moment = self._moments.of(None)
        return OrdinaryReader(moment.view, moment.at, self._moments.settings.unscanned_is_sensitive)

    def facts(self, reference: str) -> DatasetFacts:
        """Raises DatasetNotFound."""
        return self._moments.source.facts(reference)

    def masked(self, reader: OrdinaryReader, facts: DatasetFacts) -> list[MaskedField]:
        """The fields of a topic that the ordinary reader sees masked. `personal` None: no scan looked at the field yet."""
        scanned = {each.path: (each.classified, any(map(is_personal, each.tags))) for each in facts.fields}
        texts = self._texts(facts.id)
        fields = []
        for column in reader.columns(facts):
            mask = column.mask if column.effect is Effect.ALLOW else Mask(MaskType.MASK_NULL)
            if mask is None or mask.type is MaskType.MASK_NONE:
                continue
            classified, personal = scanned.get(column.path, (True, True))
            kind = registry.find(mask.type)
            shows = mask.params.get("show", 4) if mask.type == "MASK_SHOW_FIRST_4" else None
            fields.append(
                MaskedField(
                    path=FieldPath.parse(column.path),
                    mask=str(mask.type),
                    rank=kind.rank if kind is not None else None,
                    shows=int(shows) if shows is not None else None,
                    text=texts.get(column.path),
                    personal=personal if classified else None,
                )
            )
        return fields

    def _texts(self, dataset: DatasetId) -> Mapping[str, bool]:
        """Path -> whether all values are texts, as scans saw them."""
        try:
            fields = self._schema(dataset).fields
        except NotFound:
            return {}
        kinds = {each.path: {name for name in each.types if name != "null"} for each in fields}
        return {path: names == {_TEXT} for path, names in kinds.items() if names}


def unmasked(source: Source, topic: str, fields: Iterable[MaskedField]) -> list[UnmaskedField]:
    """The fields of a topic that a connector leaves unmasked, in the words of findings."""
    return [_unmasked(each) for each in leaks(source.live.config, topic, fields)]


def _unmasked(leak: Leak) -> UnmaskedField:
    personal = leak.field.personal
    known = Personal.NOT_SCANNED if personal is None else Personal.YES if personal else Personal.NO
    return UnmaskedField(str(leak.field.path), leak.field.mask, known, leak.weaker, leak.missed, leak.unknown)
