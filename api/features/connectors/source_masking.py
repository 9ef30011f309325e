"""Settings that mask at the source, for the connectors that write a dataset, or for one connector."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from api.features.connectors import answers
from api.joins.connectors.at_source import AtSource, Source
from api.joins.connectors.places import KIND
from api.joins.connectors.readers import owns
from catalog.errors import InvalidInput, NotAllowed, NotFound, WeirError
from catalog.near_names import did_you_mean
from catalog.ports import CatalogStore
from connectors.source_masks.compiling import SALT, compiled
from connectors.source_masks.fields import MaskedField
from connectors.source_masks.leaks import leaks
from policies.audit.log import AuditLog
from policies.model import DatasetFacts, Subject

_SALT_NOTE = (
    f"Put a secret of your own in the place of {SALT} before you paste: the salt is a part of the setting's name, and Kafka Connect"
    " resolves references in values alone. In a document of kind Connector, Weir puts it there."
)


@dataclass(frozen=True)
class SourceMasking:
    """The service behind `/connector-masks`.

    sees        whether a caller may see the masks of a dataset
    named       `CLUSTER/TOPIC` of a dataset as a caller writes it. Raises DatasetNotFound
    references  the datasets that a caller may know of
    """

    at_source: AtSource
    store: CatalogStore
    sees: Callable[[Subject, DatasetFacts], bool]
    manages: Callable[[Subject], bool]
    named: Callable[[Subject, str], str]
    references: Callable[[Subject], Iterable[str]]
    audit: AuditLog

    def of(self, caller: Subject, dataset: str | None, connector: str | None) -> answers.SourceMasks:
        """Raises InvalidInput, NotFound, NotAllowed."""
        if (dataset is None) is (connector is None):
            raise InvalidInput("Give one of dataset and connector.", details={"field": "dataset"})
        topics: Sequence[DatasetFacts]
        if dataset is not None:
            facts = self._dataset(caller, dataset)
            sources, notes = self.at_source.sources(facts.reference.partition("/")[0])
            chosen, topics = self._of_dataset(facts, sources, notes), [facts]
        else:
            sources, notes = self.at_source.every()
            chosen = self._of_connector(str(connector), sources, notes)
            topics = self._topics(caller, chosen)
        self.audit.record_by(caller, "report.rights", dataset or str(connector), "allow", ["masks at the source"])
        return answers.SourceMasks(
            connectors=[self._answer(caller, each, topics) for each in chosen], notes=list(notes)
        )

    def _dataset(self, caller: Subject, text: str) -> DatasetFacts:
        facts = self.at_source.facts(self.named(caller, text))
        if not self.sees(caller, facts):
            raise _refused(caller, facts.reference)
        return facts

    def _of_dataset(self, facts: DatasetFacts, sources: Sequence[Source], notes: Sequence[str]) -> Sequence[Source]:
        chosen = [each for each in sources if each.writes(facts.id.name)]
        if not chosen:
            unknown = f" {' '.join(notes)}" if notes else ""
            raise NotFound(
                f"No source connector is known to write {facts.reference}; name the connector"
                f" (weir connector mask CONNECTOR), or declare connect: {{url: ...}} of the cluster.{unknown}",
                details={"dataset": facts.reference},
            )
        return chosen

    def _of_connector(self, name: str, sources: Sequence[Source], notes: Sequence[str]) -> Sequence[Source]:
        chosen = [each for each in sources if each.live.name == name]
        if chosen:
            return chosen
        if "sink" in self.at_source.kinds(name).values():
            raise InvalidInput(
                f"{name} is a sink: it writes what a topic has to another system. Masks at the source are for source connectors.",
                details={"connector": name},
            )
        names = sorted({each.live.name for each in sources})
        near = difflib.get_close_matches(name, names, 3)
        fix = did_you_mean(near, f" Known: {', '.join(names[:10]) or 'none'}.", " ")
        unknown = f" {' '.join(notes)}" if notes else ""
        raise NotFound(
            f"There is no source connector {name!r} at a worker.{fix}{unknown}",
            details={"connector": name, "nearest": near},
        )

    def _topics(self, caller: Subject, chosen: Sequence[Source]) -> Sequence[DatasetFacts]:
        clusters = {each.cluster for each in chosen}
        written = [
            reference
            for reference in sorted(self.references(caller))
            if (cluster := reference.partition("/")[0]) in clusters
            and any(each.cluster == cluster and each.writes(reference.partition("/")[2]) for each in chosen)
        ]
        known = [facts for reference in written if (facts := self._facts(reference)) is not None]
        seen = [facts for facts in known if self.sees(caller, facts)]
        if not seen and not self.manages(caller):
            raise _refused(caller, f"what {chosen[0].live.name} writes")
        return seen

    def _facts(self, reference: str) -> DatasetFacts | None:
        try:
            return self.at_source.facts(reference)
        except NotFound:
            return None

    def _answer(
        self, caller: Subject, source: Source, topics: Sequence[DatasetFacts]
    ) -> answers.SourceMasksOfConnector:
        reader = self.at_source.reader()
        mine = {
            each.id.name: each
            for each in topics
            if each.reference.partition("/")[0] == source.cluster and source.writes(each.id.name)
        }
        every = {topic: self.at_source.masked(reader, facts) for topic, facts in mine.items()}
        fields = {topic: [each for each in of if each.personal is not None] for topic, of in every.items()}
        masks = compiled(source.live.config, fields, self._sees_config(caller, source))
        leaking = [
            (mine[topic].reference, leak)
            for topic, of in every.items()
            for leak in leaks(source.live.config, topic, of)
        ]
        return answers.SourceMasksOfConnector(
            connector=source.live.name,
            cluster=source.cluster,
            plugin=source.live.config.get("connector.class", ""),
            datasets=sorted(facts.reference for facts in mine.values()),
            properties=dict(masks.properties),
            masks=[
                answers.SourceMasked(
                    dataset=mine[each.topic].reference,
                    path=str(each.field.path),
                    mask=each.field.mask,
                    setting=each.setting,
                    exact=each.exact,
                    note=each.note or None,
                )
                for each in masks.masks
            ],
            notes=[*([_SALT_NOTE] if masks.salted else []), *self._notes(caller, source, mine, every)],
            leaks=[
                answers.SourceLeak(
                    dataset=reference,
                    path=str(leak.field.path),
                    mask=leak.field.mask,
                    reasons=[*([f"{leak.weaker} hides less"] if leak.weaker else []), *leak.missed],
                    unknown=list(leak.unknown),
                )
                for reference, leak in leaking
            ],
        )

    def _notes(
        self,
        caller: Subject,
        source: Source,
        mine: dict[str, DatasetFacts],
        every: dict[str, list[MaskedField]],
    ) -> Iterable[str]:
        if not mine:
            yield f"The catalog holds no topic that {source.live.name} is known to write; scan {source.cluster}."
        for topic, fields in sorted(every.items()):
            unscanned = sum(each.personal is None for each in fields)
            if unscanned:
                yield (
                    f"No scan looked at {unscanned} fields of {mine[topic].reference}: they have no setting here; scan the"
                    " dataset first."
                )
        if not self._sees_config(caller, source):
            yield (
                "Add to the lists and transforms that the connector has: its configuration is for its owners and those who manage."
            )

    def _sees_config(self, caller: Subject, source: Source) -> bool:
        document = self.store.document(KIND, source.live.name)
        return self.manages(caller) or (document is not None and owns(caller, document.spec))


def _refused(caller: Subject, what: str) -> WeirError:
    return NotAllowed(
        f"{caller.user} may not see the masks of {what}; owners of the dataset may, and holders of the permission report:read,"
        " audit:read or manage.",
        details={"permission": "report:read", "reasons": ["neither owner, nor one of the permissions"]},
    )
