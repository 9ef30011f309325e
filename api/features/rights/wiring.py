"""The service of rights: brokers, consumer groups, lineage and the audit, joined with decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from api.config.settings import Settings
from api.joins.observing import Observing
from api.visibility.readers import Readers
from api.wiring.access_services import EffectiveAccess
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.model import DatasetId
from lineage.observed.groups import AT_ONCE
from policies.audit.log import AuditLog
from policies.broker_rights.service import BrokerRights
from policies.broker_rights.used import Reader, ReadingGroup
from policies.model import Subject


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def rights() -> BrokerRights:
        access = instance[EffectiveAccess]
        readers = instance[Readers]
        most = instance[Settings].lineage.observe_groups_limit

        def groups_of(cluster: str) -> tuple[Sequence[ReadingGroup], int]:
            return _groups(instance[Observing], cluster, most)

        def readers_of(caller: Subject, datasets: Sequence[DatasetId]) -> Mapping[DatasetId, Sequence[Reader]]:
            lineage = readers.of(caller).lineage
            return {
                dataset: [
                    Reader(each.name, each.kind == "consumer_group", datetime.fromisoformat(each.seen), each.owners)
                    for each in known
                    if each.seen
                ]
                for dataset, known in lineage.readers_of_each(datasets).items()
            }

        return BrokerRights(
            moments=access.moments,
            datasets=access.dataset,
            clusters=instance[Datasets].clusters.all,
            reader=parts.acl_reader,
            groups_of=groups_of,
            readers_of=readers_of,
            audit=instance[AuditLog],
            references=access.references,
            shown=lambda caller, listed: readers.of(caller).shown(listed, schema=True),
        )

    instance.provide(BrokerRights, rights)


def _groups(observing: Observing, cluster: str, most: int) -> tuple[list[ReadingGroup], int]:
    """The groups of a cluster but Weir's own, and how many could not be looked at."""
    reader = observing.reader(cluster)
    names = [each for each in reader.names() if not observing.is_hidden(each.name)]
    described = [
        each
        for start in range(0, min(len(names), most), AT_ONCE)
        for each in reader.describe(names[start : min(start + AT_ONCE, most)])
    ]
    groups = [
        ReadingGroup(each.name, each.active, each.clients, frozenset(topic.topic for topic in each.topics))
        for each in described
    ]
    return groups, len(names) - len(groups)
