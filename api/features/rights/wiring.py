"""The service of rights: brokers, consumer groups, lineage and the audit, joined with decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from api.config.settings import Settings
from api.joins.connectors.at_source import AtSource
from api.joins.connectors.ways_around import WaysAround
from api.joins.declared import DeclaredService
from api.joins.observing import Observing
from api.joins.views.copies import ViewCopies
from api.joins.views.declared import DeclaredViews
from api.joins.views.seen import SeenStates
from api.visibility.readers import Readers
from api.wiring.access_services import EffectiveAccess
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from api.wiring.view_services import view_subject
from catalog.datasets.datasets import Datasets
from catalog.events.events import Events
from catalog.model import DatasetId
from lineage.observed.groups import AT_ONCE
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.broker_rights.applying import Applying
from policies.broker_rights.comparison import Comparison
from policies.broker_rights.consumer_access import ConsumerReads
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.installation import installation_id
from policies.broker_rights.principals import Who
from policies.broker_rights.reconcile import Reconciliation
from policies.broker_rights.service import BrokerRights
from policies.broker_rights.used import Reader, ReadingGroup
from policies.broker_rights.watch import RightsWatch
from policies.declared.state import GovernanceState
from policies.model import DatasetFacts, Decision, Subject
from policies.requests.approvals import Approvals
from views.declared import GROUP


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
            ledger=parts.rights_ledger,
            requested=lambda record: instance[CopyKeeper].reads(record),
            beside=WaysAround(
                instance[AtSource], parts.door_probe, lambda ca, name: parts.secrets.file(ca, name, authorities=True)
            ),
        )

    instance.provide(BrokerRights, rights)
    instance.provide(Reconciliation, lambda: _reconciliation(instance, parts))
    instance.provide(
        CopyKeeper,
        lambda: CopyKeeper(
            instance[Reconciliation].comparison,
            instance[EffectiveAccess].moments,
            parts.rights_ledger,
            instance[AuditLog],
            now,
            timedelta(hours=instance[Settings].policies.masked_copy_grace_hours),
        ),
    )
    instance.provide(
        ConsumerReads,
        lambda: ConsumerReads(
            instance[GovernanceState],
            instance[EffectiveAccess].moments.source,
            instance[Reconciliation].comparison,
            instance[CopyKeeper],
            instance[Approvals].records,
            now,
        ),
    )
    instance.provide(
        RightsWatch,
        lambda: RightsWatch(
            instance[Reconciliation],
            instance[GovernanceState],
            instance[EffectiveAccess].moments,
            instance[Events],
            now,
        ),
    )


def _reconciliation(instance: Instance, parts: Adapters) -> Reconciliation:
    access = instance[EffectiveAccess]
    comparison = Comparison(
        moments=access.moments,
        clusters=instance[Datasets].clusters.all,
        reader=parts.acl_reader,
        ledger=parts.rights_ledger,
        references=access.references,
        installation=lambda: installation_id(parts.policy_store, now),
        copies=ViewCopies(instance[DeclaredViews], instance[SeenStates], lambda: instance[DeclaredService]),
        decide=partial(_decided, instance[GovernanceState], instance[Identity]),
    )
    return Reconciliation(
        comparison=comparison,
        applying=Applying(parts.acl_writer, parts.rights_ledger, now),
        ledger=parts.rights_ledger,
        audit=instance[AuditLog],
        clock=now,
        second_person_above=instance[Settings].policies.rights_second_person_above,
    )


def _decided(
    state: GovernanceState, identity: Identity, who: Who, facts: DatasetFacts, purpose: str | None
) -> Decision:
    """What somebody may see of a dataset, as the view of a copy decides it. Raises NotSignedIn, Unavailable."""
    kind, name = who
    subject = view_subject(state, identity, f"{GROUP}{name}" if kind == "group" else name)
    return state.decide(subject, facts, purpose)


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
